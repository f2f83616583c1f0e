"""The savings of merging, and the pitfall of a shared node's count."""

from __future__ import annotations

import statistics

import pytest

from playout.engine.experiments import merging
from playout.engine.experiments.base.shared_counts import BEST, SAFE, Crossroads
from playout.games.check.checker import check


@pytest.fixture(scope="module")
def result() -> merging.Merging:
    return merging.run(simulations=3000, runs=3)


def test_each_merging_makes_the_proof_shorter(result: merging.Merging) -> None:
    tree, graph, symmetric = (statistics.median(counts) for _, counts in result.proofs)
    assert tree > 1.5 * graph
    assert graph > 4 * symmetric


def test_the_shared_count_keeps_the_worse_move(result: merging.Merging) -> None:
    shares = {}
    for rule in ("node", "edge", "engine"):
        line = [one for one in result.choices if one.rule == rule]
        assert line[-1].simulations == 3000
        shares[rule] = [one.best_visits for one in line]
        wrong = rule == "node"
        assert {one.move for one in line[1:]} == {"safe" if wrong else "best"}
        assert (line[-1].best_value < SAFE / 2) if wrong else (line[-1].best_value == pytest.approx(BEST, abs=0.01))
    assert shares["node"] == sorted(shares["node"], reverse=True), "more simulations do not repair it"
    assert shares["edge"] == sorted(shares["edge"])


def test_the_engine_counts_edges(result: merging.Merging) -> None:
    """The engine's visits equal those of the small search by the correct rule within three draws, its values within two
    samples. They differ because the engine tries equal moves in another order."""
    edges, engines = ([one for one in result.choices if one.rule == rule] for rule in ("edge", "engine"))
    for edge, engine in zip(edges, engines, strict=True):
        assert engine.best_visits == pytest.approx(edge.best_visits, abs=3 / edge.simulations)
        samples = edge.best_visits * edge.simulations
        assert engine.best_value == pytest.approx(edge.best_value, abs=1e-3 + 2 / samples)


def test_the_crossroads_is_a_game() -> None:
    assert check(Crossroads(), games=5) == []
