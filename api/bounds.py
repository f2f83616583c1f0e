"""The bounds of a search as a user gives them, checked and made ``Limits``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypedDict

from playout.engine.terms.limits import Clock, Limits, Reports
from playout.games.errors import PlayoutError
from playout.games.game import Game, action_to_text, text_to_action
from playout.position import checked_moves

UNBOUNDED = 2**62
"""Simulations of an analysis that goes on until it is stopped or the position is solved."""


class Bounds(TypedDict, total=False):
    """The arguments of ``Engine.think``; those that are left out are as there."""

    seconds: float | None
    nodes: int | None
    depth: int | None
    mate: int | None
    clock: Clock | None
    root_moves: Sequence[str]
    lines: int | None
    ownership: bool


def limits(
    game: Game[Any, Any],
    state: Any,
    *,
    endless: bool = False,
    interval: float | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    mate: int | None = None,
    clock: Clock | None = None,
    root_moves: Sequence[str] = (),
    lines: int | None = None,
    ownership: bool = False,
) -> Limits:
    """Returns the bounds of a search at ``state``. ``endless`` searches have none by default.

    Raises:
        PlayoutError: one line about the first argument that makes no sense.
        IllegalMove: if one of ``root_moves`` is illegal.
    """
    _check_seconds("seconds", seconds)
    _check_seconds("interval", interval)
    for name, count in (("nodes", nodes), ("depth", depth), ("mate", mate), ("lines", lines)):
        if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
            raise PlayoutError(f"{name}={count!r}: not a whole number of at least 1")
    if clock is not None and not isinstance(clock, Clock):
        raise PlayoutError(f"clock={clock!r}: not a playout.Clock")
    if endless and seconds is None and nodes is None and depth is None and mate is None and clock is None:
        nodes = UNBOUNDED
    return Limits(
        movetime=seconds,
        nodes=nodes,
        depth=depth,
        mate=mate,
        clock=clock,
        search_moves=tuple(
            action_to_text(game, state, text_to_action(game, state, move))
            for move in checked_moves("root_moves", root_moves)
        ),
        reports=Reports(interval=interval, lines=lines, ownership=ownership),
    )


def _check_seconds(name: str, seconds: float | None) -> None:
    if seconds is None:
        return
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not math.isfinite(seconds) or seconds <= 0:
        raise PlayoutError(f"{name}={seconds!r}: not a number of seconds above 0")
