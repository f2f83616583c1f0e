"""The Rust kernel of a game: its name and its parameters."""

from __future__ import annotations

import dataclasses
from typing import Any

from playout.games.game import Game


def kernel_of(game: Game[Any, Any]) -> str | None:
    """The name of the game's Rust twin; None if it has none."""
    kernel = getattr(type(game), "kernel", None)
    return kernel if isinstance(kernel, str) else None


def kernel_params(game: Game[Any, Any]) -> dict[str, str]:
    """The game's parameters as its kernel reads them."""
    if not dataclasses.is_dataclass(game):
        return {}
    values = {field.name: getattr(game, field.name) for field in dataclasses.fields(game)}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()}
