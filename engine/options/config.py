"""The search configuration: a preset for each game, overridden by options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import resources
from typing import Any

from playout.engine.options.table import OPTIONS, Options, Value
from playout.games.errors import BadOption, GameError
from playout.games.game import Game, HasActionValues, HasChance, HasValue


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """All that shapes a search but its limits. Values of positions are in [-1, 1]; docs/search.md has the formulae."""

    tree_policy: str = "ucb1"
    """One of ``TREE_POLICIES``."""
    exploration: float = 1.0
    """C of the tree policy, in units of results."""
    exploration_form: str = "ln"
    """UCB1 as ``ln``, C sqrt(ln N / n), or as ``2ln``, C sqrt(2 ln N / n)."""
    epsilon: float = 0.1
    """Chance of a random move in ``epsilon-greedy``."""
    posterior: str = "beta"
    """What ``thompson`` believes of a move's value: ``beta`` or ``gaussian``."""
    fpu: float = 0.2
    """First-play urgency: an unvisited move counts as the node's value less this, with priors or AMAF."""
    puct_growth: float = 0.0
    puct_base: float = 20000.0
    """Dynamic exploration of ``puct``: C grows by ``puct_growth`` ln((N + base + 1) / base)."""
    prior_temperature: float = 1.0
    """Priors are the softmax of H(s, a) at this temperature."""
    rave: bool = False
    """Blends all-moves-as-first statistics into the values of moves, under any policy."""
    rave_equivalence: float = 1000.0
    """k of the AMAF weight r / (n + r + n r / k)."""
    grave: int = 0
    """Nodes with fewer visits take the AMAF values of the nearest ancestor that has as many; 0 is off."""
    progressive_bias: float = 0.0
    """m of the bonus m / (n + m) H(s) of the child; 0 is off."""
    value_initialisation: float = 0.0
    """m: H(s) counts as m observations of a node's value; 0 is off."""
    static_leaf: bool = False
    """A new leaf is worth H(s) instead of a playout."""
    playouts: str = "uniform"
    """``uniform``, ``knowledge`` (the game's own) or ``boltzmann`` (softmax of H(s, a))."""
    playout_temperature: float = 1.0
    playout_cutoff: int = 0
    """Playouts end after so many plies with an estimate; 0 plays to the end."""
    cutoff_depth: int = 0
    """Plies of alpha-beta search that make the estimate; 0 is H(s) itself."""
    last_good_reply: bool = False
    """Playouts repeat replies that won (LGRF-1)."""
    expansion_order: str = "random"
    """In which order a node tries its actions: ``random`` or ``preference``, the greatest H(s, a) first."""
    expansion_epsilon: float = 0.0
    """With ``preference``: chance of descending to an existing child although there are untried actions."""
    expand_visits: int = 1
    """Samples of its own that a node takes before it gets children."""
    widening: float = 0.0
    widening_exponent: float = 0.5
    """Progressive widening: a node with N visits has at most widening N ** exponent children; 0 is no bound."""
    root_choice: str = "visits"
    """``visits`` (robust child), ``value`` (max child), ``max_robust`` or ``secure`` (lower confidence bound)."""
    root_noise: float = 0.0
    root_noise_alpha: float = 0.3
    """Share and concentration of Dirichlet noise in the priors of root moves, for self-play."""
    temperature: float = 0.0
    """The root move is drawn in proportion to visits ** (1 / temperature); 0 plays the best."""
    flat_playouts: int = 0
    """K: playouts of each root move in ``flat`` and ``mc-eval``; 0 is as many as the limits allow."""
    search_depth: int = 4
    """Plies that ``minimax`` looks ahead."""
    threads: int = 1
    hash_mib: int = 256
    """Hard bound of the graph's memory."""
    seed: int = 0
    transpositions: bool = True
    symmetries: bool = True
    solver: bool = True
    count_shared: bool = False
    """At a child that other parents visited more: count the visit and take its value, instead of sampling again."""
    virtual_loss: int = 1
    parallelism: str = "tree"
    """What several threads search: one graph (``tree``), or each its own (``root``)."""


@dataclass(frozen=True, slots=True)
class Preset:
    """What suits a game."""

    search: SearchConfig = SearchConfig()
    expected_plies: int | None = None
    """Length of a usual game, for the clock."""
    expected_fill: float | None = None
    """The same for a game played on boards of several sizes: plies for each legal action of the first position."""
    confusion: float = 0.0
    """By how many times itself the temperature of priors is raised at level 0, where they alone play too well."""
    macros: bool = False
    """Whether the game's macros are used unless the user says otherwise."""


