"""Whole numbers that an engine writes."""

from __future__ import annotations

import re

DIGITS = 18
"""Most digits of a number that is taken for one: what is longer would fit into no record of a game."""
_WHOLE = re.compile(f"[-+]?[0-9]{{1,{DIGITS}}}")


def whole(word: str) -> int | None:
    """Returns the number that ``word`` is; None if it is none, or too long."""
    return int(word) if _WHOLE.fullmatch(word) else None
