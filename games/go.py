"""Go by the Tromp-Taylor rules, with the common choices of ko rule, scoring and suicide.

Points are numbered ``row * columns + column`` from the bottom left (A1 is 0), and ``columns * rows`` is the pass. Black
moves first. Two passes in a row end the game.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from playout.games.board_hooks import Shape
from playout.games.errors import GameError, IllegalMove
from playout.games.game import Box, Symmetry
from playout.games.support import sgf
from playout.games.support.board_size import board_size, sides
from playout.games.support.columns import COLUMNS
from playout.games.support.go import handicap
from playout.games.support.go.board import neighbours
from playout.games.support.go.effort import effort
from playout.games.support.go.symmetry import symmetries
from playout.games.support.go.text import drawn, read

STONES = "XO"
EMPTY = "."
KO_RULES = ("positional", "situational", "simple")
SCORINGS = ("area", "territory")
SMALL = 16
"""Greatest number of points of a board whose key holds every earlier board."""


@dataclass(frozen=True, slots=True)
class State:
    """A position, with all of the game before it that the rules depend on.

    ``board`` holds X (Black), O (White) or ``.`` for each point. ``ko`` is the point where the player to move may not
    retake at once. ``passes`` counts the passes just made. ``captures`` are the numbers of stones that Black and White
    have captured; a chain removed by suicide counts for the opponent. ``plies`` counts moves, passes included.
    ``history`` holds the earlier boards, oldest first (with the letter of the player to move if the ko rule is
    situational). It lacks the present board, unless ``repeated`` says that the last move recreated an earlier board and
    so ended the game.
    """

    board: str
    player: int
    ko: int | None = None
    passes: int = 0
    captures: tuple[int, int] = (0, 0)
    plies: int = 0
    history: tuple[str, ...] = ()
    repeated: bool = False


@dataclass(frozen=True)
class Go:
    """Go on a board of 2 to 25 columns and rows. ``size`` is a number for a square board, ``13x9`` for 13 columns and 9
    rows.

    ``komi``: points that White gets. The default, 7.5, is usual for area scoring; half a point rules out draws.

    ``ko``: ``positional`` superko (a stone may not recreate any earlier board), ``situational`` superko (any earlier
    board with the same player to move) or ``simple``: only retaking a single stone at once is forbidden, and a stone
    that recreates an earlier board ends the game as a draw, unless the players go on.

    ``scoring``: ``area`` counts stones and the empty regions that reach only one colour. ``territory`` counts those
    regions and the captured stones; the players have to agree on dead stones first (see ``score``).

    ``suicide``: whether a move may take the last liberty of the player's own chain of two or more stones, which is then
    removed. The suicide of a single stone is never legal, because it would recreate the board before it.

    A game that reaches ``max_game_length`` plies ends and is scored as it stands, unless the players go on.
    """

    size: int | str = 9
    komi: float = 7.5
    ko: str = "positional"
    scoring: str = "area"
    suicide: bool = False

    kernel: ClassVar[str] = "go"
    shape: ClassVar[Shape] = "rectangle"
    sgf_number: ClassVar[int] = 1
    sgf_size: ClassVar[int] = 19

    def __post_init__(self) -> None:
        if sides(self.size) is None:
            raise GameError(f"go: size={self.size!r} is not a number from 2 to 25, nor two of them such as 13x9")
        if not all(2 <= side <= 25 for side in self._sides):
            raise GameError(f"go: size={self.size} is not within 2 and 25")
        object.__setattr__(self, "size", board_size(*self._sides))
        if not (math.isfinite(self.komi) and abs(self.komi) <= 1000):
            raise GameError(f"go: komi={self.komi} is not within -1000 and 1000")
        if self.ko not in KO_RULES:
            raise GameError(f"go: ko={self.ko!r} is not one of {', '.join(KO_RULES)}")
        if self.scoring not in SCORINGS:
            raise GameError(f"go: scoring={self.scoring!r} is not one of {', '.join(SCORINGS)}")

    @property
    def name(self) -> str:
        parts = [f"go:{self.size}"]
        for field in dataclasses.fields(self)[1:]:
            value = getattr(self, field.name)
            if value != field.default:
                parts.append(f"{field.name}={str(value).lower().removesuffix('.0')}")
        return ",".join(parts)

    @property
    def book_name(self) -> str:
        """The name with the size alone: komi, ko rule and scoring change the values of positions, not the positions."""
        return f"go:{self.size}"

    @cached_property
    def columns(self) -> int:
        return self._sides[0]

    @cached_property
    def rows(self) -> int:
        return self._sides[1]

    @cached_property
    def area(self) -> int:
        """The number of points, which is also the number of the pass."""
        return self.columns * self.rows

    @property
    def max_game_length(self) -> int:
        return 3 * self.area + 60

    def initial_state(self) -> State:
        return State(EMPTY * self.area, 0)

    def current_player(self, state: State) -> int:
        return state.player

    def legal_actions(self, state: State) -> Sequence[int]:
        """The legal points in ascending order, then the pass, which is always legal."""
        if self._is_over(state):
            return ()
        return [*(point for point in range(self.area) if self._objection(state, point) is None), self.area]

    def next_state(self, state: State, action: int) -> State:
        other, plies = 1 - state.player, state.plies + 1
        if action == self.area:
            history = (
                (*state.history, self._memory(state.board, state.player)) if self.ko == "situational" else state.history
            )
            return replace(state, player=other, ko=None, passes=state.passes + 1, plies=plies, history=history)
        board, removed = self._place(state.board, action, state.player)
        ko = None
        if len(removed) == 1 and all(board[n] == STONES[other] or n in removed for n in self._neighbours[action]):
            (ko,) = removed
        captures = list(state.captures)
        captures[other if action in removed else state.player] += len(removed)
        history = (*state.history, self._memory(state.board, state.player))
        repeated = self.ko == "simple" and board in state.history
        return State(board, other, ko, 0, (captures[0], captures[1]), plies, history, repeated)

    def returns(self, state: State) -> Sequence[float] | None:
        if not self._is_over(state):
            return None
        margin = 0.0 if state.repeated else self.score(state)
        return (0.0, 0.0) if margin == 0 else (1.0, -1.0) if margin > 0 else (-1.0, 1.0)

    def score(self, state: State, dead: Collection[int] = ()) -> float:
        """Black's lead in points, komi deducted, after the removal of the stones on the ``dead`` points."""
        board = "".join(EMPTY if point in dead else stone for point, stone in enumerate(state.board))
        if self.scoring == "area":
            points = [board.count(stone) for stone in STONES]
        else:
            points = [state.captures[p] + sum(state.board[d] == STONES[1 - p] for d in set(dead)) for p in (0, 1)]
        unseen = {point for point in range(self.area) if board[point] == EMPTY}
        while unseen:
            region = self._chain(board, unseen.pop())
            unseen -= region
            touched = {board[n] for point in region for n in self._neighbours[point]} - {EMPTY}
            if len(touched) == 1:
                points[STONES.index(touched.pop())] += len(region)
        return points[0] - points[1] - self.komi

    def stones(self, state: State) -> tuple[frozenset[int], frozenset[int]]:
        """The points of Black's and of White's stones."""
        black, white = (frozenset(p for p in range(self.area) if state.board[p] == stone) for stone in STONES)
        return black, white

    def captures(self, state: State) -> tuple[int, int]:
        """Numbers of stones that Black and White have captured."""
        return state.captures

    def handicap_points(self, number: int) -> list[int]:
        """The points of 2 to 9 handicap stones by GTP's ``fixed_handicap``.

        Raises:
            GameError: if GTP defines no such handicap for this board.
        """
        return handicap.points(self.columns, self.rows, number)

    def free_handicap_points(self, number: int) -> list[int]:
        """At most ``number`` points of the fixed handicap; at most 4 points on boards without a fixed handicap."""
        return handicap.free(self.columns, self.rows, number)

    def board_rows(self) -> Sequence[Sequence[int]]:
        return [range(start, start + self.columns) for start in range(self.area - self.columns, -1, -self.columns)]

    def set_up(self, stones: Mapping[int, int], player: int) -> State:
        """The position with ``stones``. Raises GameError if a stone has no liberty."""
        board = "".join(STONES[stones[point]] if point in stones else EMPTY for point in range(self.area))
        for point in sorted(stones):
            self._check_liberty(board, point)
        return State(board, player)

    def move_from_sgf(self, value: str) -> str:
        return sgf.go_point(value, self.columns, self.rows)

    def move_to_sgf(self, text: str) -> str:
        return sgf.go_value(text, self.rows)

    def key(self, state: State) -> Hashable:
        """Everything that the future depends on: board, mover, ko point, passes, whether the game ended otherwise than
        by passes, the lead in captures under territory scoring, and the history as far as superko needs it.

        On boards of up to 16 points the key holds the whole history. On larger boards it holds the set of points where
        superko alone forbids a stone. There equal keys mean equal legal actions, and equal futures except for cycles
        that are two or more moves from closing. The key leaves out the moves left until ``max_game_length``.
        """
        lead = state.captures[0] - state.captures[1] if self.scoring == "territory" else 0
        late = state.plies >= self.max_game_length
        past = sorted(state.history) if self.area <= SMALL else self._cycle_points(state)
        return (state.board, state.player, state.ko, state.passes, state.repeated, late, lead, tuple(past))

    def symmetries(self) -> Sequence[Symmetry[State, int]]:
        return symmetries(self.columns, self.rows)

    def exact_effort(self, state: State) -> float | None:
        return effort(self.columns * self.rows, len(self.legal_actions(state)))

    def without_claim(self, state: State) -> State | None:
        """The state from which play goes on after a repeated board, or at ``max_game_length`` plies, without a history;
        None after two passes."""
        return replace(state, plies=0, history=(), repeated=False) if state.passes < 2 else None

    def with_player(self, state: State, player: int) -> State:
        """The state with ``player`` to move. If that player was not on turn, or if two passes ended the game, the state
        has no ko point and no passes. The history is kept, unless the game had ended otherwise."""
        if player == state.player and state.passes < 2:
            return state
        if self._is_over(state):
            state = self.without_claim(state) or state
        return replace(state, player=player, ko=None, passes=0)

    def action_to_text(self, state: State, action: int) -> str:
        return "pass" if action == self.area else self._point_text(action)

    def text_to_action(self, state: State, text: str) -> int:
        word = text.strip().upper()
        if self._is_over(state):
            raise IllegalMove(f"illegal move: {text.strip()!r} (the game is over)")
        if word == "PASS":
            return self.area
        point = self._point(word)
        if point is None:
            last = self._point_text(self.area - 1)
            raise IllegalMove(f"illegal move: {text.strip()!r} (a point from A1 to {last}, without I, or pass)")
        objection = self._objection(state, point)
        if objection is not None:
            raise IllegalMove(f"illegal move: {text.strip()!r} ({objection})")
        return point

    def book_state(self, state: State) -> State:
        """The state reduced to board, mover, ko point and passes."""
        return State(state.board, state.player, state.ko, state.passes)

    def book_text(self, state: State) -> str:
        return f"{state.board} {state.player} {state.ko} {state.passes}"

    def state_to_text(self, state: State) -> str:
        """The position as in ``"3/1X1/3 w - 0 0 0 1"``: rows from the top, with numbers for runs of empty points; the
        player to move (b, w); the ko point or ``-``; passes (``=`` for a game drawn by repetition); stones captured by
        Black and by White; plies."""
        columns = self.columns
        rows = (state.board[start : start + columns] for start in range(self.area - columns, -1, -columns))
        board = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows)
        ko = "-" if state.ko is None else self._point_text(state.ko)
        passes = "=" if state.repeated else state.passes
        return f"{board} {'bw'[state.player]} {ko} {passes} {state.captures[0]} {state.captures[1]} {state.plies}"

    def state_from_text(self, text: str) -> State:
        """The inverse of ``state_to_text``, with an empty history. The parts after the player to move are optional."""
        words = text.split()
        if not 2 <= len(words) <= 7:
            raise GameError(f"not a go position: {text.strip()!r} (rows, b or w, ko, passes, captures of both, plies)")
        rows, mover, ko_text, passes, *counts = words + ["-", "0", "0", "0", "0"][len(words) - 2 :]
        board = read(rows, self.columns, self.rows)
        for point in range(self.area):
            self._check_liberty(board, point)
        if mover.lower() not in ("b", "w"):
            raise GameError(f"not a go position: {mover!r} moves (b or w)")
        if passes not in ("0", "1", "2") and not (passes == "=" and self.ko == "simple"):
            raise GameError(f"not a go position: passes {passes!r} (0, 1 or 2; = only with ko=simple)")
        for count in counts:
            if not re.fullmatch("[0-9]{1,6}", count):
                raise GameError(f"not a go position: {count!r} is not a number below a million")
        player, black, white, plies = "bw".index(mover.lower()), *map(int, counts)
        ko = None
        if ko_text != "-":
            ko = self._point(ko_text.upper())
            if ko is None or passes in ("1", "2") or not self._is_ko(board, ko, player):
                raise GameError(f"not a go position: no ko at {ko_text!r}")
        repeated = passes == "="
        return State(board, player, ko, 0 if repeated else int(passes), (black, white), plies, (), repeated)

    def places(self, state: State) -> dict[str, Box]:
        from playout.games.picture.go import place

        return {self._point_text(point): place(self.columns, self.rows, point) for point in range(self.area)}

    def clicks(self, state: State, action: int) -> list[list[str]]:
        return [[self._point_text(action)]] if action < self.area else []

    def svg(self, state: State) -> str:
        from playout.games.picture.go import board

        owners = [{"X": 0, "O": 1}.get(mark) for mark in state.board]
        return board(self.name, self.columns, owners, handicap.stars(self.columns, self.rows), state.ko)

    def render(self, state: State) -> str:
        """The board with star points as ``+``, then the player to move, the ko point and the captures."""
        mover = ("Black (X)", "White (O)")[state.player]
        ko = "" if state.ko is None else f", ko at {self._point_text(state.ko)}"
        last = f"{mover} to move{ko}; captures: Black {state.captures[0]}, White {state.captures[1]}"
        return f"{drawn(state.board, self.columns)}\n{last}"

    def _check_liberty(self, board: str, point: int) -> None:
        """Raises GameError if a stone at ``point`` has no liberty."""
        if board[point] != EMPTY and self._dead_chain(board, point):
            raise GameError(f"not a go position: the stone at {self._point_text(point)} has no liberty")

    def _is_over(self, state: State) -> bool:
        return state.passes >= 2 or state.repeated or state.plies >= self.max_game_length

    def _objection(self, state: State, point: int) -> str | None:
        """The reason why the player to move may not play at ``point``, or None if it is legal."""
        if state.board[point] != EMPTY:
            return "occupied"
        if point == state.ko:
            return "ko"
        board, removed = self._place(state.board, point, state.player)
        if point in removed and not (self.suicide and len(removed) > 1):
            return "suicide"
        if self.ko != "simple" and self._memory(board, 1 - state.player) in state.history:
            return "superko"
        return None

    def _cycle_points(self, state: State) -> list[int]:
        """The points where a stone, legal but for superko, would recreate an earlier board."""
        found, history = [], frozenset(state.history)
        for point in range(self.area):
            if state.board[point] == EMPTY:
                board, _ = self._place(state.board, point, state.player)
                earlier = self._memory(board, 1 - state.player) in history
                if earlier and self._objection(state, point) in (None, "superko"):
                    found.append(point)
        return found

    def _place(self, board: str, point: int, player: int) -> tuple[str, frozenset[int]]:
        """The board after a stone of ``player`` at an empty point, and the points of the removed stones: the
        opponent's, or the player's own chain after a suicide."""
        board = board[:point] + STONES[player] + board[point + 1 :]
        others = [n for n in self._neighbours[point] if board[n] == STONES[1 - player]]
        removed = frozenset[int]().union(*[self._dead_chain(board, n) for n in others])
        removed = removed or self._dead_chain(board, point)
        for stone in removed:
            board = board[:stone] + EMPTY + board[stone + 1 :]
        return board, removed

    def _chain(self, board: str, point: int) -> set[int]:
        """The points of the chain, or the empty region, that contains ``point``."""
        chain, ahead = {point}, [point]
        while ahead:
            new = {n for n in self._neighbours[ahead.pop()] if board[n] == board[point]} - chain
            chain |= new
            ahead += new
        return chain

    def _dead_chain(self, board: str, point: int) -> frozenset[int]:
        """The chain of the stone at ``point`` if it has no liberty; nothing if it has one."""
        chain, ahead, neighbours = {point}, [point], self._neighbours
        while ahead:
            for n in neighbours[ahead.pop()]:
                if board[n] == EMPTY:
                    return frozenset()
                if board[n] == board[point] and n not in chain:
                    chain.add(n)
                    ahead.append(n)
        return frozenset(chain)

    def _is_ko(self, board: str, point: int, player: int) -> bool:
        """Whether a stone of ``player`` at ``point`` would retake one stone that has just taken one there."""
        if board[point] != EMPTY or any(board[n] != STONES[1 - player] for n in self._neighbours[point]):
            return False
        return len(self._place(board, point, player)[1] - {point}) == 1

    def _memory(self, board: str, player: int) -> str:
        """The entry of the history for a position."""
        return board + "bw"[player] if self.ko == "situational" else board

    def _point(self, word: str) -> int | None:
        """The point that an upper-case word such as ``D4`` names, None if it names none."""
        if not re.fullmatch("[A-HJ-Z][1-9][0-9]?", word):
            return None
        column, row = COLUMNS.index(word[0]), int(word[1:]) - 1
        return row * self.columns + column if column < self.columns and row < self.rows else None

    def _point_text(self, point: int) -> str:
        row, column = divmod(point, self.columns)
        return f"{COLUMNS[column]}{row + 1}"

    @cached_property
    def _sides(self) -> tuple[int, int]:
        found = sides(self.size)
        assert found is not None
        return found

    @cached_property
    def _neighbours(self) -> tuple[tuple[int, ...], ...]:
        return neighbours(self.columns, self.rows)
