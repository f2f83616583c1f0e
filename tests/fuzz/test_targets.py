"""The fuzzer's targets take the inputs that they begin with: the fuzzer itself runs outside of the test suite, by
``python -m tests.fuzz``."""

from __future__ import annotations

from itertools import islice

import pytest

from .grammar import GNUBG, UBGI, UCI, UGI, XBOARD, check_gtp, check_lines
from .targets import TARGETS

FEW = 1
"""Inputs of a target."""


@pytest.mark.parametrize("name", TARGETS)
def test_the_first_inputs_are_dealt_with(name: str) -> None:
    target = TARGETS[name]
    given = list(islice(target.seeds(), FEW))
    assert given
    for data in given:
        target.run(data)
    target.run(b"\xff\n! info\n(\x00")


@pytest.mark.parametrize("known", [UCI, UGI, UBGI, GNUBG, XBOARD])
def test_what_no_protocol_has_is_noticed(known: object) -> None:
    for line in ("Traceback (most recent call last):", "info depth 1 score cp 0.5 nodes 1", "bestmove", "None"):
        with pytest.raises(AssertionError):
            check_lines(known, [line])  # type: ignore[arg-type]


def test_half_responses_and_stray_lines_are_noticed() -> None:
    assert check_gtp(["= playout", "", "?3 no", "", "= a", "b", ""]) == 3
    for lines in (["playout", ""], ["= a", "", ""], ["= a", " ", ""]):
        with pytest.raises(AssertionError):
            check_gtp(lines)
