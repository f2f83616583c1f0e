"""``playout demo`` with a stand-in for the engine, and once with the engine that is installed."""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from playout.cli import engine_process
from playout.cli.demo import command
from playout.cli.demo.command import Exhibit, show
from playout.cli.demo.players import GtpPlayer, UciPlayer, UgiPlayer
from playout.cli.demo.screen import Screen
from playout.cli.engine_process import EngineProcess
from playout.games import catalogue
from playout.games.errors import PlayoutError

from ..patience import PATIENCE

pytestmark = pytest.mark.opponents

STAND_IN = """\
#!{python}
import sys

from playout.games import catalogue
from playout.games.game import action_to_text, text_to_action

protocol, game = sys.argv[1], catalogue.load(sys.argv[3])
start = state = game.initial_state()
fault = {fault!r}


def first_move():
    return fault or action_to_text(game, state, game.legal_actions(state)[0])


for line in sys.stdin:
    words = line.split()
    if words[0] == "quit":
        break
    elif protocol == "gtp":
        if words[0] == "play":
            state = game.next_state(state, text_to_action(game, state, words[2]))
        if words[0] == "genmove":
            move = first_move()
            print(f"INFO x: {{move}} thinking: value +0.50", file=sys.stderr, flush=True)
            if not fault:
                state = game.next_state(state, text_to_action(game, state, move))
            print(f"= {{move}}\\n", flush=True)
        else:
            print("=\\n", flush=True)
    elif words[0] == protocol:
        print(f"{{protocol}}ok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        state = start
        for move in words[3:]:
            state = game.next_state(state, text_to_action(game, state, move))
    elif words[0] == "go":
        move = first_move()
        print(f"info depth 3 score cp 100 nodes 500 nps 1000 time 500 pv {{move}} x1", flush=True)
        print(f"bestmove {{move}}", flush=True)
"""

CONNECT = Exhibit("Connect", "connect_four", "UGI", ("X", "O"), lambda p: UgiPlayer(p, 0.02), 60.0)
TICTAC = Exhibit("Tic-tac-toe", "tic_tac_toe", "UCI", ("X", "O"), UciPlayer, 60.0)
HEX = Exhibit("Hex", "hex:3", "GTP", ("Black", "White"), lambda p: GtpPlayer(p, 60.0), 60.0)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loaded machine may take longer to start an engine than a demonstration waits."""
    monkeypatch.setattr(engine_process, "PATIENCE", PATIENCE)


class StandIn:
    """Puts a stand-in in the place of the installed command; ``fault`` is what it plays instead of a move."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._monkeypatch = monkeypatch
        self._file = folder / "playout"
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))

    def __call__(self, fault: str | None = None) -> None:
        self._file.write_text(STAND_IN.format(python=sys.executable, fault=fault))
        self._file.chmod(0o755)
        self._monkeypatch.setattr(engine_process, "installed_command", lambda: str(self._file))


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> StandIn:
    return StandIn(monkeypatch, tmp_path)


@pytest.mark.parametrize(("exhibit", "plies"), [(TICTAC, 7), (HEX, 7)])
def test_a_game_is_played_to_its_end(
    exhibit: Exhibit, plies: int, stand_in: StandIn, capsys: pytest.CaptureFixture[str]
) -> None:
    stand_in()
    shown = show(exhibit, False, random.Random(1))
    assert (shown.result, shown.plies) == (f"{exhibit.players[0]} wins", plies)
    out = capsys.readouterr().out
    assert f"  1. {exhibit.players[0]}: a1   value +0.5" in out


