"""The experiments search by the plain configuration, whatever the presets say."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from playout.engine.experiments import convergence, heuristics, merging, table
from playout.engine.experiments.base import plain
from playout.engine.options import config
from playout.engine.options.search_config import SearchConfig

ROOM = Path(table.__file__).parent


def test_no_experiment_asks_for_a_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_preset(kernel: str | None) -> config.Preset:
        raise AssertionError(f"preset of {kernel}")

    monkeypatch.setattr(config, "preset", no_preset)
    for module in table.MODULES.values():
        # A name imported from the configuration's module would hide from the replacement above.
        assert "preset(" not in (ROOM / f"{module}.py").read_text(encoding="utf-8"), module
    assert convergence.run(game=["connect_four:4,rows=4"], policy=["ucb1"], simulations=10, runs=1).points
    assert merging.proof(transpositions=True, symmetries=True, seed=0) > 100
    assert heuristics.sides("hex:9", "rave")


def test_plain_is_plain() -> None:
    """Uniform playouts, no priors, no expansion threshold, no proofs unless they are asked for."""
    one = plain.PLAIN
    assert (one.tree_policy, one.playout_policy, one.leaf_evaluation) == ("ucb1", "uniform", "playout")
    assert (one.expand_visits, one.widening, one.expansion_order, one.threads) == (1, 0.0, "random", 1)
    assert not (one.rave or one.solver or one.last_good_reply or one.progressive_bias or one.value_initialisation)


def test_seeds_and_changes_are_taken() -> None:
    changed = plain.plain(seed=2**31 + 5, solver=True)
    differing = [
        field.name
        for field in dataclasses.fields(SearchConfig)
        if getattr(changed, field.name) != getattr(plain.PLAIN, field.name)
    ]
    assert differing == ["seed", "solver"]
    assert changed.seed == 5
