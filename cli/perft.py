"""``playout perft``: counts the lines of play to a depth, the standard test of a move generator."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Protocol, Self

import typer

from playout.cli.console import console
from playout.cli.progress import Bar
from playout.games.errors import GameError
from playout.games.game import CHANCE, Game, HasStateText, action_to_text

BETWEEN = 0.1
"""Seconds between two numbers on the terminal."""
LONG = 5
"""Plies from which a count is divided once more, so that its progress is seen."""


def command(
    game: Annotated[str, typer.Option(metavar="NAME", help="hex:5, my.py:Mnk, ...")] = "chess",
    depth: Annotated[int, typer.Option(min=0, max=100, help="Depth in plies; rolls of the dice do not count.")] = 4,
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Position text (FEN etc.); default: the start.")
    ] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Also prints the count of each first move.")] = False,
    python: Annotated[
        bool, typer.Option("--python", help="Counts with the Python definition, not the kernel.")
    ] = False,
) -> None:
    """Counts the lines of play of a given length."""
    from playout.games import catalogue

    made = catalogue.load(game)
    native = not python and getattr(type(made), "kernel", None) is not None
    begun = time.perf_counter()
    total = 0
    with Bar() as bar:
        for move, count in _counts((_kernel if native else _Definition.root)(made, position), depth, divide, bar):
            total += count
            if divide:
                console().print(f"{move}: {count}")
    seconds = time.perf_counter() - begun
    by = "kernel" if native else "Python"
    console().print(f"{made.name} depth {depth}: {total} in {seconds:.3f} s, {_rate(total, seconds)} ({by})")


class _Node(Protocol):
    """A position whose lines of play are counted: a kernel's, or a ``_Definition``."""

    def player(self) -> int: ...
    def actions(self) -> Sequence[Any]: ...
    def action_text(self, action: Any, /) -> str: ...
    def copy(self) -> Self: ...
    def play(self, action: Any, /) -> None: ...
    def perft(self, depth: int, /) -> int: ...


def _counts(root: _Node, depth: int, divide: bool, bar: Bar) -> Iterator[tuple[str, int]]:
    """Yields the number of lines after each first move, or the whole number where nobody sees the parts."""
    if depth == 0 or not (divide or bar.shown):
        yield "", root.perft(depth)
        return
    begun = shown = time.perf_counter()
    total = 0
    actions = root.actions()
    bar.begin(f"depth {depth}", len(actions))
    for number, action in enumerate(actions):
        count = 0
        for share, part in _parts(_after(root, action), depth - (root.player() != CHANCE)):
            count += part
            now = time.perf_counter()
            if now - shown > BETWEEN:
                shown = now
                bar.advance(number + share, f"{total + count:,} lines, {_rate(total + count, now - begun)}")
        total += count
        yield root.action_text(action), count


def _parts(node: _Node, depth: int) -> Iterator[tuple[float, int]]:
    """Yields the share of a count that is done, with the number of lines of its last part; one part if it is short."""
    actions = node.actions() if depth >= LONG else ()
    if not actions:
        yield 1.0, node.perft(depth)
        return
    for number, action in enumerate(actions, 1):
        yield number / len(actions), _after(node, action).perft(depth - (node.player() != CHANCE))


def _after(node: _Node, action: Any) -> _Node:
    after = node.copy()
    after.play(action)
    return after


def _rate(total: int, seconds: float) -> str:
    return f"{total / seconds:,.0f}/s" if seconds > 0 else ""


def _kernel(game: Game[Any, Any], position: str | None) -> _Node:
    from playout.engine import _core
    from playout.engine.terms.kernel import kernel_params

    try:
        return _core.Position(type(game).kernel, kernel_params(game), position)  # type: ignore[attr-defined]
    except ValueError as error:
        raise GameError(str(error)) from error


class _Definition:
    """A position by the Python definition of its game."""

    def __init__(self, game: Game[Any, Any], state: Any) -> None:
        self._game, self._state = game, state

    @classmethod
    def root(cls, game: Game[Any, Any], position: str | None) -> Self:
        if position is None:
            return cls(game, game.initial_state())
        if not isinstance(game, HasStateText):
            raise GameError(f"{game.name} has no texts for positions")
        return cls(game, game.state_from_text(position))

    def player(self) -> int:
        return self._game.current_player(self._state)

    def actions(self) -> Sequence[Any]:
        return self._game.legal_actions(self._state)

    def action_text(self, action: Any, /) -> str:
        return action_to_text(self._game, self._state, action)

    def copy(self) -> Self:
        return type(self)(self._game, self._state)

    def play(self, action: Any, /) -> None:
        self._state = self._game.next_state(self._state, action)

    def perft(self, depth: int, /) -> int:
        return perft(self._game, self._state, depth)


def perft(game: Game[Any, Any], state: Any, depth: int) -> int:
    """Returns the number of lines of exactly ``depth`` plies from ``state``.

    Rolls of the dice do not add depth; each distinct roll counts once.
    """
    if depth == 0:
        return 1
    actions = game.legal_actions(state)
    if not actions:
        return 0
    chance = game.current_player(state) == CHANCE
    if depth == 1 and not chance:
        return len(actions)
    return sum(perft(game, game.next_state(state, action), depth - (not chance)) for action in actions)
