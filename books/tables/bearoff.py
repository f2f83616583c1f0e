"""The bear-off database of backgammon: a file, computed by ``playout book solve``, with the values of positions that
have all checkers at home. ``docs/books.md`` describes it byte by byte.

The search reads the same file in Rust (``games/backgammon/bearoff.rs``); this reader serves the root.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import Any, NoReturn

from playout.books.base.book import BookMove
from playout.books.base.plain_file import file_size
from playout.games.backgammon import Backgammon, State
from playout.games.errors import BookError
from playout.games.game import Game
from playout.games.nearest import unusable
from playout.games.support.backgammon.position_id import ALL, BAR, HOME, OFF, Checkers

MAGIC = b"playout-bearoff\n"
VERSION = 1
_HEAD = struct.Struct("<16s7I")
"""Magic, version, points, checkers one-sided and two-sided, numbers of shares of both kinds, CRC-32."""
_CHECKSUM = 4
_WIN_BYTES = 3
_CERTAIN = (1 << 8 * _WIN_BYTES) - 1
_SHARES = 2**16 - 1
_FIRST_BITS = 24


def rank(counts: Sequence[int], most: int) -> int:
    """Rank of a position (checkers by point, from point 1) among all positions with at most ``most`` checkers."""
    number, left = 0, most
    for point in range(len(counts), 0, -1):
        after = left - counts[point - 1]
        number += comb(left + point, point) - comb(after + point, point)
        left = after
    return number


class _Counted:
    """A table of distributions of a number of rolls."""

    def __init__(self, places: bytes, shares: bytes) -> None:
        self._places = array("I", places)
        self._shares = array("H", shares)
        if _BIG_ENDIAN:
            self._places.byteswap()
            self._shares.byteswap()

    def __getitem__(self, position: int) -> list[float]:
        """Returns the probabilities of 0, 1, 2, ... rolls."""
        place, end = self._places[position], self._places[position + 1]
        mask = (1 << _FIRST_BITS) - 1
        shares = self._shares[place & mask : end & mask]
        return [0.0] * (place >> _FIRST_BITS) + [share / _SHARES for share in shares]


_BIG_ENDIAN = array("H", b"\x00\x01")[0] == 1


def _outlasts(slow: Sequence[float], quick: Sequence[float], handicap: int) -> float:
    """Probability that ``slow`` needs at least ``handicap`` rolls more than ``quick``."""
    total = 0.0
    for rolls, chance in enumerate(quick):
        total += chance * max(0.0, 1.0 - sum(slow[: rolls + handicap]))
    return total


class Bearoff:
    """The tables of one file."""

    def __init__(self, path: Path) -> None:
        """Reads the file.

        Raises:
            BookError: one line with the file and what is wrong with it.
        """
        self.path = path
        size = file_size(path)
        try:
            with path.open("rb") as file:
                data = file.read(_HEAD.size)
                self._check_head(data, size)
                data += file.read(size - len(data))
        except OSError as error:
            raise BookError(unusable(path, error)) from error
        view = memoryview(data)
        if len(data) != size or zlib.crc32(view[_HEAD.size :], zlib.crc32(view[: _HEAD.size - _CHECKSUM])) != self._sum:
            raise BookError(f"{path}: damaged: the checksum is another")
        parts, at = [], _HEAD.size
        for length in self._lengths:
            parts.append(data[at : at + length])
            at += length
        self._all_off = _Counted(parts[0], parts[1])
        self._first_off = _Counted(parts[2], parts[3])
        self._wins = parts[4]

    def _check_head(self, head: bytes, size: int) -> None:
        """Parses the header, and refuses one that does not fit a file of ``size`` bytes."""
        path = self.path
        if not head.startswith(MAGIC):
            raise BookError(f"{path}: not a bear-off database")
        if len(head) < _HEAD.size:
            raise BookError(f"{path}: cut short in its first {_HEAD.size} bytes")
        _, version, points, checkers, self.most, all_off, first_off, self._sum = _HEAD.unpack(head)
        if version != VERSION:
            raise BookError(f"{path}: of version {version}, not {VERSION}")
        if (points, checkers) != (HOME, ALL) or self.most >= ALL:
            raise BookError(f"{path}: of {points} points, {checkers} and {self.most} checkers")
        self._size = comb(self.most + HOME, HOME)
        self._lengths = (
            4 * (comb(ALL + HOME, HOME) + 1),
            2 * all_off,
            4 * (comb(ALL + HOME - 1, HOME - 1) + 1),
            2 * first_off,
            _WIN_BYTES * self._size**2,
        )
        if size != _HEAD.size + sum(self._lengths):
            raise BookError(f"{path}: {size} bytes instead of {_HEAD.size + sum(self._lengths)}")

    def rolls(self, checkers: Checkers) -> list[float] | None:
        """Returns the probabilities that bearing off takes 0, 1, 2, ... rolls, with the play that minimizes their mean;
        None unless all checkers are at home.
        """
        return None if any(checkers[HOME + 1 :]) else self._all_off[rank(checkers[1 : HOME + 1], ALL)]

    def wins(self, own: Checkers, other: Checkers) -> float | None:
        """Exact cubeless probability that ``own``, who is on roll, bears off first; None outside the table."""
        if any(any(side[HOME + 1 :]) or sum(side[1 : HOME + 1]) > self.most for side in (own, other)):
            return None
        row, column = (rank(side[1 : HOME + 1], self.most) for side in (own, other))
        at = _WIN_BYTES * (row * self._size + column)
        share = int.from_bytes(self._wins[at : at + _WIN_BYTES], "little")
        return share / _CERTAIN

    def points(self, own: Checkers, other: Checkers, gammons: bool = True) -> float | None:
        """Expected points of ``own``, who is on roll, in [-2, 2]; None unless all checkers are at home.

        The value is exact in the two-sided table. Beyond it, both sides are assumed to play without regard to the
        other. Neither side may have finished.
        """
        wins = self.wins(own, other)
        if wins is not None:
            return 2 * wins - 1
        mine, theirs = self.rolls(own), self.rolls(other)
        if mine is None or theirs is None:
            return None
        points = 2 * _outlasts(theirs, mine, 0) - 1
        if gammons and not other[OFF]:
            points += _outlasts(self._first_off[rank(other[2 : HOME + 1], ALL)], mine, 0)
        if gammons and not own[OFF]:
            points -= _outlasts(self._first_off[rank(own[2 : HOME + 1], ALL)], theirs, 1)
        return points


class BearoffBook:
    """Plays by a bear-off database: where all checkers are at home, the plays with the highest expected points."""

    def __init__(self, tables: Bearoff, game: Backgammon) -> None:
        self._tables: Bearoff | None = tables
        self._game = game
        self.name = tables.path.name

    def lookup(self, state: State) -> Sequence[BookMove]:
        """Returns the best plays, all with weight 1; there are several if their values are equal in every bit."""
        tables, game = self._tables, self._game
        if tables is None or state.dice is None or any(any(side[HOME + 1 : BAR + 1]) for side in state.checkers):
            return ()
        best, moves = float("-inf"), list[int]()
        for action in game.legal_actions(state):
            value = self._after(tables, state, action)
            if value > best:
                best, moves = value, []
            if value == best:
                moves.append(action)
        return [BookMove(action, 1.0) for action in moves]

    def _after(self, tables: Bearoff, state: State, action: int) -> float:
        """Returns the points that the player expects after the play."""
        after = self._game.next_state(state, action)
        returns = self._game.returns(after)
        if returns is not None:
            return returns[state.player] * self._game.points_scale
        own, other = after.checkers[state.player], after.checkers[1 - state.player]
        points = tables.points(other, own, self._game.gammons)
        assert points is not None, "a checker at home stays there"
        return -points

    def close(self) -> None:
        self._tables = None


def open_book(path: Path, game: Game[Any, Any]) -> BearoffBook:
    """Opens the book in the file.

    Raises:
        BookError: one line with the file; also if the game is not backgammon.
    """
    if not isinstance(game, Backgammon):
        raise BookError(f"{path}: a bear-off database is for backgammon, not {game.name}")
    return BearoffBook(Bearoff(path), game)


def problems(path: Path, game: Game[Any, Any]) -> list[str]:
    """Lists what is wrong with the file. Its checksum covers all of it."""
    try:
        open_book(path, game).close()
    except BookError as error:
        return [str(error)]
    return []


def entries(path: Path, *_: Any) -> NoReturn:
    """Raises BookError, because the tables hold values of positions and no moves."""
    raise BookError(f"{path}: a bear-off database is solved as a whole, it has no list of moves")


write_book = entries
