"""A user's game with features: players take cells of a row in turn; two neighbours of one's own win."""

from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Row:
    length: int = 5

    def initial_state(self):
        return (0,) * self.length

    def current_player(self, state):
        return sum(map(bool, state)) % 2

    def legal_actions(self, state):
        return [] if self.returns(state) else [("take", cell) for cell, mark in enumerate(state) if not mark]

    def next_state(self, state, action):
        cell = action[1]
        return (*state[:cell], 1 + self.current_player(state), *state[cell + 1 :])

    def returns(self, state):
        for one, two in pairwise(state):
            if one and one == two:
                return (1, -1) if one == 1 else (-1, 1)
        return (0, 0) if all(state) else None

    def key(self, state):
        return state

    def features(self, state):
        own = 1 + self.current_player(state)
        return [float(mark == own) for mark in state] + [float(mark == 3 - own) for mark in state]
