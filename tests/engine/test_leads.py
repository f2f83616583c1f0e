"""Leads in points: means of the simulations, the tie-break between moves of equal value, their weight in the tree, and
passing."""

from __future__ import annotations

import math
from typing import Any

import pytest

from playout.engine.options.config import search_config
from playout.engine.search.searcher import Searcher
from playout.engine.terms.info import SearchInfo
from playout.games import catalogue
from tests.users.stones import StoneGo

from .tasks import line_of

WALLS = ("C1", "D1", "C2", "D2", "C3", "D3", "C4", "D4", "C5", "D5")
"""On a board of 5 lines: Black has the left three columns, White the right two."""


def searched(name: str, *moves: str, nodes: int = 2000, **options: Any) -> SearchInfo:
    game = catalogue.load(name)
    searcher = Searcher(game, search_config(game, {"Seed": 3, "Solver": False, **options}))
    searcher.set_position(*line_of(game, *moves).path(game))
    return searcher.run(nodes=nodes).info


@pytest.mark.parametrize(
    ("scoring", "komi", "lead"),
    [("area", 0.5, 4.5), ("area", 6.5, -1.5), ("territory", 0.5, 4.5), ("territory", 6.5, -1.5)],
)
def test_a_settled_position_has_its_lead(scoring: str, komi: float, lead: float) -> None:
    info = searched(f"go:5,komi={komi},scoring={scoring}", *WALLS, nodes=4000)
    assert info.lead is not None
    mean, deviation = info.lead
    assert mean == pytest.approx(lead, abs=4) and 0 < deviation < 15
    opposite = searched(f"go:5,komi={komi},scoring={scoring}", *WALLS, "pass", nodes=4000).lead
    assert opposite is not None and opposite[0] == pytest.approx(-lead, abs=4)


def test_the_root_is_the_mean_of_its_moves() -> None:
    info = searched("go:5", nodes=3000)
    known = [(move.visits, *move.lead) for move in info.moves if move.lead is not None]
    assert len(known) == len(info.moves) and info.lead is not None
    visits = sum(count for count, _, _ in known)
    mean = sum(count * mean for count, mean, _ in known) / visits
    square = sum(count * (mean**2 + deviation**2) for count, mean, deviation in known) / visits
    assert info.lead == pytest.approx((mean, (square - mean**2) ** 0.5), abs=0.7)


@pytest.mark.parametrize("name", ["hex:4", "chess", "tic_tac_toe"])
def test_other_games_have_no_lead(name: str) -> None:
    info = searched(name, nodes=300)
    assert info.lead is None and all(move.lead is None for move in info.moves)


def test_leads_of_several_trees_and_threads_are_one() -> None:
    for parallelism in ("tree", "root"):
        info = searched("go:5", *WALLS, nodes=4000, Threads=2, Parallelism=parallelism)
        assert info.lead is not None and info.lead[0] == pytest.approx(-2.5, abs=4)


@pytest.mark.parametrize("komi", [60.5, -60.5])
def test_where_all_moves_are_worth_the_same_points_decide(komi: float) -> None:
    """Black has no hope, or no fear. The point between the walls that are not closed yet is worth most."""
    unclosed = [move for move in WALLS if move not in ("C3", "D3")]
    info = searched(f"go:5,komi={komi}", *unclosed)
    best = info.moves[0]
    assert best.move in ("C3", "D3"), [(move.move, move.value, move.lead) for move in info.moves]


@pytest.mark.parametrize("komi", [60.5, -60.5])
def test_it_passes_where_nothing_is_to_be_gained(komi: float) -> None:
    assert searched(f"go:5,komi={komi}", *WALLS, "B3", "E3", nodes=10_000).moves[0].move == "pass"


SETTLED = (*WALLS, "B3", "E3")
"""Each side lives, and the board is divided: to play on can only lose points."""


@pytest.mark.parametrize("komi", [60.5, -60.5])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_lost_game_is_not_lost_by_more(komi: float, seed: int) -> None:
    """One engine plays both sides to the end. Without points in the tree the loser fills his own territory and dies."""
    game = catalogue.load(f"go:5,komi={komi}")
    searcher = Searcher(game, search_config(game, {"Seed": seed, "Hash": 16}))
    moves, state = list(SETTLED), line_of(game, *SETTLED).state
    before = game.score(state)
    while game.returns(state) is None:
        searcher.set_position(None, moves)
        moves.append(searcher.run(nodes=300).info.moves[0].move)
        state = game.next_state(state, game.text_to_action(state, moves[-1]))
        assert len(moves) < 80
    assert game.score(state) == before, moves[len(SETTLED) :]


@pytest.mark.parametrize("last", [("B4", "pass"), ("B4", "E4", "B3", "pass")])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_passes_although_the_pass_is_proven_to_lose(last: tuple[str, ...], seed: int) -> None:
    """All other moves lose, too, but without a proof."""
    best = searched("go:5,komi=60.5", *WALLS, "B2", "E2", *last, nodes=500, Solver=True, Seed=seed).moves[0]
    assert (best.move, best.proven, best.value) == ("pass", True, -1.0)


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_values_are_means_of_results_whatever_points_are_worth(weight: float) -> None:
    info = searched("go:5,komi=3.5", *WALLS[:6], nodes=3000, PointsWeight=weight, PointsFrom=0.0)
    assert 0.05 < abs(info.value) < 0.999
    often = [move for move in info.moves if move.visits > 50]
    assert often
    for move in often:
        assert move.value == pytest.approx(move.win - move.loss, abs=0.1)
        assert -1 <= move.value <= 1


def test_points_count_for_nothing_while_the_game_is_open() -> None:
    plain, weighed = (searched("go:5,komi=3.5", nodes=2000, PointsWeight=w, PointsFrom=0.999) for w in (0.0, 1.0))
    assert abs(plain.value) < 0.9
    facts = [[(move.move, move.visits, move.value) for move in info.moves] for info in (plain, weighed)]
    assert facts[0] == facts[1]


@pytest.mark.parametrize(("komi", "reason"), [(-30.5, "proven"), (30.5, "nodes")])
def test_a_proven_win_ends_the_search_and_a_proven_loss_goes_on_for_its_points(komi: float, reason: str) -> None:
    game = catalogue.load(f"go:2,komi={komi}")
    searcher = Searcher(game, search_config(game, {"Seed": 3, "Hash": 16}))
    searcher.set_position(None, ["A1", "pass"])
    result = searcher.run(nodes=20_000)
    best = result.info.moves[0]
    assert (result.reason, best.value, best.proven) == (reason, -math.copysign(1, komi), True)


def test_a_game_in_python_is_played_for_points_too() -> None:
    game = StoneGo(4, komi=60.5)
    shares = {}
    for weight in (0.0, 0.5):
        searcher = Searcher(game, search_config(game, {"Seed": 3, "PointsWeight": weight, "Hash": 16}))
        searcher.set_position(None, ["B2", "C3"])
        info = searcher.run(nodes=250).info
        best = max(info.moves, key=lambda move: move.visits)
        assert info.value == -1 and best.lead is not None and info.lead is not None
        shares[weight] = best.visits / info.visits
    assert best.lead[0] > info.lead[0] and shares[0.5] > 0.3 > 0.2 > shares[0.0]


def test_a_search_with_static_leaves_has_leads_too() -> None:
    """A part of the leaves is played out for the points alone."""
    info = searched("go:9,komi=7.5", nodes=200, LeafEvaluation="static", TreePolicy="puct")
    assert info.lead is not None and all(move.lead is not None for move in info.moves if move.visits >= 40)
    assert abs(info.lead[0]) < 20
