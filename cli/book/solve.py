"""``playout book solve``: a book of exact values."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from playout.cli.console import console
from playout.cli.output import check_output
from playout.games.errors import BadOption, BookError

UNFINISHED = 1


class Side(StrEnum):
    """Who is to play by a book."""

    BOTH = "both"
    FIRST = "first"
    SECOND = "second"

    @property
    def players(self) -> tuple[int, ...]:
        """Their numbers."""
        return {Side.BOTH: (0, 1), Side.FIRST: (0,), Side.SECOND: (1,)}[self]


def command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The book: NAME.book, for backgammon NAME.bearoff.")],
    game: Annotated[str, typer.Option(metavar="GAME", help="tic_tac_toe, connect_four, hex:4, backgammon, ...")],
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="FEN or the like; the start if not given.")
    ] = None,
    moves: Annotated[str, typer.Option(metavar="MOVES", help="From there, blanks between.")] = "",
    plies: Annotated[
        int | None, typer.Option(min=0, help="Moves from there that the book follows; all if not given.")
    ] = None,
    side: Annotated[Side, typer.Option(help="Who is to play by the book.")] = Side.BOTH,
    everything: Annotated[
        bool, typer.Option("--all", help="Also positions whose player to move has not played the best moves.")
    ] = False,
    best_lines: Annotated[bool, typer.Option(help="Only positions that both sides' best moves lead to.")] = False,
    checkers: Annotated[int, typer.Option(min=1, max=9, help="Backgammon: of each side, with both sides exact.")] = 6,
    hash_mib: Annotated[
        int, typer.Option("--hash", metavar="MIB", min=1, max=65536, help="Bound of the table of positions.")
    ] = 256,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Connect four: search threads.")] = 1,
) -> int:
    """Solves positions into a book. It can be stopped at any time, with exit status 1, and goes on where it was."""
    from playout.engine.exact.bearoff import write_bearoff
    from playout.engine.exact.book import solve_book
    from playout.engine.options.config import kernel_of
    from playout.games import catalogue

    if best_lines and (everything or side != Side.BOTH):
        raise BadOption("--best-lines: both sides play the best moves, so neither --all nor --side goes with it")
    made = catalogue.load(game)
    check_output("OUT", out)
    backgammon = kernel_of(made) == "backgammon"
    suffix = ".bearoff" if backgammon else ".book"
    if out.suffix.lower() != suffix:
        raise BookError(f"{out}: a solved book of {made.name} is called NAME{suffix}")
    with Console(stderr=True).status("solving ...") as status:
        if backgammon:
            write_bearoff(out, checkers, lambda share: status.update(f"solving ... {share:.0%}"))
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
            on_progress=lambda done, left: status.update(f"solving ... {done:,} positions done, {left:,} waiting"),
        )
    rest = "" if tree.whole else "; stopped, the same command goes on"
    console().print(f"{out}: {tree.solved:,} positions solved, {tree.known:,} known before{rest}", soft_wrap=True)
    return 0 if tree.whole else UNFINISHED
