"""Hex. Cells are numbered ``row * size + column`` from the top left of a board whose rows slant to the right."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import ClassVar, TypeVar

from playout.games.board_hooks import Shape
from playout.games.errors import GameError, IllegalMove
from playout.games.game import Box, Symmetry
from playout.games.support import sgf

T = TypeVar("T")

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SWAP_TEXT = "swap-pieces"
SWAP_NAMES = (SWAP_TEXT, "swap", "swap-sides")
STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
"""(columns, rows) to the six neighbours of a cell."""
RUNS = re.compile(r"([bw]|(?<![0-9])[1-9][0-9]?(?![0-9]))+")
"""A row in a position's text: stones, and numbers for runs of empty cells."""

EFFORT, SMALLEST_HARD = (3e6, 4.8, 1.6), 5
"""Third quartile of the nodes to solve a position of the engine's own games with 4.8 stones for each row by which the
board exceeds 5x5, and the factor for each empty cell more (``benches/exact/effort.py`` on sizes 5 to 9 and 11)."""
LARGEST_SOLVED = 11
"""Size of the largest board on which the solver sees carriers of proofs; without them it comes too late."""


@dataclass(frozen=True, slots=True)
class State:
    """A position: the board, the player to move, and whether the first stone may be swapped.

    ``board`` holds ``b``, ``w`` or ``.`` for each cell. ``player`` is 0 (Black) or 1 (White). ``swap`` is true in a
    game with the swap rule while Black's first stone is alone on the board: White to move may take it over.
    """

    board: str
    player: int
    swap: bool = False


