"""The property checker: no complaint about good games, and one clear line about each way to break the contract."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from playout.games import catalogue
from playout.games.check.checker import check
from playout.games.errors import GameError
from playout.games.game import CHANCE, Symmetry
from playout.games.tic_tac_toe import State, TicTacToe

MNK = '''
from dataclasses import dataclass


@dataclass(frozen=True)
class Mnk:
    """m by n, k in a row."""

    m: int = 4
    n: int = 3
    k: int = 3

    def initial_state(self):
        return "." * (self.m * self.n)

    def current_player(self, state):
        return (self.m * self.n - state.count(".")) % 2

    def legal_actions(self, state):
        return [] if self.returns(state) else [i for i, c in enumerate(state) if c == "."]

    def next_state(self, state, action):
        return state[:action] + "xo"[self.current_player(state)] + state[action + 1:]

    def returns(self, state):
        for player, mark in enumerate("xo"):
            for x in range(self.m):
                for y in range(self.n):
                    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                        if 0 <= x + dx * (self.k - 1) < self.m and 0 <= y + dy * (self.k - 1) < self.n:
                            if all(state[(y + i * dy) * self.m + x + i * dx] == mark for i in range(self.k)):
                                return (1, -1) if player == 0 else (-1, 1)
        return None if "." in state else (0, 0)
'''


@dataclass(frozen=True)
class Race:
    """Each player in turn rolls a die; the first to ten wins."""

    name: str = "race"

    def initial_state(self) -> tuple[int, int, int, bool]:
        return (0, 0, 0, True)

    def current_player(self, state: Any) -> int:
        return CHANCE if state[3] else int(state[2])

    def legal_actions(self, state: Any) -> Sequence[str]:
        if self.returns(state) is not None:
            return []
        return [f"roll {n}" for n in range(1, 7)] if state[3] else ["move", "pass"]

    def chance_outcomes(self, state: Any) -> list[tuple[str, float]]:
        return [(f"roll {n}", 1 / 6) for n in range(1, 7)]

    def next_state(self, state: Any, action: str) -> Any:
        first, second, player, _ = state
        if action.startswith("roll"):
            steps = int(action[5:])
            return (first + steps, second, player, False) if player == 0 else (first, second + steps, player, False)
        return (first, second, 1 - player, True)

    def returns(self, state: Any) -> tuple[float, float] | None:
        if max(state[:2]) < 10:
            return None
        return (1.0, -1.0) if state[0] >= 10 else (-1.0, 1.0)


class MutableState:
    """A board that compares by identity and can be written to."""

    def __init__(self, board: list[str], player: int) -> None:
        self.board = board
        self.player = player


SMALL = {"go": "go:6x3", "hex": "hex:5"}
"""Boards on which a random game ends soon."""


@pytest.mark.long
@pytest.mark.parametrize("name", catalogue.names())
def test_the_games_that_ship_keep_their_contract(name: str) -> None:
    assert check(catalogue.load(SMALL.get(name, name)), games=1) == []


def test_a_game_of_chance_keeps_its_contract() -> None:
    assert check(Race()) == []


def test_a_game_from_a_file_keeps_its_contract(tmp_path: Path) -> None:
    (tmp_path / "my.py").write_text(MNK)
    assert check(catalogue.load(f"{tmp_path}/my.py:Mnk")) == []


def test_the_same_seed_gives_the_same_problems() -> None:
    game = broken(value=lambda self, s: 1.5, key=lambda self, s: s.board.count("x"))
    assert check(game, seed=3) == check(game, seed=3) != []


def broken(**methods: Any) -> Any:
    """Tic-tac-toe with some methods replaced; None takes one away. Its symmetries, the dearest law, are not given."""
    return type("Broken", (TicTacToe,), {"symmetries": None, **methods})()


def said(game: Any, about: str) -> str:
    """The checker's message about a property, which is one line."""
    found = [problem for problem in check(game, games=4) if problem.property == about]
    assert len(found) == 1, check(game, games=4)
    assert "\n" not in found[0].message
    return found[0].message


def raising(self: Any, state: Any) -> Any:
    return dict[str, int]()["no such thing"]


numbers = count()
base = TicTacToe()
half_turn = base.symmetries()[3]
quarter = base.symmetries()[5]


