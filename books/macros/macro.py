"""Macros: named partial decision trees. A pattern, a position or a rule determines where a macro applies; its tree has
our move, the opponent's possible replies and our follow-ups. The macro ends when the opponent leaves its tree.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, Protocol, cast

from playout.books.base.canonical import Place, Places
from playout.books.base.plain_file import file_size
from playout.books.macros.decision_tree import OTHERS, MacroTurn, Marked
from playout.books.macros.declared_boards import board_of
from playout.books.macros.reader import MacroText, legal, parse_macros
from playout.books.text.yaml_nodes import Source
from playout.games.errors import BookError, IllegalMove
from playout.games.game import Game, text_to_action
from playout.games.nearest import nearest

RULES: Mapping[str, tuple[str, str]] = {
    "ladder": ("go", "playout.books.macros.ladders"),
    "king and rook": ("chess", "playout.books.macros.mates"),
    "king and queen": ("chess", "playout.books.macros.mates"),
}
"""The rules by name: the game, and the module whose ``rule(name, game)`` makes the ``Rule``."""

PATTERNS = "patterns"
"""The word of the option MacroFile for ``shipped_patterns``."""
LARGEST = 2**20
"""Maximum size of a user's file in bytes."""


class Rule(Protocol):
    """A macro whose moves are computed rather than listed."""

    def move(self, state: Any, until: float | None = None) -> Any | None:
        """Returns our move at ``state``, where we are to move; None if the rule has none, or finds none by ``until``
        (``time.monotonic()``).
        """

    def replies(self, state: Any) -> Sequence[Any]:
        """Returns the opponent's actions, after our move, with which the sequence continues."""


@dataclass(frozen=True, slots=True)
class MacroStep:
    """One action of a macro at a state."""

    action: Any
    macro: Macro
    ours: bool
    """Whether the action is a move of the macro's player; otherwise it is a reply that the macro answers."""
    then: Callable[[Any], Sequence[MacroStep]]
    """Returns the steps at the state after the action."""


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro for one game."""

    name: str
    weight: float
    """Relative frequency with which rollouts play its moves."""
    visits: int
    """Number of prior observations that its moves start with."""
    value: float
    """Mean of those observations, in [-1, 1], from the point of view of the macro's player."""
    only: bool
    """Whether only the moves of this macro, and of other macros and books, may be played where it has a move."""
    steps: Callable[[Macro, Any, float | None], Sequence[MacroStep]]
    """Finds the steps at a state within a time limit."""
    text: MacroText
    """The macro as its file has it."""

    @property
    def is_rule(self) -> bool:
        """Whether its moves are computed, which is slow."""
        return self.text.rule is not None

    @property
    def is_drawn(self) -> bool:
        """Whether it applies wherever a drawing of cells matches."""
        return bool(self.text.patterns)

    def at(self, state: Any, until: float | None = None) -> Sequence[MacroStep]:
        """Returns the steps at ``state``, where a player is to move; none if the macro does not apply, or has drawings
        that only the game's kernel can match (chess, backgammon). Rules have until ``until`` (``time.monotonic()``) to
        find them, or unlimited time if it is not given.

        A cell further down a pattern's tree may be occupied, so the caller must check that each action is legal.
        """
        return self.steps(self, state, until)


def read_macros(path: Path, game: Game[Any, Any]) -> tuple[Macro, ...]:
    """Returns the macros of a file that are for ``game``.

    Raises:
        BookError: one line with file, line, column and the offending text; also if the file has none for the game.
    """
    size = file_size(path)
    if size > LARGEST:
        raise BookError(f"{path}: {size:,} bytes; a file of macros has at most {LARGEST:,}")
    found = parse_macros(Source(path))
    macros = tuple(_macro(one, game) for one in found if one.is_for(game))
    if not macros:
        games = ", ".join(sorted({one.game for one in found})) or "none"
        raise BookError(f"{path}: no macro for {game.name}; games that it has macros for: {games}")
    return macros


def shipped_macros(game: Game[Any, Any]) -> tuple[Macro, ...]:
    """Returns the macros for ``game`` that come with the package."""
    file = resources.files("playout.books").joinpath("data", "macros", f"{game.name.partition(':')[0]}.yaml")
    if not file.is_file():
        return ()
    found = parse_macros(Source(Path(file.name), file.read_text("utf-8")))
    return tuple(_macro(one, game) for one in found if one.is_for(game))


def shipped_patterns(game: Game[Any, Any]) -> Path | None:
    """Returns the file of further macros for ``game`` that come with the package but are not among ``shipped_macros``;
    None if there is none.
    """
    file = resources.files("playout.books").joinpath("data", "macros", f"{game.name.partition(':')[0]}_patterns.yaml")
    return Path(str(file)) if file.is_file() else None


