"""The native workshop of a game, with the names by which files know the game."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playout.engine import _core
from playout.engine.terms.kernel import kernel_of, kernel_params
from playout.games.errors import GameError, PlayoutError
from playout.games.game import Game


def full_name(game: Game[Any, Any]) -> str:
    """Returns the name of ``game``, with its parameters, in files of records."""
    kernel = kernel_of(game)
    name = kernel or f"python:{getattr(game, 'name', None) or type(game).__name__}"
    params = ",".join(f"{key}={value}" for key, value in kernel_params(game).items())
    return f"{name}:{params}" if params else name


def workshop_of(game: Game[Any, Any]) -> _core.Learning:
    """Returns the workshop of ``game``."""
    kernel = kernel_of(game)
    if kernel is None:
        return _core.Learning.python(game, full_name(game))
    return _core.Learning.kernel(kernel, kernel_params(game), full_name(game))


def open_workshop(game: Game[Any, Any]) -> _core.Learning:
    """Returns the workshop of a game that nets learn.

    Raises:
        GameError: if nets cannot learn the game from records.
    """
    made = workshop_of(game)
    shape = made.shape()
    if shape is None:
        raise GameError(f"{full_name(game)}: no inputs for nets; a game in Python gives them with features(state)")
    if shape[3]:
        raise GameError(f"{full_name(game)}: its nets judge positions after a move, and do not learn from records")
    return made


@contextmanager
def one_line() -> Iterator[None]:
    """Turns the errors of the workshop's files into those for people.

    Raises:
        PlayoutError: for a ValueError.
    """
    try:
        yield
    except ValueError as error:
        raise PlayoutError(str(error)) from error


def provenance(command: str, data: str, gate: str) -> dict[str, str]:
    """Returns what a file of weights says of where it comes from."""
    date = datetime.now(UTC).isoformat(timespec="seconds")
    return {"command": command, "data": data, "gate": gate, "date": date, "commit": _commit()}


def _commit() -> str:
    """The commit of playout's sources, or its version where they are installed without them."""
    asked = ["git", "-C", str(Path(__file__).resolve().parent), "rev-parse", "--short=12", "HEAD"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return f"version {_core.__version__}"
    return done.stdout.strip() if done.returncode == 0 else f"version {_core.__version__}"
