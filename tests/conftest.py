"""Configuration of all tests: hypothesis's profiles, random numbers, workers, and the lines printed before the run."""

from __future__ import annotations

import os
import secrets
from importlib.util import find_spec
from random import Random

import pytest
from hypothesis import HealthCheck, settings

from .needs import LARGE, RUNNERS, program

# No test fails on a time, and none on examples that only one run has drawn.
settings.register_profile("tests", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tests")

# Ray reads them when it is imported, in whichever test that is; with no token it would put one into the user's folder.
os.environ["RAY_AUTH_MODE"] = "token"
os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)


def pytest_xdist_auto_num_workers() -> int:
    """Two workers a core: many tests wait for processes and timers."""
    return 2 * (os.cpu_count() or 1)


collect_ignore = [tests for name, (_, tests) in LARGE.items() if find_spec(name) is None]


def pytest_report_header() -> list[str]:
    """Names the match runners and modules whose tests are not collected."""
    absent = [f"{name} (build it: {source})" for name, source in RUNNERS.items() if program(name) is None]
    absent += [f"{name} ({command})" for name, (command, _) in LARGE.items() if find_spec(name) is None]
    return [f"without the tests of {', '.join(absent)}"] if absent else []


@pytest.fixture(autouse=True)
def repeatable(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions with Seed 0 take other random numbers in each test and for each game, but the same in each run."""
    monkeypatch.setattr("playout.engine.session.randbits", Random(request.node.nodeid).getrandbits)
