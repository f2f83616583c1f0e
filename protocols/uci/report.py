"""The reports of one search, in the form that interfaces of the UCI family expect."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from playout.engine.terms.info import MoveInfo, SearchInfo
from playout.games.game import HasSymmetries, action_to_text

CURRENT_MOVE_AFTER = 1.0
"""Seconds of search before reports name the move that is being searched."""


class SearchReport:
    """State of the reports of a search from ``root``."""

    def __init__(self, game: Any, root: Any, only: Sequence[str] = (), lines: int = 1) -> None:
        """``only`` are the moves to search, all if empty; ``lines`` is the number of lines to report."""
        self._game = game
        self._root = root
        self._only = only
        self._lines = lines
        self._depth = 0.0
        self._visits: dict[str, int] = {}

    def shaped(self, info: SearchInfo) -> SearchInfo:
        """Returns ``info`` with a depth that never decreases, and with the requested number of lines, or one for each
        move if there are fewer moves. (En Croissant shows nothing otherwise.)

        A move that was not tried has the value of the root or of the last tried move, whichever is lower. Beside proven
        moves alone it has 0: a mate says nothing of other moves.
        """
        self._depth = max(self._depth, info.depth)
        moves = info.moves
        if 0 < len(moves) < self._lines and not isinstance(self._game, HasSymmetries):
            tried = {move.move for move in moves}
            value = 0.0 if all(move.proven for move in moves) else min(info.value, moves[-1].value)
            others = [move for move in self._legal if move not in tried][: self._lines - len(moves)]
            moves = (*moves, *(MoveInfo(move, 0, value, 0.0, 1.0, 0.0, -1.0, 1.0, None, (move,)) for move in others))
        return dataclasses.replace(info, depth=self._depth, moves=moves)

    def current_move(self, info: SearchInfo) -> Sequence[str]:
        """Returns a line with the move that got most of the simulations since the last report, in a search that takes
        some time.
        """
        before, self._visits = self._visits, {move.move: move.visits for move in info.moves}
        if info.time < CURRENT_MOVE_AFTER or not before:
            return ()
        number, current = max(
            enumerate(info.moves, 1), key=lambda place: place[1].visits - before.get(place[1].move, 0)
        )
        return [f"info currmove {current.move} currmovenumber {number}"]

    @cached_property
    def _legal(self) -> Sequence[str]:
        game, root = self._game, self._root
        texts = [action_to_text(game, root, action) for action in game.legal_actions(root)]
        return [text for text in texts if not self._only or text in self._only]
