"""``playout play`` at a table with an engine that plays the first legal move."""

from __future__ import annotations

import random
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

import pytest

from playout.cli import play
from playout.cli.console import console
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games import catalogue
from playout.games.errors import IllegalMove
from playout.games.game import CHANCE, action_to_text, text_to_action


class FirstMove:
    """A session whose search answers at once."""

    def __init__(self, game: Any, reports: SimpleQueue[Any]) -> None:
        self.game = game
        self.states = [game.initial_state()]
        self.moves: list[str] = []
        self.reports = reports

    @property
    def state(self) -> Any:
        return self.states[-1]

    @property
    def move_texts(self) -> tuple[str, ...]:
        return tuple(self.moves)

    def play(self, text: str) -> None:
        action = text_to_action(self.game, self.state, text)
        self.states.append(self.game.next_state(self.state, action))
        self.moves.append(text)

    def undo(self) -> None:
        if not self.moves:
            raise IllegalMove("cannot undo")
        self.states.pop()
        self.moves.pop()

    def go(self, limits: Limits) -> None:
        assert limits.movetime == 1.5
        move = action_to_text(self.game, self.state, self.game.legal_actions(self.state)[0])
        one = MoveInfo(move, 9, 0.25, 0.5, 0.25, 0.25, -1.0, 1.0, None, (move,))
        info = SearchInfo(0.5, 1000, 2.0, 3, 0.25, 1000, 0, (one,))
        self.reports.put(info)
        self.reports.put(SearchResult(move, None, info, "deadline"))

    def wait(self, timeout: float | None = None) -> bool:
        return True


@pytest.fixture(autouse=True)
def fresh_console() -> Iterator[None]:
    console.cache_clear()
    yield
    console.cache_clear()


class Sitting:
    """What was said at a table, and the session it was said about."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self.capsys = capsys

    def __call__(
        self, game: str, lines: list[str], humans: tuple[int, ...] = (0,), dice: random.Random | None = None
    ) -> tuple[FirstMove, str]:
        said = iter(lines)

        def read(*_: object) -> str:
            line = next(said, None)
            if line is None:
                raise EOFError
            return line

        self.monkeypatch.setattr("builtins.input", read)
        reports: SimpleQueue[Any] = SimpleQueue()
        session = FirstMove(catalogue.load(game), reports)
        made: Any = session
        play.Table(made, reports, humans, 1.5, dice).play()
        return session, self.capsys.readouterr().out


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sitting:
    return Sitting(monkeypatch, capsys)


def test_a_game_is_won(sit: Sitting) -> None:
    session, out = sit("tic_tac_toe", ["b2", "C3", "c1", "a3"])
    assert session.moves == ["b2", "a1", "C3", "b1", "c1", "a2", "a3"]
    assert "player 1 wins" in out
    assert "player 2 (engine): a1   [value +0.25, 1,000 simulations, 2,000/s, line a1]" in out
    assert out.endswith("bye\n")


def test_the_end_of_the_input_ends_the_game(sit: Sitting) -> None:
    session, out = sit("tic_tac_toe", [])
    assert session.moves == []
    assert out.endswith("bye\n")


def test_bad_input_gets_one_line_and_changes_nothing(sit: Sitting) -> None:
    session, out = sit("tic_tac_toe", ["", "z9", "undo", "quit"])
    assert session.moves == []
    assert "illegal move: 'z9'" in out
    assert "cannot undo" in out


def test_undo_takes_back_both_moves(sit: Sitting) -> None:
    session, _ = sit("tic_tac_toe", ["b2", "c3", "undo", "undo", "a3", "quit"])
    assert session.moves == ["a3", "a1"]


def test_undo_after_the_end_goes_on(sit: Sitting) -> None:
    session, out = sit("tic_tac_toe", ["b2", "c3", "c1", "a3", "moves", "undo", "quit"])
    assert "the game is over: quit or undo" in out
    assert session.moves == ["b2", "a1", "c3", "b1", "c1", "a2"]


def test_hint_moves_text_and_help(sit: Sitting) -> None:
    session, out = sit("tic_tac_toe", ["hint", "moves", "text", "help", "quit"])
    assert session.moves == []
    assert "hint: a1   [value +0.25" in out
    assert "a1  b1  c1" in out
    assert "3/3/3 x" in out
    assert "takes back your last move" in out


def test_the_engine_moves_first_if_the_user_is_second(sit: Sitting) -> None:
    session, _ = sit("tic_tac_toe", ["quit"], humans=(1,))
    assert session.moves == ["a1"]


def test_the_engine_plays_itself(sit: Sitting) -> None:
    session, out = sit("tic_tac_toe", [], humans=())
    assert session.moves == ["a1", "b1", "c1", "a2", "b2", "c2", "a3"]
    assert out.endswith("player 1 wins\n")


def test_the_dice_are_rolled_by_the_seed(sit: Sitting) -> None:
    first, out = sit("backgammon", ["quit"], humans=(0, 1), dice=random.Random(1))
    second, _ = sit("backgammon", ["quit"], humans=(0, 1), dice=random.Random(1))
    assert first.moves == second.moves
    assert len(first.moves) == 1
    assert f"the dice: {first.moves[0]}" in out


def test_the_dice_are_asked_for(sit: Sitting) -> None:
    game = catalogue.load("backgammon")
    state = game.initial_state()
    assert game.current_player(state) == CHANCE
    roll = action_to_text(game, state, game.legal_actions(state)[0])
    session, _ = sit("backgammon", ["hint", "no dice", roll, "quit"], humans=(0, 1))
    assert session.moves == [roll]
