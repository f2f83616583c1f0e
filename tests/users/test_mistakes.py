"""Mistakes in a user's game: one clear line, the traceback on standard error, and the engine lives."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from playout.engine import _core
from playout.games import catalogue
from playout.games.check.checker import check
from playout.games.errors import GameError

from ..opponents.pipe import Pipe, forked, playout

FILE = Path(__file__).with_name("faulty.py")
METHODS = ("legal_actions", "returns", "current_player", "next_state", "key", "value", "action_values")
METHODS += ("rollout_action", "action_to_text", "symmetries")
RACE_METHODS = ("legal_actions", "next_state", "returns", "current_player", "chance_outcomes", "key")
BOARD_METHODS = (*RACE_METHODS[:4], "key", "symmetries", "action_to_text", "text_to_action", "value")
MISTAKES = [
    *(("RaisingBoard", method, plies, "a1 b2") for method in BOARD_METHODS for plies in (0, 2, 4)),
    *(("RaisingPlayouts", "rollout_action", plies, "a1 b2") for plies in (2, 4)),
    *(("RaisingRace", method, plies, "2") for method in RACE_METHODS for plies in (0, 1)),
]
LEGAL = {"a1 b2": {"b1", "c1", "a2", "c2", "a3", "b3", "c3"}, "2": {"walk", "stay"}, "": {"5"}}
STARTING = {f"{column}{row}" for column in "abc" for row in "123"}


@pytest.mark.opponents
@pytest.mark.parametrize(("name", "method", "plies", "moves"), MISTAKES)
def test_an_exception_ends_nothing_but_the_search(name: str, method: str, plies: int, moves: str) -> None:
    with Pipe(forked("ugi", "--game", f"{FILE}:{name}:method={method},plies={plies}")) as engine:
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
            assert re.search("^The line that led to it: '(go nodes 300|position startpos.*)'$", engine.errors(), re.M)
        else:
            assert method == "text_to_action"


@pytest.mark.opponents
@pytest.mark.parametrize("method", BOARD_METHODS)
def test_gtp_answers_whatever_raises(method: str) -> None:
    game = f"{FILE}:RaisingBoard:method={method},plies=1"
    with Pipe(forked("gtp", "--game", game, "--option", "MaxNodes=200")) as engine:
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


@pytest.mark.opponents
@pytest.mark.parametrize("protocol", ["ugi", "gtp"])
def test_without_an_initial_state_there_is_no_session(protocol: str) -> None:
    with Pipe(playout(protocol, "--game", f"{FILE}:RaisingBoard:method=initial_state")) as engine:
        assert engine.rest() == []
        assert engine.exit_status() == 2
        assert engine.errors() == "playout: initial_state failed: RuntimeError: a mistake in initial_state"


START = "(State(board='.........', player=0)"
WRONG = [
    ("legal_actions", f"legal_actions{START}) is empty, but returns says that the game goes on"),
    ("legal_actions_unhashable", f"legal_actions{START}) gives [0], which is not hashable"),
    ("legal_actions_number", f"legal_actions{START}) gives 3; it must be a list or a tuple"),
    ("legal_actions_none", f"legal_actions{START}) gives None; it must be a list or a tuple"),
    ("legal_actions_twice", f"legal_actions{START}) gives 0 more than once"),
    ("returns", ", player=1)) gives (7, -7); it must be None or two numbers in [-1, 1] that add up to 0"),
    ("returns_one", f"returns{START}) gives (0,); it must be None or two numbers"),
    ("returns_three", f"returns{START}) gives (0, 0, 0); it must be None or two numbers"),
    ("returns_sum", f"returns{START}) gives (1, 1); it must be None or two numbers"),
    ("returns_nan", f"returns{START}) gives (nan, nan); it must be None or two numbers"),
    ("returns_text", f"returns{START}) gives 'draw'; it must be None or two numbers"),
    ("returns_number", f"returns{START}) gives 0.5; it must be None or two numbers"),
    ("current_player", f"current_player{START}) gives 5; it must be 0, 1 or CHANCE (-1)"),
    ("current_player_none", f"current_player{START}) gives None; it must be 0, 1 or CHANCE (-1)"),
    ("current_player_chance", f"current_player{START}) gives CHANCE, but the game has no chance_outcomes"),
    ("next_state", f"next_state{START}, 0) gives None, which is no state"),
    (
        "next_state_unhashable",
        f"next_state{START}, 0) gives [State(board='.........', player=0), 0], which is not hash",
    ),
    ("key", f"key{START}) gives [State(board='.........', player=0)], which is not hashable"),
    ("value", f"value{START}) gives nan; it must be a number in [-1, 1]"),
    ("value_large", f"value{START}) gives 2; it must be a number in [-1, 1]"),
    ("value_none", f"value{START}) gives None; it must be a number in [-1, 1]"),
    ("action_values", ", [0, 1, 2, 3, 4, 5, 6, 7, 8]) gives [0.0]; it must be 9 finite numbers, one for each action"),
    ("action_values_nan", ", 8]) gives [nan, nan, nan, nan, nan, nan, nan, nan, nan]; it must be 9 finite numbers"),
    ("action_values_infinite", ", 8]) gives [inf, inf, inf, inf, inf, inf, inf, inf, inf]; it must be 9 finite"),
    ("action_values_none", ", 8]) gives None; it must be 9 finite numbers, one for each action"),
    ("rollout_action", ", [0, 1, 2, 3, 4, 5, 6, 7, 8]) gives 99, which is not among the actions"),
    ("action_to_text", f"action_to_text{START}, 0) gives 5, which is not a text"),
    ("symmetries", "symmetries() gives 13; at most 12 are used"),
    ("symmetries_none", "symmetries() gives None; it must be a list of Symmetry"),
    ("symmetries_other", "symmetries() gives [1, 2]; it must be a list of Symmetry"),
    ("symmetries_raising", f"symmetries()[1].state{START}) raised RuntimeError: a mistake in a symmetry"),
]
"""Wrong answers of ``Wrong``, each with the line that reports it."""
OTHERS = ("action_values", "current_player")
"""The search calls the first only with preferences; the protocol calls the second before the search."""
FOUND_AS = {
    "legal_actions": "end",
    "current_player_chance": "chance",
    "next_state_unhashable": "hashable",
    "action_to_text": "action text",
    **dict.fromkeys(("symmetries", "symmetries_none", "symmetries_other"), "symmetry"),
    "symmetries_raising": "symmetry 'mirror'",
}
"""The property under which the checker reports it, where that is not the method's name."""


