"""Moves of several cells, played click by click: the board of a game that has steps (``HasSteps``).

For GoGui every move is one point. So a move of the game is played as several clicks, each of them a ``play`` or a
``genmove`` of the player on turn. Clients that write whole moves in the game's notation do not notice the clicks:
the board is clicked from the first command of GoGui's rules, or the first ``play`` of a point that is no move of the
game but can be clicked, up to a ``play`` of a whole move.

While the board is clicked the engine throws the dice as soon as a move is whole. GoGui asks another process, the ruler,
for the rules, and has it replay games after an undo: so a roll is drawn from the moves before it, and is the same in
all processes. What games differ by is the point that somebody clicks to throw the first roll.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playout.games.errors import IllegalMove
from playout.games.game import CHANCE, Cell, HasCells, HasSteps, action_to_text, text_to_action
from playout.games.support.columns import COLUMNS
from playout.protocols.gtp.board import PASS, Board, GameRecord

if TYPE_CHECKING:
    from playout.engine.session import Session

_POINT = re.compile("[A-HJ-Z]([1-9]|1[0-9]|2[0-5])")

Way = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """The state before a click or a whole move, to which ``undo`` returns."""

    length: int
    """Moves, rolls and idle passes made."""
    clicked: Way


@dataclass(frozen=True, slots=True)
class Clicks:
    """The clicks of a game in progress, which its record of moves lacks."""

    units: tuple[Unit, ...] = ()
    clicked: Way = ()
    thrown: str = ""
    """The point that was clicked for the first roll."""


@dataclass(frozen=True, slots=True)
class SteppedRecord(GameRecord):
    """A game in progress, whose last move may be half clicked."""

    clicks: Clicks = field(default=Clicks(), compare=False)
    """Not compared: the position is the same."""


class StepBoard(Board):
    """A board that can also be clicked. While it is clicked, a player cannot move out of turn: GoGui 1.6 sends each of
    the engine's clicks to the ruler twice, and the second one has to be illegal."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.clicking = False
        """Whether moves are clicks."""
        self.last: Way = ()
        """The clicks of the last move, if it was clicked."""
        self.luck: random.Random = random.SystemRandom()
        """Source of the point that the engine clicks for the first roll."""
        self._units: list[Unit] = []
        self._clicked: Way = ()
        self._plan: Way = ()
        self._thrown = ""
        self._by_steps = False
        self._known: tuple[Any, list[tuple[Way, Any]]] = (None, [])

    @property
    def clicked(self) -> Way:
        """The first cells of a move that is not whole yet."""
        return self._clicked

    @property
    def plan(self) -> Way:
        """The clicks that complete the engine's move."""
        return self._plan

    @property
    def cells(self) -> Sequence[Sequence[int | None]]:
        """The owner of the man on each cell, in the form of ``HasSteps``."""
        rows: Sequence[Sequence[int | None]] = self.game.cells(self.state, self._clicked)
        return rows

    def begin_clicks(self) -> None:
        """Makes the board clicked: moves are clicks from now on."""
        self.clicking = True
        self._roll()

    def choices(self) -> list[Way]:
        """The possible next clicks: cells, each as a way of one, and the empty way for a pass; none after the end."""
        if self.over:
            return []
        if self.mover == CHANCE:
            rows = self.cells
            return [
                ((column, row),) for row, cells in enumerate(rows) for column, man in enumerate(cells) if man is None
            ]
        done = len(self._clicked)
        return sorted({way[done : done + 1] for way, _ in self._fitting(self._clicked)}, key=lambda way: (not way, way))

    def fitting(self) -> list[Any]:
        """The legal actions that begin with the clicks made so far."""
        return list(dict.fromkeys(action for _, action in self._fitting(self._clicked)))

    def remaining(self, text: str) -> Way:
        """The clicks that complete the move ``text``. If it does not begin with the clicks made so far, they complete
        another move that does."""
        action = text_to_action(self.game, self.state, text)
        ways = self._fitting(self._clicked)
        way = next((way for way, known in ways if known == action), ways[0][0])
        return way[len(self._clicked) :]

    @contextmanager
    def by_steps(self) -> Iterator[None]:
        """Makes ``play``, in the ``with`` block, play the first click of a whole move. The others become ``plan``."""
        self._by_steps = True
        try:
            yield
        finally:
            self._by_steps = False

    def play(self, player: int, text: str) -> None:
        if self._by_steps:
            rest = self.remaining(text)
            self.click(player, rest[:1])
            self._plan = rest[1:]
            return
        step = self._as_click(text)
        if step is not None:
            self.click(player, step)
            return
        if self._clicked:
            raise IllegalMove("a move is half played")
        unit = self._here()
        super().play(player, text)
        self._units.append(unit)
        self.clicking, self._plan, self.last = False, (), ()

    def click(self, player: int, step: Way) -> None:
        """Plays a click of the player on turn: one cell, or none for a pass. At the start, throws the first dice.

        Raises:
            IllegalMove: if the click is not allowed; nothing changes.
        """
        if step not in self.choices():
            raise IllegalMove(f"cannot be clicked: {step}")
        unit = self._here()
        if self.mover == CHANCE:
            if self._length:
                raise IllegalMove("the dice come first")
            self._thrown = vertex(step)
        elif player != self.mover:
            raise IllegalMove("it is the other player's turn")
        else:
            way = self._clicked + step
            whole = [action for known, action in self._fitting(way) if known == way]
            if whole:
                super().play(player, action_to_text(self.game, self.state, whole[0]))
                self._clicked, self.last = (), way
            else:
                self._clicked = way
        self._units.append(unit)
        self._plan = self._plan[1:] if self._plan[:1] == step else ()
        self.begin_clicks()

    def undo(self, count: int) -> None:
        """Takes back ``count`` clicks or whole moves, each with the roll that followed it."""
        if not 0 <= count <= len(self._units):
            raise IllegalMove(f"cannot undo {count} of {len(self._units)} moves")
        if count:
            unit = self._units[-count]
            super().undo(self._length - unit.length)
            del self._units[-count:]
            self._clicked, self._plan, self.last = unit.clicked, (), ()
            self._thrown = self._thrown if unit.length else ""
            if self.clicking:
                self._roll()

    def record(self) -> GameRecord:
        clicks = Clicks(tuple(self._units), self._clicked, self._thrown)
        plain = super().record()
        return SteppedRecord(plain.game, moves=plain.moves, idle_passes=plain.idle_passes, clicks=clicks)

    @property
    def _length(self) -> int:
        return self._idle_passes + len(self._moves)

    def _here(self) -> Unit:
        return Unit(self._length, self._clicked)

    def _fitting(self, clicked: Way) -> list[tuple[Way, Any]]:
        """The ways that begin with ``clicked``, each with its action."""
        game, state = self.game, self.state
        if self._known[0] is not state:
            ways = [(way, action) for action in game.legal_actions(state) for way in game.steps(state, action)]
            self._known = state, [(tuple((column, row) for column, row in way), action) for way, action in ways]
        return [(way, action) for way, action in self._known[1] if way[: len(clicked)] == clicked]

    def _as_click(self, text: str) -> Way | None:
        """The click that ``text`` names; None for a whole move."""
        word = text.strip().upper()
        if word == PASS.upper():
            return () if self.clicking and not self.over else None
        if not _POINT.fullmatch(word):
            return None
        if not self.clicking:
            try:
                text_to_action(self.game, self.state, text)
                return None
            except IllegalMove:
                pass
        return ((COLUMNS.index(word[0]), int(word[1:]) - 1),)

    def _roll(self) -> None:
        """Throws the dice if they are to be thrown now. The first roll of a game waits for a click."""
        while self.mover == CHANCE and (self._length or self._thrown):
            game, state = self.game, self.state
            drawn = random.Random(" ".join([self._thrown, *(text for _, text in self._moves)]))
            outcomes = game.chance_outcomes(state)
            (outcome,) = drawn.choices([one for one, _ in outcomes], [share for _, share in outcomes])
            super().play(1 - self._moves[-1][0] if self._moves else 0, action_to_text(game, state, outcome))

    def _load(self, record: GameRecord) -> None:
        clicking, self.clicking = self.clicking, False
        super()._load(record)
        self.clicking = clicking
        if isinstance(record, SteppedRecord):
            self._units, self._clicked = list(record.clicks.units), record.clicks.clicked
            self._thrown = record.clicks.thrown

    def _forget(self) -> None:
        super()._forget()
        self._units, self._clicked, self._plan, self.last, self._thrown = [], (), (), (), ""


def vertex(step: Way) -> str:
    """A click as a point of Go: column letter from A without I, row number from 1; ``pass`` for none."""
    return f"{COLUMNS[step[0][0]]}{step[0][1] + 1}" if step else PASS


def board_of(session: Session) -> Board:
    """The board for the session's game."""
    game: Any = session.game
    return StepBoard(session) if isinstance(game, HasSteps) and not isinstance(game, HasCells) else Board(session)
