"""Syzygy tablebases of chess at the root: the moves that preserve the result, by DTZ and the 50-move rule.

Tables are read by python-chess's ``chess.syzygy`` or by another implementation of ``Tables``. In sessions the Rust code
reads them (``games/chess/syzygy.rs``), as it does inside the search.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, NoReturn, Protocol

import chess

from playout.books.base.book import BookMove
from playout.books.base.plain_file import file_size
from playout.games.errors import BookError
from playout.games.game import Game

log = logging.getLogger(__name__)

MOST_PIECES = 7
"""Maximum number of pieces of any table."""
FIFTY_MOVES = 100
"""Plies."""
_MAGICS = {".rtbw": b"\x71\xe8\x23\x5d", ".rtbz": b"\xd7\x66\x0c\xa5"}
_BLOCK, _CHECKSUM = 64, 16
"""The size of a table is a multiple of the first plus the second, in bytes."""


class Outcome(IntEnum):
    """Result of a move with best play, from worst to best. The 50-move rule turns those between the two ends into
    draws; they are ordered by how easily the opponent can go wrong.
    """

    LOSS = -3
    NEAR_LOSS = -2
    """The 50-move rule saves it, unless DTZ was rounded (it may be off by one ply)."""
    BLESSED_LOSS = -1
    DRAW = 0
    CURSED_WIN = 1
    NEAR_WIN = 2
    """Won, unless DTZ was rounded."""
    WIN = 3


_VALUES = {Outcome.LOSS: -1.0, Outcome.DRAW: 0.0, Outcome.WIN: 1.0}


class Tables(Protocol):
    """The part of ``chess.syzygy.Tablebase`` that is used here."""

    def probe_wdl(self, board: chess.Board) -> int:
        """Returns -2 to 2 for the player to move, with the halfmove clock at 0. Raises KeyError if the table is
        missing.
        """

    def probe_dtz(self, board: chess.Board) -> int:
        """Returns plies to the next zeroing move, positive for a win, over 100 for a cursed one. Raises KeyError."""

    def close(self) -> None:
        """Closes the files."""


class SyzygyBook:
    """A book of the moves that tablebases prefer."""

    def __init__(
        self, tables: Tables, game: Game[Any, Any], name: str = "syzygy", most_pieces: int = MOST_PIECES
    ) -> None:
        self._tables: Tables | None = tables
        self._game = game
        self._most_pieces = most_pieces
        self.name = name

    def lookup(self, state: Any) -> Sequence[BookMove]:
        """Returns the best moves, all with weight 1; none if a required table is missing. Their value is that of the
        tables, or None where the 50-move rule makes the game a draw, or may.

        Among winning moves, a mate is best, then the move with the least DTZ; among losing moves, the one with the
        greatest. In a drawn position all moves that preserve the draw are equal.
        """
        board = state.board
        if self._tables is None or board.castling_rights or board.occupied.bit_count() > self._most_pieces:
            return ()
        if self._game.returns(state) is not None:
            return ()
        try:
            best, outcome = self._best(self._tables, state)
        except KeyError:
            return ()  # the table of a successor is missing
        except Exception:
            log.exception("%s: a table cannot be read", self.name)
            return ()
        return [BookMove(action, 1.0, value=_VALUES.get(outcome)) for action in best]

    def _best(self, tables: Tables, state: Any) -> tuple[list[int], Outcome]:
        """Returns the moves with the best WDL and, among them, the best outcome and DTZ; and that outcome. WDL is
        compared first: it is much faster to read, and a move that is worse by WDL is also worse under the 50-move rule.
        """
        mover = self._game.current_player(state)
        by_wdl: dict[int, list[tuple[int, Any]]] = {}
        for action in self._game.legal_actions(state):
            after = self._game.next_state(state, action)
            returns = self._game.returns(after)
            if returns is None:
                wdl = -tables.probe_wdl(after.board)
            elif returns[mover] > 0:
                return [action], Outcome.WIN
            else:
                wdl = 0
            by_wdl.setdefault(wdl, []).append((action, after))
        wdl = max(by_wdl)
        if wdl == 0:
            return [action for action, _ in by_wdl[0]], Outcome.DRAW
        ranked: dict[tuple[Outcome, int], list[int]] = {}
        for action, after in by_wdl[wdl]:
            ranked.setdefault(_rank(tables, wdl, state.halfmove_clock, after), []).append(action)
        best = max(ranked)
        return ranked[best], best[0]

    def close(self) -> None:
        if self._tables is not None:
            self._tables.close()
            self._tables = None


def _rank(tables: Tables, wdl: int, clock: int, after: Any) -> tuple[Outcome, int]:
    """Returns the outcome of a move that is not a draw, and a number that orders moves of equal outcome, greater is
    better.
    """
    sign = _sign(wdl)
    if after.halfmove_clock == 0:
        # The move itself is zeroing, so the halfmove clock restarts.
        return Outcome(sign * (Outcome.WIN if abs(wdl) == 2 else Outcome.CURSED_WIN)), -sign
    plies = abs(tables.probe_dtz(after.board)) + 1
    shown = clock + plies
    sure = Outcome.WIN if shown < FIFTY_MOVES else Outcome.NEAR_WIN if shown == FIFTY_MOVES else Outcome.CURSED_WIN
    return Outcome(sign * sure), -sign * plies


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def split_paths(text: str) -> list[Path]:
    """Splits the value of the option SyzygyPath into directories, separated by ``:`` (``;`` on Windows)."""
    return [Path(part) for part in text.split(os.pathsep) if part]


def python_tables(paths: Sequence[Path]) -> Tables:
    """Opens the tables with python-chess. Raises OSError."""
    import chess.syzygy

    tables = chess.syzygy.Tablebase()
    for path in paths:
        tables.add_directory(str(path))
    return tables


def open_syzygy(
    paths: Sequence[Path],
    game: Game[Any, Any],
    most_pieces: int = MOST_PIECES,
    reader: Callable[[Sequence[Path]], Tables] = python_tables,
) -> SyzygyBook:
    """Opens the tables in the directories once. Positions with more than ``most_pieces`` pieces are not looked up.

    Raises:
        BookError: one line with the directory or file, if it is missing, has no tables, or has a damaged one; also if
            the game is not chess.
    """
    shown = os.pathsep.join(map(str, paths))
    if getattr(type(game), "kernel", None) != "chess":
        raise BookError(f"{shown}: Syzygy tables are for chess, not {game.name}")
    try:
        for path in paths:
            found = sorted(file for file in path.iterdir() if _is_table(file))
            if not found:
                raise BookError(f"{path}: no Syzygy tables there")
            for file in found:
                _check(file)
        tables = reader(paths)
    except OSError as error:
        raise BookError(f"{error.filename or shown}: {error.strerror or error}") from error
    return SyzygyBook(tables, game, f"syzygy {shown}", most_pieces)


def _is_table(file: Path) -> bool:
    import chess.syzygy

    return file.suffix in _MAGICS and chess.syzygy.is_tablename(file.stem)


def _check(file: Path) -> None:
    """Checks a table's size and first bytes."""
    size = file_size(file)
    if size % _BLOCK != _CHECKSUM:
        raise BookError(f"{file}: damaged: a Syzygy table of {size} bytes")
    with file.open("rb") as opened:
        if opened.read(4) != _MAGICS[file.suffix]:
            raise BookError(f"{file}: not a Syzygy table")


def open_book(path: Path, game: Game[Any, Any]) -> SyzygyBook:
    """Opens the tables in one directory.

    Raises:
        BookError: as ``open_syzygy``.
    """
    return open_syzygy([path], game)


def entries(path: Path, *_: Any) -> NoReturn:
    """Raises BookError, because tables hold values of positions and no moves."""
    raise BookError(f"{path}: Syzygy tables have no list of moves")


write_book = entries
