"""The name of a game's Rust kernel."""

from __future__ import annotations

from typing import Any

from playout.games.game import Game


def kernel_of(game: Game[Any, Any]) -> str | None:
    """The name of the game's Rust twin; None if it has none."""
    kernel = getattr(type(game), "kernel", None)
    return kernel if isinstance(kernel, str) else None
