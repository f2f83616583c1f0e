"""The search configuration: a preset for each game, overridden by options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

from playout.engine.options.needs import check_options
from playout.engine.options.search_config import SearchConfig
from playout.engine.options.table import OPTIONS, Options, Value
from playout.engine.terms.kernel import kernel_of
from playout.engine.terms.shipped_nets import shipped_policy
from playout.games.errors import BadOption, GameError
from playout.games.game import Game, HasValue

__all__ = [
    "Preset",
    "SearchConfig",
    "expected_plies",
    "kernel_of",
    "option_defaults",
    "options_for",
    "preset",
    "search_config",
]


@dataclass(frozen=True, slots=True)
class Preset:
    """Defaults of a game."""

    search: SearchConfig
    expected_plies: int | None = None
    """Usual length of a game in plies, for the clock."""
    expected_fill: float | None = None
    """The same for a game played on boards of several sizes: plies for each legal action of the first position."""
    confusion: float = 0.0
    """Relative increase of the temperature of priors at level 0, for games whose priors alone play too well; 0 is none.
    """
    distraction: float = 0.0
    """Share of noise in the priors of the root's moves at level 0, where they make it too strong. It falls with the
    square of the distance to the first level that always plays the best move."""
    macros: bool = False
    """Whether the game's macros are used unless the user says otherwise."""
    with_nets: Mapping[str, Value] = field(default_factory=dict)
    """Values of ``search``, by field, that nets imply in this game, beside those that they imply in each."""
    with_policy: Mapping[str, Value] = field(default_factory=dict)
    """Values of ``search``, by field, on boards for which a policy ships and no nets that judge positions."""

    def search_on(self, game: Game[Any, Any]) -> SearchConfig:
        """Returns the configuration for the board of ``game``, without nets that judge positions."""
        if not self.with_policy or shipped_policy(game) is None:
            return self.search
        values: dict[str, Any] = dict(self.with_policy)
        return replace(self.search, **values)


_OTHERS = tuple(field.name for field in fields(Preset) if field.name != "search")


@cache
def preset(kernel: str | None) -> Preset:
    """The preset of a kernel's game. None stands for games without a kernel.

    Raises:
        GameError: if the preset file has a key that the configuration lacks.
    """
    import yaml

    file = resources.files("playout.engine.options").joinpath("presets", f"{kernel or 'default'}.yaml")
    values: dict[str, Any] = yaml.safe_load(file.read_text("utf-8")) or {}
    others = {name: values.pop(name) for name in _OTHERS if name in values}
    named = values.keys() | others.get("with_nets", {}).keys() | others.get("with_policy", {}).keys()
    unknown = named - {known.name for known in fields(SearchConfig)}
    if unknown:
        raise GameError(f"preset {file.name}: no such key: {', '.join(sorted(unknown))}")
    return Preset(SearchConfig(**values), **others)


def expected_plies(game: Game[Any, Any]) -> int | None:
    """The length of a usual game in plies; None if it is not known."""
    suited = preset(kernel_of(game))
    if suited.expected_fill is not None:
        return round(suited.expected_fill * len(game.legal_actions(game.initial_state())))
    return suited.expected_plies


def option_defaults(game: Game[Any, Any]) -> dict[str, Value]:
    """The values of the game's preset, by field."""
    suited = preset(kernel_of(game))
    search = suited.search_on(game)
    values = {field.name: getattr(search, field.name) for field in fields(search)}
    if kernel_of(game) is None and isinstance(game, HasValue):
        values["leaf_evaluation"] = "static"
    return values | {"macros": suited.macros}


def search_config(game: Game[Any, Any], options: Mapping[str, Value]) -> SearchConfig:
    """The configuration that the values of ``options`` give; what they leave out is the preset's."""
    known = {known.name for known in fields(SearchConfig)}
    values: dict[str, Any] = {o.field: options[o.name] for o in OPTIONS if o.field in known and o.name in options}
    return replace(preset(kernel_of(game)).search_on(game), **values)


def options_for(
    game: Game[Any, Any], given: Mapping[str, Value], preferred: Mapping[str, Value] = MappingProxyType({})
) -> Options:
    """The options of ``game`` with the values in ``given``, but for those that it does not have or that make no sense
    in it. ``preferred`` are defaults of every game."""
    options = Options(kernel_of(game), option_defaults(game), game, preset(kernel_of(game)).with_nets)
    for name, value in preferred.items():
        options.prefer(name, value)
    for name, value in given.items():
        before = options.snapshot()
        try:
            options.set(name, str(value))
            check_options(game, options, [name])
        except BadOption:
            options.restore(before)
    return options
