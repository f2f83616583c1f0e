"""Settings of the stages of learning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from playout.engine.learning.data.openings import read_openings
from playout.engine.options.config import option_defaults, preset
from playout.engine.options.search_config import SearchConfig
from playout.engine.terms.kernel import kernel_of
from playout.games.errors import PlayoutError
from playout.games.game import Game
from playout.games.nearest import suggestion

HASH_MIB = 32
"""Memory of a search: a few thousand simulations need no more, and a small graph is soon made anew."""

CHANNELS = 16
"""Channels of a tower are a multiple of this number."""

FIRST = ("plain", "nets")
ONLY = ("values", "policy")


def plain_search(game: Game[Any, Any]) -> SearchConfig:
    """Returns the configuration of ``game`` without nets: that of its preset."""
    defaults = option_defaults(game)
    names = {field.name for field in fields(SearchConfig)} & set(defaults)
    known: dict[str, Any] = {name: defaults[name] for name in names} | {"hash_mib": HASH_MIB, "threads": 1}
    return replace(preset(kernel_of(game)).search, **known)


def learned_search() -> SearchConfig:
    """Returns the configuration with nets: PUCT, with their values at the leaves."""
    return SearchConfig(tree_policy="puct", leaf_evaluation="static", exploration=1.25, hash_mib=HASH_MIB)


@dataclass(frozen=True, slots=True)
class Manner:
    """Settings of self-play. The native module reads them; ``engine/learning/by_search.rs`` says what they mean."""

    config: SearchConfig
    simulations: int
    cheap_simulations: int
    full_share: float
    noise: float
    concentration: float
    temperature: float
    half_life: float
    random_plies: int
    openings: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Aims:
    """The parts of a search that nets learn from. The native module reads it; see ``engine/learning/rows.rs``."""

    result_share: float
    every_value: bool
    values: bool
    choices: bool


@dataclass(frozen=True, slots=True)
class Balance:
    """Settings of strengths that balance playouts. The native module reads them; see ``engine/learning/balance.rs``."""

    gradient: bool
    """Whether the steps are those of the policy gradient, in place of simulation balancing."""
    positions: int
    sweeps: int
    playouts: int
    rate: float
    seed: int
    threads: int


def check_tower(tower: tuple[int, ...]) -> None:
    """
    Raises:
        PlayoutError: if these are no blocks and channels of a tower.
    """
    if not (len(tower) == 2 and tower[0] >= 0 < tower[1] <= 1024):
        raise PlayoutError(f"tower {tower}: blocks from 0 up and channels from 16 to 1024, such as 4,32")
    if tower[1] % CHANNELS:
        raise PlayoutError(f"tower {tower}: channels are a multiple of {CHANNELS}")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a run. All but ``threads`` shape its results."""

    hidden: tuple[int, ...] = (128, 64)
    """Widths of the layers, the first one first."""
    tower: tuple[int, int] | None = None
    """Blocks and channels of a tower of convolutions under the layers, where the inputs are planes of a board."""
    simulations: int = 200
    """Simulations of a search that is learned from, and of each move in matches."""
    cheap_share: float = 0.2
    """Simulations of the other searches of self-play, as a part of these."""
    full_share: float = 0.3
    """Part of the searches of self-play that are learned from."""
    noise: float = 0.25
    """Share of Dirichlet noise in the priors at the root."""
    concentration: float = 10.0
    """Sum of the noise's concentrations over the moves."""
    temperature: float = 1.0
    """Moves of self-play are drawn in proportion to visits ^ (1 / temperature)."""
    half_life: float = 8.0
    """Plies after which the temperature is half as high."""
    random_plies: int = 2
    """Most random plies at the start of a game of self-play."""
    openings: str | None = None
    """The file of positions in which games of self-play begin; None is the game's own start."""
    games: int = 1000
    """Games of self-play of a generation."""
    result_share: float = 0.5
    """Share of the game's result in the target of a position's value; the rest is what the search found."""
    every_value: bool = False
    """Whether values are learned from cheap searches too."""
    only: str | None = None
    """The part that nets learn: ``values`` or ``policy``; None is both."""
    reuse: float = 6.0
    """Times that a row is learned from, on average, in the generation that it comes from."""
    window: int = 100_000
    """Rows learned from, images counted: at least this many, if there are, and at least half of all."""
    batch: int = 256
    """Rows of a step."""
    rate: float = 1e-3
    """Learning rate."""
    last_rate: float | None = None
    """Rate of the last step, to which it falls along half a cosine; None is the same rate throughout."""
    decay: float = 1e-4
    """Weight decay."""
    gate_pairs: int = 100
    """Most pairs of games by which a net is compared with the best one."""
    gate_elo: tuple[float, float] = (0.0, 80.0)
    """The hypotheses of the comparison (SPRT): a difference in Elo of at most the first, or at least the second."""
    opening_plies: int = 4
    """Random plies at the start of each pair of a match."""
    rating_pairs: int = 50
    """Pairs of the match that rates a new best net."""
    first: str = "plain"
    """The player of the first generation: the game's ``plain`` search, or ``nets`` drawn at random. A game in
    Python is played much faster by nets than by its playouts."""
    seed: int = 1
    threads: int = 1

    def __post_init__(self) -> None:
        """
        Raises:
            PlayoutError: for a value out of its bounds.
        """
        if not self.hidden or not all(1 <= width <= 1 << 16 for width in self.hidden):
            raise PlayoutError(
                f"hidden layers {self.hidden}: each has a width from 1 to 65536, and there is at least one"
            )
        if self.tower is not None:
            check_tower(self.tower)
        whole = ("simulations", "games", "window", "batch", "gate_pairs", "rating_pairs", "threads")
        for name in whole:
            if getattr(self, name) < 1:
                raise PlayoutError(f"{name} {getattr(self, name)}: at least 1")
        if self.first not in FIRST:
            raise PlayoutError(f"first {self.first!r}{suggestion(self.first, FIRST)}")
        if self.only not in (None, *ONLY):
            raise PlayoutError(f"only {self.only!r}{suggestion(self.only, ONLY)}")
        if self.gate_elo[0] >= self.gate_elo[1]:
            raise PlayoutError(f"gate_elo {self.gate_elo}: the first is the lower one")

    def aims(self) -> Aims:
        """Returns what nets learn of searches."""
        return Aims(self.result_share, self.every_value, self.only != "policy", self.only != "values")

    def manner(self, game: Game[Any, Any], config: SearchConfig) -> Manner:
        """Returns how self-play plays with this configuration of the search.

        Raises:
            PlayoutError: one line that names the file of openings that cannot be used.
        """
        return Manner(
            config,
            simulations=self.simulations,
            cheap_simulations=max(2, round(self.cheap_share * self.simulations)),
            full_share=self.full_share,
            noise=self.noise,
            concentration=self.concentration,
            temperature=self.temperature,
            half_life=self.half_life,
            random_plies=self.random_plies,
            openings=() if self.openings is None else read_openings(Path(self.openings), game),
        )
