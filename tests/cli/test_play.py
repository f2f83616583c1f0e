"""``playout play`` at a table with an engine that plays the first legal move."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import playout
from playout.cli.console import console
from playout.cli.play import table
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.results import result_of

from ..patience import PATIENCE


class FirstMove(playout.Engine):
    """An engine whose search answers at once."""

    def think(self, **bounds: Any) -> playout.Result:
        assert bounds.pop("report") is not None
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
        self.reader: Callable[..., str] | None = None
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

        self.monkeypatch.setattr("builtins.input", self.reader or read)
        with FirstMove(game) as engine:
            table.PlayTable(engine, humans, 1.5, dice).play()
        return engine, self.capsys.readouterr().out


@pytest.fixture
def sit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sitting:
    return Sitting(monkeypatch, capsys)


def test_a_game_is_won(sit: Sitting) -> None:
    engine, out = sit("tic_tac_toe", ["b2", "C3", "c1", "a3"])
    assert engine.moves == ("b2", "a1", "c3", "b1", "c1", "a2", "a3")
    assert "Black wins" in out
    assert "White (engine): a1   [value +0.25, 1,000 positions, 2,000/s, line a1]" in out
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
    assert "the game is over: help, load, new, quit, save, text, undo" in out
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
    assert out.endswith("Black wins\n")


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


def test_level_time_and_a_new_game(sit: Sitting) -> None:
    engine, out = sit("tic_tac_toe", ["level 3", "level 30", "level x", "time 0", "b2", "new", "c3", "quit"])
    assert engine.options["level"] == 3
    assert "level N: 30 is not from 0 to 20" in out
    assert "level N: 'x' is not a number" in out
    assert "time SECONDS: 0 is not from 0.01" in out
    assert engine.moves == ("c3", "a1")


def test_a_game_is_saved_and_loaded(sit: Sitting, tmp_path: Path) -> None:
    file = tmp_path / "game.pgn"
    engine, out = sit(
        "chess",
        ["e4", "e5", f"save {file}", "save x.sgf", "save", "new", f"load {file}", "load none.pgn", "quit"],
        (0, 1),
    )
    assert engine.moves == ("e2e4", "e7e5")
    assert "1. e4 e5" in file.read_text()
    assert "x.sgf: games of chess are written to .pgn" in out
    assert "save FILE: no file" in out
    assert "none.pgn: No such file" in out
    _, out = sit("tic_tac_toe", [f"load {file}", "quit"], (0, 1))
    assert "a game of chess; this is tic_tac_toe" in out


def test_a_user_may_resign(sit: Sitting) -> None:
    _, out = sit("chess", ["resign", "undo", "resign", "quit"])
    assert out.count("White resigns; Black wins") == 2


def test_nobody_resigns_for_the_engine(sit: Sitting) -> None:
    _, out = sit("backgammon", ["resign", "quit"], ())
    assert "you play neither side" in out


def test_an_analysis_shows_the_best_moves(sit: Sitting) -> None:
    engine, out = sit("tic_tac_toe", ["analyse 0.05", "analyse x", "quit"], (0, 1))
    assert engine.moves == ()
    assert "positions" in out
    assert "analyse SECONDS: 'x' is not a number" in out


def test_an_interrupt_ends_the_search_and_not_the_game() -> None:
    before = signal.getsignal(signal.SIGINT)
    with playout.Engine("chess", own_book=False) as engine, table._stopping(engine):
        result = engine.think(seconds=PATIENCE, report=lambda _: signal.raise_signal(signal.SIGINT))
    assert result.reason == "stop"
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_at_the_prompt_is_no_end(sit: Sitting) -> None:
    said = iter([KeyboardInterrupt, "b2", "quit"])

    def read(*_: object) -> str:
        found = next(said)
        if isinstance(found, str):
            return found
        raise found

    sit.reader = read
    engine, out = sit("tic_tac_toe", [])
    assert "quit ends the game" in out
    assert engine.moves == ("b2", "a1")


def test_words_are_completed() -> None:
    import readline

    with table._completing(lambda: ["hint", "help", "h7h8q"]):
        complete = readline.get_completer()
        assert [complete("he", number) for number in range(2)] == ["help", None]
