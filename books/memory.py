"""A book held in memory, and what several books say of a position put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from playout.books.book import BookMove
from playout.books.canonical import Places
from playout.books.formats import Entry
from playout.games.game import CHANCE, Game, is_over


def gather(game: Game[Any, Any], entries: Iterable[Entry]) -> dict[int, Entry]:
    """Each position once, under the key of its place. Entries of images of a position are one entry, in the frame of
    the first; weights, counts and ``learn`` of a move add up, comments are joined."""
    places = Places(game)
    found: dict[int, Entry] = {}
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
        found[place.key] = Entry(first.state if first else entry.state, best_first(moves.values()), line)
    return found


def add(one: BookMove, other: BookMove) -> BookMove:
    """The move with what both say of it; its action is that of ``one``."""
    comments = [one.comment, *([other.comment] if other.comment != one.comment else [])]
    return BookMove(
        one.action,
        one.weight + other.weight,
        one.wins + other.wins,
        one.draws + other.draws,
        one.losses + other.losses,
        one.learn + other.learn,
        " / ".join(filter(None, comments)),
    )


def best_first(moves: Iterable[BookMove]) -> tuple[BookMove, ...]:
    """The moves in the order that books answer in: by weight, equal weights in the order given."""
    return tuple(sorted(moves, key=lambda move: -move.weight))


class MemoryBook:
    """A book that was read whole."""

    def __init__(self, name: str, game: Game[Any, Any], entries: Iterable[Entry]) -> None:
        self._name = name
        self._game = game
        self._places = Places(game)
        self._moves: dict[int, tuple[BookMove, ...]] = {}
        for key, entry in gather(game, entries).items():
            place = self._places.of(entry.state)
            self._moves[key] = tuple(replace(move, action=place.to_book(move.action)) for move in entry.moves)

    @property
    def name(self) -> str:
        return self._name

    def __len__(self) -> int:
        """How many positions it knows."""
        return len(self._moves)

    def lookup(self, state: Any) -> Sequence[BookMove]:
        if not self._moves or is_over(self._game, state) or self._game.current_player(state) == CHANCE:
            return ()
        place = self._places.of(state)
        known = self._moves.get(place.key)
        if known is None:
            return ()
        # The game's history, which a place leaves out, may forbid a move.
        legal = self._game.legal_actions(state)
        moves = (replace(move, action=place.from_book(move.action)) for move in known)
        return [move for move in moves if move.action in legal]

    def close(self) -> None:
        self._moves = {}
