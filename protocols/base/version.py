"""How the engine introduces itself."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

NAME = "playout"
AUTHOR = "the playout developers"

try:
    VERSION = version("playout")
except PackageNotFoundError:
    VERSION = "0"
