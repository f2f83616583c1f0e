"""Display of ``playout demo``: on a terminal a board that is redrawn in place, elsewhere lines of text."""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager
from typing import Any, Self

from rich.console import Group
from rich.live import Live
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from playout.cli.console import console
from playout.games.game import HasRender

RECENT = 8
"""Number of moves shown beside the board on a terminal."""
EVERY = 16
"""Plies between two boards where there is no terminal."""


class Screen(AbstractContextManager["Screen"]):
    """Shows one game. ``quiet`` shows only the last board, and no moves."""

    def __init__(self, title: str, game: Any, quiet: bool) -> None:
        self._title = title
        self._game = game
        self._quiet = quiet
        self._recent: deque[str] = deque(maxlen=RECENT)
        self._live = Live(console=console(), auto_refresh=False) if console().is_terminal and not quiet else None

    def __enter__(self) -> Self:
        if self._live is None:
            console().print(f"\n{self._title}")
        else:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, state: Any, ply: int, move: str) -> None:
        """Shows a move, the information of its search, and the position after it."""
        self._recent.append(move)
        if self._live is not None:
            self._live.update(self._picture(state), refresh=True)
        elif not self._quiet:
            console().print(move, soft_wrap=True)
            if ply % EVERY == 0:
                self._print_board(state)

    def end(self, state: Any, verdict: str) -> None:
        """Shows the last position and the result."""
        self._recent.append(verdict)
        if self._live is not None:
            self._live.update(self._picture(state), refresh=True)
        else:
            self._print_board(state)
            console().print(verdict, soft_wrap=True)

    def _print_board(self, state: Any) -> None:
        console().print(f"\n{self._draw(state)}\n", soft_wrap=True)

    def _picture(self, state: Any) -> Group:
        grid = Table.grid(padding=(0, 3))
        grid.add_column(no_wrap=True)  # the board keeps its width, the moves take the rest
        grid.add_column()
        grid.add_row(
            Text(self._draw(state), no_wrap=True), Text("\n".join(self._recent), no_wrap=True, overflow="ellipsis")
        )
        return Group(Text(f"\n{self._title}", style="bold"), Padding(grid, (1, 0, 0, 2)))

    def _draw(self, state: Any) -> str:
        return self._game.render(state) if isinstance(self._game, HasRender) else str(state)
