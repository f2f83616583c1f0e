"""Games written in Python are searched as exactly as those with a kernel."""

from __future__ import annotations

import importlib.util
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from playout.engine import _core
from playout.engine.options.config import SearchConfig
from playout.engine.search.searcher import Searcher
from playout.engine.terms.info import SearchResult
from playout.games.connect_four import ConnectFour
from playout.games.game import CHANCE, action_to_text
from playout.games.tic_tac_toe import TicTacToe

from ..opponents.pipe import Pipe, forked

FILE = Path(__file__).with_name("faulty.py")


class Plain(TicTacToe):
    """The definition without its kernel."""

    kernel = None  # type: ignore[assignment]


@dataclass(frozen=True)
class PlainConnectFour(ConnectFour):
    kernel = None  # type: ignore[assignment]


def race(goal: int) -> Any:
    """The dice race of ``faulty.py``, which itself has no mistake."""
    spec = importlib.util.spec_from_file_location("race", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Race(goal)


def search(game: Any, moves: list[str], config: SearchConfig, nodes: int) -> SearchResult:
    searcher = Searcher(game, config)
    searcher.set_position(None, moves)
    searcher.prepare()
    result = searcher.run(nodes=nodes)
    assert result.fault is None
    return result


def random_line(game: Any, rng: random.Random, plies: int) -> list[str]:
    """Random moves, none of which ends the game."""
    state, moves = game.initial_state(), []
    while len(moves) < plies:
        action = rng.choice(game.legal_actions(state))
        after = game.next_state(state, action)
        if game.returns(after) is not None:
            return random_line(game, rng, plies)
        moves.append(action_to_text(game, state, action))
        state = after
    return moves


def proven(result: SearchResult) -> float:
    assert result.reason == "proven"
    best = result.info.moves[0]
    assert best.lower == best.upper
    return best.lower


@pytest.mark.parametrize("seed", range(12))
def test_the_adapter_proves_what_the_kernel_proves(seed: int) -> None:
    rng = random.Random(seed)
    moves = random_line(TicTacToe(), rng, rng.randrange(2, 7))
    config = SearchConfig(seed=seed)
    own, kernel = (search(game, moves, config, 50_000) for game in (Plain(), TicTacToe()))
    assert proven(own) == proven(kernel) == value(moves)


@cache
def solve(state: Any) -> float:
    """The exact value for player 0."""
    game = TicTacToe()
    returns = game.returns(state)
    if returns is not None:
        return returns[0]
    values = [solve(game.next_state(state, action)) for action in game.legal_actions(state)]
    return max(values) if state.player == 0 else min(values)


def value(moves: list[str]) -> float:
    """The exact value after ``moves``, for the player to move."""
    game = TicTacToe()
    state = game.initial_state()
    for move in moves:
        state = game.next_state(state, game.text_to_action(state, move))
    return solve(state) if state.player == 0 else -solve(state)


@pytest.mark.parametrize("transpositions", [True, False])
@pytest.mark.parametrize("symmetries", [True, False])
def test_graph_and_symmetries_change_no_proof(transpositions: bool, symmetries: bool) -> None:
    config = SearchConfig(transpositions=transpositions, symmetries=symmetries)
    for seed in range(4):
        moves = random_line(TicTacToe(), random.Random(100 + seed), 3)
        assert proven(search(Plain(), moves, config, 100_000)) == value(moves)


def test_symmetries_save_simulations() -> None:
    merged, apart = (
        search(Plain(), [], SearchConfig(symmetries=symmetries), 100_000).info.simulations
        for symmetries in (True, False)
    )
    assert merged < 1500 < apart


def test_a_search_repeats_exactly() -> None:
    game = PlainConnectFour()
    first, second = (search(game, ["d", "c"], SearchConfig(seed=3), 400) for _ in range(2))
    assert replace(first.info, time=0.0) == replace(second.info, time=0.0)


def chances(game: Any, state: Any, cache: dict[Any, float]) -> float:
    """The exact value of a race for player 0: who stays loses time, so the walk is always best."""
    if state not in cache:
        returns = game.returns(state)
        if returns is not None:
            cache[state] = returns[0]
        elif game.current_player(state) == CHANCE:
            outcomes = game.chance_outcomes(state)
            cache[state] = sum(p * chances(game, game.next_state(state, outcome), cache) for outcome, p in outcomes)
        else:
            cache[state] = chances(game, game.next_state(state, "walk"), cache)
    return cache[state]


@pytest.mark.parametrize("roll", ["1", "2"])
def test_dice_are_averaged(roll: str) -> None:
    game = race(4)
    result = search(game, [roll], SearchConfig(solver=False), 20_000)
    assert result.move == "walk"
    exact = chances(game, game.next_state(game.initial_state(), int(roll)), {})
    assert result.info.moves[0].value == pytest.approx(exact, abs=0.05)


@pytest.mark.opponents
def test_a_race_under_ugi() -> None:
    """The rolls stand in the list of moves; the engine is asked only where it has the choice."""
    game = race(3)
    with Pipe(forked("ugi", "--game", f"{FILE}:Race")) as engine:
        state, moves, rng = game.initial_state(), [], random.Random(1)
        while game.returns(state) is None:
            line = f"position startpos moves {' '.join(moves)}".removesuffix(" moves ")
            if game.current_player(state) == CHANCE:
                engine.send(line, "go nodes 10")
                assert engine.until("bestmove")[-1] == "bestmove (none)"
                action = rng.choice([1, 2])
            else:
                engine.send(line, "go nodes 1000")
                action = engine.until("bestmove")[-1].split()[1]
                assert action == "walk"
            moves.append(str(action))
            state = game.next_state(state, action)
        engine.send(f"position startpos moves {' '.join(moves)}", "query result", "quit")
        winner = "p1win" if game.returns(state)[0] > 0 else "p2win"
        assert engine.rest() == [f"response {winner}"]
        assert engine.errors() == ""


class Knowing(Plain):
    """Prefers the centre, and plays it out first."""

    def action_values(self, state: Any, actions: Sequence[int]) -> list[float]:
        return [2.0 if action == 4 else -action / 10 for action in actions]

    def rollout_action(self, state: Any, actions: Sequence[int], rng: random.Random) -> int:
        return 4 if 4 in actions else rng.choice(actions)


def test_playouts_are_uniform_to_the_last_ply() -> None:
    """In random games of tic-tac-toe the first player wins 58.5 %, many with the ninth move, the second 28.8 %."""
    assert _core.Position.python(Plain()).playouts(4000, 1) == pytest.approx(0.297, abs=0.05)


@pytest.mark.parametrize("knowledge", [False, True])
@pytest.mark.parametrize("make", [Plain, Knowing, lambda: race(6)])
def test_a_trace_is_what_was_played(make: Callable[[], Any], knowledge: bool) -> None:
    for seed in range(20):
        game = make()
        position = _core.Position.python(game)
        result, trace = position.playout(seed, knowledge)
        if isinstance(game, Knowing):
            assert position.action_text(trace[0][0]) == "b2"
        if isinstance(game, TicTacToe):
            for action, player in trace:
                assert player == position.player()
                position.play(action)
            assert position.result() == result
        else:  # the dice are not recorded
            assert 5 <= len(trace) <= 60 or result
            assert [player for _, player in trace] == [place % 2 for place in range(len(trace))]


def test_preferences_are_the_game_s_action_values() -> None:
    position = _core.Position.python(Knowing())
    assert position.preferences() == pytest.approx([-0.0, -0.1, -0.2, -0.3, 2.0, -0.5, -0.6, -0.7, -0.8])
    assert _core.Position.python(Plain()).preferences() is None


def test_the_game_is_asked_once_about_a_step() -> None:
    asked: Counter[tuple[Any, Any]] = Counter()

    class Asked(Plain):
        def next_state(self, state: Any, action: Any) -> Any:
            asked[state, action] += 1
            return super().next_state(state, action)

    searcher = Searcher(Asked(), SearchConfig(leaf_evaluation="static", solver=False))
    searcher.set_position(None, [])
    searcher.prepare()
    assert searcher.run(nodes=3000).fault is None
    # Random playouts ask anew; steps of the graph, about 16,000 of them, do not.
    assert asked.total() < 12_000
