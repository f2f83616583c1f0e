"""The session's game under GTP: colours move in any order, and a game can be resumed after its end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playout.games.board_hooks import HasHandicap, HasPoints, HasTerritory
from playout.games.errors import RAISED_BY_GAMES, IllegalMove
from playout.games.game import CHANCE, HasClaimedDraws, action_to_text, is_over, text_to_action
from playout.games.support.go.komi import with_komi

if TYPE_CHECKING:
    from playout.engine.session import Session

PASS = "pass"
SWAP = "swap-pieces"
BONUSES: Mapping[str, Callable[[int], int]] = {"0": lambda _: 0, "N": lambda n: n, "N-1": lambda n: n - 1}
"""Points that White gets for N handicap stones, by KataGo's names."""

Stone = tuple[int, str]
"""A player and a point or move in the game's notation."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game in progress: the setup stones, the player who moved first after them, and the moves made since. The komi
    of ``game`` is without White's points for handicap stones."""

    game: Any
    setup: tuple[Stone, ...] = ()
    first: int = 0
    moves: tuple[Stone, ...] = ()
    idle_passes: int = 0
    """Passes after the end of the game."""
    before: GameRecord | None = None
    """The game before the players swapped sides; the game since then has a record of its own."""

    @property
    def handicap(self) -> int:
        """The number of handicap stones; 0 in a game without handicap."""
        given = self.first == 1 and all(player == 0 for player, _ in self.setup)
        return len(self.setup) if given and isinstance(self.game, HasHandicap) else 0


class Board:
    """Plays on the session and keeps the record. A method that raises changes nothing."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._moves: list[Stone] = []
        self._idle_passes = 0
        self._setup: tuple[Stone, ...] = ()
        self._first = 0
        self._before: GameRecord | None = None
        self._bonus = "0"
        self._bonus_points = 0

    @property
    def game(self) -> Any:
        """The session's game; the komi is without White's points for handicap stones."""
        game: Any = self.session.game
        return with_komi(game, game.komi - self._bonus_points) if self._bonus_points else game

    @property
    def bonus(self) -> str:
        """White's points for N handicap stones: one of ``BONUSES``. They are part of the komi of the session's game."""
        return self._bonus

    def score(self, dead: Collection[int] = ()) -> float:
        """Black's lead in points in a game with territory, komi and White's points for handicap stones deducted."""
        game: Any = self.session.game
        return float(game.score(self.state, dead))

    @property
    def state(self) -> Any:
        """The session's state. A game with territory goes on in it after a draw that nobody has claimed, because a
        controller has no word for a claim."""
        game, state = self.session.game, self.session.state
        if isinstance(game, HasTerritory) and isinstance(game, HasClaimedDraws) and is_over(game, state):
            return game.without_claim(state) or state
        return state

    @property
    def points(self) -> bool:
        """Whether the game has points: GUIs know its board, and stones can be set up."""
        return isinstance(self.game, HasPoints)

    @property
    def rhombic(self) -> bool:
        """Whether the board is a rhombus. Such games have no passes, and controllers such as HexGui expect an engine
        without a move to resign."""
        return isinstance(self.game, HasPoints) and self.game.shape == "rhombus"

    @property
    def territory(self) -> bool:
        """Whether the game has territory."""
        return isinstance(self.game, HasTerritory)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return is_over(self.game, self.state)

    @property
    def mover(self) -> int | None:
        """The player to move: 0, 1 or ``CHANCE``; None after the end."""
        return None if self.over else self.game.current_player(self.state)

    @property
    def begun(self) -> bool:
        """Whether anything has been played or set up."""
        return bool(self._moves or self._setup)

    def record(self) -> GameRecord:
        """The game up to here."""
        return GameRecord(self.game, self._setup, self._first, tuple(self._moves), self._idle_passes, self._before)

    def clear(self) -> None:
        """Returns to the start position."""
        if self._bonus_points:
            self._load(GameRecord(self.game))
        else:
            self.session.new_game()
            self._forget()

    def load(self, record: GameRecord, bonus: str | None = None) -> None:
        """Takes over another game in progress, and ``bonus`` unless it is None. Raises IllegalMove or GameError."""
        before, bonus_before = self.record(), self._bonus
        try:
            self._bonus = bonus or self._bonus
            self._load(record)
        except RAISED_BY_GAMES:
            self._bonus = bonus_before
            self._load(before)
            raise

    def play(self, player: int, text: str) -> None:
        """Plays a move of ``player``, whoever is on turn; at a chance state, a roll.

        After the end of the game a pass changes nothing. A stone resumes a game with territory that ended by passes.
        Raises IllegalMove.
        """
        if self.over:
            if text.strip().lower() == PASS and not self.rhombic:
                self._idle_passes += 1
                return
            self._resume(player, text)
        self.session.play(text, None if self.mover == CHANCE else player)
        self._moves.append((player, self.session.move_texts[-1]))
        self._idle_passes = 0

    def undo(self, count: int) -> None:
        """Takes back ``count`` moves, but no setup stones. Raises IllegalMove if there are fewer."""
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
        """Resumes a game with territory that has ended by passes; ``player`` is to move."""
        self.session.set_player(player)

    def swap_sides(self) -> None:
        """The players of a game with a swap rule change colours; the stone stays and White moves.

        Raises:
            IllegalMove: if there is nothing to swap.
        """
        text_to_action(self.game, self.state, SWAP)
        before = self.record()
        self._load(GameRecord(self.game, before.moves[:1] or before.setup, first=1, before=before))

    def _resume(self, player: int, text: str) -> None:
        """Resumes a game with territory after two passes, if ``text`` can be played then."""
        if self.territory:
            text_to_action(self.game, self.game.with_player(self.state, player), text)
            self.session.set_player(player)

    def _load(self, record: GameRecord) -> None:
        points = BONUSES[self._bonus](record.handicap) if record.handicap else 0
        game = record.game
        self.session.set_game(with_komi(game, game.komi + points) if points else game)
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
    """The point of the empty board that ``text`` names, in the game's own notation. Raises IllegalMove."""
    state = game.initial_state()
    return action_to_text(game, state, text_to_action(game, state, text))


def _setup_text(record: GameRecord) -> str:
    """The position with the setup stones of ``record``, in the game's own text."""
    game, empty = record.game, record.game.initial_state()
    stones = {text_to_action(game, empty, text): player for player, text in record.setup}
    text: str = game.state_to_text(game.set_up(stones, record.first))
    return text
