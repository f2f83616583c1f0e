"""Standings: games, pairs, points and the places of a knock-out."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from rich.console import Console

from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse
from playout.arena.forms.form import Places
from playout.arena.report.page import page
from playout.arena.report.standings import standings
from playout.cli.arena.table import standings_table, summary

from ..made import pair


def test_the_standings_count_games_and_pairs() -> None:
    table = standings(["a", "b"], [pair(0, 1, 1.0, 0.0), pair(1, 0, 1.0, 1.0), pair(0, 1, 1.0)])
    a, b = table.scores
    assert (a.wins, a.draws, a.losses, a.points, a.pairs) == (2, 1, 2, 2.5, [0.75, 0.0])
    assert (b.wins, b.draws, b.losses, b.points, b.pairs) == (2, 1, 2, 2.5, [0.25, 1.0])
    assert table.order == [0, 1]
    assert table.elo[0].value == -table.elo[1].value
    assert table.elo[0].value == pytest.approx(400 * math.log10(0.375 / 0.625))


def test_without_games_nothing_is_known() -> None:
    table = standings(["a", "b", "c"], [])
    assert [elo.value for elo in table.elo] == [0.0, 0.0, 0.0]
    assert all(math.isinf(elo.high) for elo in table.elo)


def test_more_than_two_are_rated_together() -> None:
    pairs = (
        [pair(0, 1, 1.0, 0.0)] * 6
        + [pair(1, 0, 1.0, 0.0)] * 2
        + [pair(1, 2, 1.0, 0.0)] * 6
        + [pair(2, 1, 1.0, 0.0)] * 2
    )
    table = standings(["a", "b", "c"], pairs)
    assert table.order[0] == 0
    assert sum(elo.value for elo in table.elo) == pytest.approx(0.0, abs=1e-6)
    assert table.elo[0].value > table.elo[1].value > table.elo[2].value


def test_points_are_those_of_whole_pairs() -> None:
    pairs = [pair(0, 1, 1 / 3, -1.0), pair(1, 0, 1.0, -1 / 3), pair(0, 1, 1.0)]
    one, two = standings(["a", "b"], pairs, 3).scores
    assert one.margins == pytest.approx([-1 / 3, -1 / 3])
    assert two.margins == pytest.approx([1 / 3, 1 / 3])
    gain = two.gained(3)
    assert gain is not None
    assert (gain.value, gain.error) == (pytest.approx(1.0), pytest.approx(0.0))
    one, _ = standings(["a", "b"], [pair(0, 1, 1.0, 1.0), pair(0, 1, 1 / 3, -1 / 3)], 3).scores
    gain = one.gained(3)
    assert gain is not None
    assert (gain.value, gain.error) == (pytest.approx(1.5), pytest.approx(1.959964 * 1.5))
    assert standings(["a", "b"], [], 3).scores[0].gained(3) is None


@pytest.mark.parametrize(("points", "said"), [(1, False), (3, True)])
def test_points_stand_where_games_are_won_by_points(points: int, said: bool) -> None:
    table = standings(["a", "b"], [pair(0, 1, 1 / 3, -1.0)], points)
    text = "".join(page("cup", [("bg", "backgammon", table, [])], [], "under way"))
    assert ("points a game" in text) is said
    assert ("-1.000" in text) is said
    console = Console(width=200)
    with console.capture() as shown:
        console.print(standings_table("bg", table))
    assert ("points a game" in shown.get()) is said
    assert ("-1.000" in shown.get()) is said


def test_the_table_of_a_knock_out_names_the_winner_first() -> None:
    """Three played: the final was level, and the better seed won it with a smaller share of the points."""
    pairs = [pair(1, 2, 1.0, 1.0), pair(0, 1, 1.0, -1.0)]
    assert standings(["one", "two", "three"], pairs).order[0] == 1
    table = standings(["one", "two", "three"], pairs, places=Places([-2.0, -1.0, 0.0], [0.0] * 3, 0))
    assert (table.order, table.winner) == ([0, 1, 2], "one")
    text = "engines: {one: {}, two: {}, three: {}}\nform: knockout\ngame: tic_tac_toe\n"
    [plan] = plans_of(parse(text, "cup.yaml"), Path())
    assert summary(plan, table) == ["winner: one"]
    assert "<p>Winner: one</p>" in "".join(page("cup", [("ko", "chess", table, [])], [], "finished"))


def test_the_points_of_a_rest_stand_in_the_table() -> None:
    table = standings(["a", "b", "c"], [pair(0, 1, 1.0, 0.0)], places=Places([-1.5, -0.5, -2.0], [0.0, 0.0, 2.0]))
    assert (table.order, table.winner) == ([2, 0, 1], None)
    assert [table.total(player) for player in range(3)] == [1.5, 0.5, 2.0]
    console = Console(width=200)
    with console.capture() as shown:
        console.print(standings_table("swiss", table))
    assert [line.split()[:4] for line in shown.get().splitlines()[2:]] == [
        ["1", "c", "0", "2"],
        ["2", "a", "2", "1.5"],
        ["3", "b", "2", "0.5"],
    ]


def test_single_games_need_no_pairs() -> None:
    table = standings(["a", "b"], [pair(0, 1, 1.0, games=1)] * 3 + [pair(1, 0, 1.0, games=1)])
    assert (table.scores[0].wins, table.scores[0].losses) == (3, 1)
    assert math.isfinite(table.elo[0].error)