@cache
def preset(kernel: str | None) -> Preset:
    """The preset of a kernel's game; of any other game for None.

    Raises:
        GameError: if the preset file has a key that the configuration lacks.
    """
    import yaml

    file = resources.files("playout.engine.options").joinpath("presets", f"{kernel or 'default'}.yaml")
    values: dict[str, Any] = yaml.safe_load(file.read_text("utf-8")) or {}
    others = {
        name: values.pop(name) for name in ("expected_plies", "expected_fill", "confusion", "macros") if name in values
    }
    unknown = set(values) - {field.name for field in fields(SearchConfig)}
    if unknown:
        raise GameError(f"preset {file.name}: no such key: {', '.join(sorted(unknown))}")
    return Preset(SearchConfig(**values), **others)


def expected_plies(game: Game[Any, Any]) -> int | None:
    """The length of a usual game in plies; None if it is not known."""
    suited = preset(kernel_of(game))
    if suited.expected_fill is not None:
        return round(suited.expected_fill * len(game.legal_actions(game.initial_state())))
    return suited.expected_plies


def kernel_of(game: Game[Any, Any]) -> str | None:
    """The name of the game's Rust twin; None if it has none."""
    kernel = getattr(type(game), "kernel", None)
    return kernel if isinstance(kernel, str) else None


_WORDS = {"static_leaf": ("playout", "static"), "count_shared": ("descend", "count")}
"""Fields that are flags, and the options' words for False and True."""


def option_defaults(game: Game[Any, Any]) -> dict[str, Value]:
    """The values of the game's preset, by field, as options write them."""
    base = preset(kernel_of(game)).search
    if kernel_of(game) is None:
        base = replace(base, static_leaf=isinstance(game, HasValue))
    values = {field.name: getattr(base, field.name) for field in fields(base)}
    values["macros"] = preset(kernel_of(game)).macros
    return values | {name: words[values[name]] for name, words in _WORDS.items()}


def search_config(game: Game[Any, Any], options: Mapping[str, Value]) -> SearchConfig:
    """The configuration that the values of ``options`` give; what they leave out is the preset's."""
    known = {field.name for field in fields(SearchConfig)}
    values: dict[str, Any] = {o.field: options[o.name] for o in OPTIONS if o.field in known and o.name in options}
    for name, words in _WORDS.items():
        values[name] = values[name] == words[1]
    return replace(preset(kernel_of(game)).search, **values)


def options_for(game: Game[Any, Any], given: Mapping[str, Value]) -> Options:
    """The options of ``game`` with the values in ``given``, but for those that it does not have or that make no sense
    in it."""
    options = Options(kernel_of(game), option_defaults(game), game)
    for name, value in given.items():
        before = options.get(name)
        try:
            options.set(name, str(value))
            check_config(game, search_config(game, options))
        except BadOption:
            options.restore(name, before)
    return options


def check_config(game: Game[Any, Any], config: SearchConfig) -> None:
    """Refuses what makes no sense in this game.

    Raises:
        BadOption: one line that names the option, what it lacks and what is allowed.
    """
    native = kernel_of(game) is not None
    rave = config.rave or config.tree_policy == "rave"
    if rave and isinstance(game, HasChance):
        name = "Rave true" if config.rave else "TreePolicy rave"
        raise BadOption(f"option {name}: all moves as first is undefined where dice decide which moves there are")
    if config.grave and not rave:
        raise BadOption("option GraveVisits: needs Rave true or TreePolicy rave; allowed without: 0")
    if config.root_noise and config.tree_policy != "puct":
        raise BadOption("option RootNoise: needs the priors of TreePolicy puct; allowed without: 0")
    if not native and not isinstance(game, HasValue):
        for name, value in (
            ("ProgressiveBias", config.progressive_bias),
            ("ValueInitialisation", config.value_initialisation),
            ("PlayoutCutoff", config.playout_cutoff),
        ):
            if value:
                raise BadOption(f"option {name}: {game.name} has no method value, which is H(s); allowed: 0")
        if config.static_leaf:
            raise BadOption(f"option LeafEvaluation: {game.name} has no method value, which is H(s); allowed: playout")
    if not native and not isinstance(game, HasActionValues):
        for name, word, default in (
            ("PlayoutPolicy", config.playouts, "boltzmann"),
            ("ExpansionOrder", config.expansion_order, "preference"),
        ):
            if word == default:
                raise BadOption(f"option {name}: {game.name} has no method action_values, which {word} needs")
