"""The packages that only MQTT needs, imported when they are needed."""

from __future__ import annotations

from types import ModuleType

from playout.games.errors import PlayoutError


def library(name: str) -> ModuleType:
    """Imports the package ``name``.

    Raises:
        PlayoutError: if it is not installed.
    """
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise PlayoutError(f"MQTT needs the package {error.name}: pip install 'playout[mqtt]'") from error
