"""Ladders in Go, found by reading: capturing a chain with two liberties by repeated atari."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from playout.games.game import Game
from playout.games.support.go.board import neighbours

EMPTY, STONES = ".", "XO"
MOST_STONES = 500
"""Maximum number of stones placed while reading one chain; a longer ladder counts as failed. A long ladder on 19x19
takes about 100.
"""

Neighbours = tuple[tuple[int, ...], ...]


class Ladder:
    """The ladder rule; implements ``playout.books.macros.macro.Rule``."""

    def __init__(self, game: Any) -> None:
        self._neighbours = neighbours(game.columns, game.rows)

    def move(self, state: Any, until: float | None = None) -> int | None:
        """Returns the next stone of a working ladder against the largest such chain, or the capture at its end. Returns
        None if there is none, or none is found by ``until``.
        """
        read = _Reading(self._neighbours, state.player)
        chains = sorted(_chains(state.board, 1 - state.player, self._neighbours), key=len, reverse=True)
        for chain in chains:
            if until is not None and time.monotonic() > until:
                return None
            read.stones = 0
            read.boards = {state.board}
            move = read.attack(state.board, chain[0])
            if move is not None and move != state.ko:
                return move
        return None

    def replies(self, state: Any) -> Sequence[int]:
        """Returns the replies that a ladder answers: extensions of chains in atari, and captures that save them."""
        found: set[int] = set()
        for chain in _chains(state.board, state.player, self._neighbours):
            if len(_liberties(state.board, chain, self._neighbours)) == 1:
                found |= set(_escapes(state.board, chain, self._neighbours))
        return sorted(found - {state.ko})


def rule(_name: str, game: Game[Any, Any]) -> Ladder:
    """Returns the rule."""
    return Ladder(game)


class _Reading:
    """Reads the ladders of ``attacker``."""

    def __init__(self, neighbours: Neighbours, attacker: int) -> None:
        self._neighbours, self._attacker = neighbours, attacker
        self.stones = 0
        self.boards: set[str] = set()
        """Positions on the line being read. None may recur; otherwise a ko would be read for ever."""

    def attack(self, board: str, point: int) -> int | None:
        """Returns the attacker's move that captures the chain at ``point``, now or by a ladder, or None."""
        chain = _chain(board, point, self._neighbours)
        liberties = _liberties(board, chain, self._neighbours)
        if len(liberties) == 1:
            return next(iter(liberties))
        if len(liberties) > 2 or self.stones > MOST_STONES:
            return None
        for move in sorted(liberties):
            after = self._placed(board, move, self._attacker)
            if after is None:
                continue
            self.boards.add(after)
            caught = self._is_caught(after, point)
            self.boards.remove(after)
            if caught:
                return move
        return None

    def _is_caught(self, board: str, point: int) -> bool:
        """Whether the chain at ``point``, in atari with its owner to move, is lost."""
        chain = _chain(board, point, self._neighbours)
        for move in _escapes(board, chain, self._neighbours):
            after = self._placed(board, move, 1 - self._attacker)
            if after is None:
                continue
            self.boards.add(after)
            answer = self.attack(after, point)
            self.boards.remove(after)
            if answer is None:
                return False
        return True

    def _placed(self, board: str, point: int, player: int) -> str | None:
        """Returns the board after a stone, or None if the move is suicide or repeats a board."""
        self.stones += 1
        board = board[:point] + STONES[player] + board[point + 1 :]
        for near in self._neighbours[point]:
            if board[near] == STONES[1 - player]:
                chain = _chain(board, near, self._neighbours)
                if not _liberties(board, chain, self._neighbours):
                    board = "".join(EMPTY if at in chain else stone for at, stone in enumerate(board))
        own = _chain(board, point, self._neighbours)
        return board if board not in self.boards and _liberties(board, own, self._neighbours) else None


def _escapes(board: str, chain: Sequence[int], neighbours: Neighbours) -> list[int]:
    """Returns the moves that may save a chain in atari: its last liberty, and the last liberties of the chains around
    it.
    """
    other = STONES[1 - STONES.index(board[chain[0]])]
    found = set(_liberties(board, chain, neighbours))
    for point in {near for at in chain for near in neighbours[at] if board[near] == other}:
        liberties = _liberties(board, _chain(board, point, neighbours), neighbours)
        if len(liberties) == 1:
            found |= liberties
    return sorted(found)


def _chains(board: str, player: int, neighbours: Neighbours) -> Iterator[tuple[int, ...]]:
    """Yields the player's chains."""
    left = {point for point, stone in enumerate(board) if stone == STONES[player]}
    while left:
        chain = _chain(board, min(left), neighbours)
        left -= set(chain)
        yield chain


def _chain(board: str, point: int, neighbours: Neighbours) -> tuple[int, ...]:
    chain, seen = [point], {point}
    for at in chain:
        for near in neighbours[at]:
            if near not in seen and board[near] == board[point]:
                seen.add(near)
                chain.append(near)
    return tuple(chain)


def _liberties(board: str, chain: Sequence[int], neighbours: Neighbours) -> set[int]:
    return {near for at in chain for near in neighbours[at] if board[near] == EMPTY}
