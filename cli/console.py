"""The console on which commands print for people."""

from __future__ import annotations

import sys
from functools import cache

from rich.console import Console

WIDTH = 120
"""Width in columns when standard output is not a terminal."""


@cache
def console() -> Console:
    """Returns the console of standard output: coloured on a terminal, plain text otherwise."""
    return Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False, emoji=False, markup=False)
