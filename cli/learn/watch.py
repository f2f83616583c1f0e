"""Progress of learning on the terminal: one line that changes, on standard error."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Bar:
    """Shows a bar for the stage that is at work."""

    def __init__(self) -> None:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[said]}", markup=False),
            TimeRemainingColumn(),
        )
        screen = Console(stderr=True)
        self._progress = Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)
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

    def begin(self, stage: str, total: int) -> None:
        self._progress.reset(self._task, total=total, description=f"{self.title}{stage}", said="", visible=True)

    def advance(self, done: int, said: str = "") -> None:
        self._progress.update(self._task, completed=done, said=said)

    def note(self, line: str) -> None:
        self._progress.console.print(line, soft_wrap=True, markup=False, highlight=False)