def _macro(text: MacroText, game: Game[Any, Any]) -> Macro:
    steps: Callable[[Macro, Any, float | None], Sequence[MacroStep]]
    if text.rule is not None:
        kind, module = RULES.get(text.rule.value, ("", ""))
        if not kind:
            near = nearest(text.rule.value, RULES) or f"; rules: {', '.join(RULES)}"
            raise text.rule.error(f"no such rule{near}")
        if kind != game.name.partition(":")[0]:
            raise text.rule.error(f"a rule for {kind}, not for {game.name}")
        rule = cast(Rule, importlib.import_module(module).rule(text.rule.value, game))
        steps = partial(_rule_steps, rule)
    elif text.position is not None:
        steps = _Positioned(text, game).steps
    else:
        steps = _Drawn(text, game).steps
    return Macro(text.name, text.weight, text.visits, text.value, text.only, steps, text)


def _rule_steps(rule: Rule, macro: Macro, state: Any, until: float | None) -> Sequence[MacroStep]:
    action = rule.move(state, until)
    if action is None:
        return ()

    def ours(state: Any) -> Sequence[MacroStep]:
        return _rule_steps(rule, macro, state, until)

    def theirs(state: Any) -> Sequence[MacroStep]:
        return [MacroStep(reply, macro, False, ours) for reply in rule.replies(state)]

    return (MacroStep(action, macro, True, theirs),)


class _Drawn:
    """A macro with patterns."""

    def __init__(self, text: MacroText, game: Game[Any, Any]) -> None:
        board = board_of(game)
        if board is None:
            raise text.patterns[0].error(f"{game.name} has no board that patterns can be drawn of")
        self._text, self._game, self._board = text, game, board

    def steps(self, macro: Macro, state: Any, _: float | None = None) -> Sequence[MacroStep]:
        """Returns the steps of each place where a pattern matches; none where only the kernel can match it."""
        if self._board.by_kernel:
            return ()
        turn = self._text.turn
        mover = self._game.current_player(state)
        player = mover if turn.play is not None else 1 - mover
        found: list[MacroStep] = []
        for pattern in self._text.patterns:
            for named in pattern.value.matches(self._board, state, player):
                found += tree_steps(self._game, macro, turn, partial(self._named, named), state)
        return found

    def _named(self, named: Mapping[str, int], move: Marked[str], state: Any) -> int | None:
        return self._board.action(state, named[move.value])


class _Positioned:
    """A macro with a position."""

    def __init__(self, text: MacroText, game: Game[Any, Any]) -> None:
        self._text, self._game, self._places = text, game, Places(game)
        state = text.state(game)
        self._place = self._places.of(state)
        if game.returns(state) is None:
            _check(game, text.turn, state)
        elif text.position is not None:
            raise text.position.error("the game is over there")

    def steps(self, macro: Macro, state: Any, _: float | None = None) -> Sequence[MacroStep]:
        """Returns the steps of the tree if ``state`` is its position or a symmetry image of it."""
        place = self._places.of(state)
        if place.key != self._place.key:
            return ()
        return tree_steps(self._game, macro, self._text.turn, partial(self._action, place), state)

    def _action(self, place: Place, move: Marked[str], state: Any) -> Any:
        """Returns the action at ``state``, in the same image of the tree as ``place``."""
        if not place.symmetries:
            return text_to_action(self._game, state, move.value)
        here, there = place.symmetries[0], self._place.symmetries[0]
        own = there.inverse_state(here.state(state))
        return here.inverse_action(there.action(text_to_action(self._game, own, move.value)))


def _check(game: Game[Any, Any], turn: MacroTurn, state: Any) -> None:
    """Raises BookError if a named move of the tree is illegal. Moves after an unnamed reply cannot be checked."""
    if turn.play is not None:
        state = game.next_state(state, legal(game, state, turn.play))
    for reply, answer in turn.replies:
        if reply.value != OTHERS:
            _check(game, answer, game.next_state(state, legal(game, state, reply)))


def tree_steps(
    game: Game[Any, Any], macro: Macro, turn: MacroTurn, resolve: Callable[[Marked[str], Any], Any], state: Any
) -> Sequence[MacroStep]:
    """Returns the steps of a tree at ``state``; ``resolve`` turns its moves into actions."""

    def after(state: Any) -> Sequence[MacroStep]:
        return _replies(game, macro, turn, resolve, state)

    if turn.play is None:
        return after(state)
    action = _resolved(turn.play, resolve, state)
    return () if action is None else (MacroStep(action, macro, True, after),)


def _replies(
    game: Game[Any, Any], macro: Macro, turn: MacroTurn, resolve: Callable[[Marked[str], Any], Any], state: Any
) -> Sequence[MacroStep]:
    def answered(answer: MacroTurn) -> Callable[[Any], Sequence[MacroStep]]:
        return lambda state: tree_steps(game, macro, answer, resolve, state)

    answers: dict[Any, MacroTurn] = {}
    others: MacroTurn | None = None
    for reply, answer in turn.replies:
        if reply.value == OTHERS:
            others = answer
            continue
        action = _resolved(reply, resolve, state)
        if action is not None:
            answers[action] = answer
    if others is not None:
        answers |= {action: others for action in game.legal_actions(state) if action not in answers}
    return [MacroStep(action, macro, False, answered(answer)) for action, answer in answers.items()]


def _resolved(move: Marked[str], resolve: Callable[[Marked[str], Any], Any], state: Any) -> Any | None:
    """Returns the action of a move, or None if the move is illegal here, as can happen after an unnamed reply."""
    try:
        return resolve(move, state)
    except IllegalMove:
        return None
