"""``playout bench epd``: plays the positions of test suites of chess, and counts what is solved."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from playout.cli.console import console
from playout.cli.progress import Bar
from playout.cli.settings import read_settings
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout import Engine, Result
    from playout.cli.bench.suite import Task


@dataclass(frozen=True, slots=True)
class Answer:
    """The engine's answer to a position."""

    task: Task
    move: str
    score: int
    mate: int | None
    """Moves in which the engine announces mate; None if it announces none."""
    value: float | None
    seconds: float
    simulations: int


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Positions in EPD, with bm, am, dm or c0.")],
    seconds: Annotated[float | None, typer.Option(min=0.001, help="Seconds a position. [default: 0.5]")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Simulations a position, in place of a time.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Takes one position of N, from the first on.", metavar="N")] = 1,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Sets an engine option; repeatable.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Prints one JSON object, with every answer.")] = False,
) -> None:
    """Plays the positions of test suites (WAC, STS, mates) without books, each with an empty graph, and prints which
    are solved. A position is solved by one of its best moves (bm), by none of those to avoid (am), by an announced mate
    (dm, if nothing else is given), or in part by the points of a move (c0).
    """
    from playout import Engine
    from playout.cli.bench.suite import read_suite

    if seconds is not None and nodes is not None:
        raise PlayoutError("--seconds and --nodes: only one of the two")
    tasks = [task for path in files for task in read_suite(path)][::every]
    answers = []
    with Engine("chess", seed=1) as engine, Bar(still=True) as bar:
        read_settings("chess", None, ["OwnBook=false", *(option or ())], None).apply(engine)
        bar.begin("positions", len(tasks))
        for number, task in enumerate(tasks):
            limits: dict[str, Any] = {"nodes": nodes} if nodes is not None else {"seconds": seconds or 0.5}
            answers.append(_answer(engine, task, limits))
            bar.advance(number + 1, f"{_points(answers)} of {_most(answers)}")
    if as_json:
        typer.echo(json.dumps(_document(answers), indent=1))
    else:
        _print(answers)


def _answer(engine: Engine, task: Task, limits: dict[str, Any]) -> Answer:
    engine.new_game()
    engine.set_position(task.fen)
    result = engine.think(**limits)
    mate = _mate(result)
    move = result.move or ""
    return Answer(task, move, task.score(result.move, mate), mate, result.value, result.seconds, result.simulations)


def _mate(result: Result) -> int | None:
    best = result.moves[0] if result.moves else None
    if best is None or best.plies is None or not best.lower == best.upper == 1.0:
        return None
    return (best.plies + 1) // 2


def _points(answers: Sequence[Answer]) -> int:
    return sum(answer.score for answer in answers)


def _most(answers: Sequence[Answer]) -> int:
    return sum(answer.task.most for answer in answers)


def _document(answers: Sequence[Answer]) -> dict[str, Any]:
    return {
        "points": _points(answers),
        "most": _most(answers),
        "solved": sum(answer.score == answer.task.most for answer in answers),
        "positions": len(answers),
        "seconds": round(sum(answer.seconds for answer in answers), 3),
        "answers": [
            {
                "id": answer.task.name,
                "fen": answer.task.fen,
                "move": answer.move,
                "points": answer.score,
                "most": answer.task.most,
                "mate": answer.mate,
                "value": answer.value,
                "seconds": round(answer.seconds, 3),
                "simulations": answer.simulations,
            }
            for answer in answers
        ],
    }


def _print(answers: Sequence[Answer]) -> None:
    table = Table("position", "played", "wanted", box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("value", justify="right")
    for answer in answers:
        if answer.score < answer.task.most:
            value = "" if answer.value is None else f"{answer.value:+.2f}"
            table.add_row(answer.task.name, _san(answer), answer.task.wanted, value)
    if table.row_count:
        console().print(table)
    solved = sum(answer.score == answer.task.most for answer in answers)
    points, most = _points(answers), _most(answers)
    text = f"{solved} of {len(answers)} solved"
    if most != len(answers):
        text += f", {points} of {most} points ({100 * points / most:.1f} %)"
    console().print(f"{text}; {sum(answer.seconds for answer in answers):.1f} s")


def _san(answer: Answer) -> str:
    import chess

    board = chess.Board(answer.task.fen)
    move = chess.Move.from_uci(answer.move) if answer.move else None
    return "" if move is None else board.san(move)
