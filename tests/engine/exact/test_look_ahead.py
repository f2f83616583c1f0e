"""The look-ahead goes before the tree, where time bounds a move of chess."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest

from playout import Engine
from playout.engine import _core
from playout.engine.exact import look_ahead as module
from playout.engine.exact.look_ahead import LEAST
from playout.engine.exact.pace import Pace
from playout.engine.terms.kernel import kernel_params
from playout.engine.terms.limits import Clock, Limits, Reports
from playout.engine.terms.rights import Rights
from playout.games import catalogue

from ...needs import needs
from ...patience import PATIENCE
from ...syzygy import tables as folder_of_tables
from ..session_desk import desk

CHESS: Any = catalogue.load("chess")
SACRIFICE = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1"
"""White mates in two moves by giving the queen, which a tree of 20,000 simulations does not see."""
LONG = 1e5
"""Seconds for a move, of which the look-ahead never uses up its share."""


def engine(**options: Any) -> Engine:
    return Engine("chess", **{"hash": 16, "own_book": False, "seed": 1, "look_ahead": 70, **options})


def look_ahead() -> _core.LookAhead:
    return _core.LookAhead("chess", kernel_params(CHESS), 1)


def test_a_mating_sacrifice_is_played_at_once() -> None:
    with engine() as one:
        one.set_position(SACRIFICE)
        result = one.think(seconds=LONG)
        assert (result.move, result.reason, result.value) == ("g3g6", "decided", 1.0)
        assert result.moves[0].plies == 3
        assert result.pv[0] == "g3g6" and result.ponder == result.pv[1]
        assert result.simulations > 0 and result.depth >= 3


def test_the_hash_is_cleared_with_its_table() -> None:
    with desk("chess") as d:
        d.session.set_option("Level", "13")  # positions bound the look-ahead

        def looked() -> tuple[int, int, float]:
            info = d.think(movetime=LONG).info
            return info.depth, info.simulations, info.value

        first, again = looked(), looked()
        assert again[0] > first[0]
        d.session.set_option("Clear Hash", "")
        assert looked() == first


@needs("syzygy")
def test_tables_are_consulted_just_after_a_capture_or_a_pawn_move() -> None:
    tables = folder_of_tables()
    assert tables is not None

    def seen(text: str, depth: int | None) -> tuple[str, float]:
        look = look_ahead()
        if depth is not None:
            look.set_tables([tables], 7, depth)
        move, value = look.see(text, [], margin=0.0, threads=1, positions=3000)[0][0]
        return move, value

    ahead = "8/8/3k4/8/3Kp3/4P3/4P3/8 w - - 0 1"
    assert seen(ahead, 1) == ("d4e4", 1.0)
    assert seen(ahead, None) == seen(ahead, 100) != seen(ahead, 1)
    # The pawn is the wrong one for the bishop: to take the knight draws.
    wrong = "7k/8/8/5n1P/4B3/8/6K1/8 w - - 0 1"
    assert seen(wrong, None)[0] == "e4f5" != seen(wrong, 1)[0]
    with pytest.raises(ValueError, match="nowhere"):
        look_ahead().set_tables([Path("/nowhere")], 7, 1)
    with engine(syzygy_path=str(tables)) as one:
        one.set_position(ahead)
        assert one.think(seconds=LONG).value == 1.0


@pytest.mark.parametrize(
    ("options", "limits"),
    [({"look_ahead": 0}, {"seconds": 0.3}), ({}, {"nodes": 500}), ({}, {"seconds": 0.3, "lines": 2})],
)
def test_the_tree_alone_is_searched(options: dict[str, Any], limits: dict[str, Any]) -> None:
    with engine(**options) as one:
        one.think(nodes=10)  # loads the weights
        one.set_position(SACRIFICE)
        assert one.think(**limits).reason != "decided"
        assert len(one.tree().children) > 5


def test_the_tree_chooses_among_the_moves_that_come_near() -> None:
    # Where the margin is wide, several moves of the start come near the best one at any depth.
    with engine(look_ahead_margin=0.2) as one:
        result = one.think(seconds=3.0)
        near = {child.move for child in one.tree().children if child.visits}
        assert result.move in near
        assert 1 < len(near) < 20


def test_each_interval_has_a_report() -> None:
    with desk("chess") as d:
        d.session.set_option("InfoInterval", "10")
        d.session.go(Limits(movetime=LONG))
        one, other = d.report(), d.report()
        assert LEAST <= one.depth < other.depth <= other.seldepth
        assert 0 < one.simulations < other.simulations and one.moves[0].pv
        d.session.stop()
        result = d.result()
        assert result.reason == "stop" and result.info.depth >= other.depth
        assert result.move == result.info.moves[0].move == result.info.moves[0].pv[0]


@pytest.mark.parametrize("margin", ["0", "0.2"])
def test_pondering_looks_ahead_until_the_hit_and_for_its_share_of_the_time_after_it(margin: str) -> None:
    with desk("chess") as d:
        d.session.set_option("InfoInterval", "10")
        d.session.set_option("LookAheadMargin", margin)  # 0 leaves one move, with which the look-ahead goes on
        d.session.go(Limits(ponder=True, movetime=LONG))
        assert d.report().depth >= LEAST and d.session.searching
        d.session.ponder_hit(Limits(movetime=0.2, received=time.monotonic()))
        assert d.result().reason in ("deadline", "decided")
        d.session.go(Limits(ponder=True, movetime=LONG))
        d.report()
        d.session.stop()
        assert d.result().reason == "stop"


@pytest.mark.parametrize("margin", ["0", "0.2"])
def test_on_a_clock_the_pace_says_how_deep_it_looks(monkeypatch: pytest.MonkeyPatch, margin: str) -> None:
    depths = 4

    class Brief(Pace):
        def goes_on(self, move: str, value: float, effort: float, elapsed: float) -> bool:
            nonlocal depths
            depths -= 1
            return super().goes_on(move, value, effort, elapsed) and depths > 0

    monkeypatch.setattr(module, "Pace", Brief)
    with desk("chess") as d:
        d.session.set_option("LookAheadMargin", margin)
        d.session.set_option("LookAhead", "50")  # The tree has as long as the look-ahead.
        d.session.go(Limits(clock=Clock(remaining=LONG), received=time.monotonic()))
        result = d.result()  # Else the move would take hours.
        assert depths == 0
        if margin == "0":
            assert (result.reason, result.info.depth) == ("decided", LEAST + 3)
        else:
            # The tree searched, until its time was up: on a busy machine perhaps a single simulation.
            assert result.reason == "deadline" and result.info.moves[0].visits >= 1


def test_pondering_ends_at_the_users_bound() -> None:
    with desk("chess") as d:
        d.session.restrict(Rights(seconds=0.2))
        d.session.go(Limits(ponder=True, movetime=LONG))
        assert d.report().depth >= LEAST
        d.session.ponder_hit(Limits(movetime=LONG, received=time.monotonic()))
        assert d.result().reason in ("deadline", "decided")


def test_moves_near_the_best_one_come_with_their_values() -> None:
    search, heard = look_ahead(), []

    def hear(*sight: Any) -> bool:
        heard.append(sight)
        return sight[3] < 8

    search.set_deadline(PATIENCE)
    near, line, plies, depth, longest, nodes, effort, others = search.see(
        None, ["e2e4", "e7e5"], margin=0.1, threads=1, heard=hear
    )
    values = [value for _, value in near]
    assert values == sorted(values, reverse=True) and values[-1] > values[0] - 0.11
    assert line[0] == near[0][0] and longest >= depth == 8 and nodes > 1000
    assert plies is None and [sight[3] for sight in heard] == list(range(1, depth + 1))
    assert all(len(near) == 1 and near[0][0] == line[0] for near, line, *_ in heard)
    assert 0 < effort < 1 and not others


def test_it_looks_as_deep_as_the_listener_wishes() -> None:
    near, _, _, depth, *_ = look_ahead().see(None, [], margin=0.1, threads=1, heard=lambda *sight: sight[3] < 5)
    assert depth == 5 and near


def test_a_stop_ends_it() -> None:
    search, found = look_ahead(), []
    thread = threading.Thread(target=lambda: found.append(search.see(None, [], margin=0.0, threads=2)))
    thread.start()
    search.stop()
    thread.join(PATIENCE)
    assert found and not thread.is_alive()
    search.prepare()
    assert search.see(None, [], margin=0.0, threads=2, heard=lambda *sight: sight[3] < 2)[3] >= 2


def test_an_error_of_the_listener_ends_it() -> None:
    def fail(*_: Any) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        look_ahead().see(None, [], margin=0.0, threads=1, heard=fail)


def test_other_games_have_none() -> None:
    game: Any = catalogue.load("hex:5")
    with pytest.raises(ValueError, match="hex has no look-ahead"):
        _core.LookAhead("hex", kernel_params(game), 1)
    assert "LookAhead" not in Engine("hex:5").options


def test_a_bad_position_is_refused() -> None:
    with pytest.raises(ValueError, match="e2e5"):
        look_ahead().see(None, ["e2e5"], margin=0.0, threads=1)


@pytest.mark.parametrize(("contempt", "sign"), [(0, 0), (60, -1), (-60, 1)])
def test_contempt_is_what_a_draw_is_worth(contempt: int, sign: int) -> None:
    """White takes the last pawn, after which nobody can mate."""
    with engine(contempt=contempt, level=15, look_ahead=95) as one:
        one.set_position("7k/8/8/8/3K4/2p5/8/1N6 w - - 0 1")
        value = one.think(seconds=60).value
    assert value is not None and (value > 0.05) - (value < -0.05) == sign, value


SHOWN = Reports(interval=0.01, plain=True)
"""Reports for an interface, which shows lines."""


def test_an_analysis_for_an_interface_is_made_by_the_look_ahead() -> None:
    with desk("chess") as d:
        d.session.set_option("MultiPV", "3")
        d.session.go(Limits(infinite=True, reports=SHOWN))
        one, other = d.report(), d.report()
        for info in (one, other):
            assert len(info.moves) == len({move.move for move in info.moves}) == 3
            assert all(move.pv[0] == move.move for move in info.moves)
            values = [move.value for move in info.moves]
            assert values == sorted(values, reverse=True) and values[0] == info.value
            assert sum(move.visits for move in info.moves) == info.simulations
        assert LEAST <= one.depth < other.depth
        d.session.stop()
        result = d.result()
        assert result.reason == "stop" and result.info.depth >= other.depth
        assert (result.move, result.ponder) == result.info.moves[0].pv[:2]


def test_an_analysis_of_some_moves_looks_at_them_alone() -> None:
    with desk("chess") as d:
        d.session.set_option("MultiPV", "5")
        d.session.go(Limits(infinite=True, search_moves=("a2a3", "e2e4", "e2e5"), reports=SHOWN))
        assert {move.move for move in d.report().moves} == {"a2a3", "e2e4"}
        d.session.stop()
        assert d.result().move in ("a2a3", "e2e4")
        d.session.go(Limits(infinite=True, search_moves=("e2e5",), reports=SHOWN))
        d.session.stop()
        assert d.result().move is None


def test_an_analysis_ends_at_its_time() -> None:
    with desk("chess") as d:
        d.session.set_option("MultiPV", "2")
        d.session.go(Limits(movetime=2.0, received=time.monotonic(), reports=SHOWN))
        assert len(d.result().info.moves) == 2


BOUNDED = ({"nodes": 300}, {"depth": 6})


@pytest.mark.parametrize("limits", [{"infinite": True}, *({**bounds, "reports": SHOWN} for bounds in BOUNDED)])
def test_the_tree_analyses_for_others_and_where_simulations_are_bounded(limits: dict[str, Any]) -> None:
    with desk("chess") as d:
        d.session.set_option("MultiPV", "2")
        d.session.go(Limits(**limits))
        if "infinite" in limits:
            while len(d.report().moves) <= 2:
                pass
            d.session.stop()
        assert len(d.result().info.moves) > 2
