"""``playout book solve``: a book of exact values."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.output import check_output
from playout.cli.progress import Bar
from playout.games.errors import BadOption, BookError

UNFINISHED = 1


class SolvedSide(StrEnum):
    """The players whose moves the book has."""

    BOTH = "both"
    FIRST = "first"
    SECOND = "second"

    @property
    def players(self) -> tuple[int, ...]:
        """The players' numbers."""
        return {SolvedSide.BOTH: (0, 1), SolvedSide.FIRST: (0,), SolvedSide.SECOND: (1,)}[self]


def command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The book: NAME.book, for backgammon NAME.bearoff.")],
    game: Annotated[str, typer.Option(metavar="GAME", help="tic_tac_toe, connect_four, hex:4, backgammon, ...")],
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Position text (FEN etc.); default: the start.")
    ] = None,
    moves: Annotated[str, typer.Option(metavar="MOVES", help="Moves from there, separated by spaces.")] = "",
    plies: Annotated[int | None, typer.Option(min=0, help="Maximum plies from there; default: no limit.")] = None,
    side: Annotated[SolvedSide, typer.Option(help="The players whose moves the book has.")] = SolvedSide.BOTH,
    everything: Annotated[
        bool, typer.Option("--all", help="Also positions that the player to move reaches only by a mistake.")
    ] = False,
    best_lines: Annotated[bool, typer.Option(help="Only positions that best play of both sides reaches.")] = False,
    checkers: Annotated[
        int, typer.Option(min=1, max=9, help="Backgammon: checkers of each side in the exact two-sided table.")
    ] = 6,
    hash_mib: Annotated[
        int, typer.Option("--hash", metavar="MIB", min=1, max=65536, help="Size of the table of positions.")
    ] = 256,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Connect four: search threads.")] = 1,
) -> int:
    """Solves positions into a book. If it is interrupted, the exit status is 1 and the same command resumes it."""
    from playout.engine.exact.bearoff import write_bearoff
    from playout.engine.exact.book import solve_book
    from playout.engine.options.config import kernel_of
    from playout.games import catalogue

    if best_lines and (everything or side != SolvedSide.BOTH):
        raise BadOption("--best-lines: cannot be combined with --all or --side")
    made = catalogue.load(game)
    check_output("OUT", out)
    backgammon = kernel_of(made) == "backgammon"
    suffix = ".bearoff" if backgammon else ".book"
    if out.suffix.lower() != suffix:
        raise BookError(f"{out}: the name of a solved book of {made.name} must end in {suffix}")
    with Bar() as bar:
        bar.begin("solving, per cent" if backgammon else "solving", 100 if backgammon else None)
        if backgammon:
            write_bearoff(out, checkers, lambda share: bar.advance(100 * share))
            console().print(f"{out}: {out.stat().st_size:,} bytes")
            return 0
        tree = solve_book(
            out,
            made,
            start=position,
            moves=moves.split(),
            plies=plies,
            players=side.players,
            everything=everything,
            best_lines=best_lines,
            hash_mib=hash_mib,
            threads=threads,
            on_progress=lambda done, left: bar.advance(0, f"{done:,} positions done, {left:,} waiting"),
        )
    rest = "" if tree.whole else "; stopped, the same command goes on"
    console().print(f"{out}: {tree.solved:,} positions solved, {tree.known:,} known before{rest}", soft_wrap=True)
    return 0 if tree.whole else UNFINISHED
