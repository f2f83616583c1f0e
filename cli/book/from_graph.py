"""``playout book from-graph``: an opening book from the graph of a search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.output import check_output
from playout.games.errors import BookError
from playout.games.nearest import nearest_file


def command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The book: .book, .yaml, .bin.")],
    graph: Annotated[Path, typer.Argument(metavar="GRAPH", help="A file that the option GraphFile names.")],
    game: Annotated[str, typer.Option(metavar="GAME", help="chess, go:9, hex:11, ...")],
    visits: Annotated[int, typer.Option(min=1, help="Least visits of a position and of its moves.")] = 100,
    margin: Annotated[float, typer.Option(min=0.0, help="Moves worse than the best by more get weight 0.")] = 0.1,
    plies: Annotated[int, typer.Option(min=1, help="Greatest number of plies from the start, dice included.")] = 40,
    hash_mib: Annotated[
        int, typer.Option("--hash", metavar="MIB", min=1, max=65536, help="Memory for the graph.")
    ] = 256,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="An option of the search that made the graph; repeatable."),
    ] = None,
) -> None:
    """Makes an opening book of what a graph has learned: the positions that it visited often, with their moves."""
    from playout.books.formats import write_book
    from playout.cli.settings import search_of, weights_of
    from playout.engine.learning.books.search_graph import Choice, graph_entries
    from playout.games import catalogue

    made = catalogue.load(game)
    check_output("OUT", out)
    if not graph.is_file():
        raise BookError(f"{graph}: no such file{nearest_file(graph)}")
    options = [f"Hash={hash_mib}", *(option or ())]
    config, weights = search_of(made, options), weights_of(made, options)
    found = list(graph_entries(graph, made, config, Choice(visits, margin, plies), weights=weights))
    if not found:
        raise BookError(f"{graph}: no position has {visits:,} visits: try a smaller --visits")
    write_book(out, made, found)
    moves = sum(len(entry.moves) for entry in found)
    console().print(f"{out}: {len(found):,} positions, {moves:,} moves", soft_wrap=True)
