"""Syzygy tables at the root, read by the chess kernel. A damaged table gives no answer there, while the reader of
python-chess may never return."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import chess

from playout.engine import _core
from playout.games.errors import BookError

ALL_PIECES = 32
"""No bound on the pieces: the book that asks has its own."""


class KernelTables:
    """A reader of tables for ``playout.books.tables.syzygy``; see ``Tables`` there."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Opens the tables in some directories.

        Raises:
            BookError: if a directory cannot be read or has no tables.
        """
        try:
            self._core = _core.Syzygy(list(paths), ALL_PIECES)
        except ValueError as error:
            raise BookError(str(error)) from error

    def probe_wdl(self, board: chess.Board) -> int:
        return _known(self._core.wdl(board.fen()), board)

    def probe_dtz(self, board: chess.Board) -> int:
        return _known(self._core.dtz(board.fen()), board)

    def close(self) -> None:
        """Does nothing: the files are closed with the last reference."""


def _known(value: int | None, board: chess.Board) -> int:
    if value is None:
        raise KeyError(board.fen())
    return value
