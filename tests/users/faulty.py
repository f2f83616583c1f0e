"""Users' games with mistakes. The parameters say which one."""

import math
from dataclasses import dataclass

from playout.games.game import CHANCE, Symmetry
from playout.games.tic_tac_toe import TicTacToe


@dataclass(frozen=True)
class Race:
    """Each player in turn throws a die of two sides and walks that far or stays; the first at ``goal`` wins.

    A state: the places of both, who is on turn, and the die, 0 while it has not been thrown.
    """

    goal: int = 3

    def initial_state(self):
        return (0, 0, 0, 0)

    def current_player(self, state):
        return state[2] if state[3] else CHANCE

    def legal_actions(self, state):
        if self.returns(state):
            return []
        return ["walk", "stay"] if state[3] else [1, 2]

    def next_state(self, state, action):
        places, mover, die = list(state[:2]), state[2], state[3]
        if not die:
            return (*places, mover, action)
        if action == "walk":
            places[mover] += die
        return (*places, 1 - mover, 0)

    def returns(self, state):
        if max(state[:2]) < self.goal:
            return None
        return (1, -1) if state[0] >= self.goal else (-1, 1)

    def chance_outcomes(self, state):
        return [(1, 0.5), (2, 0.5)]

    def key(self, state):
        return state


class Raises:
    """``method`` raises once ``plies`` moves have been made."""

    def __getattribute__(self, name):
        found = object.__getattribute__(self, name)
        if name != object.__getattribute__(self, "method"):
            return found

        def method(*arguments):
            if not arguments or self.made(arguments[0]) >= self.plies:
                raise RuntimeError(f"a mistake in {name}")
            return found(*arguments)

        return method


@dataclass(frozen=True)
class RaisingBoard(Raises, TicTacToe):
    method: str = ""
    plies: int = 0
    kernel = None

    def made(self, state):
        return 9 - state.board.count(".")

    def value(self, state):
        return 0.0


@dataclass(frozen=True)
class RaisingPlayouts(RaisingBoard):
    value = None

    def rollout_action(self, state, actions, rng):
        return rng.choice(actions)


@dataclass(frozen=True)
class RaisingRace(Raises, Race):
    method: str = ""
    plies: int = 0

    def made(self, state):
        return sum(state[:2])


METHODS = ("legal_actions", "returns", "current_player", "next_state", "key", "value", "action_values")
METHODS += ("rollout_action", "action_to_text", "symmetries")


@dataclass(frozen=True)
class Wrong(TicTacToe):
    """A method of which ``method`` is the name, or the name and a suffix, gives what it must not."""

    method: str = ""
    kernel = None

    def __getattribute__(self, name):
        mistake = object.__getattribute__(self, "method")
        if name in METHODS and mistake.startswith(name):
            return getattr(Answers(), mistake)
        return object.__getattribute__(self, name)


class Answers:
    """Wrong answers by the name of the parameter ``method``; without a suffix, of the method of that name."""

    def legal_actions(self, state):
        return []

    def legal_actions_unhashable(self, state):
        return [[0]]

    def legal_actions_number(self, state):
        return 3

    def legal_actions_none(self, state):
        return None

    def legal_actions_twice(self, state):
        return [0, 1, 0]

    def returns(self, state):
        return None if "." in state.board else (7, -7)

    def returns_one(self, state):
        return (0,)

    def returns_three(self, state):
        return (0, 0, 0)

    def returns_sum(self, state):
        return (1, 1)

    def returns_nan(self, state):
        return (math.nan, math.nan)

    def returns_text(self, state):
        return "draw"

    def returns_number(self, state):
        return 0.5

    def current_player(self, state):
        return 5

    def current_player_none(self, state):
        return None

    def current_player_chance(self, state):
        return CHANCE

    def next_state(self, state, action):
        return None

    def next_state_unhashable(self, state, action):
        return [state, action]

    def key(self, state):
        return [state]

    def value(self, state):
        return math.nan

    def value_large(self, state):
        return 2

    def value_none(self, state):
        return None

    def action_values(self, state, actions):
        return [0.0]

    def action_values_nan(self, state, actions):
        return [math.nan] * len(actions)

    def action_values_infinite(self, state, actions):
        return [math.inf] * len(actions)

    def action_values_none(self, state, actions):
        return None

    def rollout_action(self, state, actions, rng):
        return 99

    def action_to_text(self, state, action):
        return 5

    def symmetries(self):
        return [Symmetry("identity", *[lambda thing: thing] * 4)] * 13

    def symmetries_none(self):
        return None

    def symmetries_other(self):
        return [1, 2]

    def symmetries_raising(self):
        return [Symmetry(name, *[raising if name else same] * 4) for name in ("", "mirror")]


def same(thing):
    return thing


def raising(thing):
    raise RuntimeError("a mistake in a symmetry")


class Unwritable(tuple):
    """A state that cannot be written."""

    def __repr__(self):
        raise RuntimeError("a mistake in repr")


@dataclass(frozen=True)
class WrongDice(Race):
    """A race whose dice come up with the probabilities ``one`` and ``two``."""

    one: float = 0.5
    two: float = 0.5

    def chance_outcomes(self, state):
        return [(1, self.one), (2, self.two)]


@dataclass(frozen=True)
class Unwritten(Race):
    """Its states are long or cannot be written, and its playouts fail."""

    long: bool = False

    def initial_state(self):
        return self.wrapped((0, 0, 0, 0))

    def wrapped(self, state):
        return (*state[:4], "x" * 1000) if self.long else Unwritable(state)

    def next_state(self, state, action):
        return self.wrapped(super().next_state(state, action))

    def rollout_action(self, state, actions, rng):
        raise ValueError("two\nlines")
