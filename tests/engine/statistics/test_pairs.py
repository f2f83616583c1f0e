"""Elo, normalised Elo and superiority from pairs and single games: published figures, edges, coverage."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.engine.statistics.elo import elo
from playout.engine.statistics.pairs import Pentanomial, Points, Results, Trinomial
from playout.engine.statistics.samples import Estimate
from playout.games.errors import PlayoutError

COUNT = st.integers(0, 1000)
PENTANOMIALS = st.tuples(COUNT, COUNT, COUNT, COUNT, COUNT).map(Pentanomial)
TRINOMIALS = st.builds(Trinomial, COUNT, COUNT, COUNT)

RUNS = 2000


@pytest.mark.parametrize(
    ("counts", "difference", "normalized", "los"),
    [
        ((34, 54, 63, 64, 75), "55.58 27.65", "57.94 28.28", "100.00"),  # fastchess, elo_test.cpp
        ((332, 433, 498, 333, 334), "-8.64 10.33", "-9.17 10.96", "5.05"),
        ((7895, 8757, 5685, 568, 9999), "-21.04 2.95", "-19.01 2.65", "0.00"),
        ((30, 6, 18, 0, 6), "-168.40 73.37", "-170.08 62.16", "0.00"),  # its issue 807
        ((5, 5, 36, 22, 22), "101.21 42.63", "128.22 50.76", "100.00"),  # its issue 1007
        ((0, 2, 9, 4, 0), "23.20 55.06", "52.98 124.33", "79.82"),  # its pull request 720
    ],
)
def test_figures_that_fastchess_published(
    counts: tuple[int, int, int, int, int], difference: str, normalized: str, los: str
) -> None:
    pairs = Pentanomial(counts)
    assert f"{pairs.elo.value:.2f} {pairs.elo.error:.2f}" == difference
    assert f"{pairs.normalized.value:.2f} {pairs.normalized.error:.2f}" == normalized
    assert f"{100 * pairs.los:.2f}" == los


def test_figures_of_single_games_that_fastchess_published() -> None:
    games = Trinomial(76, 123, 89)
    assert f"{games.normalized.value:.2f} {games.normalized.error:.2f} {100 * games.los:.2f}" == "-20.76 40.13 15.53"
    games = Trinomial(136, 111, 96)
    assert f"{games.elo.value:.2f} {games.elo.error:.2f} {100 * games.los:.2f}" == "40.70 30.43 99.60"
    assert f"{games.normalized.value:.2f} {games.normalized.error:.2f}" == "49.77 36.77"
    games = Trinomial(34, 0, 356)
    assert f"{games.normalized.value:.2f} {games.normalized.error:.2f}" == "-508.44 34.48"


def test_ratios_that_fastchess_published() -> None:
    pairs = Pentanomial((30, 6, 18, 0, 6))
    assert (f"{100 * pairs.draw_ratio:.2f}", f"{pairs.pairs_ratio:.2f}") == ("30.00", "0.17")
    pairs = Pentanomial((5, 5, 36, 22, 22))
    assert (f"{100 * pairs.mean:.2f}", f"{100 * pairs.draw_ratio:.2f}", pairs.games) == ("64.17", "40.00", 180)


def test_moments_that_fastchess_published() -> None:
    pairs = Pentanomial((34, 54, 63, 64, 75))
    assert (pairs.mean, pairs.variance) == (pytest.approx(0.579310, abs=5e-7), pytest.approx(0.113106, abs=5e-7))


def test_results_are_counted_by_their_score() -> None:
    assert Pentanomial.of([0.0, 0.25, 0.75, 0.75, 1.0]) == Pentanomial((1, 1, 0, 2, 1))
    assert Trinomial.of([1, 0.5, 0.5, 0]) == Trinomial(1, 2, 1)
    assert Trinomial(1, 2, 3) + Trinomial(10, 20, 30) == Trinomial(11, 22, 33)
    assert Pentanomial((1, 2, 3, 4, 5)) + Pentanomial((1, 0, 0, 0, 0)) == Pentanomial((2, 2, 3, 4, 5))


@pytest.mark.parametrize("none", [Pentanomial(), Trinomial()])
def test_nothing_is_known_without_results(none: Results) -> None:
    unknown = Estimate(0.0, -math.inf, math.inf)
    assert (none.mean, none.variance, none.error, none.los, none.draw_ratio) == (0.5, 0.0, math.inf, 0.5, 0.0)
    assert (none.elo, none.normalized, none.score) == (unknown, unknown, Estimate(0.5, 0.0, 1.0))


def test_draws_alone_leave_room_on_both_sides() -> None:
    few, many = Trinomial(draws=10), Trinomial(draws=1000)
    assert few.elo.value == many.elo.value == 0.0 and few.los == 0.5
    # Wilson's interval of 5 points in 10 games that are won or lost.
    assert few.elo.high == pytest.approx(-few.elo.low) == pytest.approx(elo(0.763406), abs=0.01)
    assert 0 < many.elo.high < few.elo.high / 5
    assert many.normalized.error == pytest.approx(1.959964 * 347.43559 / math.sqrt(1000), abs=1e-4)


def test_a_side_that_wins_all_has_a_lower_end() -> None:
    pairs = Pentanomial((0, 0, 0, 0, 10))
    # Wilson's lower end of 10 of 10 is 10 / (10 + z^2).
    assert pairs.elo == Estimate(math.inf, pytest.approx(400 * math.log10(10 / 1.959964**2)), math.inf)
    assert pairs.elo.error == math.inf and pairs.pairs_ratio == math.inf
    assert pairs.normalized.value == math.inf == pairs.normalized.high
    assert 100 < pairs.normalized.low < Pentanomial((0, 0, 0, 0, 20)).normalized.low
    # The deviation of a score of 1/2 is at most 1/2: 10 pairs are sqrt(10) such errors above it.
    assert pairs.los == pytest.approx(0.999217, abs=1e-6)
    assert Pentanomial((0, 0, 0, 0, 1)).los == pytest.approx(0.841345, abs=1e-6)


def test_an_interval_over_the_end_is_wilsons() -> None:
    pairs = Pentanomial((0, 0, 0, 1, 9))
    assert pairs.mean + 1.96 * pairs.error > 1
    assert pairs.mean < pairs.score.high < 1
    assert math.isfinite(pairs.elo.high)


def test_the_pairs_ratio_has_a_value_without_lost_pairs() -> None:
    assert Pentanomial().pairs_ratio == Pentanomial((0, 0, 9, 0, 0)).pairs_ratio == 1.0
    assert Pentanomial((0, 0, 9, 1, 0)).pairs_ratio == math.inf
    assert Pentanomial((0, 1, 9, 0, 0)).pairs_ratio == 0.0


@given(st.one_of(PENTANOMIALS, TRINOMIALS))
@settings(max_examples=50)
def test_every_figure_has_a_value(results: Results) -> None:
    for one in (results.score, results.elo, results.normalized):
        assert one.low <= one.value <= one.high
        assert one.low < math.inf and one.high > -math.inf and one.error > 0
    assert results.score.low >= 0 and results.score.high <= 1
    assert 0 <= results.los <= 1
    assert (results.los > 0.5) == (results.mean > 0.5) == (results.normalized.value > 0) == (results.elo.value > 0)


@given(st.one_of(PENTANOMIALS, TRINOMIALS))
@settings(max_examples=50)
def test_the_other_side_has_the_opposite_figures(results: Results) -> None:
    turned = results.turned
    assert turned.mean == pytest.approx(1 - results.mean)
    for one, other in ((results.elo, turned.elo), (results.normalized, turned.normalized)):
        assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low), abs=1e-6)
    assert turned.los == pytest.approx(1 - results.los)
    assert turned.draw_ratio == results.draw_ratio and turned.games == results.games


@given(PENTANOMIALS.filter(lambda pairs: pairs.variance > 0.001))
@settings(max_examples=50)
def test_four_times_the_pairs_halve_the_normalised_error(pairs: Pentanomial) -> None:
    more = pairs + pairs + pairs + pairs
    assert more.normalized.value == pytest.approx(pairs.normalized.value)
    assert more.normalized.error == pytest.approx(pairs.normalized.error / 2)
    assert more.error == pytest.approx(pairs.error / 2)


@pytest.mark.parametrize("shares", [(0.05, 0.2, 0.5, 0.2, 0.05), (0.04, 0.15, 0.5, 0.23, 0.08)])
def test_the_intervals_cover_the_truth(shares: tuple[float, ...]) -> None:
    rng, scores = random.Random(1), (0.0, 0.25, 0.5, 0.75, 1.0)
    mean = sum(map(float.__mul__, shares, scores))
    true = elo(mean)
    deviation = math.sqrt(sum(share * (score - mean) ** 2 for share, score in zip(shares, scores, strict=True)))
    true_normalized = 347.43559 * (mean - 0.5) / deviation / math.sqrt(2)
    covered = covered_normalized = 0
    for _ in range(RUNS):
        pairs = Pentanomial.of(rng.choices(scores, shares, k=100))
        covered += pairs.elo.low <= true <= pairs.elo.high
        covered_normalized += pairs.normalized.low <= true_normalized <= pairs.normalized.high
    assert 0.93 < covered / RUNS < 0.97
    assert 0.93 < covered_normalized / RUNS < 0.97


def test_points_have_a_mean_and_its_error() -> None:
    points = Points((2.0, -1.0, 4.0, -1.0))
    assert (points.mean, points.error) == (1.0, pytest.approx(math.sqrt(18 / 3 / 4)))
    assert points.estimate.error == pytest.approx(1.959964 * points.error)
    assert points.estimate.low == pytest.approx(1 - 1.959964 * points.error)


def test_points_of_fewer_than_two_results_have_no_error() -> None:
    assert Points(()).estimate == Estimate(0.0, -math.inf, math.inf)
    assert Points((3.0,)).estimate == Estimate(3.0, -math.inf, math.inf)
    assert Points((3.0, 3.0)).estimate == Estimate(3.0, 3.0, 3.0)


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=50), st.floats(-10, 10))
@settings(max_examples=50)
def test_points_move_with_what_is_added(values: list[float], more: float) -> None:
    points, moved = Points(tuple(values)), Points(tuple(value + more for value in values))
    assert moved.mean == pytest.approx(points.mean + more, abs=1e-9)
    assert moved.error == pytest.approx(points.error, abs=1e-9)


def test_wrong_results_are_refused() -> None:
    with pytest.raises(PlayoutError, match=r"^the score 1\.5 is none of 0, 0\.25, 0\.5, 0\.75, 1$"):
        Pentanomial.of([0.5, 1.5])
    with pytest.raises(PlayoutError, match=r"^the score 0\.25 is none of 0, 0\.5, 1$"):
        Trinomial.of([0.25])
    with pytest.raises(PlayoutError, match=r"^the score nan is none of 0, 0\.5, 1$"):
        Trinomial.of([math.nan])
    with pytest.raises(PlayoutError, match=r"^-1 is no number of pairs: allowed are whole numbers from 0$"):
        Pentanomial((0, 0, -1, 0, 0))
    with pytest.raises(PlayoutError, match=r"^0\.5 is no number of games: allowed are whole numbers from 0$"):
        Trinomial(1, 0.5, 0)  # type: ignore[arg-type]
    with pytest.raises(PlayoutError, match=r"^3 numbers of pairs: needed are 5, "):
        Pentanomial((1, 2, 3))  # type: ignore[arg-type]
