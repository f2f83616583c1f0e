from __future__ import annotations

import pytest

from playout.engine.terms.info import MoveInfo, SearchResult
from playout.protocols.uci.info_format import InfoFormat, info_lines, result_lines, score

from ..fake_session import info, move_info


@pytest.mark.parametrize(
    ("value", "plies", "moves", "in_plies"),
    [
        (1.0, 1, "mate 1", "mate 1"),
        (1.0, 3, "mate 2", "mate 3"),
        (-1.0, 2, "mate -1", "mate -2"),
        (-1.0, 4, "mate -2", "mate -4"),
        (1 / 3, 5, "mate 3", "mate 5"),
        (0.0, 6, "cp 0", "cp 0"),
        (1.0, None, "cp 12780", "cp 12780"),
    ],
)
def test_mate_counts_moves_in_uci_and_plies_in_ugi(value: float, plies: int | None, moves: str, in_plies: str) -> None:
    move = move_info("a1", value, lower=value, upper=value, plies=plies)
    assert (score(move, False), score(move, True)) == (moves, in_plies)


def test_lines_come_in_order_with_whole_numbers() -> None:
    moves = [move_info("a1", 0.5, pv=("a1", "b2")), move_info("c3"), move_info("b1")]
    assert info_lines(info(moves), InfoFormat(lines=2, wdl=True)) == [
        "info depth 3 seldepth 7 multipv 1 score cp 89 wdl 500 250 250 nodes 100 nps 200 hashfull 12 time 500 pv a1 b2",
        "info depth 3 seldepth 7 multipv 2 score cp 37 wdl 500 250 250 nodes 100 nps 200 hashfull 12 time 500 pv c3",
    ]


def test_a_report_without_moves_still_has_a_score() -> None:
    assert info_lines(info(time=0.0), InfoFormat()) == ["info depth 3 score cp 37 nodes 100 nps 0 hashfull 12 time 0"]


@pytest.mark.parametrize(("win", "draw", "loss"), [(1 / 3, 1 / 3, 1 / 3), (0.9995, 0, 0.0005), (0.5005, 0, 0.4995)])
def test_win_draw_loss_add_up(win: float, draw: float, loss: float) -> None:
    (line,) = info_lines(info([move_info("a1", win=win, draw=draw, loss=loss)]), InfoFormat(wdl=True))
    words = line.split()
    shares = [int(word) for word in words[words.index("wdl") + 1 :][:3]]
    assert sum(shares) == 1000
    assert min(shares) >= 0


def test_the_last_variation_starts_with_the_best_move() -> None:
    moves: list[MoveInfo] = [move_info("a1"), move_info("b2")]
    result = SearchResult("b2", None, info(moves), "nodes")
    assert [line.split()[-1] for line in result_lines(result, InfoFormat(lines=2))] == ["b2", "a1"]
    result = SearchResult("c3", None, info(moves), "book", book="my.yaml")
    lines = result_lines(result, InfoFormat())
    assert lines[0] == "info string book: my.yaml"
    assert lines[1].endswith("pv c3")
    assert "score cp" in lines[1]
