"""Options that the commands of learning share. Those of a run are None where they are not given."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.engine.learning.training.settings import Settings

TUPLES = {"hidden": int, "tower": int, "gate_elo": float}

Game = Annotated[str, typer.Argument(metavar="GAME", help="connect_four, tic_tac_toe, my.py:Mnk:5,5,4, ...")]
Hidden = Annotated[str | None, typer.Option(metavar="N,N", help="Widths of the layers. [default: 128,64]")]
Tower = Annotated[
    str | None,
    typer.Option(metavar="BLOCKS,CHANNELS", help="Convolutions under the layers, where inputs are planes of a board."),
]
Simulations = Annotated[int | None, typer.Option(min=2, help="Of a search that is learned from. [default: 200]")]
Games = Annotated[int | None, typer.Option(min=1, help="Games of self-play of a generation. [default: 1000]")]
Window = Annotated[
    int | None, typer.Option(min=1, help="Positions learned from, at least; at least half of all. [default: 100000]")
]
Reuse = Annotated[float | None, typer.Option(min=0.01, help="Times that a new position is learned from. [default: 6]")]
Batch = Annotated[int | None, typer.Option(min=1, help="Positions of a step. [default: 256]")]
Rate = Annotated[float | None, typer.Option(min=0.0, help="Learning rate. [default: 0.001]")]
LastRate = Annotated[
    float | None, typer.Option(min=0.0, help="Rate of the last step; it falls along half a cosine. [default: the same]")
]
ResultShare = Annotated[
    float | None,
    typer.Option(min=0.0, max=1.0, help="Of the game's result in a value to learn; else the search's. [default: 0.5]"),
]
EveryValue = Annotated[
    bool | None, typer.Option("--every-value", help="Learns values from cheap searches too, which give no policy.")
]
Only = Annotated[str | None, typer.Option(metavar="WHAT", help="The nets learn values or a policy. [default: both]")]
Openings = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Games begin in its positions: PGN, SGF, or a line each, such as FEN or EPD."),
]
GatePairs = Annotated[int | None, typer.Option(min=1, help="Most pairs of games of a match. [default: 100]")]
GateElo = Annotated[
    str | None,
    typer.Option(metavar="LOW,HIGH", help="The match's hypotheses (SPRT, 5 %). [default: 0,80]"),
]
RatingPairs = Annotated[int | None, typer.Option(min=1, help="Pairs of games that rate a new best net. [default: 50]")]
OpeningPlies = Annotated[int | None, typer.Option(min=0, help="Random plies that begin a pair. [default: 4]")]
Seed = Annotated[int | None, typer.Option(min=0, help="The same seed gives the same nets. [default: 1]")]
Threads = Annotated[
    int | None, typer.Option(min=1, max=256, help="Games at once; a game in Python plays one. [default: 1]")
]


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings among a command's arguments that were given.

    Raises:
        PlayoutError: for a list that is none.
    """
    from playout.engine.learning.training.settings import Settings

    known = Settings.__dataclass_fields__
    return {name: _value(name, value) for name, value in values.items() if name in known and value is not None}


def _value(name: str, value: Any) -> Any:
    if name not in TUPLES:
        return value
    try:
        numbers = tuple(TUPLES[name](word) for word in str(value).split(","))
    except ValueError:
        raise PlayoutError(f"--{name.replace('_', '-')} {value!r}: expected numbers with commas between them") from None
    if name == "gate_elo" and len(numbers) != 2:
        raise PlayoutError(f"--gate-elo {value!r}: expected LOW,HIGH")
    return numbers


def command_line() -> str:
    """Returns the command under way, as files of weights say where they come from."""
    return shlex.join(["playout", *sys.argv[1:]])


def changed(settings: Settings, given: Mapping[str, Any]) -> Settings:
    """Returns the settings with those that were given."""
    return replace(settings, **given)
