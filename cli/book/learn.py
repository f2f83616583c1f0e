"""``playout book learn``: grows an opening book by search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.console import console
from playout.cli.output import check_output
from playout.cli.progress import Bar
from playout.games.errors import BookError

if TYPE_CHECKING:
    from playout.engine.learning.books.run import Learned

SHOWN_MOVES = 8
"""Moves of a line shown in the progress line."""


def command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The book, NAME.book; an existing book is continued.")],
    game: Annotated[str, typer.Option(metavar="GAME", help="chess, go:9, hex:11, backgammon, ...")],
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Position text (FEN etc.); default: the start.")
    ] = None,
    moves: Annotated[str, typer.Option(metavar="MOVES", help="Moves from there, separated by spaces.")] = "",
    minutes: Annotated[float | None, typer.Option(min=0.0, help="Ends after this time.")] = None,
    positions: Annotated[int | None, typer.Option(min=1, help="Ends when the book has this many.")] = None,
    nodes: Annotated[int, typer.Option(min=1, help="Simulations of each search.")] = 2000,
    width: Annotated[int, typer.Option(min=1, help="Moves first given to a position.")] = 5,
    alpha: Annotated[
        float, typer.Option(min=0.0, help="Plies that a line is shortened for each unit of value it gives up.")
    ] = 20.0,
    margin: Annotated[float, typer.Option(min=0.0001, help="Moves worse than the best by this get weight 0.")] = 0.05,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Of a search.")] = 1,
    hash_mib: Annotated[
        int, typer.Option("--hash", metavar="MIB", min=1, max=65536, help="Memory limit of a search.")
    ] = 256,
    seed: Annotated[int, typer.Option(min=0, help="Seed; one thread makes the book reproducible.")] = 0,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Sets an option of the search; repeatable.")
    ] = None,
) -> None:
    """Grows an opening book by search, best line first. It runs until it is interrupted (Ctrl-C) or reaches a limit;
    the same command then continues it.
    """
    from playout.cli.settings import search_of, weights_of
    from playout.engine.learning.books.run import Growth, learn_book
    from playout.games import catalogue

    made = catalogue.load(game)
    check_output("OUT", out)
    if out.suffix.lower() != ".book":
        raise BookError(f"{out}: the name must end in .book; playout book convert writes other formats")
    settings = [f"Threads={threads}", f"Hash={hash_mib}", f"Seed={seed}", *(option or ())]
    config = search_of(made, settings)
    growth = Growth(nodes, width, alpha, margin, positions, None if minutes is None else 60 * minutes)
    with Bar() as bar:
        bar.begin("learning", positions)
        learned = learn_book(
            out,
            made,
            config,
            growth,
            start=position,
            moves=moves.split(),
            weights=weights_of(made, settings),
            on_progress=lambda so_far: bar.advance(so_far.positions, _so_far(so_far)),
        )
    rest = "; nothing is left to expand" if learned.whole else "; the same command goes on"
    console().print(f"{out}: {learned.positions:,} positions, {learned.expansions:,} expanded{rest}", soft_wrap=True)
    if learned.value is not None:
        console().print(f"best line: {' '.join(learned.best)} ({_value(learned)})", soft_wrap=True)


def _so_far(learned: Learned) -> str:
    shown = [" ".join(line[:SHOWN_MOVES]) for line in (learned.line, learned.best)]
    return (
        f"{learned.positions:,} positions, {learned.expansions:,} expanded; at {shown[0]}; "
        f"best {shown[1]} ({_value(learned)})"
    )


def _value(learned: Learned) -> str:
    if learned.value is None:
        return "value not known yet"
    return f"value {learned.value:+.3f}" + (", exact" if learned.exact else "")
