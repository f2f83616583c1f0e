"""A user's game: ``length`` in a row on a board of ``columns`` by ``rows``."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mnk:
    columns: int = 3
    rows: int = 3
    length: int = 3

    def initial_state(self):
        return "." * (self.columns * self.rows)

    def current_player(self, state):
        return (len(state) - state.count(".")) % 2

    def legal_actions(self, state):
        return [] if self.returns(state) else [cell for cell, mark in enumerate(state) if mark == "."]

    def next_state(self, state, action):
        return state[:action] + "xo"[self.current_player(state)] + state[action + 1 :]

    def returns(self, state):
        for cell, mark in enumerate(state):
            x, y = cell % self.columns, cell // self.columns
            for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                line = [(x + i * dx, y + i * dy) for i in range(self.length)]
                inside = 0 <= line[-1][0] < self.columns and line[-1][1] < self.rows
                if mark != "." and inside and all(state[b * self.columns + a] == mark for a, b in line):
                    return (1, -1) if mark == "x" else (-1, 1)
        return None if "." in state else (0, 0)
