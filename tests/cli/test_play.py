"""``playout play`` at a table with an engine that plays the first legal move."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

import playout
from playout.cli import play
from playout.cli.console import console
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.results import result_of


class FirstMove(playout.Engine):
    """An engine whose search answers at once."""

    def think(self, **bounds: Any) -> playout.Result:
        assert bounds == {"seconds": 1.5}
        move = self.legal_moves()[0]
        one = MoveInfo(move, 9, 0.25, 0.5, 0.25, 0.25, -1.0, 1.0, None, (move,))
        info = SearchInfo(0.5, 1000, 2.0, 3, 0.25, 1000, 0, (one,))
        return result_of(SearchResult(move, None, info, "deadline"))


@pytest.fixture(autouse=True)
def fresh_console() -> Iterator[None]:
    console.cache_clear()
    yield
    console.cache_clear()


class Sitting:
    """A game against the engine in a terminal: its output, and the engine."""

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
        with FirstMove(game) as engine:
            play.PlayTable(engine, humans, 1.5, dice).play()
        return engine, self.capsys.readouterr().out


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sitting:
    return Sitting(monkeypatch, capsys)


def test_a_game_is_won(sit: Sitting) -> None:
    engine, out = sit("tic_tac_toe", ["b2", "C3", "c1", "a3"])
    assert engine.moves == ("b2", "a1", "c3", "b1", "c1", "a2", "a3")
    assert "player 1 wins" in out
    assert "player 2 (engine): a1   [value +0.25, 1,000 simulations, 2,000/s, line a1]" in out
    assert out.endswith("bye\n")


def test_the_end_of_the_input_ends_the_game(sit: Sitting) -> None:
    engine, out = sit("tic_tac_toe", [])
    assert engine.moves == ()
    assert out.endswith("bye\n")


def test_bad_input_gets_one_line_and_changes_nothing(sit: Sitting) -> None:
    engine, out = sit("tic_tac_toe", ["", "z9", "undo", "quit"])
    assert engine.moves == ()
    assert "illegal move: 'z9'" in out
    assert "cannot undo" in out


def test_undo_takes_back_both_moves(sit: Sitting) -> None:
    engine, _ = sit("tic_tac_toe", ["b2", "c3", "undo", "undo", "a3", "quit"])
    assert engine.moves == ("a3", "a1")


def test_undo_after_the_end_goes_on(sit: Sitting) -> None:
    engine, out = sit("tic_tac_toe", ["b2", "c3", "c1", "a3", "moves", "undo", "quit"])
    assert "the game is over: quit or undo" in out
    assert engine.moves == ("b2", "a1", "c3", "b1", "c1", "a2")


def test_hint_moves_text_and_help(sit: Sitting) -> None:
    engine, out = sit("tic_tac_toe", ["hint", "moves", "text", "help", "quit"])
    assert engine.moves == ()
    assert "hint: a1   [value +0.25" in out
    assert "a1  b1  c1" in out
    assert "3/3/3 x" in out
    assert "takes back your last move" in out


def test_the_engine_moves_first_if_the_user_is_second(sit: Sitting) -> None:
    engine, _ = sit("tic_tac_toe", ["quit"], humans=(1,))
    assert engine.moves == ("a1",)


def test_the_engine_plays_itself(sit: Sitting) -> None:
    engine, out = sit("tic_tac_toe", [], humans=())
    assert engine.moves == ("a1", "b1", "c1", "a2", "b2", "c2", "a3")
    assert out.endswith("player 1 wins\n")


def test_the_dice_are_rolled_by_the_seed(sit: Sitting) -> None:
    first, out = sit("backgammon", ["quit"], humans=(0, 1), dice=random.Random(1))
    second, _ = sit("backgammon", ["quit"], humans=(0, 1), dice=random.Random(1))
    assert first.moves == second.moves
    assert len(first.moves) == 1
    assert f"the dice: {first.moves[0]}" in out


def test_the_dice_are_asked_for(sit: Sitting) -> None:
    start = playout.Position("backgammon")
    assert start.player == playout.CHANCE
    roll = start.legal_moves()[0]
    engine, _ = sit("backgammon", ["hint", "no dice", roll, "quit"], humans=(0, 1))
    assert engine.moves == (roll,)
