"""Searches of the positions that enter a book."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playout.books.base.canonical import Places
from playout.engine.learning.books.graph import cautious
from playout.engine.options.config import SearchConfig, kernel_of
from playout.engine.search.searcher import Searcher
from playout.engine.search.weights import WeightFiles, set_weights
from playout.engine.terms.info import MoveInfo, SearchInfo
from playout.games.errors import GameError
from playout.games.game import CHANCE, Game, action_to_text, text_to_action


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of a search."""

    value: float
    """Value for the player to move; at a chance position for player 0."""
    simulations: int
    """Simulations of the position, including those of earlier searches that passed through it."""
    proven: bool
    """Whether the value is exact."""
    moves: tuple[MoveInfo, ...]
    """Best first; if the value is exact, by the greatest proven value. Moves that were not tried are missing."""


class Evaluation:
    """Searches positions, each with the same number of simulations."""

    def __init__(
        self, game: Game[Any, Any], start: str | None, config: SearchConfig, nodes: int, weights: WeightFiles
    ) -> None:
        """
        Raises:
            GameError: if ``weights`` cannot be used; one line that names the file.
        """
        self._game, self._start, self._config, self._nodes = game, start, config, nodes
        self._weights = weights
        self._places = Places(game)
        self._searcher = self._new_searcher()
        self.searches = 0
        """Made so far."""

    def forget(self) -> None:
        """Clears what searches have learned, so that the next results depend only on the position and the seed."""
        if kernel_of(self._game) is None:
            # The actions of a game in Python are numbered in order of appearance, and the order of the moves depends on
            # that.
            self._searcher = self._new_searcher()
        else:
            self._searcher.clear()

    def _new_searcher(self) -> Searcher:
        searcher = Searcher(self._game, self._config)
        set_weights(searcher, self._weights)
        return searcher

    def search(self, state: Any, words: Sequence[str]) -> Verdict:
        """Searches ``state``, where the game is not over and to which ``words`` lead from the start. Blocks.

        Raises:
            GameError: if a method of a user's game failed.
        """
        self._searcher.set_position(self._start, words)
        self.searches += 1
        result = self._searcher.run(nodes=self._nodes)
        if result.fault is not None:
            raise GameError(f"{self._game.name}: {result.fault.splitlines()[-1]}")
        return self._verdict(state, result.info)

    def _verdict(self, state: Any, info: SearchInfo) -> Verdict:
        moves = info.moves
        if self._game.current_player(state) == CHANCE:
            value, proven = self._mean(state, info)
        else:
            value, proven = moves[0].value if moves else info.value, False
            lower = max((move.lower for move in moves), default=-1.0)
            upper = max((move.upper for move in moves), default=1.0)
            if lower >= 1 or (lower >= upper and self._are_all(state, moves)):
                value, proven = lower, True
                moves = tuple(sorted(moves, key=lambda move: -move.lower))
        return Verdict(storable(value if proven else cautious(value)), info.visits, proven, moves)

    def _mean(self, state: Any, info: SearchInfo) -> tuple[float, bool]:
        """Returns the mean weighted by the dice's probabilities rather than by visits, and whether it is exact."""
        game: Any = self._game
        known = {move.move: move for move in info.moves}
        total, proven = 0.0, True
        for outcome, probability in game.chance_outcomes(state):
            move = known.get(action_to_text(game, state, outcome))
            proven = proven and move is not None and move.proven
            total += probability * (info.value if move is None else move.lower if move.proven else move.value)
        return total, proven

    def _are_all(self, state: Any, moves: Sequence[MoveInfo]) -> bool:
        """Whether every legal move is present, symmetry images counted as one."""
        place = self._places.of(state)
        tried = {place.to_book(text_to_action(self._game, state, move.move)) for move in moves}
        return tried == {place.to_book(action) for action in self._game.legal_actions(state)}


def storable(value: float) -> float:
    """Rounds the value to 32 bits, as a store keeps it, so that a run resumed from the file computes with the same
    numbers.
    """
    return float(struct.unpack("<f", struct.pack("<f", value))[0]) + 0.0
