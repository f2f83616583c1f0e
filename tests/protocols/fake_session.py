"""A session over a game's definition. The test ends its searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from playout.engine.judge.life import Chain, Judgement
from playout.engine.known.session_books import Books
from playout.engine.options.config import options_for
from playout.engine.options.table import Options
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.engine.terms.option_values import FrozenOptions
from playout.engine.terms.rights import Rights
from playout.games.errors import GameError, IllegalMove, PlayoutError
from playout.games.game import HasPlayerChange, HasStateText, action_to_text, is_over, text_to_action
from playout.games.support.go.board import Stones


class FakeSession:
    """The interface of ``Session``. ``calls`` records what a protocol asked of the search."""

    def __init__(self, game: Any, post: Any = None) -> None:
        self.game = game
        self.options = Options(getattr(game, "kernel", None), game=game)
        self.rights = Rights()
        self.searching = False
        self.calls: list[str] = []
        self.limits: list[Limits] = []
        self.events: list[Any] = []
        self.post = post or self.events.append
        self.fates: dict[str, str] = {}
        self.books = Books()
        """None."""
        self.instant = False
        """Whether every search ends at once with the first legal move."""
        self.rolling = False
        self._states = [game.initial_state()]
        self._texts: list[str] = []

    @property
    def state(self) -> Any:
        return self._states[-1]

    def prefer_no_book(self) -> None:
        self.options.prefer("OwnBook", False)

    def remarks(self) -> tuple[str, ...]:
        """No book, no complaint."""
        return ()

    def get_ready(self) -> None:
        """Nothing is to be done before the first search."""

    def settle(self, move: str) -> None:
        self.calls.append(f"settle {move}")

    def ended(self, result: float) -> None:
        self.calls.append(f"ended {result:g}")

    def ownership(self) -> list[float]:
        """No ownership: no stone is judged dead."""
        return [0.0] * getattr(self.game, "area", 0)

    def _judgement(self) -> Judgement:
        """``fates`` of the points of Go, by their names; all other chains are alive."""
        board = Stones.of(self.game.columns, self.game.rows, self.game.stones(self.state))
        return Judgement(
            tuple(
                Chain(player, tuple(points), self._fate(points)) for player in (0, 1) for points in board.chains(player)
            )
        )

    def _fate(self, points: Sequence[int]) -> str:
        names = {self.game.action_to_text(self.state, point) for point in points}
        return next((self.fates[name] for name in sorted(names) if name in self.fates), "alive")

    def judge(self, quick: bool = False) -> None:
        """Judges at once."""
        if self.searching:
            raise PlayoutError("already searching")
        self.calls.append("glance" if quick else "judge")
        self.judgement = self._judgement()
        self.post(SearchResult(None, None, info(), "judged"))

    def priors(self) -> dict[str, float]:
        """Even ones."""
        game, legal = self.game, self.game.legal_actions(self.state)
        return {action_to_text(game, self.state, action): 1 / len(legal) for action in legal}

    @property
    def move_texts(self) -> tuple[str, ...]:
        return tuple(self._texts)

    def set_game(self, game: Any) -> None:
        if getattr(game, "kernel", None) != getattr(self.game, "kernel", None):
            self.options = options_for(game, self.options.given)
        self.game = game
        self.new_game()

    def new_game(self) -> None:
        self._states, self._texts = [self.game.initial_state()], []

    def set_position(self, text: str | None, moves: Sequence[str]) -> None:
        before = self._states, self._texts
        if text is not None and not isinstance(self.game, HasStateText):
            raise GameError("this game has no position text")
        start = self.game.initial_state() if text is None else self.game.state_from_text(text)
        self._states, self._texts = [start], []
        try:
            for number, move in enumerate(moves, 1):
                try:
                    self.play(move)
                except IllegalMove as error:
                    raise IllegalMove(f"move {number}: {error}") from None
        except IllegalMove:
            self._states, self._texts = before
            raise

    def play(self, text: str, player: int | None = None) -> None:
        state = self.state
        if player is not None and not is_over(self.game, state) and self.game.current_player(state) != player:
            if not isinstance(self.game, HasPlayerChange):
                raise IllegalMove(f"illegal move: not player {player}'s turn")
            state = self.game.with_player(state, player)
        action = text_to_action(self.game, state, text)
        self._texts.append(action_to_text(self.game, state, action))
        self._states.append(self.game.next_state(state, action))

    def undo(self) -> None:
        if not self._texts:
            raise IllegalMove("cannot undo")
        self._states.pop()
        self._texts.pop()

    def set_player(self, player: int) -> None:
        if not isinstance(self.game, HasPlayerChange):
            raise IllegalMove("the player cannot change")
        self._states[-1] = self.game.with_player(self.state, player)

    def go(self, limits: Limits, options: FrozenOptions | None = None) -> None:
        if self.searching:
            raise PlayoutError("already searching")
        self.calls.append("go")
        self.limits.append(limits)
        self.searching = True
        if self.instant:
            self.finish()

    def roll_out(self, limits: Limits) -> None:
        if self.searching:
            raise PlayoutError("already searching")
        self.calls.append("roll_out")
        self.limits.append(limits)
        self.searching = self.rolling = True
        if self.instant:
            self.finish("500")

    def stop(self) -> None:
        self.calls.append("stop")
        if self.instant and self.searching:
            self.finish()

    def ponder_hit(self, limits: Limits | None = None) -> None:
        self.calls.append("ponder_hit")
        if limits is not None:
            self.limits.append(limits)

    def wait(self, _timeout: float | None = None) -> bool:
        assert not self.searching, "a protocol waits only when the result has been posted"
        return True

    def set_option(self, name: str, text: str) -> None:
        self.options.set(name, text)

    def close(self) -> None:
        self.calls.append("close")

    def finish(self, move: str | None = None, ponder: str | None = None, **changes: Any) -> SearchResult:
        """Ends the search with ``move``, by default the first legal one, ``(none)`` for none; posts the result. Of a
        rollout ``move`` says how many of 1000 games player 0 wins, all with one point of backgammon."""
        if self.rolling:
            self.rolling, won = False, int(move or 500)
            changes = {"outcomes": ((-1 / 3, 1000 - won), (1 / 3, won)), "info": info(simulations=1000), **changes}
            move = None
        elif move == "(none)":
            move = None
        elif move is None and not is_over(self.game, self.state):
            move = action_to_text(self.game, self.state, self.game.legal_actions(self.state)[0])
        fields: dict[str, Any] = {
            "move": move,
            "ponder": ponder,
            "info": info([move_info(move)] if move is not None else []),
            "reason": "stop",
        }
        result = SearchResult(**{**fields, **changes})
        self.searching = False
        self.post(result)
        return result


def move_info(move: str, value: float = 0.25, **changes: Any) -> MoveInfo:
    """A root move with made-up numbers."""
    fields: dict[str, Any] = {
        "visits": 80,
        "win": 0.5,
        "draw": 0.25,
        "loss": 0.25,
        "lower": -1.0,
        "upper": 1.0,
        "plies": None,
        "pv": (move,),
    }
    return MoveInfo(move, value=value, **{**fields, **changes})


def info(moves: Sequence[MoveInfo] = (), **changes: Any) -> SearchInfo:
    """A report with made-up numbers."""
    fields: dict[str, Any] = {
        "time": 0.5,
        "simulations": 100,
        "depth": 3.5,
        "seldepth": 7,
        "value": 0.25,
        "visits": 120,
        "hashfull": 12,
    }
    return SearchInfo(moves=tuple(moves), **{**fields, **changes})


def send(protocol: Any, *lines: str) -> list[str]:
    """The replies to the lines."""
    return [reply for line in lines for reply in protocol.handle_line(line, 5.0)]


def deliver(protocol: Any, session: FakeSession) -> list[str]:
    """The replies to what the session has posted."""
    replies: list[str] = []
    while session.events:
        replies += protocol.handle_event(session.events.pop(0))
    return replies
