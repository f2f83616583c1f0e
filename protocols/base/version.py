"""The name, author and version by which the engine introduces itself."""

from __future__ import annotations

from playout import __version__

NAME = "playout"
AUTHOR = "the playout developers"
VERSION = __version__
