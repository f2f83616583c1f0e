"""Writer of the text book: one line for each leaf of the book's tree, sorted."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from playout.books.base.book import BookMove
from playout.books.base.canonical import Places
from playout.books.base.entry import BookEntry
from playout.books.base.memory import MemoryBook, gather
from playout.books.text.notes import DEFAULT_WEIGHT, is_numbering, write_note
from playout.books.text.reader import VERSION
from playout.games.errors import BookError
from playout.games.game import CHANCE, Game, HasBookState, HasStateText, action_to_text, is_over

_PLAIN = re.compile(r"[\w(/.+][^\t\n]*")
_LONGEST_KEY = 1000
"""Characters; YAML allows no colon on the same line after a longer key."""


@dataclass(frozen=True, slots=True, eq=False)
class _Move:
    """A move to be written."""

    text: str
    book_move: BookMove | None
    """None for dice."""
    child: int | None = None
    """Key of the position that it leads to, if the continuation is written here."""


def book_lines(game: Game[Any, Any], entries: Iterable[BookEntry]) -> Iterator[str]:
    """Yields the lines of the file.

    Raises:
        BookError: if a position that no line reaches has no text, or if a move's text contains braces.
    """
    known = gather(game, entries)
    tree = _Tree(game, known)
    yield f"version: {VERSION}"
    yield f"game: {_scalar(game.name)}"
    lines = [_line(line) for line in tree.lines()]
    if lines:
        yield "lines:"
        yield from (f"- {line}" for line in lines)
    others = [entry for key, entry in known.items() if key not in tree.moves]
    if not others:
        return
    if not isinstance(game, HasStateText):
        raise BookError(f"{game.name} has no position texts: no way to write {len(others)} positions off the lines")
    yield "positions:"
    for text, entry in sorted(((_position_text(game, one.state), one) for one in others), key=lambda pair: pair[0]):
        yield f"  {_scalar(text)}:" if len(text) < _LONGEST_KEY else f"  ? {_scalar(text)}\n  :"
        for move in _sorted(game, entry.state, entry.moves):
            yield f"    {_scalar(_text(game, entry.state, move))}: {_scalar(write_note(move) + _comment(move))}"


class _Tree:
    """The tree of the book's moves from the start; each position is attached to the end of a shortest line to it."""

    def __init__(self, game: Game[Any, Any], known: dict[int, BookEntry]) -> None:
        self.moves: dict[int, list[_Move]] = {}
        """Keyed by position. At a chance position: the rolls that lead to a position of the book."""
        self._game = game
        self._known = known
        self._places = Places(game)
        self._book = MemoryBook("", game, known.values())
        self._queue: deque[tuple[Any, int]] = deque()
        self._claimed: set[int] = set()
        self._unclaimed = set(known)
        self._start = self._claim(game.initial_state())
        while self._queue:
            state, key = self._queue.popleft()
            self.moves[key] = list(self._moves_at(state))

    def lines(self) -> Iterator[Sequence[_Move]]:
        """Yields a line from the start to each leaf. Notes that an earlier line contains are left out."""
        path: list[_Move] = []
        stack = [iter(self.moves.get(self._start, ()) if self._start is not None else ())]
        written: set[int] = set()
        while stack:
            move = next(stack[-1], None)
            if move is None:
                stack.pop()
                del path[-1:]
                continue
            path.append(move)
            if move.child is not None and self.moves[move.child]:
                stack.append(iter(self.moves[move.child]))
                continue
            yield [_Move(one.text, None) if id(one) in written else one for one in path]
            written |= set(map(id, path))
            path.pop()

    def _moves_at(self, state: Any) -> Iterator[_Move]:
        game = self._game
        if game.current_player(state) == CHANCE:
            for action in sorted(
                game.legal_actions(state), key=lambda one: action_to_text(game, state, one), reverse=True
            ):
                child = self._claim(game.next_state(state, action))
                if child is not None:
                    yield _Move(action_to_text(game, state, action), None, child)
            return
        for move in _sorted(game, state, self._book.lookup(state)):
            after = game.next_state(state, move.action)
            yield _Move(_text(game, state, move), move, self._claim(after))

    def _claim(self, state: Any) -> int | None:
        """Returns the key of a position whose moves are to be written here; None if it has no moves or they are written
        elsewhere.
        """
        if is_over(self._game, state):
            return None
        key = self._places.of(state).key
        if key in self._claimed:
            return None
        if self._game.current_player(state) == CHANCE:
            after = (self._game.next_state(state, action) for action in self._game.legal_actions(state))
            if not any(self._places.of(one).key in self._unclaimed for one in after):
                return None
        elif key not in self._known or len(self._book.lookup(state)) < len(self._known[key].moves):
            # The history of this line may make a move illegal.
            return None
        self._claimed.add(key)
        self._unclaimed.discard(key)
        self._queue.append((state, key))
        return key


def _sorted(game: Game[Any, Any], state: Any, moves: Iterable[BookMove]) -> list[BookMove]:
    return sorted(moves, key=lambda move: (-move.weight, action_to_text(game, state, move.action)))


def _text(game: Game[Any, Any], state: Any, move: BookMove) -> str:
    text = action_to_text(game, state, move.action)
    if "{" in text or "}" in text or is_numbering(text):
        raise BookError(f"a text book cannot have the move {text!r}: braces are for comments, '1.' numbers a move")
    return text


def _position_text(game: HasStateText, state: Any) -> str:
    return game.state_to_text(game.book_state(state) if isinstance(game, HasBookState) else state)


def _line(moves: Sequence[_Move]) -> str:
    words = [move.text + _note(move) for move in moves]
    if len(words) > 1 and any(len(move.text.split()) > 1 for move in moves):
        return f"[{', '.join(map(_quoted, words))}]"
    return _scalar(" ".join(words))


def _note(move: _Move) -> str:
    if move.book_move is None:
        return ""
    note = write_note(move.book_move)
    default = write_note(BookMove(None, DEFAULT_WEIGHT))
    return {default: "", "0": "?"}.get(note, f":{note}") + _comment(move.book_move)


def _comment(move: BookMove) -> str:
    text = "".join(letter if letter.isprintable() else " " for letter in move.comment)
    text = " ".join(text.replace("{", "(").replace("}", ")").split())
    return f" {{{text}}}" if text else ""


def _scalar(text: str) -> str:
    """Returns the text as a YAML scalar, quoted if YAML would read it as something else."""
    plain = _PLAIN.fullmatch(text) and ": " not in text and " #" not in text and not text.endswith((":", " "))
    return text if plain else _quoted(text)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