@pytest.mark.long
@pytest.mark.parametrize(
    ("methods", "about", "words"),
    [
        ({"returns": None}, "methods", "lacks returns"),
        ({"name": ""}, "name", "must be a text"),
        ({"text_to_action": None}, "hooks", "needed together"),
        ({"initial_state": lambda self: [0] * 9}, "hashable", "list, is not hashable"),
        ({"returns": lambda self, s: (1.0, 1.0)}, "returns", "add up to 0"),
        ({"returns": lambda self, s: (2.0, -2.0)}, "returns", r"in \[-1, 1\]"),
        ({"returns": lambda self, s: (float("nan"), 0.0)}, "returns", r"in \[-1, 1\]"),
        ({"returns": lambda self, s: 1.0}, "returns", "two numbers"),
        ({"returns": lambda self, s: None}, "end", "no legal actions"),
        ({"returns": lambda self, s: (0.0, 0.0), "legal_actions": lambda self, s: [1]}, "end", "the game is over"),
        ({"legal_actions": lambda self, s: {1, 2}}, "legal_actions", "a set; it must be a list"),
        ({"legal_actions": lambda self, s: [[1]]}, "legal_actions", "not hashable"),
        ({"legal_actions": lambda self, s: [1, 2, 1]}, "legal_actions", "1 more than once"),
        ({"legal_actions": lambda self, s: [next(numbers)]}, "legal_actions", "two different lists"),
        ({"current_player": lambda self, s: 2}, "current_player", "current_player is 2"),
        ({"current_player": lambda self, s: CHANCE}, "chance", "no chance_outcomes"),
        ({"current_player": raising}, "current_player", r"KeyError: 'no such thing' \(.*test_check.py, line \d+\)"),
        ({"current_player": lambda self: 0}, "current_player", "TypeError"),
        ({"max_game_length": 6}, "length", "7 plies long; max_game_length says 6"),
        ({"key": lambda self, s: [s]}, "key", "not hashable"),
        ({"key": lambda self, s: s.board.count("x")}, "key", "has the same key, but"),
        ({"key": lambda self, s: 0}, "key", "has the same key, but"),
        ({"next_state": lambda self, s, a: State(str(next(numbers)), 0), "key": None}, "next_state", "asked twice"),
        ({"symmetries": lambda self: []}, "symmetry", "0 symmetries"),
        ({"symmetries": lambda self: [half_turn]}, "symmetry", "must be the identity"),
        ({"symmetries": lambda self: [base.symmetries()[0], quarter]}, "symmetry", "not a group"),
        (
            {"symmetries": lambda self: [base.symmetries()[0], replace(half_turn, action=lambda a: a)]},
            "symmetry",
            "inverse_action does not undo",
        ),
        (
            {"symmetries": lambda self: [base.symmetries()[0], replace(quarter, inverse_state=quarter.state)]},
            "symmetry",
            "inverse_state does not undo",
        ),
        (
            {
                "symmetries": lambda self: [
                    base.symmetries()[0],
                    Symmetry("x", half_turn.state, lambda a: a, half_turn.state, lambda a: a),
                ]
            },
            "symmetry",
            "does not (map the legal actions|commute)",
        ),
        ({"symmetries": lambda self: [1]}, "symmetry", "must give objects of"),
        ({"action_to_text": lambda self, s, a: "x"}, "action text", "same text, 'x'"),
        ({"action_to_text": lambda self, s, a: f"{a}\n"}, "action text", "one line"),
        ({"action_to_text": lambda self, s, a: f"z{a}"}, "action text", "is not read: illegal move"),
        ({"text_to_action": lambda self, s, t: 0}, "action text", "is read as 0"),
        ({"text_to_action": lambda self, s, t: int(t)}, "text_to_action", "text_to_action raised ValueError"),
        ({"state_to_text": lambda self, s: "9 x"}, "state text", "is not read: not a tic-tac-toe position"),
        ({"state_from_text": lambda self, t: self.initial_state()}, "state text", "whose text is '3/3/3 x'"),
        (
            {"state_from_text": lambda self, t: State(t.split()[3], 0)},
            "state_from_text",
            "state_from_text raised IndexError",
        ),
        ({"render": lambda self, s: "board\n"}, "render", "ends in no newline"),
        ({"value": lambda self, s: 1.5}, "value", r"value is 1.5; it must be a number in \[-1, 1\]"),
        ({"value": lambda self, s: "good"}, "value", "must be a number"),
        ({"action_values": lambda self, s, actions: [0.0]}, "action_values", "one for each action"),
        ({"rollout_action": lambda self, s, actions, rng: 99}, "rollout_action", "not among the actions"),
        (
            {"rollout_action": lambda self, s, actions, rng: actions[next(numbers) % len(actions)]},
            "rollout_action",
            "asked twice",
        ),
        ({"features": lambda self, s: [0.0] * s.board.count("x")}, "features", "for every state 0 of them"),
        ({"with_player": lambda self, s, p: s}, "with_player", "player 1 is not to move"),
    ],
)
def test_each_fault_gets_one_clear_line(methods: dict[str, Any], about: str, words: str) -> None:
    assert re.search(words, said(broken(**methods), about))


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ([("roll 1", 1.0)], "must be those of legal_actions"),
        ([(f"roll {n}", 1 / 5) for n in range(1, 7)], "their sum is 1.2"),
        ([(f"roll {n}", float(n == 1)) for n in range(1, 7)], "must be positive"),
        (["roll 1"], "pairs"),
    ],
)
def test_probabilities_are_checked(outcomes: list[Any], words: str) -> None:
    game: Any = type("Broken", (Race,), {"chance_outcomes": lambda self, state: outcomes})()
    assert words in said(game, "chance")


def test_a_method_that_writes_to_its_state_is_found() -> None:
    class Impure(TicTacToe):
        def initial_state(self) -> Any:
            return MutableState(["."] * 9, 0)

        def next_state(self, state: Any, action: int) -> Any:
            state.board[action] = "xo"[state.player]
            return MutableState(state.board, 1 - state.player)

        key: Any = None
        symmetries: Any = None

    assert said(Impure(), "purity") == "next_state changed the state that it was given"


def test_a_game_that_ends_the_program_is_a_problem() -> None:
    game = broken(legal_actions=lambda self, s: sys.exit(3))
    assert "legal_actions raised SystemExit: 3" in said(game, "legal_actions")


def test_a_file_that_ends_the_program_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(3)\n")
    with pytest.raises(GameError, match=r"ends.py, line 2: SystemExit: 3"):
        catalogue.load(f"{tmp_path}/ends.py:Game")


@pytest.mark.long
def test_a_problem_shows_its_state_and_how_to_reach_it() -> None:
    game = broken(value=lambda self, s: 0.0 if s.board.count("x") < 2 else 2.0)
    (problem,) = check(game, games=4)
    state = game.initial_state()
    for text in problem.moves:
        state = game.next_state(state, game.text_to_action(state, text))
    assert problem.state == game.state_to_text(state)
    assert state.board.count("x") >= 2
    assert str(problem).splitlines()[1:] == [f"  state: {problem.state}", f"  moves: {' '.join(problem.moves)}"]
