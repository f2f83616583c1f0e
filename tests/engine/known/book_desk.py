"""An engine with books of words, for tests of what is done with books."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import playout
from playout.books.base.book import BookMove
from playout.engine.known.guidance import Guide, Hinted
from playout.engine.session import Session
from playout.engine.terms.limits import Limits
from playout.engine.terms.task import SearchTask
from playout.games.errors import BookError, IllegalMove
from playout.games.game import text_to_action

from ..tasks import line_of

OPENED: list[str] = []


class Words:
    """A book in a file of lines ``MOVES: MOVE WEIGHT WINS DRAWS LOSSES``, without symmetries."""

    def __init__(self, path: Path, game: Any) -> None:
        self.name, self.learned = path.name, list[tuple[list[str], float]]()
        self._game, self._positions = game, dict[Any, list[BookMove]]()
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


def entries(session: Session, *moves: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """The hints for the position after ``moves``, by line."""
    session.set_position(None, moves)
    task = SearchTask(session.game, line_of(session.game, *moves), Limits(), session.options.frozen())
    found: list[Hinted] | None = Guide().refresh(task, session.books, seconds=None)
    return {tuple(words): {hint.move: hint for hint in hints} for _, words, hints in found or ()}


def learned(d: Desk) -> list[tuple[list[str], float]]:
    """The games that the session's first book has learned."""
    return d.session.books._books[0].learned  # type: ignore[attr-defined, no-any-return]
