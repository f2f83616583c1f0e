from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playout.engine.terms.limits import Clock, Limits, Reports
from playout.protocols.uci.go_command import UCI_WORDS, UGI_WORDS, parse_go


def uci(text: str, player: int = 0) -> Limits:
    limits, complaint = parse_go(text.split(), UCI_WORDS, player, 7.0)
    assert complaint is None
    return limits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Limits(infinite=True)),
        ("infinite", Limits(infinite=True)),
        ("nodes 100", Limits(nodes=100)),
        ("depth 5 movetime 2000", Limits(depth=5, movetime=2.0)),
        ("mate 3", Limits(mate=3)),
        ("nodes 0", Limits(nodes=1)),
        ("movetime -5", Limits(movetime=0.001)),
        ("searchmoves a2a3 b2b3 depth 3", Limits(depth=3, search_moves=("a2a3", "b2b3"))),
        ("searchmoves 0000", Limits(infinite=True, search_moves=("0000",))),
        ("ponder wtime 1000 btime 2000", Limits(ponder=True, clock=Clock(1.0))),
        ("wtime 1000 winc 100 btime 2000 binc 200 movestogo 5", Limits(clock=Clock(1.0, 0.1, 5))),
        ("movestogo 0 wtime -50", Limits(clock=Clock(0.0))),
        ("btime 2000", Limits(clock=Clock(2.0))),
        ("nodes 99999999999999999999999999", Limits(nodes=2**53)),
        ("winc 100", Limits()),
    ],
)
def test_limits_of_white(text: str, expected: Limits) -> None:
    limits = uci(text)
    assert limits.received == 7.0
    assert replace(limits, received=None, reports=Reports()) == expected
    assert limits.reports == Reports(plain=True), "an interface shows lines"


def test_limits_of_black() -> None:
    assert uci("wtime 1000 winc 100 btime 2000 binc 200", player=1).clock == Clock(2.0, 0.2)
    assert uci("wtime 1000 winc 100", player=1).clock == Clock(1.0)


def test_ugi_says_p1_and_p2() -> None:
    limits, complaint = parse_go(["p1time", "1000", "p2time", "3000", "p2inc", "10"], UGI_WORDS, 1, 0.0)
    assert (limits.clock, complaint) == (Clock(3.0, 0.01), None)


@pytest.mark.parametrize(
    ("text", "expected", "complaint"),
    [
        ("foo nodes 5", Limits(nodes=5), "go: ignored foo"),
        ("depth x movetime 100", Limits(movetime=0.1), "go: ignored depth x"),
        ("depth movetime 100", Limits(movetime=0.1), "go: ignored depth"),
        ("depth nan", Limits(), "go: ignored depth nan"),
        ("depth 1_0", Limits(), "go: ignored depth 1_0"),
        ("wtime", Limits(), "go: ignored wtime"),
        ("foo", Limits(), "go: ignored foo"),
        ("movtime 100", Limits(), "go: ignored movtime 100: did you mean 'movetime'?"),
        ("infinite foo", Limits(infinite=True), "go: ignored foo"),
    ],
)
def test_what_means_nothing_is_skipped(text: str, expected: Limits, complaint: str) -> None:
    limits, said = parse_go(text.split(), UCI_WORDS, 0, 0.0)
    assert said == complaint
    assert (limits.nodes, limits.movetime, limits.infinite, limits.bounded) == (
        expected.nodes,
        expected.movetime,
        expected.infinite,
        expected.bounded,
    )


WORDS = st.one_of(
    st.sampled_from(sorted(UCI_WORDS.all)),
    st.integers().map(str),
    st.floats().map(str),
    st.sampled_from(["e2e4", "0000", "-", "1e9999", "\uff19"]),
    st.text(max_size=8),
)


@given(st.lists(WORDS, max_size=30), st.sampled_from([0, 1]))
def test_any_words_give_limits(words: list[str], player: int) -> None:
    limits, complaint = parse_go(" ".join(words).split(), UCI_WORDS, player, 0.0)
    assert complaint is None or ("\n" not in complaint and len(complaint) < 100)
    for bound in (limits.nodes, limits.depth, limits.mate):
        assert bound is None or 1 <= bound <= 2**53
    assert limits.movetime is None or limits.movetime > 0
    assert limits.clock is None or (limits.clock.remaining >= 0 and limits.clock.increment >= 0)
