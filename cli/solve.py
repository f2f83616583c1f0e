"""``playout solve``: the exact value of a position."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from playout.cli.console import console
from playout.cli.output import check_output
from playout.cli.progress import Bar
from playout.games.game import CHANCE

if TYPE_CHECKING:
    from playout.engine.exact.solving import Solution, SolveProgress

SIDES = {
    "chess": ("White", "Black"),
    "connect_four": ("X", "O"),
    "go": ("Black", "White"),
    "hex": ("Black", "White"),
    "tic_tac_toe": ("X", "O"),
}
"""Names of the first and the second player, by game; other games use those two phrases."""
UNSOLVED = 1
"""Exit status if the value was not found."""


class Method(StrEnum):
    """Solving methods."""

    auto = "auto"
    alpha_beta = "alpha-beta"
    proof_number = "proof-number"


def command(
    game: Annotated[str, typer.Argument(metavar="GAME", help="hex:4, my.py:Mnk, ...")],
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Position text (FEN etc.); default: the start.")
    ] = None,
    moves: Annotated[str, typer.Option(metavar="MOVES", help="Moves from there, separated by spaces or commas.")] = "",
    method: Annotated[Method, typer.Option(help="Solving method; auto chooses one for the game.")] = Method.auto,
    all_moves: Annotated[bool, typer.Option("--all-moves", help="The exact value of every legal move.")] = False,
    hash_mib: Annotated[
        int, typer.Option("--hash", metavar="MIB", min=1, max=65536, help="Size of the table of positions.")
    ] = 256,
    threads: Annotated[
        int, typer.Option(min=1, max=256, help="Threads for connect four with --all-moves; otherwise one is used.")
    ] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Adds the result to this file of solved positions.")
    ] = None,
    seconds: Annotated[float | None, typer.Option("--time", min=0.01, help="Gives up after this many seconds.")] = None,
) -> int:
    """Solves a position. Exit status 1 if the time ends, or you interrupt it, before the value is known."""
    from playout import load_game, solve
    from playout.books.tables.solved import add_solved, read_solved
    from playout.engine.options.config import kernel_of

    made = load_game(game)
    check_output("--out", out)
    if out is not None and out.exists():
        read_solved(out)
    with Bar() as bar:
        bar.begin("solving")
        found = solve(
            made,
            position,
            [word.strip() for word in moves.split(",")] if "," in moves else moves.split(),
            method=method.value,
            all_moves=all_moves,
            hash=hash_mib,
            threads=threads,
            seconds=seconds,
            on_progress=lambda progress: bar.advance(0, _describe(progress)),
        )
    sides = SIDES.get(kernel_of(made) or "", ("the first player", "the second player"))
    console().print(f"{made.name}: {verdict(found, sides)}", soft_wrap=True)
    if found.line:
        console().print(f"line: {' '.join(found.line)}", soft_wrap=True)
    if found.moves:
        console().print(_table(found))
    console().print(f"{found.method}, {found.nodes:,} positions, {found.seconds:.2f} s")
    if found.value is None:
        return UNSOLVED
    if out is not None:
        # A user's game may have the same name with any parameters.
        record = found.record() if kernel_of(made) else replace(found.record(), game=game)
        add_solved(out, [record])
    return 0


def verdict(found: Solution, sides: tuple[str, str]) -> str:
    """Returns a sentence such as ``X, to move, wins in 7 plies``; for an expectation or an unsolved position, the
    numbers.
    """
    if found.plies == 0:
        return "the game is over: " + ("draw" if not found.value else f"{sides[found.first_value != 1]} has won")
    chance = found.player == CHANCE
    mover = sides[0] if chance else sides[found.player]
    whose = mover if chance else f"{mover}, to move,"
    if found.value is None:
        return f"not solved: the value for {whose} is in [{found.lower:g}, {found.upper:g}]"
    if found.value not in (-1.0, 0.0, 1.0) or chance:
        return f"{whose} expects {found.value:+.6f}"
    if found.value == 0:
        return f"draw, {mover} to move"
    length = "" if found.plies is None else f" in {found.plies} {'ply' if found.plies == 1 else 'plies'}"
    return f"{whose} {'wins' if found.value > 0 else 'loses'}{length}"


def _describe(progress: SolveProgress) -> str:
    depth = f", depth {progress.depth}" if progress.depth else ""
    solved = f", {progress.solved} moves solved" if progress.solved else ""
    rate = f", {progress.nodes / progress.seconds:,.0f}/s" if progress.seconds else ""
    return f"{progress.nodes:,} positions{rate}{depth}{solved}"


def _table(found: Solution) -> Table:
    table = Table("move", "value", box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("plies", justify="right")
    words = {1.0: "wins", 0.0: "draws", -1.0: "loses"}
    for one in found.moves:
        bounds = f"in [{one.lower:g}, {one.upper:g}]"
        value = bounds if one.value is None else words.get(one.value, f"{one.value:+.6f}")
        table.add_row(one.move, value, "" if one.plies is None else str(one.plies))
    return table