def load(game: str) -> Any:
    return catalogue.load(f"{FILE}:{game}")


def ask_everything(game: Any) -> None:
    """Asks the adapter all that a search may ask."""
    position = _core.Position.python(game)
    position.canonical()
    position.key()
    action = position.actions()[0]
    position.player()
    position.action_text(action)
    position.evaluate()
    position.preferences()
    position.copy().play(action)
    position.playout(1, knowledge=True)
    position.playouts(10, 1)


def ask_after_a_move(game: Any) -> None:
    position = _core.Position.python(game)
    position.play(position.actions()[0])
    position.player()
    position.playouts(1, 1)


@pytest.mark.parametrize(("method", "words"), WRONG)
def test_the_adapter_names_the_method_and_the_state(method: str, words: str) -> None:
    with pytest.raises(GameError) as caught:
        ask_everything(load(f"Wrong:{method}"))
    message = str(caught.value)
    name = next(name for name in METHODS if method.startswith(name))
    assert message.startswith(f"{name}(")
    assert words in message
    assert "\n" not in message


@pytest.mark.opponents
@pytest.mark.parametrize("method", [method for method, _ in WRONG if not method.startswith(OTHERS)])
def test_a_wrong_value_gets_a_clear_line(method: str) -> None:
    name = next(name for name in METHODS if method.startswith(name))
    with Pipe(forked("ugi", "--game", f"{FILE}:Wrong:{method}")) as engine:
        engine.send("position startpos")
        if name == "value":
            engine.send("setoption name LeafEvaluation value static")
        engine.send("go nodes 300")
        lines = engine.until("bestmove")
        engine.send("isready", "quit")
        assert engine.rest() == ["readyok"]
        assert engine.exit_status() == 0
        complaints = [line for line in lines if line.startswith("info string ")]
        assert len(complaints) == 1
        assert f"{name}(" in complaints[0]


@pytest.mark.long
@pytest.mark.parametrize("method", [method for method, _ in WRONG])
def test_the_checker_finds_it_too(method: str) -> None:
    problems = check(load(f"Wrong:{method}"), games=2)
    assert problems
    name = next(name for name in METHODS if method.startswith(name))
    found = {problem.property for problem in problems}
    assert found & {name, FOUND_AS.get(method, name)}


@pytest.mark.parametrize(("one", "two"), [("-0.5", "1.5"), ("nan", "0.5"), ("0.5", "0.25"), ("inf", "0")])
def test_probabilities_that_cannot_be(one: str, two: str) -> None:
    game = load(f"WrongDice:one={one},two={two}")
    with pytest.raises(
        GameError, match=r"chance_outcomes\(\(0, 0, 0, 0\)\) gives probabilities that are negative or do"
    ):
        _core.Position.python(game).playouts(1, 1)
    with pytest.raises(GameError, match="do not add up to 1"):
        _core.Position.python(game).actions()
    assert check(game, games=2)


def test_states_that_are_long_or_cannot_be_written_are_named_shortly() -> None:
    for long, state in (("false", "<a Unwritable>"), ("true", "(0, 0, 0, 1, 'xxx")):
        with pytest.raises(GameError) as caught:
            _core.Position.python(load(f"Unwritten:long={long}")).playouts(1, 1)
        message = str(caught.value)
        assert message.replace("2, 'x", "1, 'x").startswith(f"rollout_action({state}")
        assert message.endswith("raised ValueError: two lines")
        assert len(message) < 800
        assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("method", ["next_state", "legal_actions", "returns", "current_player", "key"])
def test_an_exception_is_reported_with_the_method_and_the_state(method: str) -> None:
    game = load(f"RaisingBoard:method={method},plies=1")
    with pytest.raises(
        GameError, match=rf"^{method}\(State\(board='x\.+', player=1\).* raised RuntimeError: a mistake in"
    ):
        ask_after_a_move(game)
