"""Games of the past, as the readers of PGN and SGF hand them over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

from playout.books.base.canonical import book_text
from playout.games.errors import BookError
from playout.games.game import Game, HasPlayerChange

LONGEST_GAME = 4 * 2**20
"""Bytes of one game's text."""
CHUNK = 2**20
"""Bytes that are read at once."""

Turn = tuple[int, Any]
"""Who played which action."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a file of games, from which reading goes on."""

    offset: int = 0
    """In bytes."""
    line: int = 1
    game: int = 0
    """How many games stand before it."""


START = Mark()


@dataclass(frozen=True, slots=True)
class Variation:
    """Moves that were not played, with those that lead there."""

    turns: tuple[Turn, ...]
    branch: int
    """The first of ``turns`` that is not the game's (or of another variation that stands before)."""


@dataclass(frozen=True, slots=True)
class PastGame:
    """One game."""

    begin: Mark
    end: Mark
    start: Any
    """The state in which it started."""
    turns: tuple[Turn, ...]
    result: int | None
    """1, 0 or -1 for player 0; None if it is not known."""
    players: tuple[str, str]
    """The names of player 0 and player 1; "" if not known."""
    variations: tuple[Variation, ...] = ()

    def hash(self, game: Game[Any, Any]) -> int:
        """The same for the same moves, players and result: 0 to 2**64 - 1."""
        names = tuple(" ".join(name.casefold().split()) for name in self.players)
        said = repr((book_text(game, self.start), self.turns, self.result, names))
        return int.from_bytes(blake2b(said.encode(), digest_size=8).digest(), "big")


@dataclass(frozen=True, slots=True)
class BrokenGame:
    """One game that cannot be used."""

    begin: Mark
    end: Mark
    message: str
    """One line: file, line, number of the game, and what is wrong."""


class GameReader(Protocol):
    """What a module that reads past games offers."""

    def read_games(
        self, path: Path, game: Game[Any, Any], *, variations: bool = False, after: Mark = START
    ) -> Iterator[PastGame | BrokenGame]:
        """The games of a file one by one, from a mark on; the file is never in memory as a whole.

        Raises:
            BookError: if the file cannot be read, or the format has no games of this kind.
        """


def replay(game: Game[Any, Any], start: Any, turns: tuple[Turn, ...]) -> Iterator[tuple[Any, Any]]:
    """(state, action) for each turn. Who plays out of turn gets the move, where the game has a hook for that."""
    state = start
    for player, action in turns:
        if game.current_player(state) != player:
            if not isinstance(game, HasPlayerChange):
                raise BookError("a move out of turn")
            state = game.with_player(state, player)
        yield state, action
        state = game.next_state(state, action)


def broken(path: Path, begin: Mark, end: Mark, why: str) -> BrokenGame:
    """A report of a game that stands between two marks."""
    why = " ".join(why.split())
    return BrokenGame(begin, end, f"{path}, line {begin.line} (byte {begin.offset}), game {begin.game + 1}: {why}")


def advanced(mark: Mark, size: int, lines: int) -> Mark:
    """The mark behind a game of so many bytes and line ends that stands at ``mark``."""
    return Mark(mark.offset + size, mark.line + lines, mark.game + 1)
