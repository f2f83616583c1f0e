"""The form in which the readers of PGN, SGF and lines of text return past games."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from playout.books.base.canonical import book_text
from playout.games.errors import BookError
from playout.games.game import Game, HasPlayerChange

LONGEST_GAME = 4 * 2**20
"""Maximum size of one game's text, in bytes."""
CHUNK = 2**20
"""Size of one read, in bytes."""

Turn = tuple[int, Any]
"""The player and the action."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a file of games from which reading can resume."""

    offset: int = 0
    """In bytes."""
    line: int = 1
    game: int = 0
    """Number of games before this place."""


START = Mark()


@dataclass(frozen=True, slots=True)
class Variation:
    """A variation: the moves of a line that was not played, including the moves that lead to it."""

    turns: tuple[Turn, ...]
    branch: int
    """Index of the first of ``turns`` that differs from the game (or from an earlier variation)."""


@dataclass(frozen=True, slots=True)
class PastGame:
    """One game."""

    begin: Mark
    end: Mark
    start: Any
    """The state in which the game started."""
    turns: tuple[Turn, ...]
    result: int | None
    """Result for player 0: 1, 0 or -1; None if unknown."""
    players: tuple[str, str]
    """Names of player 0 and player 1; "" if unknown."""
    variations: tuple[Variation, ...] = ()

    def hash(self, game: Game[Any, Any]) -> int:
        """Hash of moves, players and result, 0 to 2**64 - 1; equal for equal games."""
        names = tuple(" ".join(name.casefold().split()) for name in self.players)
        said = repr((book_text(game, self.start), self.turns, self.result, names))
        return int.from_bytes(blake2b(said.encode(), digest_size=8).digest(), "big")


@dataclass(frozen=True, slots=True)
class BrokenGame:
    """A game that cannot be used."""

    begin: Mark
    end: Mark
    message: str
    """One line: the file, the line, the number of the game, and what is wrong."""


class GameReader(Protocol):
    """The interface of a module that reads past games."""

    def read_games(
        self, path: Path, game: Game[Any, Any], *, variations: bool = False, after: Mark = START
    ) -> Iterator[PastGame | BrokenGame]:
        """Yields the games of a file one by one, starting at a mark. The file is never held in memory as a whole.

        Raises:
            BookError: if the file cannot be read, or its format has no games of this kind.
        """


@runtime_checkable
class HasGameMarks(GameReader, Protocol):
    """A reader that finds the games of a file without reading them."""

    def game_marks(self, path: Path) -> list[Mark] | None:
        """Returns where the games of a file begin; None if only ``read_games`` tells.

        Raises:
            BookError: if the file cannot be read.
        """


def replay(game: Game[Any, Any], start: Any, turns: tuple[Turn, ...]) -> Iterator[tuple[Any, Any]]:
    """Yields (state, action) for each turn. A player who moves out of turn gets the move if the game has a hook for
    that.
    """
    state = start
    for player, action in turns:
        if game.current_player(state) != player:
            if not isinstance(game, HasPlayerChange):
                raise BookError("a move out of turn")
            state = game.with_player(state, player)
        yield state, action
        state = game.next_state(state, action)


def broken(path: Path, begin: Mark, end: Mark, why: str) -> BrokenGame:
    """Reports a broken game between two marks."""
    why = " ".join(why.split())
    return BrokenGame(begin, end, f"{path}, line {begin.line} (byte {begin.offset}), game {begin.game + 1}: {why}")


def advanced(mark: Mark, size: int, lines: int) -> Mark:
    """Returns the mark after a game of the given number of bytes and line ends that starts at ``mark``."""
    return Mark(mark.offset + size, mark.line + lines, mark.game + 1)
