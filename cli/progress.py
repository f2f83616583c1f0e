"""Progress of long work: one line that changes, on standard error, and nothing where that is no terminal."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text


class Bar:
    """Shows a bar for the stage that is at work."""

    def __init__(self, *, still: bool = False) -> None:
        """``still`` draws only when something is told, so that a measurement has the processor for itself."""
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            _Count(),
            TextColumn("{task.fields[said]}", markup=False),
            TimeElapsedColumn(),
            _Left(),
        )
        screen = Console(stderr=True)
        self.shown = sys.stderr.isatty() and screen.is_terminal and not screen.is_dumb_terminal
        """Whether anybody sees it."""
        self._still = still
        self._progress = Progress(
            *columns,
            console=screen,
            transient=True,
            auto_refresh=not still,
            # What is printed meanwhile goes above the bar, but a file that is standard output keeps it.
            redirect_stdout=sys.stdout.isatty(),
            disable=not self.shown,
        )
        self._task = self._progress.add_task("", total=None, said="", visible=False)
        self.title = ""
        """Stands before the name of the stage."""

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def begin(self, stage: str, total: int | None = None) -> None:
        """Begins a stage of ``total`` steps; None if their number is not known."""
        self._progress.reset(self._task, total=total, description=f"{self.title}{stage}", said="", visible=True)
        self._draw()

    def advance(self, done: float, said: str = "") -> None:
        """Tells how many steps of the stage are done; ``said`` stands beside the number."""
        self._progress.update(self._task, completed=done, said=said)
        self._draw()

    def note(self, line: str) -> None:
        """Prints a line above the bar, also where nobody sees that."""
        self._progress.console.print(line, soft_wrap=True, markup=False, highlight=False)

    def _draw(self) -> None:
        if self._still:
            self._progress.refresh()


class _Count(ProgressColumn):
    """Steps that are done, of those that there are."""

    def render(self, task: Task) -> Text:
        return Text("" if task.total is None else f"{int(task.completed):,}/{int(task.total):,}")


class _Left(TimeRemainingColumn):
    """The time that is left, where the number of steps is known."""

    def render(self, task: Task) -> Text:
        return Text("") if task.total is None else super().render(task)
