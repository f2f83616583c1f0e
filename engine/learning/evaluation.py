"""What searches say of positions on the way into a book."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playout.engine.config import SearchConfig
from playout.engine.info import MoveInfo, SearchResult
from playout.engine.searcher import Searcher
from playout.games.errors import GameError
from playout.games.game import CHANCE, Game, action_to_text

MOST_UNPROVEN = 0.999
"""A value that is not exact is never taken for a sure win or loss."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a search found."""

    value: float
    """For the player to move; at a chance position for player 0."""
    simulations: int
    """Of the position, those of searches of the positions before it included."""
    proven: bool
    """Whether the value is exact."""
    moves: tuple[MoveInfo, ...]
    """Best first; those that the search has not tried are missing."""


class Evaluation:
    """Searches positions, each with the same number of simulations."""

    def __init__(self, game: Game[Any, Any], start: str | None, config: SearchConfig, nodes: int) -> None:
        self._game, self._start, self._nodes = game, start, nodes
        self._searcher = Searcher(game, config)
        self.searches = 0
        """Made so far."""

    def forget(self) -> None:
        """Forgets what searches learned: the next ones hang on nothing but their positions and the seed."""
        self._searcher.clear()

    def search(self, state: Any, words: Sequence[str]) -> Verdict:
        """Searches ``state``, where the game is not over, to which ``words`` lead from the start. Blocks.

        Raises:
            GameError: if a method of a user's game failed.
        """
        self._searcher.set_position(self._start, words)
        result = self._searcher.run(nodes=self._nodes)
        self.searches += 1
        if result.fault is not None:
            raise GameError(f"{self._game.name}: {result.fault.splitlines()[-1]}")
        proven = result.reason == "proven"
        return Verdict(self._value(state, result, proven), result.info.visits, proven, result.info.moves)

    def _value(self, state: Any, result: SearchResult, proven: bool) -> float:
        game: Any = self._game
        moves = result.info.moves
        worth = {move.move: move.lower if proven else move.value for move in moves}
        if game.current_player(state) == CHANCE:
            # The mean by the dice, not by how often the search threw each.
            value = sum(
                probability * worth.get(action_to_text(game, state, outcome), result.info.value)
                for outcome, probability in game.chance_outcomes(state)
            )
        else:
            value = worth[moves[0].move]
        return storable(value if proven else max(-MOST_UNPROVEN, min(MOST_UNPROVEN, value)))


def storable(value: float) -> float:
    """The value as a store holds it, in 32 bits: a run that goes on from the file reckons with the same numbers."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0]) + 0.0
