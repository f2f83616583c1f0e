"""Sequential tests: published log-likelihood ratios, chances of error, edges, what is refused."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.engine.statistics.elo import NORMALIZED, expected
from playout.engine.statistics.pairs import Pentanomial, Results, Trinomial
from playout.engine.statistics.sprt import Sprt, Verdict
from playout.games.errors import PlayoutError

COUNT = st.one_of(st.just(0), st.integers(0, 20), st.integers(0, 10**6))
PENTANOMIALS = st.tuples(COUNT, COUNT, COUNT, COUNT, COUNT).map(Pentanomial)
TRINOMIALS = st.builds(Trinomial, COUNT, COUNT, COUNT)
RUNS = 80


@pytest.mark.parametrize(
    ("model", "elo", "counts", "ratio"),
    [
        ("normalized", (0.5, 2.5), (39, 8843, 26675, 9240, 44), "2.9417"),  # fishtest's LLR of a test that passed
        ("logistic", (0.5, 2.5), (39, 8843, 26675, 9240, 44), "0.5555"),
        ("normalized", (0, 2), (365, 16618, 36229, 16974, 390), "2.2504"),  # fastchess, sprt_test.cpp
        ("normalized", (-1.75, 0.25), (127, 4883, 10712, 5150, 104), "3.0102"),
        ("logistic", (-1.75, 0.25), (127, 4883, 10712, 5150, 104), "6.8620"),
        ("logistic", (0.5, 2.5), (223, 9863, 21279, 10037, 246), "-3.0741"),
        ("logistic", (0, 2), (871, 26175, 55983, 26678, 821), "-4.9787"),
        ("normalized", (0, 10), (34, 54, 63, 64, 75), "2.4837"),
        ("logistic", (0, 10), (34, 54, 63, 64, 75), "2.5511"),
    ],
)
def test_ratios_of_pairs_that_were_published(
    model: Any, elo: tuple[float, float], counts: tuple[int, int, int, int, int], ratio: str
) -> None:
    assert f"{Sprt(*elo, model=model).llr(Pentanomial(counts)):.4f}" == ratio


@pytest.mark.parametrize(
    ("model", "elo", "games", "ratio"),
    [
        ("normalized", (0, 2), Trinomial(36433, 68692, 36027), "0.92"),  # fastchess, sprt_test.cpp
        ("normalized", (-1.75, 0.25), Trinomial(10871, 20431, 10650), "2.30"),
        ("logistic", (0.5, 2.5), Trinomial(21404, 40708, 21184), "-1.57"),
        ("logistic", (0, 2), Trinomial(57433, 106593, 57030), "-2.59"),
        ("bayesian", (0, 5), Trinomial(1450, 4000, 1500), "-3.39"),  # cutechess
        ("bayesian", (0, 20), Trinomial(136, 111, 96), "2.58"),
    ],
)
def test_ratios_of_games_that_were_published(
    model: Any, elo: tuple[float, float], games: Trinomial, ratio: str
) -> None:
    assert f"{Sprt(*elo, model=model).llr(games):.2f}" == ratio


@pytest.mark.parametrize(
    ("elo", "games", "ratio"),
    [((0, 2), Trinomial(68965, 128429, 68526), "-1.26"), ((0.5, 2.5), Trinomial(21629, 41111, 21484), "-1.13")],
)
def test_ratios_that_fastchess_published_with_bounds_in_bayeselo(
    elo: tuple[float, float], games: Trinomial, ratio: str
) -> None:
    wins, losses = games.wins / games.games, games.losses / games.games
    drawn = 10 ** (-math.log10((1 - losses) / losses * (1 - wins) / wins) / 2)
    scale = 4 * drawn / (1 + drawn) ** 2
    assert f"{Sprt(elo[0] * scale, elo[1] * scale, model='bayesian').llr(games):.2f}" == ratio


def test_a_side_that_wins_all_has_fastchess_ratio() -> None:
    # It prints 111.82, because it stops where shares of the distribution change by less than 1e-4.
    assert Sprt(0, 5).llr(Pentanomial((0, 0, 0, 0, 5550))) == pytest.approx(111.82, abs=0.03)


def test_the_ratio_is_the_greatest_where_hardly_anything_varies() -> None:
    # Ten rounds, which are fishtest's most, find -115.98: under H0 they end at a likelihood of exp(-1015.14), while the
    # distribution (0, 0.00658, 0.99342, 0, 0) has a normalised Elo of -20 and exp(-911.77).
    assert Sprt(-20, 20).llr(Pentanomial((0, 50, 100_000, 0, 0))) == pytest.approx(-219.354, abs=0.001)


@pytest.mark.parametrize("counts", [(39, 8843, 26675, 9240, 44), (127, 4883, 10712, 5150, 104)])
def test_ratios_are_near_the_close_forms_for_small_differences(counts: tuple[int, int, int, int, int]) -> None:
    pairs, (elo0, elo1) = Pentanomial(counts), (0.5, 2.5)
    seen = (pairs.mean - 0.5) / math.sqrt(2 * pairs.variance)
    squares = [1 + (seen - elo / NORMALIZED) ** 2 for elo in (elo0, elo1)]
    assert Sprt(elo0, elo1).llr(pairs) == pytest.approx(pairs.games / 2 * math.log(squares[0] / squares[1]), rel=1e-3)
    low, high = expected(elo0), expected(elo1)
    near = pairs.number * (high - low) * (2 * pairs.mean - low - high) / (2 * pairs.variance)
    assert Sprt(elo0, elo1, model="logistic").llr(pairs) == pytest.approx(near, rel=1e-3)


def test_the_bounds_are_walds() -> None:
    assert Sprt(0, 10).bounds == pytest.approx((-2.944439, 2.944439), abs=5e-7)
    assert Sprt(0, 10, alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def test_the_verdict_is_reached_at_the_bounds() -> None:
    pairs = Pentanomial((127, 4883, 10712, 5150, 104))
    ratio = Sprt(-1.75, 0.25).llr(pairs)
    for alpha, verdict in ((math.exp(-ratio) * 1.001, Verdict.H1), (math.exp(-ratio) * 0.999, None)):
        test = Sprt(-1.75, 0.25, alpha=alpha * 0.9, beta=0.1)
        assert test.verdict(pairs) is verdict
        test = Sprt(-0.25, 1.75, alpha=0.1, beta=alpha * 0.9)
        assert test.verdict(pairs.turned) is (Verdict.H0 if verdict else None)


@pytest.mark.parametrize("model", ["normalized", "logistic", "bayesian"])
def test_nothing_is_decided_without_results(model: Any) -> None:
    assert Sprt(0, 10, model=model).llr(Trinomial()) == 0.0
    assert Sprt(0, 10, model=model).verdict(Trinomial()) is None


@given(
    st.one_of(
        st.tuples(st.sampled_from(["normalized", "logistic"]), PENTANOMIALS),
        st.tuples(st.sampled_from(["normalized", "logistic", "bayesian"]), TRINOMIALS),
    ),
    st.floats(-190, 190),
    st.floats(0.1, 10),
)
@settings(max_examples=50)
def test_turned_sides_have_the_opposite_ratio(given_results: tuple[Any, Results], elo: float, width: float) -> None:
    model, results = given_results
    ratio = Sprt(elo, elo + width, model=model).llr(results)
    assert math.isfinite(ratio)
    assert Sprt(-elo - width, -elo, model=model).llr(results.turned) == pytest.approx(-ratio, rel=1e-5, abs=1e-6)


@given(PENTANOMIALS, st.sampled_from(["normalized", "logistic"]), st.floats(-90, 90), st.floats(0.1, 50))
@settings(max_examples=50)
def test_ratios_of_neighbouring_hypotheses_add_up(pairs: Pentanomial, model: Any, elo: float, width: float) -> None:
    parts = [Sprt(elo + part, elo + part + width, model=model).llr(pairs) for part in (0, width)]
    whole = Sprt(elo, elo + 2 * width, model=model).llr(pairs)
    assert sum(parts) == pytest.approx(whole, rel=1e-5, abs=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("true", [0.0, 100.0])
def test_wrong_verdicts_are_as_rare_as_asked(true: float) -> None:
    # The scores' second moment about 1/2 is 0.05; the share that moves from 1/2 to 1 1/2 points does not change it.
    deviations = true * math.sqrt(2) / NORMALIZED
    moved = 2 * deviations * math.sqrt(0.05 / (1 + deviations**2))
    rng, test, wrong, games = random.Random(1), Sprt(0, 100), 0, 0
    for _ in range(RUNS):
        pairs, verdict = Pentanomial(), None
        while verdict is None:
            pairs += Pentanomial.of(rng.choices((0, 0.25, 0.5, 0.75, 1), (0.05, 0.2 - moved, 0.5, 0.2 + moved, 0.05)))
            verdict = test.verdict(pairs)
        wrong += verdict is (Verdict.H0 if true else Verdict.H1)
        games += pairs.games
    # 5 % were asked for, with a standard error of 2.4 %. At an end 639,800 / d^2 games are expected, and the overshoot
    # of the last pair, which is large at such a difference.
    assert 0.005 < wrong / RUNS < 0.095
    assert 1.0 < games / RUNS / (639_800 / 100**2) < 1.5


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"elo0": 5, "elo1": 5}, r"^SPRT: elo0 is 5: allowed is less than elo1, 5$"),
        ({"elo0": 0, "elo1": 201}, r"^SPRT: elo1 is 201: allowed is -200 to 200 with normalized Elo$"),
        ({"elo0": -1001, "elo1": 0, "model": "logistic"}, r"^SPRT: elo0 is -1001: allowed is -1000 to 1000 "),
        ({"elo0": math.nan, "elo1": 0}, r"^SPRT: elo0 is nan: "),
        ({"alpha": 0.0}, r"^SPRT: alpha is 0: allowed is more than 0 and less than 0\.5$"),
        ({"beta": 0.5}, r"^SPRT: beta is 0\.5: allowed is more than 0 and less than 0\.5$"),
        ({"model": "trinomial"}, r"^SPRT: the model 'trinomial' is none of normalized, logistic, bayesian$"),
    ],
)
def test_wrong_settings_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(PlayoutError, match=message):
        Sprt(**{"elo0": 0, "elo1": 10, **values})


def test_the_bayesian_model_refuses_pairs() -> None:
    with pytest.raises(PlayoutError, match=r"^SPRT: the bayesian model is for wins, draws and losses, not for pairs$"):
        Sprt(0, 10, model="bayesian").verdict(Pentanomial((1, 1, 1, 1, 1)))
