"""The table of experiments."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from playout.engine.experiments.base.experiment import ExperimentResult
from playout.games.errors import PlayoutError
from playout.games.nearest import suggestion

MODULES: Mapping[str, str] = {
    "ucb1": "ucb1",
    "sampled": "sampled",
    "convergence": "convergence",
    "commitment": "commitment",
    "merging": "merging",
    "heuristics": "heuristics",
    "order": "order",
    "continual": "continual",
    "random-search": "random_search",
    "cuts": "cuts",
    "branching": "branching",
    "hex-size": "hex_size",
    "random-walk": "random_walk",
    "learned-cuts": "learned_cuts",
}
"""Maps a name to a module of this package."""


class ExperimentError(PlayoutError):
    """Raised for an unknown experiment, or a parameter that an experiment does not have."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that can be run."""

    name: str
    summary: str
    parameters: frozenset[str]
    quick: Mapping[str, Any]
    """Parameters for a run of a few seconds."""
    _run: Callable[..., ExperimentResult]

    def run(self, *, quick: bool = False, **given: Any) -> ExperimentResult:
        """Runs the experiment. ``given`` parameters override the quick values, and those override the defaults.

        Raises:
            ExperimentError: if it has no such parameter.
        """
        for name in given:
            if name not in self.parameters:
                listed = ", ".join(sorted(self.parameters))
                raise ExperimentError(f"experiment {self.name} has no parameter {name!r}; its parameters: {listed}")
        return self._run(**{**(self.quick if quick else {}), **given})


def load(name: str) -> Experiment:
    """Returns the experiment called ``name``.

    Raises:
        ExperimentError: if there is no such experiment.
    """
    if name not in MODULES:
        raise ExperimentError(f"no experiment {name!r}{suggestion(name, MODULES)}")
    module: ModuleType = importlib.import_module(f"playout.engine.experiments.{MODULES[name]}")
    summary = (module.__doc__ or "").partition("\n")[0]
    return Experiment(name, summary, frozenset(inspect.signature(module.run).parameters), module.QUICK, module.run)
