"""Mistakes in a user's game: one clear line, the traceback on standard error, and the engine lives."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..opponents.pipe import Pipe, playout

FILE = Path(__file__).with_name("faulty.py")
RACE_METHODS = ("legal_actions", "next_state", "returns", "current_player", "chance_outcomes", "key")
BOARD_METHODS = (*RACE_METHODS[:4], "key", "symmetries", "action_to_text", "text_to_action", "value")
MISTAKES = [
    *(("RaisingBoard", method, plies, "a1 b2") for method in BOARD_METHODS for plies in (0, 2, 4)),
    *(("RaisingPlayouts", "rollout_action", plies, "a1 b2") for plies in (2, 4)),
    *(("RaisingRace", method, plies, "2") for method in RACE_METHODS for plies in (0, 1)),
]
LEGAL = {"a1 b2": {"b1", "c1", "a2", "c2", "a3", "b3", "c3"}, "2": {"walk", "stay"}, "": {"5"}}
STARTING = {f"{column}{row}" for column in "abc" for row in "123"}


@pytest.mark.parametrize(("name", "method", "plies", "moves"), MISTAKES)
def test_an_exception_ends_nothing_but_the_search(name: str, method: str, plies: int, moves: str) -> None:
    with Pipe(playout("ugi", "--game", f"{FILE}:{name}:method={method},plies={plies}")) as engine:
        engine.send("ugi")
        engine.until("ugiok")
        engine.send(f"position startpos moves {moves}", "isready")
        refusals = engine.until("readyok")[:-1]
        engine.send("go nodes 300")
        lines = engine.until("bestmove")
        engine.send("isready", "quit")
        assert engine.rest() == ["readyok"]
        assert engine.exit_status() == 0
        complaints = [line for line in [*refusals, *lines] if line.startswith("info string ")]
        assert all(f"a mistake in {method}" in line or "dice" in line or "see the log" in line for line in complaints)
        move = lines[-1].split()[1]
        assert move in LEGAL[moves] | {"(none)"} | (STARTING if refusals else set())
        if plies > len(moves.split()) and method != "symmetries":
            assert move != "(none)"
        if complaints:
            assert "Traceback (most recent call last):" in engine.errors()
            assert f"RuntimeError: a mistake in {method}" in engine.errors()
        else:
            assert method == "text_to_action"


@pytest.mark.parametrize("method", BOARD_METHODS)
def test_gtp_answers_whatever_raises(method: str) -> None:
    game = f"{FILE}:RaisingBoard:method={method},plies=1"
    with Pipe(playout("gtp", "--game", game, "--option", "MoveTime=50")) as engine:
        assert engine.ask("protocol_version") == "2"
        engine.respond("play b a1")
        answer = engine.respond("genmove w")
        assert answer.startswith(("= ", "? "))
        assert "\n" not in answer
        for command in ("showboard", "final_score", "undo", "all_legal_moves", "clear_board"):
            engine.respond(command)
        assert engine.ask("name")
        engine.ask("quit")
        assert engine.exit_status() == 0


@pytest.mark.parametrize("protocol", ["ugi", "gtp"])
def test_without_an_initial_state_there_is_no_session(protocol: str) -> None:
    with Pipe(playout(protocol, "--game", f"{FILE}:RaisingBoard:method=initial_state")) as engine:
        assert engine.rest() == []
        assert engine.exit_status() == 2
        assert engine.errors() == "playout: initial_state failed: RuntimeError: a mistake in initial_state"


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("legal_actions", "legal_actions is empty, but returns says that the game goes on"),
        ("returns", "returns gives 7, which is not between -1 and 1"),
        ("current_player", "current_player gives 5; it is 0, 1 or CHANCE (-1)"),
        ("key", "key: unhashable type: 'list'"),
        ("value", "value gives NaN, which is not between -1 and 1"),
        ("action_to_text", "action_to_text gives 5, which is not a text"),
        ("symmetries", "symmetries() gives 13; at most 12 are used"),
        ("an_action", "an action: unhashable type: 'list'"),
    ],
)
def test_a_wrong_value_gets_a_clear_line(method: str, words: str) -> None:
    with Pipe(playout("ugi", "--game", f"{FILE}:Wrong:{method}")) as engine:
        engine.send("position startpos", "go nodes 300")
        lines = engine.until("bestmove")
        (complaint,) = (line for line in lines if line.startswith("info string "))
        assert words in complaint
        engine.send("isready", "quit")
        assert engine.rest() == ["readyok"]
        assert engine.exit_status() == 0
        assert lines[-1].split()[1] in STARTING | {"(none)"}
