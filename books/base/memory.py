"""A book held in memory, and the merging of several books' moves for one position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from playout.books.base.book import BookMove
from playout.books.base.canonical import Places, book_text
from playout.books.base.entry import BookEntry
from playout.games.game import CHANCE, Game, is_over


def gather(game: Game[Any, Any], entries: Iterable[BookEntry]) -> dict[int, BookEntry]:
    """Merges entries that share a place. Entries of symmetry images become one entry in the frame of the first;
    weights, counts and ``learn`` of a move are added, comments are joined.
    """
    places = Places(game)
    found: dict[int, BookEntry] = {}
    for entry in entries:
        if not entry.moves:
            continue
        place = places.of(entry.state)
        first = found.get(place.key)
        here = places.of(first.state) if first else place
        moves = {here.to_book(move.action): move for move in first.moves} if first else {}
        for move in entry.moves:
            held = place.to_book(move.action)
            action = move.action if first is None else here.from_book(held)
            moves[held] = add(moves[held], move) if held in moves else replace(move, action=action)
        line = entry.line if first is None or first.line is None else first.line
        found[place.key] = BookEntry(first.state if first else entry.state, best_first(moves.values()), line)
    return found


def add(one: BookMove, other: BookMove) -> BookMove:
    """Merges two records of one move; the action is that of ``one``."""
    comments = [one.comment, *([other.comment] if other.comment != one.comment else [])]
    deeper = other if one.value is None or (other.value is not None and (other.depth or 0) > (one.depth or 0)) else one
    return BookMove(
        one.action,
        one.weight + other.weight,
        one.wins + other.wins,
        one.draws + other.draws,
        one.losses + other.losses,
        one.learn + other.learn,
        deeper.value,
        deeper.depth,
        deeper.source,
        " / ".join(filter(None, comments)),
    )


def best_first(moves: Iterable[BookMove]) -> tuple[BookMove, ...]:
    """Sorts moves into the order in which books answer: by weight, highest first; equal weights keep their order."""
    return tuple(sorted(moves, key=lambda move: -move.weight))


@dataclass(frozen=True, slots=True)
class _Known:
    """The book's record of one position."""

    text: int
    """Hash of the position's text as it was given to the book."""
    moves: tuple[BookMove, ...]
    """The moves, in the frame of that position."""
    held: tuple[Any, ...]
    """Their actions in the frame of the canonical image."""
    words: tuple[int | str, ...]
    """The book's names of these actions; see ``Places.word``."""


class MemoryBook:
    """A book read whole into memory. For a position that was given to it, it returns the moves unchanged; for a
    symmetry image of that position, their images.
    """

    def __init__(self, name: str, game: Game[Any, Any], entries: Iterable[BookEntry]) -> None:
        self._name = name
        self._game = game
        self._places = Places(game)
        self._known: dict[int, _Known] = {}
        for key, entry in gather(game, entries).items():
            place = self._places.of(entry.state)
            held = tuple(place.to_book(move.action) for move in entry.moves)
            words = tuple(self._places.word(place, move.action) for move in entry.moves)
            self._known[key] = _Known(hash(book_text(game, entry.state)), tuple(entry.moves), held, words)

    @property
    def name(self) -> str:
        return self._name

    def __len__(self) -> int:
        """Number of positions in the book."""
        return len(self._known)

    def lookup(self, state: Any) -> Sequence[BookMove]:
        if not self._known or is_over(self._game, state) or self._game.current_player(state) == CHANCE:
            return ()
        place = self._places.of(state)
        known = self._known.get(place.key)
        if known is None:
            return ()
        moves = known.moves
        if known.text != hash(book_text(self._game, state)):
            pairs = zip(known.moves, known.held, strict=True)
            moves = tuple(replace(move, action=place.from_book(action)) for move, action in pairs)
        # A place ignores the game's history, which may make a move illegal.
        legal = self._game.legal_actions(state)
        return [move for move in moves if move.action in legal]

    def keys(self) -> Iterable[int]:
        """Returns the keys; see ``KeyedBook``."""
        return self._known.keys()

    def at(self, key: int) -> Sequence[BookMove]:
        """Returns the moves of the position with this key; see ``KeyedBook``."""
        known = self._known.get(key)
        if known is None:
            return ()
        return [replace(move, action=word) for move, word in zip(known.moves, known.words, strict=True)]

    def close(self) -> None:
        self._known = {}
