"""``playout book``: show, check, merge and convert books."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from playout.books import formats
from playout.books.base.book import Book
from playout.books.base.branches import Branch, branches
from playout.books.base.measure import Measures, counted, measure
from playout.books.base.memory import gather
from playout.books.shipped import WORD, shipped_files
from playout.cli.book import build, from_graph, learn, solve
from playout.cli.book import picture as book_picture
from playout.cli.console import console
from playout.cli.progress import Bar
from playout.games import catalogue
from playout.games.errors import BookError, PlayoutError
from playout.games.game import Game, HasRender, HasStateText, action_to_text, text_to_action
from playout.games.picture.picture import svg

GAME_HELP = "The game, if the file does not name it: go:9, my.py:Mnk, ..."
FILE_HELP = f"A book: .yaml, .bin, .book, .pgn, .sgf, .games; {WORD}: the shipped book for --game."
BAR = 40
"""Length of the longest bar of a histogram, in characters."""
FAILED = 1
BETWEEN = 1000
"""Positions between two numbers on the terminal."""
T = TypeVar("T")

File = Annotated[Path, typer.Argument(metavar="FILE", help=FILE_HELP)]
GameName = Annotated[str | None, typer.Option("--game", metavar="NAME", help=GAME_HELP)]


def group() -> typer.Typer:
    """Returns the subcommands for the application."""
    made = typer.Typer(help="Shows, checks, merges, converts, builds and solves books.")
    made.command("build")(build.command)
    made.command("learn")(learn.command)
    made.command("from-graph")(from_graph.command)
    made.command("solve")(solve.command)
    made.command("show")(show)
    made.command("check")(check)
    made.command("merge")(merge)
    made.command("convert")(convert)
    made.command("stat")(stat)
    return made


def show(
    file: File,
    game: GameName = None,
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Position text (FEN etc.); default: the start.")
    ] = None,
    moves: Annotated[str, typer.Option(metavar="MOVES", help="Moves from there, separated by spaces.")] = "",
    depth: Annotated[int, typer.Option(min=1, max=100, help="Plies to show.")] = 3,
    width: Annotated[int, typer.Option(min=1, help="Number of best moves to show at a position.")] = 8,
    picture: Annotated[Path | None, typer.Option(metavar="FILE", help="Draws the tree: .svg or .png.")] = None,
) -> int:
    """Shows a position with the book's moves from there. Exit status 1 if the book does not know it."""
    if picture is not None:
        book_picture.check_path(picture)
    file = _listed(file, game)
    made = _load(game, [file])
    book = formats.open_book(file, made)
    try:
        state = _state(made, position, moves)
        if isinstance(made, HasRender):
            console().print(made.render(state))
        if isinstance(made, HasStateText):
            console().print(made.state_to_text(state), soft_wrap=True)
        found = branches(book, made, state, depth, width)
        followed = [] if found else _followed(book, made, state)
    finally:
        book.close()
    if not found:
        behind = f"; it knows what follows {', '.join(followed)}" if followed else ""
        console().print(f"{book.name} does not know this position{behind}", soft_wrap=True)
        return FAILED
    tree = Tree(f"{book.name}, {made.name}")
    _grow(tree, found)
    console().print(tree, soft_wrap=True)
    if picture is not None:
        book_picture.draw(picture, found, f"{book.name}, {made.name} {moves}".rstrip(), svg(made, state))
        console().print(f"picture: {picture}")
    return 0


def check(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Books of one game.")], game: GameName = None
) -> int:
    """Lists everything that is wrong with books: moves, weights, format. Exit status 1 if there is a problem."""
    failed = False
    for file in _named(files, game):
        try:
            made = _load(game, [file])
        except BookError as error:
            found = [str(error)]
        else:
            with Bar() as bar:
                bar.begin(f"checking {file}")
                found = formats.problems(file, made)
        for problem in found:
            console().print(problem, soft_wrap=True)
        if found:
            failed = True
            console().print(f"{file}: {len(found)} problem{'s' * (len(found) > 1)}", soft_wrap=True)
        else:
            size = ""
            if formats.format_of(file).lists:
                size = f" in {_size(measure(_shown(f'counting {file}', formats.entries(file, made))))}"
            console().print(f"{file}: no problem found{size}", soft_wrap=True)
    return FAILED if failed else 0


def merge(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .yaml, .bin or .book.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Books of one game.")],
    game: GameName = None,
) -> None:
    """Merges books: weights, counts and learning of the same move at the same position are added."""
    files = [_listed(file, game) for file in files]
    made = _load(game, files)
    known = gather(made, _shown("merging", (entry for file in files for entry in formats.entries(file, made))))
    formats.write_book(out, made, _shown("writing", known.values()))
    console().print(f"{out}: {_size(measure(known.values()))}", soft_wrap=True)


def convert(
    file: File,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write: .yaml, .bin or .book.")],
    game: GameName = None,
) -> None:
    """Converts a book to the format of the output file's extension."""
    file = _listed(file, game)
    if out.exists() and file.exists() and out.samefile(file):
        raise PlayoutError(f"{out}: the output must be another file than the input")
    made = _load(game, [file])
    measures = Measures()
    formats.write_book(out, made, counted(_shown("converting", formats.entries(file, made)), measures))
    console().print(f"{out}: {_size(measures)}{_unreached(file, measures)}", soft_wrap=True)


