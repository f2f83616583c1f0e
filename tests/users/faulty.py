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


@dataclass(frozen=True)
class Wrong(TicTacToe):
    """The method ``method`` gives what it must not."""

    method: str = ""
    kernel = None

    def __getattribute__(self, name):
        method = object.__getattribute__(self, "method")
        if method == "an_action":
            method = "legal_actions"
        if name != method:
            return object.__getattribute__(self, name)
        return getattr(Answers(), object.__getattribute__(self, "method"))


class Answers:
    def legal_actions(self, state):
        return []

    def an_action(self, state):
        return [[0]]

    def returns(self, state):
        return None if "." in state.board else (7, -7)

    def current_player(self, state):
        return 5

    def key(self, state):
        return [state]

    def value(self, state):
        return math.nan

    def action_to_text(self, state, action):
        return 5

    def symmetries(self):
        return [Symmetry("identity", *[lambda thing: thing] * 4)] * 13
