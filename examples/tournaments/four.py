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
        for mark, result in ("x", (1, -1)), ("o", (-1, 1)):
            if any(self._four(state, mark, column, row) for column in range(COLUMNS) for row in range(ROWS)):
                return result
        return (0, 0) if all(len(column) == ROWS for column in state) else None

    def key(self, state):
        return state

    @staticmethod
    def _four(state, mark, column, row):
        for right, up in (1, 0), (0, 1), (1, 1), (1, -1):
            cells = [(column + step * right, row + step * up) for step in range(4)]
            if all(0 <= c < COLUMNS and 0 <= r < len(state[c]) and state[c][r] == mark for c, r in cells):
                return True
        return False
