"""Reports as interfaces count on them: depths that do not fall, and as many lines as were asked for."""

from __future__ import annotations

from playout.games.catalogue import load
from playout.protocols.uci.report import SearchReport

from ..fake_session import info, move_info


def test_the_depth_never_falls() -> None:
    game = load("chess")
    report = SearchReport(game, game.initial_state())
    assert [report.shaped(info(depth=depth)).depth for depth in (3.0, 5.5, 4.9, 6.0)] == [3.0, 5.5, 5.5, 6.0]


def test_moves_that_were_not_tried_fill_the_lines() -> None:
    game = load("chess")
    report = SearchReport(game, game.initial_state(), lines=4)
    moves = [move_info("e2e4", 0.5), move_info("d2d4", -0.1)]
    shaped = report.shaped(info(moves, value=0.4)).moves
    assert list(shaped[:2]) == moves
    assert len({move.move for move in shaped}) == 4
    assert [(move.value, move.visits, move.pv) for move in shaped[2:]] == [(-0.1, 0, (m.move,)) for m in shaped[2:]]
    assert SearchReport(game, game.initial_state(), lines=1).shaped(info(moves)).moves == tuple(moves)
    assert report.shaped(info()).moves == ()


def test_a_proven_move_says_nothing_of_others() -> None:
    game = load("chess")
    report = SearchReport(game, game.initial_state(), lines=2)
    mate = move_info("e2e4", 1.0, lower=1.0, upper=1.0, plies=1)
    assert [move.value for move in report.shaped(info([mate], value=1.0)).moves] == [1.0, 0.0]


def test_there_are_no_more_lines_than_moves() -> None:
    game = load("chess")
    check = game.state_from_text("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1")  # type: ignore[attr-defined]
    assert len(SearchReport(game, check, lines=9).shaped(info([move_info("e1e2")])).moves) == 3
    only = SearchReport(game, game.initial_state(), ("a2a3", "e2e4", "e7e5"), lines=9)
    assert [move.move for move in only.shaped(info([move_info("e2e4")])).moves] == ["e2e4", "a2a3"]


def test_moves_that_symmetries_merge_are_not_filled_in() -> None:
    game = load("tic_tac_toe")
    report = SearchReport(game, game.initial_state(), lines=9)
    assert len(report.shaped(info([move_info("a1"), move_info("b1"), move_info("b2")])).moves) == 3
