"""Reader of games as lines of text, which any game can be written as: connect four, backgammon, a user's game.

The first line is ``playout games of NAME``. Each other line is a game, with tabs between its parts: the result for
player 0 in [-1, 1], or ``*`` if it is unknown; the position in which it starts, empty for the game's own; the moves and
rolls. Of a result that the rules do not give, readers take the sign. Empty lines and lines that begin with ``#`` are
left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from playout.books.base.book import Book
from playout.books.base.entry import BookEntry
from playout.books.base.past_games import LONGEST_GAME, START, BrokenGame, Mark, PastGame, Turn, advanced, broken
from playout.books.base.plain_file import file_size
from playout.books.past.counting import book_in_memory, entries_of_games
from playout.games.errors import RAISED_BY_GAMES, BookError, GameError, PlayoutError
from playout.games.game import Game, HasStateText, is_over, text_to_action
from playout.games.nearest import unusable

HEADING = "playout games of "
UNKNOWN = "*"


def read_games(
    path: Path, game: Game[Any, Any], *, variations: bool = False, after: Mark = START
) -> Iterator[PastGame | BrokenGame]:
    """Yields the games of a file; they have no variations. A line that is too long, or has an illegal move, is a broken
    game. Moves after the end of the game are left out, and then the rules give the result.

    Raises:
        BookError: if the file cannot be read, or its games are of another kind.
    """
    del variations
    _check(path, game)
    begin = after
    try:
        with path.open("rb") as file:
            file.seek(after.offset)
            for line in iter(lambda: file.readline(LONGEST_GAME), b""):
                size, whole = len(line), True
                while len(line) == LONGEST_GAME and not line.endswith(b"\n"):
                    whole, line = False, file.readline(LONGEST_GAME)
                    size += len(line)
                end = advanced(begin, size, int(line.endswith(b"\n")))
                text = line.strip(b"\r\n")
                if begin.offset == 0 or not text.strip() or text.startswith(b"#"):
                    begin = Mark(end.offset, end.line, begin.game)
                    continue
                if whole:
                    yield _game(path, game, text, begin, end)
                else:
                    yield broken(path, begin, end, f"longer than {LONGEST_GAME} bytes")
                begin = end
    except OSError as error:
        raise BookError(unusable(path, error)) from error


def game_name(path: Path) -> str:
    """Returns the name of the file's game.

    Raises:
        BookError: if there is no such file, or it does not begin as such a file does.
    """
    file_size(path)
    try:
        with path.open("rb") as file:
            first = file.readline(1000).decode("utf-8", "replace").rstrip("\r\n")
    except OSError as error:
        raise BookError(unusable(path, error)) from error
    if not first.startswith(HEADING):
        raise BookError(f"{path}: the first line is not {HEADING + 'NAME'!r}")
    return first.removeprefix(HEADING)


def open_book(path: Path, game: Game[Any, Any]) -> Book:
    """Reads a small file of games as a book in memory."""
    return book_in_memory(path, game, read_games)


def entries(path: Path, game: Game[Any, Any]) -> Iterable[BookEntry]:
    """Yields the positions of a small file of games."""
    return entries_of_games(path, game, read_games)


def _check(path: Path, game: Game[Any, Any]) -> None:
    name = game_name(path)
    if name != game.name:
        raise BookError(f"{path}: games of {name!r} instead of {game.name!r}")


def start_of(game: Game[Any, Any], text: str | None) -> Any:
    """Returns the state that the text of a position stands for; an empty one and None are the game's own start.

    Raises:
        GameError: if it is no position, or the game has no notation for any.
    """
    if not text:
        return game.initial_state()
    if not isinstance(game, HasStateText):
        raise GameError(f"{game.name} has no notation for positions")
    return game.state_from_text(text)


def _game(path: Path, game: Game[Any, Any], text: bytes, begin: Mark, end: Mark) -> PastGame | BrokenGame:
    place = ""
    try:
        result, *rest = text.decode("utf-8", "replace").split("\t")
        if not rest:
            raise GameError("a result, a position and moves expected, with tabs between them")
        said, (start, *moves) = _winner(result), rest
        place = f"position {start!r}: "
        state = first = start_of(game, start)
        turns = list[Turn]()
        for number, word in enumerate(moves, 1):
            if is_over(game, state):
                break
            place = f"move {number}, {word!r}: "
            action = text_to_action(game, state, word)
            turns.append((game.current_player(state), action))
            state = game.next_state(state, action)
        returns = game.returns(state)
        winner = said if returns is None else _sign(returns[0])
        return PastGame(begin, end, first, tuple(turns), winner, ("", ""))
    except PlayoutError as error:
        return broken(path, begin, end, f"{place}{error}")
    except RAISED_BY_GAMES as error:
        return broken(path, begin, end, f"{place}{type(error).__name__}: {error}")


def _winner(text: str) -> int | None:
    if text == UNKNOWN:
        return None
    try:
        result = float(text)
    except ValueError:
        result = math.nan
    if not -1.0 <= result <= 1.0:
        raise GameError(f"result {text[:20]!r}: a number from -1 to 1 or {UNKNOWN} expected")
    return _sign(result)


def _sign(result: float) -> int:
    return (result > 0) - (result < 0)
