"""``playout bench gtp``: plays regression files of GTP, as GNU Go has them, and counts the right answers."""

from __future__ import annotations

import json
import re
import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from playout.cli.console import console
from playout.cli.engine_process import installed_command
from playout.cli.progress import Bar
from playout.games.errors import PlayoutError
from playout.games.support.whole_file import read_text

if TYPE_CHECKING:
    from playout.arena.drivers.process import EngineProcess

ANSWER = re.compile(r"#\?\s*\[(!?)(.*?)\](\*?)\s*(?:#.*)?")
"""The answer that the command before is to have: ! for any other one, and * where a failure is known."""
PATIENCE = 600.0
"""Seconds for an answer."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command of a file, and the answer to it, if it is a test."""

    line: int
    command: str
    """With its number, if it has one."""
    pattern: str | None = None
    """A regular expression that the whole answer matches, in any case of letters; None if any answer will do."""
    negated: bool = False
    """Whether the answer must not match instead."""

    @property
    def wanted(self) -> str:
        """The answer, for people."""
        return f"{'not ' if self.negated else ''}{self.pattern}"

    def passes(self, answer: str) -> bool:
        """Returns whether ``answer``, without the sign before it, is right."""
        pattern = ".*" if self.pattern is None else self.pattern
        found = re.fullmatch(pattern, answer.strip(), re.IGNORECASE | re.DOTALL)
        return (found is None) == self.negated


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer to a test."""

    name: str
    """The file without its ending, and the command's number or, if it has none, its line."""
    wanted: str
    answer: str
    passed: bool
    seconds: float


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Commands of GTP, with #? [ANSWER] lines.")],
    game: Annotated[str, typer.Option(metavar="GAME", help="The game that playout plays.")] = "go:9",
    seconds: Annotated[float | None, typer.Option(min=0.001, help="Seconds a move. [default: 0.5]")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Simulations a move, in place of a time.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Takes one test of N, from the first on.", metavar="N")] = 1,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Sets an engine option; repeatable.")
    ] = None,
    engine: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="Another program, with its own settings, in place of playout.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Prints one JSON object, with every answer.")] = False,
) -> None:
    """Sends files of GTP commands to playout, without its books, or to another program, and prints which of the
    commands that are followed by "#? [ANSWER]" had another answer than this regular expression. Files that loadsgf
    names are found from the folder of the file.
    """
    from playout.arena.drivers.process import EngineProcess

    if seconds is not None and nodes is not None:
        raise PlayoutError("--seconds and --nodes: only one of the two")
    if engine is not None and (seconds is not None or nodes is not None or option):
        raise PlayoutError("--engine: the program has its own settings; --seconds, --nodes and --option are playout's")
    suites = [(path, _thinned(read_steps(path), every)) for path in files]
    bound = f"MaxNodes={nodes}" if nodes is not None else f"MoveTime={round(1000 * (seconds or 0.5))}"
    words = [installed_command(), "gtp", "--game", game]
    for setting in ("OwnBook=false", "Resign=0", bound, *(option or ())):
        words += ["--option", setting]
    outcomes: list[Outcome] = []
    with Bar(still=True) as bar:
        bar.begin("tests", sum(step.pattern is not None for _, steps in suites for step in steps))
        for path, steps in suites:
            process = EngineProcess(shlex.split(engine) if engine is not None else words, str(path.parent))
            try:
                for outcome in _run(process, path, steps, bar):
                    outcomes.append(outcome)
                    bar.advance(len(outcomes), f"{sum(one.passed for one in outcomes)} of {len(outcomes)}")
            finally:
                process.close()
    if as_json:
        passed = sum(outcome.passed for outcome in outcomes)
        typer.echo(
            json.dumps({"passed": passed, "tests": len(outcomes), "answers": list(map(asdict, outcomes))}, indent=1)
        )
    else:
        _print(outcomes)


def read_steps(path: Path) -> list[Step]:
    """Reads the commands of a regression file.

    Raises:
        PlayoutError: one line that names the file and the line, if an answer follows no command or is no regular
            expression, or the file cannot be read or has no tests.
    """
    steps: list[Step] = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        text = line.strip()
        if found := ANSWER.fullmatch(text):
            negated, pattern, _ = found.groups()
            try:
                re.compile(pattern)
            except re.error as error:
                raise PlayoutError(f"{path}, line {number}: {pattern!r} is no regular expression: {error}") from None
            if not steps or steps[-1].pattern is not None:
                raise PlayoutError(f"{path}, line {number}: the answer follows no command")
            steps[-1] = Step(steps[-1].line, steps[-1].command, pattern, bool(negated))
        elif text and not text.startswith("#"):
            steps.append(Step(number, text.partition("#")[0].strip()))
    if not any(step.pattern is not None for step in steps):
        raise PlayoutError(f"{path}: no command is followed by an answer, as #? [ANSWER]")
    return steps


def _thinned(steps: Sequence[Step], every: int) -> list[Step]:
    """Returns the steps with one test of ``every``. Of the others, searches are left out, and other commands, on which
    later ones may depend, are obeyed but not counted."""
    kept, tests = [], 0
    for step in steps:
        taken = step.pattern is None or tests % every == 0
        tests += step.pattern is not None
        if taken:
            kept.append(step)
        elif "reg_genmove" not in step.command:
            kept.append(Step(step.line, step.command))
    return kept


def _run(process: EngineProcess, path: Path, steps: Sequence[Step], bar: Bar) -> Iterator[Outcome]:
    for step in steps:
        began = time.monotonic()
        fine, answer = _ask(process, step.command, began + PATIENCE)
        if step.pattern is not None:
            number = step.command.partition(" ")[0]
            name = f"{path.stem} {number if number.isdecimal() else f'line {step.line}'}"
            passed = fine and step.passes(answer)
            yield Outcome(name, step.wanted, answer if fine else f"? {answer}", passed, time.monotonic() - began)
        elif not fine:
            bar.note(f"{path}, line {step.line}: {step.command}: {answer}")


def _ask(process: EngineProcess, command: str, deadline: float) -> tuple[bool, str]:
    """Returns whether the command was obeyed, and what was answered.

    Raises:
        PlayoutError: one line that names the program and the command, if the program ends or does not answer.
    """
    try:
        return _answer(process, command, deadline)
    except PlayoutError as error:
        raise PlayoutError(f"{process.command[0]}: {command}: {error}") from error


def _answer(process: EngineProcess, command: str, deadline: float) -> tuple[bool, str]:
    from playout.arena.drivers.response import body, read_response

    process.send(f"{command}\n", deadline)
    reply = read_response(process, deadline, lambda _: None)
    if reply is None:
        raise PlayoutError(f"no answer in {PATIENCE:g} s")
    return reply.startswith("="), body(reply)


def _print(outcomes: Sequence[Outcome]) -> None:
    table = Table("test", "answer", "wanted", box=None, padding=(0, 2, 0, 0), header_style="bold")
    for outcome in outcomes:
        if not outcome.passed:
            table.add_row(outcome.name, outcome.answer, outcome.wanted)
    if table.row_count:
        console().print(table)
    passed, seconds = sum(outcome.passed for outcome in outcomes), sum(outcome.seconds for outcome in outcomes)
    console().print(f"{passed} of {len(outcomes)} passed; {seconds:.1f} s")