def stat(file: File, game: GameName = None) -> None:
    """Counts positions and moves by depth."""
    file = _listed(file, game)
    made = _load(game, [file])
    found = measure(_shown("counting", formats.entries(file, made)))
    size = file.stat().st_size
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_row("game", made.name)
    table.add_row("format", formats.format_of(file).name)
    table.add_row("size", f"{size:,} bytes")
    if found.positions:
        table.add_row("bytes a position", f"{size / found.positions:.1f}")
    table.add_row("positions", f"{found.positions:,}{_unreached(file, found)}")
    table.add_row("moves", f"{found.moves:,}" + (f" ({found.never:,} of weight 0)" if found.never else ""))
    if found.games:
        table.add_row("games counted", f"{found.games:,}")
    elif found.moves and not found.with_results:
        table.add_row("games counted", "none: the moves have no results")
    if found.off_lines:
        table.add_row("off all lines", f"{found.off_lines:,} positions")
    console().print(table)
    if found.depths:
        console().print("\npositions by plies from the start")
        most = max(found.depths.values())
        for depth in range(max(found.depths) + 1):
            count = found.depths[depth]
            console().print(f"{depth:4} {count:9,} {'#' * -(-count * BAR // most)}".rstrip())


def _named(files: Sequence[Path], game: str | None) -> list[Path]:
    """Returns ``files``, with the word for the shipped books replaced by their files."""
    found = list[Path]()
    for file in files:
        if str(file) != WORD:
            found.append(file)
            continue
        if game is None:
            raise PlayoutError(f"{WORD}: name the game with --game")
        made = catalogue.load(game)
        if not (shipped := shipped_files(made)):
            raise PlayoutError(f"{WORD}: no book of {made.name} comes with playout")
        found += shipped
    return found


def _listed(file: Path, game: str | None) -> Path:
    """Returns ``file``, or the shipped book whose positions can be listed."""
    found = _named([file], game)
    return next((one for one in found if formats.format_of(one).lists), found[0])


def _load(name: str | None, files: Sequence[Path]) -> Game[Any, Any]:
    """Loads the game called ``name``, or the game named in the first file that names one."""
    if name is not None:
        return catalogue.load(name)
    for file in files:
        found = formats.book_game(file)
        if found is None:
            continue
        if found.partition(":")[0].endswith(".py"):
            # A book from someone else must not run a program that it names.
            raise PlayoutError(f"{file}: a book for {found}, a game in a file; to load it, add --game {found}")
        try:
            return catalogue.load(found)
        except PlayoutError as error:
            raise BookError(f"{file}: {error}") from error
    raise PlayoutError(f"{files[0]} does not name its game: add --game")


def _state(game: Game[Any, Any], position: str | None, moves: str) -> Any:
    state: Any = game.initial_state()
    if position is not None:
        if not isinstance(game, HasStateText):
            raise PlayoutError(f"--position: {game.name} has no position texts")
        state = game.state_from_text(position)
    for word in moves.split():
        state = game.next_state(state, text_to_action(game, state, word))
    return state


def _followed(book: Book, game: Game[Any, Any], state: Any) -> list[str]:
    """Returns the moves after which the book knows the position."""
    actions = game.legal_actions(state)
    return [action_to_text(game, state, one) for one in actions if book.lookup(game.next_state(state, one))]


def _grow(tree: Tree, found: Sequence[Branch]) -> None:
    for branch in found:
        _grow(tree.add(Text(_label(branch))), branch.behind)


def _label(branch: Branch) -> str:
    """Returns a label such as ``e2e4  52%  weight 3  +120 =80 -60  a comment ...``."""
    words = [branch.text, f"{branch.share:.0%}"]
    move = branch.move
    if move is not None:
        words.append(f"weight {move.weight:g}")
        if move.wins or move.draws or move.losses:
            words.append(f"+{move.wins} ={move.draws} -{move.losses}")
        if move.learn:
            words.append(f"learn {move.learn}")
        if move.comment:
            words.append(f"({move.comment})")
    return "  ".join(words) + (" ..." if branch.more else "")


def _size(found: Measures) -> str:
    return f"{found.positions:,} positions, {found.moves:,} moves"


def _unreached(file: Path, found: Measures) -> str:
    """Returns a remark about a Polyglot file's unreached entries: the file has only keys, so some positions are not
    found.
    """
    if formats.format_of(file).name != "polyglot":
        return ""
    return f" ({found.moves:,} of the file's {file.stat().st_size // 16:,} entries are reached from the start)"


def _shown(what: str, found: Iterable[T]) -> Iterator[T]:
    """Yields the positions of ``found``, and shows on the terminal how many that are so far."""
    with Bar() as bar:
        bar.begin(what)
        for number, one in enumerate(found):
            if number % BETWEEN == 0:
                bar.advance(0, f"{number:,} positions")
            yield one
