"""The search configuration: a preset for each game, overridden by options."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import resources
from typing import Any

from playout.engine.options import Options
from playout.games.errors import GameError
from playout.games.game import Game, HasValue


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """All that shapes a search but its limits."""

    exploration: float = 1.0
    """C of UCB1: Q + C sqrt(ln N / n), values in [-1, 1]."""
    threads: int = 1
    hash_mib: int = 256
    """Hard bound of the graph's memory."""
    seed: int = 0
    transpositions: bool = True
    symmetries: bool = True
    solver: bool = True
    count_shared: bool = False
    """At a child that other parents visited more: count the visit and take its value, instead of sampling again."""
    static_leaf: bool = False
    """A new leaf is worth the game's static evaluation instead of a playout."""
    virtual_loss: float = 1.0
    parallelism: str = "tree"
    """What several threads search: one graph (``tree``), or each its own (``root``)."""


@dataclass(frozen=True, slots=True)
class Preset:
    """What suits a game."""

    search: SearchConfig = SearchConfig()
    expected_plies: int | None = None
    """Length of a usual game, for the clock."""


@cache
def preset(kernel: str | None) -> Preset:
    """The preset of a kernel's game; of any other game for None.

    Raises:
        GameError: if the preset file has a key that the configuration lacks.
    """
    import yaml

    file = resources.files("playout.engine").joinpath("presets", f"{kernel or 'default'}.yaml")
    values: dict[str, Any] = yaml.safe_load(file.read_text("utf-8")) or {}
    expected_plies = values.pop("expected_plies", None)
    unknown = set(values) - {field.name for field in fields(SearchConfig)}
    if unknown:
        raise GameError(f"preset {file.name}: no such key: {', '.join(sorted(unknown))}")
    return Preset(SearchConfig(**values), expected_plies)


def kernel_of(game: Game[Any, Any]) -> str | None:
    """The name of the game's Rust twin; None if it has none."""
    kernel = getattr(type(game), "kernel", None)
    return kernel if isinstance(kernel, str) else None


def search_config(game: Game[Any, Any], options: Options) -> SearchConfig:
    """The configuration that the game's preset and the options give together."""
    kernel = kernel_of(game)
    base = preset(kernel).search
    leaf = options.text("LeafEvaluation")
    static = isinstance(game, HasValue) if kernel is None else base.static_leaf
    return replace(
        base,
        exploration=options.number("Exploration") or base.exploration,
        threads=options.integer("Threads"),
        hash_mib=options.integer("Hash"),
        seed=options.integer("Seed"),
        transpositions=options.flag("Transpositions"),
        symmetries=options.flag("Symmetries"),
        solver=options.flag("Solver"),
        count_shared=options.text("SharedVisits") == "count",
        static_leaf=static if leaf == "auto" else leaf == "static",
        virtual_loss=options.number("VirtualLoss"),
        parallelism=options.text("Parallelism"),
    )
