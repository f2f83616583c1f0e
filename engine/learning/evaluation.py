"""What a search says of positions on the way into a book."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playout.engine.config import SearchConfig
from playout.engine.info import MoveInfo, SearchResult
from playout.engine.searcher import Searcher
from playout.games.errors import GameError
from playout.games.game import CHANCE, Game, HasChance, action_to_text


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a search found."""

    value: float
    """For the player to move; at a chance position for player 0."""
    simulations: int
    proven: bool
    moves: tuple[MoveInfo, ...]
    """Best first; those that the search has not tried are missing."""


class Evaluation:
    """Searches positions, each with the same number of simulations."""

    def __init__(self, game: Game[Any, Any], start: str | None, config: SearchConfig, nodes: int) -> None:
        self._game, self._start, self._nodes = game, start, nodes
        self._searcher = Searcher(game, config)
        self.searches = 0

    def forget(self) -> None:
        """Forgets what searches learned, so that the next ones hang on nothing but their position and the seed."""
        self._searcher.clear()

    def search(self, state: Any, words: Sequence[str]) -> Verdict:
        """Searches ``state``, where the game is not over, to which ``words`` lead from the start.

        Raises:
            GameError: if a method of a user's game failed.
        """
        self._searcher.set_position(self._start, words)
        result = self._searcher.run(nodes=self._nodes)
        self.searches += 1
        if result.fault is not None or not result.info.moves:
            raise GameError(f"{self._game.name}: {(result.fault or result.reason).strip().splitlines()[-1]}")
        proven = result.reason == "proven"
        return Verdict(storable(self._value(state, result, proven)), result.info.visits, proven, result.info.moves)

    def _value(self, state: Any, result: SearchResult, proven: bool) -> float:
        moves = result.info.moves
        if self._game.current_player(state) != CHANCE:
            return moves[0].lower if proven else moves[0].value
        assert isinstance(self._game, HasChance)
        known = {move.move: move.lower if proven else move.value for move in moves}
        values = [
            (known.get(action_to_text(self._game, state, outcome), result.info.value), probability)
            for outcome, probability in self._game.chance_outcomes(state)
        ]
        return sum(value * probability for value, probability in values)


def storable(value: float) -> float:
    """The value as a store holds it, in 32 bits, so that what goes on from a file is what went into it."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0]) + 0.0
