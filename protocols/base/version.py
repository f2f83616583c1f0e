"""The name, author and version by which the engine introduces itself."""

from __future__ import annotations

import playout

NAME = "playout"
AUTHOR = "the playout developers"
VERSION = playout.__version__