def test_thoughts_are_read_from_info_lines(stand_in: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in()
    show(CONNECT, False, random.Random(1))
    assert "  1. X: a   value +0.54, 500 positions, 1,000/s, line a x1\n" in capsys.readouterr().out


def test_quiet_shows_the_last_board_only(stand_in: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    stand_in()
    show(TICTAC, True, random.Random(1))
    words = " ".join(capsys.readouterr().out.split())
    assert words == "Tic-tac-toe: playout uci against itself 3 x . . 2 o x o 1 x o x a b c X wins"


def test_the_dice_are_rolled_by_the_demo(stand_in: StandIn) -> None:
    stand_in()
    exhibit = replace(CONNECT, game="backgammon")
    first, second = (show(exhibit, True, random.Random(11)) for _ in range(2))
    assert (first.result, first.plies) == (second.result, second.plies) == ("O wins 1 point", 82)


def test_the_score_of_go_is_told(stand_in: StandIn) -> None:
    stand_in()
    shown = show(replace(HEX, game="go:2", title="Go"), True, random.Random(1))
    assert re.fullmatch(r"(Black|White) wins by [\d.]+ points", shown.result)


def test_a_game_of_chess_ends_by_its_rules(stand_in: StandIn) -> None:
    stand_in()
    shown = show(replace(TICTAC, game="chess", players=("White", "Black")), True, random.Random(1))
    assert re.fullmatch(r"Draw by .+|(White|Black) wins by checkmate", shown.result)


def test_a_flag_that_falls_loses(stand_in: StandIn) -> None:
    stand_in()
    assert show(replace(TICTAC, seconds=0.0), True, random.Random(1)).result == "O wins on time"


def test_an_engine_may_resign(stand_in: StandIn) -> None:
    stand_in("resign")
    assert show(HEX, True, random.Random(1)).result == "Black resigns; White wins"


def test_an_illegal_move_is_told(stand_in: StandIn) -> None:
    stand_in("z9")
    with pytest.raises(PlayoutError, match=r"^playout uci --game tic_tac_toe .* played 'z9': illegal move"):
        show(TICTAC, True, random.Random(1))


def test_an_engine_that_ends_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "playout"
    file.write_text("#!/bin/sh\necho 'out of order' >&2\n")
    file.chmod(0o755)
    monkeypatch.setattr(engine_process, "installed_command", lambda: str(file))
    with pytest.raises(PlayoutError, match=r"the engine ended with status 0: out of order$"):
        show(TICTAC, True, random.Random(1))


def test_a_silent_engine_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "playout"
    file.write_text("#!/bin/sh\nwhile read line; do :; done\n")
    file.chmod(0o755)
    monkeypatch.setattr(engine_process, "installed_command", lambda: str(file))
    monkeypatch.setattr(engine_process, "PATIENCE", 0.2)
    with EngineProcess("uci") as process, pytest.raises(PlayoutError, match=r"no reply for 0.2 s$"):
        UciPlayer(process)


@pytest.mark.skipif(
    shutil.which("playout", path=str(Path(sys.executable).parent)) is None,
    reason="the command playout is not installed: pip install .",
)
@pytest.mark.parametrize("exhibit", [CONNECT, TICTAC, HEX])
def test_the_installed_engine_plays(exhibit: Exhibit) -> None:
    shown = show(exhibit, True, random.Random(1))
    assert "wins" in shown.result or shown.result == "Draw"


def test_the_exhibits_are_of_all_protocols() -> None:
    assert [(exhibit.game, exhibit.protocol) for exhibit in command.EXHIBITS] == [
        ("connect_four", "UGI"),
        ("hex:11", "GTP"),
        ("go:9", "GTP"),
        ("backgammon", "UGI"),
        ("chess", "UCI"),
    ]


def test_a_narrow_terminal_cuts_the_moves_and_not_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    game = catalogue.load("hex:11")
    terminal = Console(width=80, height=40, file=StringIO(), force_terminal=True)
    monkeypatch.setattr("playout.cli.demo.screen.console", lambda: terminal)
    with Screen("Hex", game, quiet=False) as screen:
        screen.show(game.initial_state(), 1, "  1. Black: a1   " + "value +0.00, " * 10)
    assert isinstance(terminal.file, StringIO)
    shown = terminal.file.getvalue()
    assert all(row in shown for row in game.render(game.initial_state()).splitlines())
    assert "…" in shown
