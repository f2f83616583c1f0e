"""Past games counted into a store: the positions of the games, and who won after each move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from playout.books.base.book import Book
from playout.books.base.canonical import Places
from playout.books.base.entry import BookEntry
from playout.books.base.past_games import BrokenGame, PastGame, Turn, replay
from playout.books.base.plain_file import file_size, read_at_rest
from playout.books.store.file import Weighting, WeightRules
from playout.books.store.reader import StoreBook, decisions
from playout.books.store.writer import StoreWriter
from playout.games.errors import BookError
from playout.games.game import CHANCE, Game

LARGEST_IN_MEMORY = 64 * 2**20
"""Maximum size in bytes of a file of games that is used directly as a book."""

ReadGames = Callable[[Path, Game[Any, Any]], Iterator[PastGame | BrokenGame]]
"""Yields the games of a file."""


@dataclass(frozen=True)
class Selection:
    """Selection of the games that count, and of the part of each that counts."""

    max_ply: int = 40
    """Moves of a game that count, from its start."""
    min_length: int = 1
    """Minimum length of a game in moves."""
    player: str = ""
    """Only games with a player whose name contains this text, in any case."""
    colour: int | None = None
    """Only games in which that player was player 0 or player 1."""
    variations: bool = False
    """Whether variations count, each as a game without a result."""
    unfinished: Literal["draw", "skip"] = "draw"
    """Whether a game with an unknown result counts as a draw; otherwise it is left out."""

    @property
    def pinned(self) -> dict[str, Any]:
        """The settings that must stay the same from one build to the next, because games already in the store are not
        recounted.
        """
        return {"max_ply": self.max_ply, "variations": self.variations, "unfinished": self.unfinished}

    def takes(self, past: PastGame) -> bool:
        """Whether the game counts."""
        if len(past.turns) < self.min_length or (past.result is None and self.unfinished == "skip"):
            return False
        wanted = self.player.casefold()
        players = past.players if self.colour is None else (past.players[self.colour],)
        return not wanted or any(wanted in name.casefold() for name in players)


USUAL = Selection()


class GameCounter:
    """Counts games into the entries of a store."""

    def __init__(self, writer: StoreWriter) -> None:
        self._writer = writer
        self._places = Places(writer.game)
        self._start = writer.game.initial_state()

    def count(self, past: PastGame, selection: Selection = USUAL) -> None:
        """Counts a game and, if the selection includes them, its variations."""
        if past.start != self._start:
            for state, _ in decisions(self._writer.game, past.start, ()):
                self._writer.add_root(state)
        self._count_line(past.start, past.turns[: selection.max_ply], 0, past.result or 0)
        for variation in past.variations if selection.variations else ():
            self._count_line(past.start, variation.turns[: selection.max_ply], variation.branch, 0)

    def _count_line(self, start: Any, turns: tuple[Turn, ...], first: int, result: int) -> None:
        writer, game = self._writer, self._writer.game
        for ply, (state, action) in enumerate(replay(game, start, turns)):
            if ply >= first and game.current_player(state) != CHANCE:
                place = self._places.of(state)
                sign = 1 if game.current_player(state) == 0 else -1
                writer.count(place, writer.packed_action(place, action), sign * result)


def book_in_memory(path: Path, game: Game[Any, Any], read_games: ReadGames) -> Book:
    """Reads a small file of games as a book in memory, weighted by score.

    Raises:
        BookError: if it cannot be read, is too large, or has no usable game.
    """
    return _at_rest(path, game, read_games)


def entries_of_games(path: Path, game: Game[Any, Any], read_games: ReadGames) -> Iterator[BookEntry]:
    """Yields the positions of a small file of games.

    Raises:
        BookError: as ``book_in_memory``.
    """
    book = _at_rest(path, game, read_games)
    try:
        yield from book.entries()
    finally:
        book.close()


def _at_rest(path: Path, game: Game[Any, Any], read_games: ReadGames) -> StoreBook:
    return read_at_rest(path, lambda: _in_memory(path, game, read_games))


def _in_memory(path: Path, game: Game[Any, Any], read_games: ReadGames) -> StoreBook:
    size = file_size(path)
    if size > LARGEST_IN_MEMORY:
        raise BookError(f"{path}: {size >> 20} MiB of games, too many to be read at each start; make a book of them")
    writer = StoreWriter(path, game, in_memory=True)
    try:
        writer.set_rules(WeightRules(Weighting.score))
        counter = GameCounter(writer)
        wrong = None
        games = 0
        for past in read_games(path, game):
            if isinstance(past, BrokenGame):
                wrong = wrong or past.message
            else:
                games += bool(past.turns)
                counter.count(past)
        if not games:
            raise BookError(wrong or f"{path}: no game in it")
        writer.commit()
    except BaseException:
        writer.close()
        raise
    return writer.as_book()
