"""Commands of the bad engine."""

from __future__ import annotations

import sys
from pathlib import Path

ENGINE = Path(__file__).parents[1] / "bad_engine.py"


def bad(protocol: str, mode: str, token: str) -> list[str]:
    """The command of an engine that misbehaves in one way; see ``bad_engine.py``."""
    return [sys.executable, "-I", "-S", str(ENGINE), protocol, mode, token]
