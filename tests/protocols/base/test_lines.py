from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playout.protocols.base.lines import InputLine, LineSplitter, clean, one_line


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_lines_do_not_depend_on_how_the_bytes_arrive(data: bytes, cuts: list[int]) -> None:
    whole, pieces = LineSplitter(50), LineSplitter(50)
    expected = whole.feed(data, 0.0) + whole.end(0.0)
    bounds = [0, *sorted(cuts), len(data)]
    arrived = [line for a, b in pairwise(bounds) for line in pieces.feed(data[a:b], 0.0)]
    assert arrived + pieces.end(0.0) == expected


def test_a_long_line_is_cut_and_the_next_one_is_whole() -> None:
    splitter = LineSplitter(10)
    lines = splitter.feed(b"x" * 1000, 1.0) + splitter.feed(b"y\nshort\n", 2.0)
    assert lines == [InputLine("x" * 10, 2.0, whole=False), InputLine("short", 2.0)]


def test_a_line_of_a_hundred_thousand_words_is_whole() -> None:
    text = "position startpos moves" + " e2e4" * 100_000
    assert LineSplitter().feed(text.encode() + b"\n", 0.0) == [InputLine(text, 0.0)]


def test_the_last_line_may_lack_its_newline() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b"uci", 0.0) == []
    assert splitter.end(0.0) == [InputLine("uci", 0.0)]
    assert splitter.end(0.0) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [("\ufeffuci\r", "uci"), ("a\tb", "a b"), ("\x00go\x1b[A\x7f", "go[A"), ("d4 \u2028", "d4 ")],
)
def test_control_characters_are_discarded(text: str, expected: str) -> None:
    assert clean(text) == expected


def test_quotes_are_one_short_line() -> None:
    noise = "".join(chr(random.Random(1).randrange(0x300)) for _ in range(5000))
    assert len(one_line(noise, 80)) <= 80
    assert one_line("a\nb\r\n c") == "a b c"
