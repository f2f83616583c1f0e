"""Where commands print for people."""

from __future__ import annotations

import sys
from functools import cache

from rich.console import Console

WIDTH = 120
"""Columns when standard output is no terminal."""


@cache
def console() -> Console:
    """Standard output: coloured on a terminal, plain text otherwise."""
    return Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False, emoji=False, markup=False)
