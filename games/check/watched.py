"""A game under observation: exceptions of its methods, and changes of their arguments, are reported as problems."""

from __future__ import annotations

import copy
import inspect
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

from playout.games import game as contract
from playout.games.errors import RAISED_BY_GAMES, GameError, IllegalMove
from playout.games.game import Game

REFUSALS = {"text_to_action": (IllegalMove,), "state_from_text": (GameError,), "with_player": (IllegalMove,)}
"""Exceptions that a method may raise; they are passed to the caller."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A violated property, with the first place where it shows."""

    property: str
    message: str
    """One sentence."""
    state: str = ""
    """The state, in the game's own text if it has one; empty if the problem does not belong to a state."""
    moves: tuple[str, ...] = ()
    """The moves that lead to it from the initial state."""

    def __str__(self) -> str:
        lines = [f"{self.property}: {self.message}"]
        if self.state:
            lines.append(f"  state: {self.state}")
            lines.append(f"  moves: {' '.join(self.moves) or '(initial state)'}")
        return "\n".join(lines)


class Broken(Exception):
    """Raised after a problem on which the next checks depend."""


class Watched:
    """A line of play in a game. Every other attribute is the game's method of that name, observed."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.problems: dict[str, Problem] = {}
        """The first problem of each property."""
        self.state: Any = None
        """The current state of the line."""
        self.line: list[tuple[Any, Any]] = []
        """The earlier states, each with the action taken."""
        self._game = game
        self._snapshot = _Snapshot(None)

    def has(self, method: str) -> bool:
        """Whether the game has ``method``."""
        return callable(getattr(self._game, method, None))

    def attribute(self, name: str) -> Any:
        """Returns the game's attribute ``name``, or None."""
        return getattr(self._game, name, None)

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method.startswith("_"):
            raise AttributeError(method)
        return partial(self.ask, method, getattr(self._game, method))

    def ask(self, label: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Returns the result of ``function``, which must not raise (except ``REFUSALS``) or change its first
        argument.
        """
        first = arguments[0] if arguments else None
        if first is not self._snapshot.state:
            self._snapshot = _Snapshot(first)
        try:
            answer = function(*arguments)
        except RAISED_BY_GAMES as error:
            if isinstance(error, (Broken, *REFUSALS.get(label, ()))):
                raise
            self.stop(label.partition(",")[0], f"{label} raised {self._describe(error)}")
        if not self._snapshot.holds():
            self.stop("purity", f"{label} changed the state that it was given")
        return answer

    def begin(self) -> None:
        """Returns to the initial state."""
        self.line, self.state = [], None
        self.state = self.initial_state()

    def step(self, action: Any) -> None:
        """Plays ``action``."""
        after = self.next_state(self.state, action)
        if after is None:
            self.stop("next_state", f"next_state gives None for action {action!r}; it must give a state")
        self.line.append((self.state, action))
        self.state = after

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Takes back, at the end of the block, the moves made inside it."""
        state, length = self.state, len(self.line)
        try:
            yield
        finally:
            self.state = state
            del self.line[length:]

    def report(self, name: str, message: str) -> None:
        """Reports a problem of the current state, if it is the first of the property ``name``."""
        if name not in self.problems:
            state = "" if self.state is None else self.describe_state(self.state)
            moves = tuple(self._move_text(place, action) for place, action in self.line)
            self.problems[name] = Problem(name, message, state, moves)

    def stop(self, name: str, message: str) -> NoReturn:
        """Reports a problem and raises ``Broken``."""
        self.report(name, message)
        raise Broken

    def describe_state(self, state: Any) -> str:
        """Returns ``state`` in the game's text, or else its ``repr``."""
        text = object.__repr__(state)
        with suppress(Exception):
            text = str(self.attribute("state_to_text")(state)) if self.has("state_to_text") else repr(state)
        line = " ".join(text.split())
        return line if len(line) <= 300 else line[:297] + "..."

    def action_text(self, state: Any, action: Any) -> Any:
        """Returns ``action`` in the game's notation."""
        return self.ask("action_to_text", partial(contract.action_to_text, self._game), state, action)

    def read_action(self, state: Any, text: str) -> Any:
        """Returns the action for ``text`` in the game's notation.

        Raises:
            IllegalMove: if there is none.
        """
        return self.ask("text_to_action", partial(contract.text_to_action, self._game), state, text)

    def comparable(self, state: Any) -> bool:
        """Whether two states can be compared for equality."""
        if self.has("key"):
            return True
        self._snapshot = _Snapshot(state)
        return self._snapshot.comparable

    def same(self, first: Any, second: Any) -> bool:
        """Whether two states are equal, or have equal keys."""
        return bool(first == second) or (self.has("key") and bool(self.key(first) == self.key(second)))

    def _move_text(self, state: Any, action: Any) -> str:
        with suppress(Exception):
            return contract.action_to_text(self._game, state, action)
        return repr(action)

    def _describe(self, error: BaseException) -> str:
        """Describes the exception and its place in the game."""
        said = " ".join(str(error).split())
        what = f"{type(error).__name__}: {said}" if said else type(error).__name__
        try:
            file = inspect.getfile(type(self._game))
        except (TypeError, OSError):
            file = ""
        frames = traceback.extract_tb(error.__traceback__)
        place = next((frame for frame in reversed(frames) if frame.filename == file), frames[-1])
        if place.filename == __file__:
            return what
        return f"{what} ({place.filename}, line {place.lineno})"


class _Snapshot:
    """A record of a state, to detect later changes."""

    def __init__(self, state: Any) -> None:
        self.state = state
        self._picture = _picture(state)
        self.comparable = False
        with suppress(Exception):
            self._copy = copy.deepcopy(state)
            self.comparable = bool(self._copy == state)

    def holds(self) -> bool:
        """Whether the state is unchanged."""
        return _picture(self.state) == self._picture and not (self.comparable and self._copy != self.state)


def _picture(state: Any) -> tuple[Any, ...]:
    """Returns the state's text, fields and hash, as far as it has them."""
    fields = [repr(value) for value in vars(state).values()] if hasattr(state, "__dict__") else []
    with suppress(Exception):
        return repr(state), fields, hash(state)
    return repr(type(state)), fields
