"""Limits of a session's searches: time, simulations, moves, mates, endless ones and pondering."""

from __future__ import annotations

import time

import pytest

from playout.engine.terms.limits import Clock, Limits, Reports
from playout.games.errors import PlayoutError

from ..patience import PATIENCE
from .session_desk import desk


@pytest.mark.parametrize("name", ["connect_four", "hex:9", "go:5", "chess"])
def test_infinite_waits_for_stop_and_answers_once(name: str) -> None:
    with desk(name) as d:
        d.session.set_option("InfoInterval", "10")
        d.session.go(Limits(infinite=True))
        d.report()
        assert d.session.searching
        with pytest.raises(PlayoutError, match="under way"):
            d.session.go(Limits(nodes=1))
        d.session.stop()
        assert d.result().reason == "stop"
        d.session.stop()
        assert d.session.wait(PATIENCE)
        assert d.events.empty()


def test_infinite_holds_a_proven_result_back() -> None:
    with desk("tic_tac_toe") as d:
        d.session.go(Limits(infinite=True))
        while not d.report().moves[0].proven:
            pass
        assert not d.session.wait(0.05)
        assert d.session.searching
        assert d.events.empty()
        d.session.stop()
        assert d.result().reason == "proven"


def test_analysis_may_go_on_past_a_proof() -> None:
    with desk("chess") as d:
        d.session.set_option("InfoInterval", "10")
        d.session.set_position("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", [])
        d.session.go(Limits(infinite=True, past_proof=True))
        proven = [0, 0]
        while len(set(proven)) < 5:
            found = d.report()
            if found.moves and found.moves[0].proven:
                proven.append(found.simulations)
        assert proven == sorted(proven)
        d.session.stop()
        assert d.result().move == "a1a8"


def test_ponder_hit_takes_the_clock_as_it_is_then() -> None:
    with desk("hex:7") as d:
        d.session.go(Limits(ponder=True, movetime=3600.0))
        assert not d.session.wait(0.05)
        d.session.ponder_hit(Limits(movetime=0.01, received=time.monotonic()))
        assert d.result().reason == "deadline"


def test_ponder_hit_starts_the_clock() -> None:
    with desk("hex:7") as d:
        d.session.set_option("InfoInterval", "10")
        d.session.go(Limits(ponder=True, clock=Clock(0.2)))
        while d.report().time <= 0.2:  # longer than the clock has
            pass
        assert d.session.searching
        d.session.ponder_hit()
        assert d.result().reason in ("deadline", "decided", "proven")


def test_ponder_then_stop() -> None:
    with desk("hex:7") as d:
        d.session.go(Limits(ponder=True, movetime=60.0))
        d.session.stop()
        assert d.result().reason == "stop"


def test_a_fixed_time_is_kept() -> None:
    with desk("hex:11") as d:
        began = time.monotonic()
        result = d.think(movetime=0.3)
        assert result.reason == "deadline"
        assert time.monotonic() - began >= 0.2


def test_time_counts_from_the_arrival_of_the_command() -> None:
    with desk("hex:11") as d:
        assert d.think(movetime=5.0, received=time.monotonic() - 10.0).info.simulations >= 1


def test_a_forced_move_costs_no_time() -> None:
    with desk("tic_tac_toe") as d:
        d.session.set_position("xox/oxx/o1o x", ())
        result = d.think(clock=Clock(60.0))
        assert (result.move, result.reason) == ("b1", "forced")


def test_no_limit_is_the_move_time() -> None:
    with desk("hex:11") as d:
        d.session.set_option("MoveTime", "50")
        assert d.think().reason == "deadline"


def test_a_bound_on_simulations_holds_whatever_the_interface_asks_but_analysis() -> None:
    with desk("hex:11") as d:
        d.session.set_option("MaxNodes", "100")
        d.session.set_option("MoveTime", "3600000")
        for limits in ({}, {"nodes": 5000}, {"movetime": 3600.0}, {"clock": Clock(360_000.0)}):
            result = d.think(**limits)
            assert (result.reason, result.info.simulations) == ("nodes", 100)
        assert d.think(nodes=40).info.simulations == 40
        d.session.go(Limits(infinite=True, reports=Reports(interval=0.02)))
        while d.report().simulations <= 100:
            pass
        d.session.stop()
        assert d.result().reason == "stop"


def test_search_moves() -> None:
    with desk("chess") as d:
        result = d.think(nodes=50, search_moves=("a2a3", "h2h4", "nonsense"))
        assert {move.move for move in result.info.moves} == {"a2a3", "h2h4"}
        nothing = d.think(nodes=100, search_moves=("nonsense",))
        assert nothing.move is None
        assert nothing.remarks == ("no legal move among those to search",)
        assert d.think(nodes=50).move is not None


def test_mate_is_found_and_counted() -> None:
    with desk("chess") as d:
        d.session.set_position("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", ())
        result = d.think(nodes=20_000)
        assert (result.move, result.reason) == ("a1a8", "proven")
        assert (result.info.moves[0].value, result.info.moves[0].plies) == (1.0, 1)


def test_a_search_for_mate_looks_beyond_the_best_move() -> None:
    with desk("chess") as d:
        d.session.set_position("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", ())
        result = d.think(mate=2, nodes=20_000)
        assert (result.move, result.info.moves[0].value, result.info.moves[0].plies) == ("a1a6", 1.0, 3)


@pytest.mark.parametrize(
    ("text", "moves", "expected"),
    [("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 1, 1.0), ("7k/5K2/8/6Q1/8/8/8/8 b - - 0 1", 3, -1.0)],
)
def test_a_search_for_a_mate_that_there_is_not_ends_with_what_there_is(text: str, moves: int, expected: float) -> None:
    """A longer mate, and a loss."""
    with desk("chess") as d:
        d.session.set_position(text, ())
        result = d.think(mate=moves, nodes=200_000)
        assert (result.reason, result.info.moves[0].value) == ("proven", expected)
