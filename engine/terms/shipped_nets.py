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


def shipped_nets(game: Game[Any, Any]) -> Path | None:
    """Returns the file of the nets that ship for ``game``; None if there is none, or one for another board."""
    kernel = kernel_of(game)
    return None if kernel is None else _nets(kernel, tuple(kernel_params(game).items()))


@cache
def _nets(kernel: str, params: tuple[tuple[str, str], ...]) -> Path | None:
    path = WEIGHTS / f"{kernel}.safetensors"
    if not path.exists():
        return None
    shape = _core.Learning.kernel(kernel, dict(params), kernel).shape()
    return path if shape is not None and shape[0] == _inputs(path) else None


def _inputs(path: Path) -> str | None:
    """The name of the inputs that a file of weights is for."""
    with path.open("rb") as file:
        head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    name: str | None = head.get("__metadata__", {}).get("inputs")
    return name
