"""Leads in points: means of the simulations, the tie-break between moves of equal value, and passing."""

from __future__ import annotations

from typing import Any

import pytest

from playout.engine.options.config import search_config
from playout.engine.search.searcher import Searcher
from playout.engine.terms.info import SearchInfo
from playout.games import catalogue

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
