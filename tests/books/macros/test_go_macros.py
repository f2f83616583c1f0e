"""The shipped macros of Go: ladders, nets and snapbacks."""

from __future__ import annotations

import random
from typing import Any

import pytest

from playout.books.macros.macro import MacroStep
from playout.books.macros.patterns import EDGE
from playout.games import catalogue

from .shipped import after, named, parsed

LADDER = ["D5", "E5", "E4", "C8", "F4", "C9", "D6", "pass"]


def test_a_ladder_runs_to_the_capture_whatever_the_chain_does() -> None:
    game: Any = catalogue.load("go:9")
    state = after(game, " ".join(LADDER))
    ladder = named("ladder", game)

    def run(state: Any, step: MacroStep, depth: int) -> int:
        """The deepest line; the chain at E5 is captured in each."""
        state = game.next_state(state, step.action)
        if state.board[game.text_to_action(game.initial_state(), "E5")] == ".":
            return depth
        replies = [reply for reply in step.then(state) if reply.action in game.legal_actions(state)]
        assert replies, "in atari until it is captured"
        deepest = 0
        for reply in replies:
            answered = game.next_state(state, reply.action)
            (answer,) = reply.then(answered)
            deepest = max(deepest, run(answered, answer, depth + 1))
        return deepest

    (step,) = ladder.at(state)
    assert run(state, step, 1) >= 6


def test_a_ladder_that_is_broken_is_not_begun() -> None:
    game: Any = catalogue.load("go:9")
    broken = after(game, " ".join(LADDER).replace("C8", "G7").replace("C9", "H8"))
    assert named("ladder", game).at(broken) == ()


@pytest.mark.long
def test_ladders_are_read_to_an_end_in_any_position() -> None:
    """Captures in the middle of a ladder may go to and fro as kos do."""
    game: Any = catalogue.load("go:7")
    rng = random.Random(1)
    found = 0
    ladder = named("ladder", game)
    for _ in range(12):
        state = game.initial_state()
        for _ in range(70):
            actions = list(game.legal_actions(state))
            if game.returns(state) is not None or len(actions) < 2:
                break
            state = game.next_state(state, rng.choice(actions[:-1]))
            found += bool(ladder.at(state))
    assert found > 300


def drawn(name: str, number: int, extra: str = "") -> tuple[Any, Any, dict[str, int]]:
    """A Go board with the stones of a shipped pattern, the state with Black to move, and the cells of the letters."""
    cells = parsed(name, "go").patterns[number].value.cells
    game: Any = catalogue.load("go:9")
    edge = any(cell.symbol == EDGE for cell in cells)
    height = max(cell.row for cell in cells)

    def place(column: int, row: int) -> int:
        return (height - row - 1 if edge else height - row + 2) * 9 + column + 2

    places = {cell.symbol: place(cell.column, cell.row) for cell in cells if cell.symbol.islower()}
    stones = {place(cell.column, cell.row): "XO".index(cell.symbol) for cell in cells if cell.symbol in "XO"}
    return game, game.set_up(stones, 0), places


@pytest.mark.parametrize("line", ["a b d c e", "a c e b d"])
def test_a_stone_in_a_net_is_captured_whichever_way_it_runs(line: str) -> None:
    game, state, places = drawn("net", 0)
    net = named("net", game)
    steps = net.at(state)
    white = state.board.count("O")
    for letter in line.split():
        step = next(step for step in steps if step.action == places[letter])
        state = game.next_state(state, step.action)
        steps = step.then(state)
    assert state.board.count("O") == 0 < white


@pytest.mark.parametrize("number", [0, 1])
def test_a_snapback_takes_back_more_than_it_gives(number: int) -> None:
    game, state, places = drawn("snapback", number)
    steps = named("snapback", game).at(state)
    black, white = state.board.count("X"), state.board.count("O")
    for letter in "aba":
        step = next(step for step in steps if step.action == places[letter])
        assert places[letter] in game.legal_actions(state)
        state = game.next_state(state, places[letter])
        steps = step.then(state)
    assert not steps
    assert state.board.count("X") == black + 1
    assert state.board.count("O") <= white - 2
