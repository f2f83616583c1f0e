"""XGID, Match ID and GNU Backgammon's ID of whole positions."""

from __future__ import annotations

import base64
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from playout.games.backgammon import START, Backgammon, State
from playout.games.errors import GameError
from playout.games.support.backgammon.position_id import ALL, BAR, Checkers
from playout.games.support.backgammon.setup import Match, Setup, from_gnubg_id, from_match_id, gnubg_id, match_id
from playout.games.support.backgammon.xgid import from_xgid, xgid

GAME = Backgammon()
START_XGID = "XGID=-b----E-C---eE---c-e----B-"
KNOWN = [line.split() for line in (Path(__file__).parent / "gnubg_ids.txt").read_text().splitlines()]
"""XGIDs of positions of random games, with GNU Backgammon 1.07.001's IDs of them after ``set xgid``."""


def random_sides(rng: random.Random) -> tuple[Checkers, Checkers]:
    """Two sides that share no point and are not both on the bar."""
    owners = [rng.randrange(2) for _ in range(25)]
    barred = rng.randrange(2)
    sides = []
    for player in range(2):
        own = [point if player == 0 else BAR - point for point in range(1, 25) if owners[point] == player] or [1]
        counts = [0] * 26
        for _ in range(rng.randint(1, ALL)):
            counts[BAR if player == barred and rng.random() < 0.1 else rng.choice(own)] += 1
        counts[0] = ALL - sum(counts)
        sides.append(tuple(counts))
    return sides[0], sides[1]


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    checkers = random_sides(random.Random(draw(st.integers(0, 2**32))))
    dice = draw(st.sampled_from((None, (1, 1), (6, 5), (3, 1))))
    player = draw(st.integers(0, 1))
    length = draw(st.sampled_from((0, 1, 2, 5, 7, 25)))
    scores = (draw(st.integers(0, length - 1 if length else 40)), draw(st.integers(0, length - 1 if length else 40)))
    cube = 2 ** draw(st.integers(0, 10))
    owner = draw(st.sampled_from((None, 0, 1)))
    match = Match(
        player=player,
        dice=dice,
        cube=cube,
        owner=owner,
        doubled=dice is None and owner != 1 - player and draw(st.booleans()),
        length=length,
        scores=scores,
        jacoby=not length and draw(st.booleans()),
        beavers=not length and draw(st.booleans()),
    )
    if length and length - 1 in scores and cube == 1 and not match.doubled:
        match = replace(match, crawford=draw(st.booleans()))
    return Setup(checkers, match)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(setups())
def test_every_position_comes_back_from_its_words(setup: Setup) -> None:
    assert from_xgid(xgid(setup)) == setup
    without = Setup(setup.checkers, replace(setup.match, beavers=False))
    assert from_gnubg_id(gnubg_id(setup)) == without
    assert gnubg_id(from_xgid(xgid(setup))) == gnubg_id(setup)
    assert from_match_id(match_id(setup.match)) == without.match


@pytest.mark.parametrize(("word", "known"), KNOWN)
def test_gnu_backgammon_gives_an_xgid_the_same_id(word: str, known: str) -> None:
    setup = from_xgid(word)
    assert gnubg_id(setup) == known
    assert xgid(from_gnubg_id(known)).rpartition(":")[0] == word.rpartition(":")[0]


def test_the_words_of_known_positions() -> None:
    start = Setup((START, START), Match(dice=(3, 1)))
    assert xgid(start) == f"{START_XGID}:0:0:1:31:0:0:0:0:10"
    assert gnubg_id(start) == "4HPwATDgc/ABMA:cIkFAAAAAAAE"
    assert gnubg_id(Setup((START, START), Match(dice=(3, 1), jacoby=True))) == "4HPwATDgc/ABMA:cIkFAAAAAAAA"
    assert from_gnubg_id("4HPwATDgc/ABMA") == Setup((START, START))
    offered = from_xgid(f"{START_XGID}:1:1:1:D:2:4:0:7:10").match
    assert (offered.doubled, offered.player, offered.decider, offered.cube) == (True, 0, 1, 2)


def test_a_session_reads_what_it_writes() -> None:
    """The game's own text contains only checkers, player and dice."""
    setup = from_xgid(f"{START_XGID}:1:-1:-1:52:2:4:0:7:10")
    state = State(setup.checkers, 1, (5, 2))
    assert GAME.state_from_text(xgid(setup)) == GAME.state_from_text(gnubg_id(setup)) == state
    for offered in (f"{START_XGID}:0:0:1:D:0:0:0:0:10", gnubg_id(from_xgid(f"{START_XGID}:0:0:1:D:0:0:0:0:10"))):
        with pytest.raises(GameError, match="no cube"):
            GAME.state_from_text(offered)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "XGID=",
        START_XGID,
        f"{START_XGID}:0:0:1:31:0:0:0",
        f"{START_XGID}:0:0:1:31:0:0:0:0:10:1",
        f"{START_XGID}:x:0:1:31:0:0:0:0:10",
        f"{START_XGID}:99:0:1:31:0:0:0:0:10",
        f"{START_XGID}:0:2:1:31:0:0:0:0:10",
        f"{START_XGID}:0:0:0:31:0:0:0:0:10",
        f"{START_XGID}:0:0:1:70:0:0:0:0:10",
        f"{START_XGID}:0:0:1:30:0:0:0:0:10",
        f"{START_XGID}:0:0:1:B:0:0:0:0:10",
        f"{START_XGID}:0:0:1:31:7:0:0:7:10",
        f"{START_XGID}:0:0:1:31:0:0:1:7:10",
        f"{START_XGID}:1:0:1:31:6:0:1:7:10",
        f"{START_XGID}:0:0:1:31:0:0:4:0:10",
        f"{START_XGID}:0:-1:1:D:0:0:0:0:10",
        f"{START_XGID}:0:0:1:31:-1:0:0:0:10",
    ],
)
def test_malformed_xgids_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(GameError) as caught:
        from_xgid(text)
    assert "\n" not in str(caught.value)


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.text(alphabet="XGID=-bEceB:0123456789D", max_size=60) | st.text(max_size=40))
@example(f"{START_XGID}:0:0:1:31:0:0:0:0:10")
def test_any_xgid_is_read_or_refused(text: str) -> None:
    try:
        setup = from_xgid(text)
    except GameError as error:
        assert "\n" not in str(error)
    else:
        assert from_xgid(xgid(setup)) == setup


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.binary(min_size=9, max_size=9), st.text(max_size=14))
def test_any_id_is_read_or_refused(raw: bytes, text: str) -> None:
    for word in (f"4HPwATDgc/ABMA:{base64.b64encode(raw).decode()}", f"4HPwATDgc/ABMA:{text}", text):
        try:
            setup = from_gnubg_id(word)
        except GameError as error:
            assert "\n" not in str(error)
        else:
            assert from_gnubg_id(gnubg_id(setup)) == setup
