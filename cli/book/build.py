"""``playout book build``: a book from past games and other books."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.console import console
from playout.cli.progress import Bar
from playout.games.errors import BookError
from playout.games.game import colours

if TYPE_CHECKING:
    from playout.books import from_games
    from playout.books.past.counting import Selection
    from playout.books.store.writer import StoreWriter

SHOWN_MESSAGES = 20


class Weights(Enum):
    """Rule that computes a move's weight from its counts."""

    score = "score"
    count = "count"
    wins = "wins"


class Colour(StrEnum):
    """A player, by the colours of the games that have any."""

    first = "first"
    second = "second"
    white = "white"
    black = "black"


class Unfinished(StrEnum):
    """Treatment of games without a result."""

    draw = "draw"
    skip = "skip"


def command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The book, NAME.book; an existing book is extended.")],
    game: Annotated[str, typer.Option(metavar="GAME", help="chess, go:9, hex:11, ...")],
    from_: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="FILE", help="Games (.pgn, .sgf, .games), a folder, or a book; repeatable."),
    ] = None,
    more: Annotated[list[Path] | None, typer.Argument(metavar="[FILE]...", help="More of them.")] = None,
    minimum: Annotated[int, typer.Option(min=1, help="Minimum games of a move in the book.")] = 1,
    max_ply: Annotated[int, typer.Option(min=1, help="Maximum plies counted of each game.")] = 40,
    min_length: Annotated[int, typer.Option(min=1, help="Minimum plies of a game that counts.")] = 1,
    weights: Annotated[
        Weights, typer.Option(help="score: wins and half the draws; count: games; wins: wins.")
    ] = Weights.score,
    player: Annotated[str, typer.Option(metavar="NAME", help="Only games of players whose name contains this.")] = "",
    colour: Annotated[Colour | None, typer.Option(help="Only games in which --player had this colour.")] = None,
    variations: Annotated[bool, typer.Option("--variations", help="Counts variations too, each as a draw.")] = False,
    unfinished: Annotated[
        Unfinished, typer.Option(help="Games without a result count as draws, or are skipped.")
    ] = Unfinished.draw,
    never: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A book; its moves of weight 0 get weight 0 here.")
    ] = None,
    trim: Annotated[
        bool, typer.Option("--trim", help="Finally drops moves under the minimum and the data that later builds need.")
    ] = False,
    no_results: Annotated[
        bool,
        typer.Option("--no-results", help="The games' results say nothing: moves keep weights only. With --trim."),
    ] = False,
) -> None:
    """Makes a book of past games, or adds games to a book. The build can be interrupted at any time; the same command
    resumes it. Games already in the book are not counted again.
    """
    from playout.books import from_games
    from playout.books.past.counting import Selection
    from playout.books.store import reader
    from playout.books.store.file import Weighting, WeightRules
    from playout.books.store.writer import StoreWriter
    from playout.games import catalogue

    made = catalogue.load(game)
    if out.suffix.lower() != ".book":
        raise BookError(f"{out}: the name must end in .book; playout book convert writes other formats")
    if colour is not None and not player:
        raise BookError("--colour needs --player")
    if no_results and not trim:
        raise BookError("--no-results needs --trim: no games can be added to a book without counts")
    if out.is_dir():
        raise BookError(f"{out}: a folder")
    selection = Selection(
        max_ply=max_ply,
        min_length=min_length,
        player=player,
        colour=None if colour is None else _player(colour, colours(made)),
        variations=variations,
        unfinished="skip" if unfinished is Unfinished.skip else "draw",
    )
    files = from_games.input_files([*(from_ or ()), *(more or ())], made)
    if not files and not out.exists():
        raise BookError(f"{out}: no input files: name some with --from")
    with StoreWriter(out, made) as writer:
        if writer.rules.weighting is Weighting.given and not writer.is_empty():
            raise BookError(f"{out}: this book has explicit weights; build another book --from it")
        writer.set_rules(WeightRules(Weighting(weights.value), minimum))
        found = _run(writer, files, selection)
        if never is not None:
            from_games.forbid(writer, never)
    if trim:
        entries = reader.entries(out, made)
        reader.write_book(out, made, (entry.without_results() for entry in entries) if no_results else entries)
    book = reader.open_book(out, made)
    console().print(
        f"{out}: {len(book):,} positions; {found.games:,} games added, {found.duplicates:,} known already, "
        f"{found.skipped:,} not wanted, {found.broken:,} broken, {found.entries:,} positions of books",
        soft_wrap=True,
    )
    book.close()


def _run(writer: StoreWriter, files: list[Path], selection: Selection) -> from_games.BuildProgress:
    from playout.books import from_games

    shown = 0
    with Bar() as bar:
        bar.begin("reading, per cent", 100)

        def report(progress: from_games.BuildProgress) -> None:
            nonlocal shown
            for message in progress.messages:
                shown += 1
                if shown <= SHOWN_MESSAGES:
                    bar.note(f"skipped: {message}")
            games = progress.games + progress.duplicates
            bar.advance(100 * progress.done / max(1, progress.total), f"{progress.path.name}: {games:,} games")

        found = from_games.build(writer, files, selection, report)
        if shown > SHOWN_MESSAGES:
            bar.note(f"... and {shown - SHOWN_MESSAGES} more broken games")
    return found


def _player(colour: Colour, colours: Sequence[str]) -> int:
    """Returns the player of a colour; ``colours`` are those of player 0 and player 1."""
    if colour in (Colour.first, Colour.second):
        return int(colour is Colour.second)
    return colours.index(colour.value)
