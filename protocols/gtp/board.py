"""The session's game as GTP sees it: colours move in any order, and a game can be taken up after its end."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playout.games.errors import IllegalMove
from playout.games.game import CHANCE, action_to_text, is_over, text_to_action

if TYPE_CHECKING:
    from playout.engine.session import Session

PASS = "pass"
SWAP = "swap-pieces"
BONUSES: Mapping[str, Callable[[int], int]] = {"0": lambda _: 0, "N": lambda n: n, "N-1": lambda n: n - 1}
"""Points that White gets for handicap stones, by KataGo's names."""
MARKS = {"go": "XO", "hex": "bw"}
"""How the position texts of the games that take setup stones write them."""

Stone = tuple[int, str]
"""A player and a point or move in the game's notation."""


@dataclass(frozen=True, slots=True)
class Record:
    """A game in progress: setup stones, who moved first after them, and the moves made since, by whom. The komi of
    ``game`` is without what White gets for handicap stones."""

    game: Any
    setup: tuple[Stone, ...] = ()
    first: int = 0
    moves: tuple[Stone, ...] = ()
    idle_passes: int = 0
    """Passes after the end of the game."""
    before: Record | None = None
    """The game before the players swapped sides, which makes a record of its own."""

    @property
    def handicap(self) -> int:
        """The number of handicap stones in Go."""
        given = (
            getattr(self.game, "kernel", "") == "go"
            and self.first == 1
            and all(player == 0 for player, _ in self.setup)
        )
        return len(self.setup) if given else 0


class Board:
    """Plays on the session and keeps the record. Methods that raise change nothing."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._moves: list[Stone] = []
        self._idle_passes = 0
        self._setup: tuple[Stone, ...] = ()
        self._first = 0
        self._before: Record | None = None
        self._bonus = "0"
        self._bonus_points = 0

    @property
    def game(self) -> Any:
        """The session's game; the komi is without what White gets for handicap stones."""
        game: Any = self.session.game
        return dataclasses.replace(game, komi=game.komi - self._bonus_points) if self._bonus_points else game

    @property
    def bonus(self) -> str:
        """Which points White gets for N handicap stones in Go: one of ``BONUSES``. They are part of the komi of the
        session's game."""
        return self._bonus

    def score(self, dead: Collection[int] = ()) -> float:
        """By how many points Black leads in Go, komi and White's points for handicap stones deducted."""
        game: Any = self.session.game
        return float(game.score(self.state, dead))

    @property
    def state(self) -> Any:
        """The session's state."""
        return self.session.state

    @property
    def kernel(self) -> str:
        """The kernel of the game: what kind of game it is."""
        return str(getattr(self.game, "kernel", ""))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return is_over(self.game, self.state)

    @property
    def mover(self) -> int | None:
        """Who is to move: 0, 1, ``CHANCE``, or None after the end."""
        return None if self.over else self.game.current_player(self.state)

    @property
    def begun(self) -> bool:
        """Whether anything has been played or set up."""
        return bool(self._moves or self._setup)

    def record(self) -> Record:
        """The game up to here."""
        return Record(self.game, self._setup, self._first, tuple(self._moves), self._idle_passes, self._before)

    def clear(self) -> None:
        """The start position."""
        if self._bonus_points:
            self._load(Record(self.game))
        else:
            self.session.new_game()
            self._forget()

    def load(self, record: Record, bonus: str | None = None) -> None:
        """Another game in progress, perhaps with another ``bonus``. Raises IllegalMove or GameError."""
        before, bonus_before = self.record(), self._bonus
        try:
            self._bonus = bonus or self._bonus
            self._load(record)
        except Exception:
            self._bonus = bonus_before
            self._load(before)
            raise

    def play(self, player: int, text: str) -> None:
        """Plays a move of ``player``, whoever is on turn; at a chance state, a roll.

        After the end a pass changes nothing, and in Go the game goes on with a stone. Raises IllegalMove.
        """
        if self.over:
            if text.strip().lower() == PASS and self.kernel != "hex":
                self._idle_passes += 1
                return
            self._resume(player, text)
        self.session.play(text, None if self.mover == CHANCE else player)
        self._moves.append((player, self.session.move_texts[-1]))
        self._idle_passes = 0

    def undo(self, count: int) -> None:
        """Takes back ``count`` moves, but no setup stones. Raises IllegalMove."""
        here = self._idle_passes + len(self._moves)
        if self._before is not None and count > here:
            now = self.record()
            self._load(self._before)
            try:
                self.undo(count - here - 1)
            except IllegalMove:
                self._load(now)
                raise
            return
        if not 0 <= count <= here:
            raise IllegalMove(f"cannot undo {count} of {len(self._moves)} moves")
        idle = min(count, self._idle_passes)
        self._idle_passes -= idle
        for _ in range(count - idle):
            self.session.undo()
            self._moves.pop()

    def resume(self, player: int) -> None:
        """Goes on with a game of Go that has ended; ``player`` is to move."""
        self.session.set_player(player)

    def swap_sides(self) -> None:
        """Hex: the players change colours where the swap is allowed; the stone stays and White moves.

        Raises:
            IllegalMove: elsewhere.
        """
        text_to_action(self.game, self.state, SWAP)
        before = self.record()
        self._load(Record(self.game, before.moves[:1] or before.setup, first=1, before=before))

    def _resume(self, player: int, text: str) -> None:
        """Takes up a game of Go after two passes, if ``text`` can be played then."""
        if self.kernel == "go":
            text_to_action(self.game, self.game.with_player(self.state, player), text)
            self.session.set_player(player)

    def _load(self, record: Record) -> None:
        points = BONUSES[self._bonus](record.handicap) if record.handicap else 0
        game = record.game
        self.session.set_game(dataclasses.replace(game, komi=game.komi + points) if points else game)
        self._forget()
        self._bonus_points = points
        if record.setup or record.first:
            self.session.set_position(_setup_text(record), ())
            self._setup, self._first = record.setup, record.first
        for player, text in record.moves:
            self.play(player, text)
        self._idle_passes, self._before = record.idle_passes, record.before

    def _forget(self) -> None:
        self._moves, self._idle_passes, self._setup, self._first, self._before = [], 0, (), 0, None


def canonical(game: Any, text: str) -> str:
    """A point of the empty board in the game's notation, however ``text`` writes it. Raises IllegalMove."""
    state = game.initial_state()
    return action_to_text(game, state, text_to_action(game, state, text))


def _setup_text(record: Record) -> str:
    """The position with the setup stones of ``record``, in the game's own text."""
    game = record.game
    cells = ["."] * (game.columns * game.rows)
    for player, text in record.setup:
        cells[text_to_action(game, game.initial_state(), text)] = MARKS[game.kernel][player]
    rows = ["".join(cells[start : start + game.columns]) for start in range(0, len(cells), game.columns)]
    if game.kernel == "go":
        rows.reverse()
    board = re.sub(r"\.+", lambda run: str(len(run[0])), "/".join(rows))
    return f"{board} {'bw'[record.first]}"
