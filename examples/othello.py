"""Othello on a board of any even size: the rules, and the six lines that play them.

    python examples/othello.py          # the engine plays itself
    playout play --game examples/othello.py:Othello
    playout web --game examples/othello.py:Othello

A state is the board as text, row by row, with the player to move in front: ``x`` (player 0, who begins) or ``o``.
"""

from __future__ import annotations

from dataclasses import dataclass

import playout

PASS = -1
STEPS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


@dataclass(frozen=True)
class Othello:
    """Othello. An action is the number of a cell, row by row, or ``PASS`` if no disc can be turned."""

    size: int = 8

    def initial_state(self) -> str:
        """Four discs in the middle, x to move."""
        cells, middle = ["."] * self.size**2, self.size // 2
        for row, column, disc in ((-1, -1, "o"), (-1, 0, "x"), (0, -1, "x"), (0, 0, "o")):
            cells[(middle + row) * self.size + middle + column] = disc
        return "x" + "".join(cells)

    def current_player(self, state: str) -> int:
        """0 for x, 1 for o."""
        return "xo".index(state[0])

    def legal_actions(self, state: str) -> list[int]:
        """The cells that turn a disc; ``PASS`` if there are none but the opponent has one."""
        cells = self._moves(state[0], state[1:])
        if cells or not self._moves(_other(state[0]), state[1:]):
            return cells
        return [PASS]

    def next_state(self, state: str, action: int) -> str:
        """The position after a disc has been placed and those between have been turned."""
        player, board = state[0], list(state[1:])
        if action != PASS:
            for cell in [action, *self._turned(player, state[1:], action)]:
                board[cell] = player
        return _other(player) + "".join(board)

    def returns(self, state: str) -> tuple[int, int] | None:
        """The player with more discs wins, once neither player can move."""
        if self.legal_actions(state):
            return None
        lead = state.count("x", 1) - state.count("o", 1)
        result = (lead > 0) - (lead < 0)
        return result, -result

    def key(self, state: str) -> str:
        """Equal states have equal futures, so lines of play that meet share what the search learns."""
        return state

    def action_to_text(self, state: str, action: int) -> str:
        """``d3``, or ``pass``."""
        return "pass" if action == PASS else f"{chr(97 + action % self.size)}{action // self.size + 1}"

    def text_to_action(self, state: str, text: str) -> int:
        """The legal action that ``action_to_text`` writes so."""
        for action in self.legal_actions(state):
            if self.action_to_text(state, action) == text.strip().lower():
                return action
        raise playout.IllegalMove(f"illegal move: {text!r}")

    def render(self, state: str) -> str:
        """The board as text."""
        rows = [state[1 + row * self.size :][: self.size] for row in range(self.size)]
        return "\n".join(" ".join(row) for row in rows)

    def cells(self, state: str) -> list[list[int | None]]:
        """The owner of the disc on each cell, by which GUIs and ``playout web`` draw the board and take clicks."""
        owners = [{"x": 0, "o": 1}.get(disc) for disc in state[1:]]
        return [owners[row : row + self.size] for row in range(0, self.size**2, self.size)]

    def cell(self, state: str, action: int) -> tuple[int, int] | None:
        """Column and row of an action."""
        return None if action == PASS else (action % self.size, action // self.size)

    def _moves(self, player: str, board: str) -> list[int]:
        return [cell for cell, disc in enumerate(board) if disc == "." and self._turned(player, board, cell)]

    def _turned(self, player: str, board: str, cell: int) -> list[int]:
        """The discs that a disc of ``player`` on ``cell`` turns."""
        turned = []
        for dx, dy in STEPS:
            column, row = cell % self.size + dx, cell // self.size + dy
            line: list[int] = []
            while 0 <= column < self.size and 0 <= row < self.size:
                at = row * self.size + column
                if board[at] == ".":
                    break
                if board[at] == player:
                    turned += line
                    break
                line.append(at)
                column, row = column + dx, row + dy
        return turned


def _other(player: str) -> str:
    return "o" if player == "x" else "x"


def main() -> None:
    with playout.Engine(Othello(4)) as engine:
        while (move := engine.think(nodes=100).move) is not None:
            engine.play(move)
        print(engine.position)
        print("results of x and o:", engine.result)


if __name__ == "__main__":
    main()