@dataclass(frozen=True)
class Hex:
    """Hex: Black connects top and bottom, White left and right. A full board has exactly one winner.

    ``size`` is 1 to 26. With ``swap``, White may answer Black's first stone by "swap-pieces": the stone changes its
    colour and is reflected in the long diagonal (which exchanges the goals), and Black moves next.
    """

    size: int = 11
    swap: bool = False

    kernel: ClassVar[str] = "hex"
    shape: ClassVar[Shape] = "rhombus"
    sgf_number: ClassVar[int] = 11
    sgf_size: ClassVar[int] = 11

    def __post_init__(self) -> None:
        if not 1 <= self.size <= 26:
            raise GameError(f"hex: size={self.size} is not in 1 to 26")

    @property
    def name(self) -> str:
        return f"hex:{self.size}" + (",swap=true" if self.swap else "")

    @property
    def max_game_length(self) -> int:
        return self.size**2 + self.swap

    @property
    def columns(self) -> int:
        return self.size

    @property
    def rows(self) -> int:
        return self.size

    @property
    def swap_action(self) -> int:
        """The action that follows those of the cells."""
        return self.size**2

    def board_rows(self) -> Sequence[Sequence[int]]:
        return [range(start, start + self.size) for start in range(0, self.size**2, self.size)]

    def initial_state(self) -> State:
        return State("." * self.size**2, 0)

    def set_up(self, stones: Mapping[int, int], player: int) -> State:
        """The position with ``stones``. The swap is not allowed there."""
        return State("".join("bw"[stones[cell]] if cell in stones else "." for cell in range(self.size**2)), player)

    def stones(self, state: State) -> tuple[frozenset[int], frozenset[int]]:
        own, other = (frozenset(c for c, mark in enumerate(state.board) if mark == colour) for colour in "bw")
        return own, other

    def move_from_sgf(self, value: str) -> str:
        return sgf.hex_point(value)

    def move_to_sgf(self, text: str) -> str:
        return text

    def current_player(self, state: State) -> int:
        return state.player

    def legal_actions(self, state: State) -> Sequence[int]:
        """The empty cells, then the swap if it is allowed."""
        if _winner(self.size, state.board) is not None:
            return ()
        cells = [cell for cell, mark in enumerate(state.board) if mark == "."]
        return [*cells, self.swap_action] if state.swap and state.player == 1 else cells

    def next_state(self, state: State, action: int) -> State:
        if action == self.swap_action:
            row, column = divmod(state.board.index("b"), self.size)
            reflected = column * self.size + row
            return State("w".rjust(reflected + 1, ".").ljust(self.size**2, "."), 0)
        board = state.board[:action] + "bw"[state.player] + state.board[action + 1 :]
        first = state.player == 0 and not state.board.strip(".")
        return State(board, 1 - state.player, self.swap and first)

    def returns(self, state: State) -> Sequence[float] | None:
        winner = _winner(self.size, state.board)
        if winner is None:
            return None
        return (1.0, -1.0) if winner == 0 else (-1.0, 1.0)

    def key(self, state: State) -> State:
        return state

    def symmetries(self) -> Sequence[Symmetry[State, int]]:
        def turn_state(state: State) -> State:
            return State(state.board[::-1], state.player, state.swap)

        def turn_action(action: int) -> int:
            return action if action == self.swap_action else self.size**2 - 1 - action

        return (
            Symmetry("identity", _same, _same, _same, _same),
            Symmetry("half turn", turn_state, turn_action, turn_state, turn_action),
        )

    def exact_effort(self, state: State) -> float | None:
        if self.size > LARGEST_SOLVED:
            return None
        nodes, stones, growth = EFFORT
        cells = self.size**2 - stones * (self.size - SMALLEST_HARD)
        return nodes * float(growth ** (state.board.count(".") - cells))

    def with_player(self, state: State, player: int) -> State:
        return State(state.board, player, state.swap)

    def action_to_text(self, state: State, action: int) -> str:
        """Column letter and row number from the top, ``"a1"``, or ``"swap-pieces"``."""
        if action == self.swap_action:
            return SWAP_TEXT
        row, column = divmod(action, self.size)
        return f"{LETTERS[column]}{row + 1}"

    def text_to_action(self, state: State, text: str) -> int:
        """The action of a cell's name or of any of ``SWAP_NAMES``."""
        name = text.strip().lower()
        legal = self.legal_actions(state)
        wanted = SWAP_TEXT if name in SWAP_NAMES else name
        for action in legal:
            if self.action_to_text(state, action) == wanted:
                return action
        last = self.action_to_text(state, self.size**2 - 1)
        swap = f", or {SWAP_TEXT}" if self.swap_action in legal else ""
        raise IllegalMove(
            f"illegal move: {text.strip()!r} ({f'an empty cell from a1 to {last}{swap}' if legal else 'game over'})"
        )

    def book_state(self, state: State) -> State:
        return state

    def book_text(self, state: State) -> str:
        return f"{state.board} {state.player} {state.swap}"

    def state_to_text(self, state: State) -> str:
        """The position as in ``"3/1b1/3 w swap"``: rows from the top, with numbers for runs of empty cells; the player
        to move (b, w); ``swap`` if it is allowed."""
        rows = [re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in self._rows(state)]
        return "/".join(rows) + " " + "bw"[state.player] + (" swap" if state.swap else "")

    def state_from_text(self, text: str) -> State:
        def bad(what: str) -> GameError:
            return GameError(f"not a hex position: {text.strip()!r} ({what})")

        board, player, *flags = text.split() if len(text.split()) > 1 else ("", "")
        if player not in ("b", "w") or flags not in ([], ["swap"]):
            raise bad("rows from the top, then the mover b or w, then perhaps swap, as in '3/1b1/3 w swap'")
        rows = board.split("/")
        if not all(re.fullmatch(RUNS, row) for row in rows):
            raise bad("rows of b, w and numbers for empty cells")
        rows = [re.sub(r"[0-9]+", lambda run: "." * int(run[0]), row) for row in rows]
        if [len(row) for row in rows] != [self.size] * self.size:
            raise bad(f"{self.size} rows of {self.size} cells")
        cells = "".join(rows)
        if flags and not (self.swap and cells.replace(".", "") == "b"):
            raise bad("swap needs the swap rule and Black's first stone alone on the board")
        return State(cells, "bw".index(player), bool(flags))

    def places(self, state: State) -> dict[str, Box]:
        from playout.games.picture.hex import place

        return {self.action_to_text(state, cell): place(self.size, cell) for cell in range(self.size**2)}

    def clicks(self, state: State, action: int) -> list[list[str]]:
        """The cell; for a swap that of the stone."""
        if action == self.swap_action:
            return [[self.action_to_text(state, state.board.index("b"))]]
        return [[self.action_to_text(state, action)]]

    def svg(self, state: State) -> str:
        from playout.games.picture.hex import board

        return board(self.name, self.size, [{"b": 0, "w": 1}.get(mark) for mark in state.board])

    def render(self, state: State) -> str:
        width = len(str(self.size))
        letters = " ".join(LETTERS[: self.size])
        lines = [" " * (width + 1) + letters]
        for row, cells in enumerate(self._rows(state)):
            lines.append(" " * row + f"{row + 1:{width}} {' '.join(cells.upper())} {row + 1}")
        return "\n".join([*lines, " " * (width + self.size + 1) + letters])

    def _rows(self, state: State) -> list[str]:
        """The rows of the board from the top."""
        return [state.board[start : start + self.size] for start in range(0, self.size**2, self.size)]


def _same(thing: T) -> T:
    return thing


@cache
def _neighbours(size: int) -> tuple[tuple[int, ...], ...]:
    """For each cell, the cells that touch it."""
    return tuple(
        tuple(
            (row + down) * size + column + right
            for right, down in STEPS
            if 0 <= row + down < size and 0 <= column + right < size
        )
        for row in range(size)
        for column in range(size)
    )


@lru_cache(maxsize=1024)
def _winner(size: int, board: str) -> int | None:
    """The player whose stones connect both of his edges, or None."""
    top, bottom = range(size), range(size * (size - 1), size * size)
    left, right = range(0, size * size, size), range(size - 1, size * size, size)
    neighbours = _neighbours(size)
    for player, mark, start, goal in ((0, "b", top, bottom), (1, "w", left, right)):
        joined = {cell for cell in start if board[cell] == mark}
        frontier = list(joined)
        while frontier:
            for cell in neighbours[frontier.pop()]:
                if board[cell] == mark and cell not in joined:
                    joined.add(cell)
                    frontier.append(cell)
        if not joined.isdisjoint(goal):
            return player
    return None
