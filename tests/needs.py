"""Needs of some tests beside the extra ``test``, with the command that installs each.

Such a test is skipped where that is missing; ``pytest -rs`` prints the reasons.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
from typing import Any

import pytest

from .syzygy import tables

PLACES = os.pathsep.join([os.environ.get("PATH", ""), "/usr/games", "/usr/sbin", "/usr/local/sbin"])
"""Folders in which programs are searched for: some systems install games and servers outside a shell's PATH."""
PROGRAMS = {
    "chromium": "apt-get install chromium",
    "gnubg": "apt-get install gnubg",
    "gnugo": "apt-get install gnugo",
    "mosquitto": "apt-get install mosquitto",
    "mosquitto_passwd": "apt-get install mosquitto",
    "openssl": "apt-get install openssl",
    "polyglot": "apt-get install polyglot",
    "stockfish": "apt-get install stockfish",
    "xboard": "apt-get install xboard",
    "Xvfb": "apt-get install xvfb",
}
MODULES = {
    "aiomqtt": "pip install 'playout[test]'",
    "amqtt": "pip install 'playout[test]'",
    "gnubg_nn": "pip install gnubg-nn",
    "playwright": "pip install playwright",
    "pyspiel": "pip install open_spiel",
    "ray": "pip install 'playout[ray]'",
    "starlette": "pip install 'playout[test]'",
    "uvicorn": "pip install 'playout[test]'",
    "websockets": "pip install 'playout[test]'",
}
RUNNERS = {
    "cutechess-cli": "github.com/cutechess/cutechess",
    "fastchess": "github.com/Disservin/fastchess",
}
"""Match runners that no package brings, with their sources: their tests are collected only where they are installed."""
LARGE = {"torch": ("pip install 'playout[learn]'", "engine/learning/test_deep.py")}
"""Modules that the extra ``test`` leaves out because of their size, with the command that installs each and the file of
its tests, which are collected only where it is installed."""


FULL_DISK = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
"""For tests that write to a disk without room."""


def program(name: str) -> str | None:
    """The path of a program; None if it is not installed."""
    return shutil.which(name, path=PLACES)


def missing(*names: str) -> str:
    """The reason why tests that need ``names`` cannot run, with the command that helps; empty if they can."""
    for name in names:
        if name == "syzygy":
            if tables() is None:
                return "no Syzygy tables: python -m tests.syzygy"
        elif name in MODULES:
            if importlib.util.find_spec(name) is None:
                return f"{name} is not installed: {MODULES[name]}"
        elif program(name) is None:
            return f"{name} is not installed: {PROGRAMS[name]}"
    return ""


def needs(*names: str) -> pytest.MarkDecorator:
    """Skips a test, or a module as its ``pytestmark``, where one of the programs or modules is missing."""
    reason = missing(*names)
    return pytest.mark.skipif(bool(reason), reason=reason)


def require(*names: str) -> None:
    """The same as ``needs``, for fixtures and for cases of a test that differ in what they need."""
    if reason := missing(*names):
        pytest.skip(reason)


def module(name: str) -> Any:
    """A module of an opponent, without types; skips the test where it is missing."""
    require(name)
    return importlib.import_module(name)
