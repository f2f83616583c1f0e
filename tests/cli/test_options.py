"""``playout options``: those that people set, all, and some by name."""

from __future__ import annotations

import pytest

from playout.cli.main import main
from playout.engine.options.document import document
from playout.engine.options.table import COMMON, OPTIONS


def names(out: str) -> list[str]:
    """The options of a table, whose other lines go on with a meaning."""
    known = sorted((option.name for option in OPTIONS), key=len, reverse=True)
    lines = [line for line in out.splitlines() if line[:1].strip()]
    return [name for line in lines for name in [next((one for one in known if line.startswith(f"{one} ")), "")] if name]


def test_the_options_that_people_set_come_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options"]) == 0
    out = capsys.readouterr().out
    assert names(out) == list(COMMON)
    assert f"{len(OPTIONS) - len(COMMON)} more: playout options --all" in out


def test_all_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "--all"]) == 0
    assert names(capsys.readouterr().out) == [option.name for option in OPTIONS]


def test_options_by_parts_of_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "RAVE", "hash"]) == 0
    rave = ["Rave", "RaveEquivalence", "RaveDelay", "GraveVisits", "RaveNearness", "RaveCriticality"]
    assert names(capsys.readouterr().out) == [*rave, "Hash", "Clear Hash"]
    assert main(["options", "Threds"]) == 2
    assert capsys.readouterr().err == "playout: no option 'Threds': did you mean 'Threads'?\n"


def test_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "--markdown"]) == 0
    assert capsys.readouterr().out == document()
