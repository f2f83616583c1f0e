"""SGF reader: games of Go, of Hex, and of users' games that have records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from playout.books.base.book import Book
from playout.books.base.entry import BookEntry
from playout.books.base.past_games import (
    CHUNK,
    LONGEST_GAME,
    START,
    BrokenGame,
    Mark,
    PastGame,
    Variation,
    advanced,
    broken,
)
from playout.books.base.plain_file import file_size
from playout.books.past.counting import book_in_memory, entries_of_games
from playout.books.past.sgf_records import PlainRecord, SgfRecord, SwapRecord
from playout.games import catalogue
from playout.games.board_hooks import HasSgf, HasSwap
from playout.games.errors import BookError, GameError, PlayoutError
from playout.games.game import Game
from playout.games.nearest import unusable
from playout.games.support import sgf
from playout.games.support.board_size import board_size

_TOKEN = re.compile(rb"[()]|\[(?:\\.|[^\]\\])*+(?:\]|\Z)", re.DOTALL)
_ROOT = re.compile(rb"\(\s*;\s*(?:FF|GM|CA|AP|SZ)\s*\[")


def read_games(
    path: Path, game: Game[Any, Any], *, variations: bool = False, after: Mark = START
) -> Iterator[PastGame | BrokenGame]:
    """Yields the games of an SGF file, single or collection, on the board of ``game``. A record of another game or
    board size is a broken game, as is one with an illegal move or with stones set up after the start. Moves after the
    end of the game are left out.
    """
    if not isinstance(game, HasSgf):
        raise BookError(f"{path}: SGF holds games of go and hex, not of {game.name}")
    begin = after
    for text in split_games(path, after.offset):
        end = advanced(begin, len(text), text.count(b"\n"))
        lead = re.match(rb"[^(]*", text)
        skipped = lead.end() if lead else 0
        head = Mark(begin.offset + skipped, begin.line + text[:skipped].count(b"\n"), begin.game)
        begin = end
        if len(text) > LONGEST_GAME:
            yield broken(path, head, end, f"longer than {LONGEST_GAME} bytes, or not closed")
            continue
        try:
            yield _game(game, decoded(text[skipped:]), head, end, variations)
        except PlayoutError as error:
            yield broken(path, head, end, str(error))


def game_name(path: Path) -> str:
    """Returns the name of the game of the file's first record.

    Raises:
        BookError: if there is no such file, or it does not begin with a record of Go or Hex.
    """
    file_size(path)
    try:
        with path.open("rb") as file:
            head = file.read(1 << 16)
    except OSError as error:
        raise BookError(unusable(path, error)) from error
    number, size = (re.search(rb"[;\]\s]" + name + rb"\s*\[([^\]]*)", head) for name in (b"GM", b"SZ"))
    told = number[1].strip().decode("latin-1") if number else ""
    name = next((name for name in catalogue.names() if told == _number(name)), None)
    if name is None:
        raise BookError(f"{path}: no record of Go (GM[1]) or Hex (GM[11]) at its beginning")
    usual = catalogue.game_class(name).sgf_size
    try:
        return f"{name}:{board_size(*sgf.read_size(size[1].decode('latin-1'))) if size else usual}"
    except GameError as error:
        raise BookError(f"{path}: {error}") from None


def _number(name: str) -> str | None:
    """Returns SGF's number of a game of the catalogue; None if the game has no records."""
    number = getattr(catalogue.game_class(name), "sgf_number", None)
    return None if number is None else str(number)


def open_book(path: Path, game: Game[Any, Any]) -> Book:
    """Reads a small file of games as a book in memory."""
    return book_in_memory(path, game, read_games)


def entries(path: Path, game: Game[Any, Any]) -> Iterable[BookEntry]:
    """Yields the positions of a small file of games."""
    return entries_of_games(path, game, read_games)


def split_games(path: Path, offset: int) -> Iterator[bytes]:
    """Splits the file into games, each with the text before it. A game that is not closed ends where the next root
    begins, or at the maximum length.
    """
    held, whole = b"", False
    try:
        with path.open("rb") as file:
            file.seek(offset)
            while not whole or held:
                if not whole:
                    chunk = file.read(CHUNK)
                    held, whole = held + chunk, not chunk
                while (end := _end(held, whole)) is not None:
                    yield held[:end]
                    held = held[end:]
                if whole:
                    break
                if b"(" not in held and len(held) > LONGEST_GAME:
                    # Only the text between games is left.
                    yield held
                    held = b""
    except OSError as error:
        raise BookError(unusable(path, error)) from error


def _end(held: bytes, whole: bool) -> int | None:
    """Returns the end of the first game in ``held``; None if more must be read, or no game is left."""
    start = held.find(b"(")
    if start < 0:
        return None
    depth = 0
    for match in _TOKEN.finditer(held, start):
        token = match[0]
        if token == b"(":
            if depth and _ROOT.match(held, match.start()):
                return match.start()
            depth += 1
        elif token == b")":
            depth -= 1
            if depth == 0:
                return match.end()
        elif not token.endswith(b"]"):
            break
    if not whole and len(held) - start <= LONGEST_GAME:
        return None
    following = _ROOT.search(held, start + 1)
    return following.start() if following else len(held)


def decoded(text: bytes) -> str:
    """Returns a record as text: UTF-8, or Latin-1 if it is not."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("latin-1")


def _game(game: Any, text: str, begin: Mark, end: Mark, variations: bool) -> PastGame:
    nodes = sgf.tree(text)
    root = nodes[0].properties
    _check_board(game, root)
    paths = _paths(nodes) if variations else [_main(nodes)]
    line = [nodes[number] for number in paths[0]]
    record: SgfRecord = SwapRecord(game, line) if isinstance(game, HasSwap) else PlainRecord(game, line)
    turns = record.turns(line)
    others = []
    seen = set(paths[0])
    for path in paths[1:]:
        known = next(at for at, number in enumerate(path) if number not in seen)
        seen.update(path)
        line = [nodes[number] for number in path]
        other, branch = record.turns(line), len(record.turns(line[:known]))
        if len(other) > branch:
            others.append(Variation(other, branch))
    return PastGame(begin, end, record.start, turns, record.result, record.players, tuple(others))


def _check_board(game: Any, root: sgf.Node) -> None:
    number = sgf.first(root, "GM", str(game.sgf_number)).strip()
    if number != str(game.sgf_number):
        raise GameError(f"a record of another game (GM[{number[:20]}])")
    size = board_size(*sgf.read_size(sgf.first(root, "SZ", str(game.sgf_size))))
    own = board_size(game.columns, game.rows)
    if size != own:
        raise GameError(f"a record of a board of {size}, not {own}")


def _main(nodes: list[sgf.TreeNode]) -> list[int]:
    """Returns the main variation: the nodes up to the first that does not follow its predecessor."""
    for number, node in enumerate(nodes):
        if number and node.parent != number - 1:
            return list(range(number))
    return list(range(len(nodes)))


def _paths(nodes: list[sgf.TreeNode]) -> list[list[int]]:
    """Returns the nodes from the root to each leaf, the main line first."""
    inner = {node.parent for node in nodes}
    paths = []
    for leaf in range(len(nodes)):
        if leaf not in inner:
            path: list[int] = []
            number: int | None = leaf
            while number is not None:
                path.append(number)
                number = nodes[number].parent
            paths.append(path[::-1])
    return paths
