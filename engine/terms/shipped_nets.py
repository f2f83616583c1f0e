"""Nets that ship with the package."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from playout.engine import _core
from playout.engine.terms.kernel import kernel_of, kernel_params
from playout.games.game import Game

WEIGHTS = Path(__file__).parents[1] / "weights"
LARGE = 101
"""Slots of the policy of a board that is large enough for the policy that ships: 100 points and a pass."""
LONGEST_HEAD = 1 << 20
"""Most bytes of a file's head."""


def shipped_nets(game: Game[Any, Any]) -> Path | None:
    """Returns the file of the nets that ship for ``game``; None if there is none, or one for another board."""
    return _fitting(game, "", 0)


def shipped_policy(game: Game[Any, Any]) -> Path | None:
    """Returns the file of the nets that ship for ``game`` to say which moves are promising, and no more; None if there
    is none, or the board is small.
    """
    return _fitting(game, "-policy", LARGE)


def _fitting(game: Game[Any, Any], kind: str, slots: int) -> Path | None:
    kernel = kernel_of(game)
    return None if kernel is None else _nets(kernel, kind, slots, tuple(kernel_params(game).items()))


@cache
def _nets(kernel: str, kind: str, slots: int, params: tuple[tuple[str, str], ...]) -> Path | None:
    """The file of this kind, if it fits the game and the game's policy has ``slots`` slots or more."""
    path = WEIGHTS / f"{kernel}{kind}.safetensors"
    if not path.exists():
        return None
    shape = _core.Learning.kernel(kernel, dict(params), kernel).shape(of_policy=bool(kind))
    inputs = _inputs(path)
    fits = shape is not None and shape[2] >= slots and inputs in (shape[0], *shape[4:], None)
    return path if fits else None


def _inputs(path: Path) -> str | None:
    """The name of the inputs that a file of weights is for; None if it cannot be read, which the search reports."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            name: str = json.loads(file.read(min(length, LONGEST_HEAD)))["__metadata__"]["inputs"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return name
