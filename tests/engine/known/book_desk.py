"""An engine with books of words, for tests of what is done with books."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import playout
from playout.books.base.book import BookMove
from playout.books.base.canonical import Places, book_text
from playout.engine.known.asked_books import AskedBooks
from playout.engine.session import Session
from playout.engine.terms.limits import Limits
from playout.engine.terms.task import SearchTask
from playout.games.errors import BookError, IllegalMove
from playout.games.game import action_to_text, text_to_action

from ..tasks import line_of

OPENED: list[str] = []


class Words:
    """A book in a file of lines ``MOVES: MOVE WEIGHT WINS DRAWS LOSSES``, without symmetries at the root."""

    def __init__(self, path: Path, game: Any) -> None:
        self.name, self.learned = path.name, list[tuple[list[str], float]]()
        self._game, self._positions, self._places = game, dict[Any, list[BookMove]](), Places(game)
        OPENED.append(path.name)
        if not path.exists():
            raise BookError(f"{path}: no such file")
        for number, row in enumerate(path.read_text().splitlines(), 1):
            before, _, rest = row.partition(":")
            state = game.initial_state()
            try:
                for word in before.split():
                    state = game.next_state(state, text_to_action(game, state, word))
                word, *numbers = rest.split()
                move = BookMove(text_to_action(game, state, word), float(numbers[0]), *map(int, numbers[1:]))
            except (IllegalMove, ValueError, IndexError) as error:
                raise BookError(f"{path}:{number}:1: {error}: {row!r}") from error
            self._positions.setdefault(state, []).append(move)

    def lookup(self, state: Any) -> Sequence[BookMove]:
        return self._positions.get(state, [])

    def keys(self) -> Iterable[int]:
        return [self._places.of(state).key for state in self._positions]

    def at(self, key: int) -> Sequence[BookMove]:
        moves = []
        for state in self._positions:
            place = self._places.of(state)
            if place.key == key:
                moves += [replace(move, action=self._places.word(place, move.action)) for move in self.lookup(state)]
        return moves

    def learn(self, moves: Sequence[tuple[Any, Any]], result: float) -> None:
        self.learned.append(([self._game.action_to_text(state, action) for state, action in moves], result))

    def close(self) -> None:
        OPENED.append(f"closed {self.name}")


class Desk(playout.Engine):
    """An engine with little memory and no books but those that the test names."""

    def __init__(self, game: str, **options: Any) -> None:
        super().__init__(game, **{"hash": 16, "book_file": "", **options})

    def move(self, moves: str = "", **bounds: Any) -> playout.Result:
        """Returns the result of a search after ``moves``."""
        self.set_position(None, moves.split())
        return self.think(**(bounds or {"nodes": 20}))


def book(folder: Path, name: str, *rows: str) -> str:
    """A book of ``rows`` in a file, whose path is returned."""
    file = folder / f"{name}.words"
    file.write_text("\n".join(rows))
    return str(file)


class Asker:
    """In place of a searcher: takes the books, and asks them about positions."""

    def __init__(self, session: Session) -> None:
        self._game: Any = session.game
        task = SearchTask(session.game, line_of(session.game), Limits(), session.options.frozen())
        AskedBooks().lend(self, task, session.books)  # type: ignore[arg-type]

    def set_books(self, ask: Any, keys: array[int], shared_keys: array[int]) -> None:
        self.ask, self.keys, self.shared_keys = ask, keys, shared_keys

    def set_book_plies(self, plies: int | None) -> None:
        self.plies = plies

    def known(self, *moves: str) -> dict[str, tuple[float, int, float, bool]]:
        """Weight, visits, value and whether it is banned, of each known move after ``moves``."""
        state = line_of(self._game, *moves).state
        place = Places(self._game).of(state)
        if place.key not in self.keys:
            return {}
        answer = self.ask(place.key, book_text(self._game, place.state))
        return {action_to_text(self._game, state, place.from_book(word)): tuple(rest) for word, *rest in answer}


def learned(d: Desk) -> list[tuple[list[str], float]]:
    """The games that the session's first book has learned."""
    return d.session.books._books[0].learned  # type: ignore[attr-defined, no-any-return]
