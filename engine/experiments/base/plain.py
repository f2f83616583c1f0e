"""The plain search: the configuration of every experiment that does not name another.

UCB1 over uniformly random playouts: no priors, no knowledge, no expansion threshold, no widening, one thread. The
presets of the games change as better ones are found; the claims of the theory are about this search.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from playout.engine.experiments.base.experiment import search_seed
from playout.engine.options.search_config import SearchConfig

PLAIN = SearchConfig(
    hash_mib=64,
    threads=1,
    tree_policy="ucb1",
    exploration=1.0,
    exploration_form="ln",
    rave=False,
    grave_visits=0,
    progressive_bias=0.0,
    value_initialisation=0.0,
    leaf_evaluation="playout",
    playout_policy="uniform",
    playout_cutoff=0,
    cutoff_depth=0,
    last_good_reply=False,
    expansion_order="random",
    expansion_epsilon=0.0,
    expand_visits=1,
    widening=0.0,
    root_choice="visits",
    root_noise=0.0,
    temperature=0.0,
    transpositions=True,
    symmetries=True,
    solver=False,
    shared_visits="descend",
)


def plain(*, seed: int = 0, **changes: Any) -> SearchConfig:
    """Returns the plain configuration with ``changes``. Any ``seed`` is taken."""
    return replace(PLAIN, seed=search_seed(seed), **changes)
