"""Connect four as a game of one's own: five methods, and a key."""

from dataclasses import dataclass

COLUMNS, ROWS = 7, 6


@dataclass(frozen=True)
class Four:
    """A state is the columns from left to right, each with its stones from the bottom; an action is a column."""

    def initial_state(self):
        return ("",) * COLUMNS

    def current_player(self, state):
        return sum(map(len, state)) % 2

    def legal_actions(self, state):
        return [] if self.returns(state) else [column for column in range(COLUMNS) if len(state[column]) < ROWS]

    def next_state(self, state, action):
        stones = state[action] + "xo"[self.current_player(state)]
        return (*state[:action], stones, *state[action + 1 :])

    def returns(self, state):
        columns = [stones.ljust(ROWS, ".") for stones in state]
        rising = ["." * (COLUMNS - n) + stones + "." * n for n, stones in enumerate(columns)]
        falling = ["." * n + stones + "." * (COLUMNS - n) for n, stones in enumerate(columns)]
        lines = "|".join([*columns, *_rows(columns), *_rows(rising), *_rows(falling)])
        for four, result in ("xxxx", (1, -1)), ("oooo", (-1, 1)):
            if four in lines:
                return result
        return None if "." in "".join(columns) else (0, 0)

    def key(self, state):
        return state


def _rows(columns):
    """Returns the rows of columns that are equally long."""
    return ["".join(row) for row in zip(*columns, strict=True)]
