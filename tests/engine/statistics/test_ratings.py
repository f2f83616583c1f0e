"""Ratings of many engines: published figures, known strengths, coverage, edges, what is refused."""

from __future__ import annotations

import math
import random
from itertools import combinations, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.engine.statistics.elo import PER_LOGIT, elo, expected
from playout.engine.statistics.pairs import Pentanomial, Results, Trinomial
from playout.engine.statistics.ratings import Ratings, rate
from playout.engine.statistics.records import Pairing
from playout.games.errors import PlayoutError

ORDO = [
    Pairing("A", "B", games=Trinomial(40, 36, 24)),
    Pairing("A", "C", games=Trinomial(50, 30, 20)),
    Pairing("B", "C", games=Trinomial(36, 40, 24)),
]
"""The tournament whose figures were computed with Ordo, and by hand for Davidson's model."""
ORDO_POINT = PER_LOGIT * math.log(0.76 / 0.24) / 202
"""Elo of one of Ordo's points, by which a score of 76 % is a difference of 202."""
TOURNAMENTS = 250
COUNT = st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 10**5))


def values(ratings: Ratings) -> dict[str, float]:
    return {name: one.value for name, one in ratings.estimates.items()}


@st.composite
def tournaments(draw: st.DrawFn) -> list[Pairing]:
    """Up to six records of up to five engines."""
    made = []
    for _ in range(draw(st.integers(1, 6))):
        first, second = draw(st.permutations("ABCDE"))[:2]
        pairs = (
            Pentanomial(draw(st.tuples(COUNT, COUNT, COUNT, COUNT, COUNT))) if draw(st.booleans()) else Pentanomial()
        )
        made.append(
            Pairing(first, second, pairs, Trinomial(draw(COUNT), draw(COUNT), draw(COUNT)), draw(st.booleans()))
        )
    return made


def ways(**more: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"model": st.sampled_from(["logistic", "davidson"]), **more})


def test_the_ratings_are_ordos() -> None:
    found = values(rate(ORDO))
    assert found == pytest.approx({"A": 54.467, "B": -4.738, "C": -49.729}, abs=6e-4)
    points = {name: value / ORDO_POINT for name, value in found.items()}
    assert points == pytest.approx({"A": 54.95, "B": -4.78, "C": -50.17}, abs=0.006)


def test_the_errors_are_near_those_that_ordo_simulates() -> None:
    ratings = rate(ORDO)
    errors = {name: one.error / ORDO_POINT for name, one in ratings.estimates.items()}
    assert errors == pytest.approx({"A": 27.2, "B": 26.9, "C": 26.4}, rel=0.05)
    differences = [ratings.difference(*names).error / ORDO_POINT for names in ("AB", "AC", "BC")]
    assert differences == pytest.approx([47.2, 46.3, 45.9], rel=0.05)
    assert ratings.superiority("A", "B") == pytest.approx(0.993, abs=0.003)


def test_the_ratings_are_davidsons() -> None:
    ratings = rate(ORDO, model="davidson")
    assert ratings.nu == pytest.approx(1.154395, abs=5e-7)
    assert ratings.nu is not None
    assert values(ratings) == pytest.approx({"A": 54.61, "B": -4.75, "C": -49.86}, abs=0.006)
    # Without the scale of Elo; the errors are those of the likelihood's second derivative.
    unscaled = (2 + ratings.nu) / 2
    strengths = {name: value * unscaled for name, value in values(ratings).items()}
    assert strengths == pytest.approx({"A": 86.138, "B": -7.494, "C": -78.644}, abs=6e-4)
    errors = {name: one.error * unscaled for name, one in ratings.estimates.items()}
    assert errors == pytest.approx({"A": 42.3, "B": 40.8, "C": 42.1}, rel=0.02)
    assert ratings.difference("A", "B").error * unscaled == pytest.approx(71.8, rel=0.02)


@pytest.mark.parametrize("results", [Trinomial(120, 40, 60), Pentanomial((3, 20, 60, 34, 15))])
def test_two_engines_differ_as_their_match_says(results: Results) -> None:
    pairing = Pairing("A", "B", results) if isinstance(results, Pentanomial) else Pairing("A", "B", games=results)
    difference = rate([pairing]).difference("A", "B")
    assert difference.value == pytest.approx(results.elo.value)
    assert difference.error == pytest.approx(results.elo.error, rel=0.02)
    assert rate([pairing]).superiority("A", "B") == pytest.approx(results.los, abs=0.003)


def test_pairs_have_smaller_errors_than_their_games() -> None:
    pairs = rate([Pairing("A", "B", Pentanomial((0, 5, 90, 5, 0)))])
    games = rate([Pairing("A", "B", games=Trinomial(50, 100, 50))])
    assert pairs.difference("A", "B").error < 0.5 * games.difference("A", "B").error


def shares(difference: float, nu: float) -> tuple[float, float, float]:
    """Shares of losses, draws and wins in Davidson's model, at a difference in logits."""
    weights = math.exp(-difference / 2), nu, math.exp(difference / 2)
    return weights[0] / sum(weights), weights[1] / sum(weights), weights[2] / sum(weights)


def game_of(difference: float, nu: float) -> Trinomial:
    """The expected results of many games."""
    lost, drawn, won = (round(10**7 * share) for share in shares(difference, nu))
    return Trinomial(won, drawn, lost)


def pairs_of(difference: float, nu: float) -> Pentanomial:
    """The expected results of many pairs of independent games."""
    counts = [0.0] * 5
    for points, share in enumerate(shares(difference, nu)):
        for more, other in enumerate(shares(difference, nu)):
            counts[points + more] += 10**7 * share * other
    low, worse, even, better, high = map(round, counts)
    return Pentanomial((low, worse, even, better, high))


@pytest.mark.parametrize("nu", [0.0, 0.3, 4.0])
def test_known_strengths_are_found_from_games_of_each_colour(nu: float) -> None:
    logits, advantage = {"A": 0.7, "B": 0.3, "C": -1.0}, 0.8
    pairings = [
        Pairing(one, other, games=game_of(logits[one] - logits[other] + advantage, nu), starts=True)
        for one, other in permutations(logits, 2)
    ]
    ratings = rate(pairings, model="davidson", advantage=True)
    scale = PER_LOGIT * 2 / (2 + nu)
    assert ratings.nu == pytest.approx(nu, abs=1e-5)
    assert values(ratings) == pytest.approx({name: scale * value for name, value in logits.items()}, abs=0.01)
    assert ratings.advantage is not None
    assert ratings.advantage.value == pytest.approx(scale * advantage, abs=0.01)


@pytest.mark.parametrize("nu", [0.0, 0.3, 4.0])
def test_known_strengths_are_found_from_pairs(nu: float) -> None:
    logits = {"A": 0.7, "B": 0.3, "C": -1.0}
    pairings = [
        Pairing(one, other, pairs_of(logits[one] - logits[other], nu)) for one, other in combinations(logits, 2)
    ]
    ratings = rate(pairings, model="davidson")
    # The other scores tell how many of the pairs with one point each were two draws.
    assert ratings.nu == pytest.approx(nu, abs=1e-5)
    scale = PER_LOGIT * 2 / (2 + nu)
    assert values(ratings) == pytest.approx({name: scale * value for name, value in logits.items()}, abs=0.01)


def test_the_advantage_of_the_first_move_has_its_error() -> None:
    ratings = rate(
        [
            Pairing("A", "B", games=Trinomial(700, 0, 300), starts=True),
            Pairing("B", "A", games=Trinomial(600, 0, 400), starts=True),
        ],
        advantage=True,
    )
    logits = math.log(7 / 3), math.log(6 / 4)
    errors = [1.959964 * math.sqrt(1 / 1000 / share / (1 - share)) for share in (0.7, 0.6)]
    difference = ratings.difference("A", "B")
    assert ratings.advantage is not None
    # The drawn game that is supposed for the advantage moves it by a part in two thousand.
    assert ratings.advantage.value == pytest.approx(PER_LOGIT * sum(logits) / 2, abs=0.2)
    assert difference.value == pytest.approx(PER_LOGIT * (logits[0] - logits[1]) / 2, abs=0.2)
    assert ratings.advantage.error == pytest.approx(PER_LOGIT * math.hypot(*errors) / 2, rel=0.01)
    assert difference.error == pytest.approx(PER_LOGIT * math.hypot(*errors) / 2, rel=0.01)


def test_an_advantage_that_strength_explains_as_well_has_a_wide_interval() -> None:
    ratings = rate([Pairing("A", "B", games=Trinomial(60, 0, 40), starts=True)], advantage=True)
    assert ratings.advantage is not None
    assert ratings.advantage.value == pytest.approx(0, abs=1e-6)
    assert ratings.difference("A", "B").value == pytest.approx(elo(0.6))
    assert ratings.difference("A", "B").error > 500 < ratings.advantage.error


def test_the_advantage_is_not_bounded_by_games_that_do_not_tell_it() -> None:
    assert rate(ORDO).advantage is None
    advantage = rate(ORDO, advantage=True).advantage
    assert advantage is not None
    assert (advantage.value, advantage.low, advantage.high) == (pytest.approx(0), -math.inf, math.inf)
    won = [Pairing(*names, games=Trinomial(wins=10), starts=True) for names in ("AB", "BA")]
    advantage = rate(won, advantage=True).advantage
    assert advantage is not None
    # 20 wins and a supposed draw.
    assert advantage.value == pytest.approx(elo(20.5 / 21))
    assert 0 < advantage.low < advantage.value and advantage.high == math.inf


def result(rng: random.Random, difference: float) -> float:
    """A game of BayesElo's model, whose draws are not Davidson's."""
    draw = rng.random()
    lost, won = expected(-difference - 150), expected(difference - 150)
    return 0.0 if draw < lost else 1.0 if draw > 1 - won else 0.5


@pytest.mark.long
@pytest.mark.parametrize("pairs", [False, True])
def test_the_intervals_cover_the_truth(pairs: bool) -> None:
    rng, played_elo = random.Random(1), {"A": 75.0, "B": 25.0, "C": -25.0, "D": -75.0}
    names = list(combinations(played_elo, 2))
    # Ratings are differences at which the logistic curve expects these scores.
    scores = {}
    for one, other in names:
        apart = played_elo[one] - played_elo[other]
        scores[one, other] = (1 + expected(apart - 150) - expected(-apart - 150)) / 2
    many = 10**8
    exact = [(round(many * score), many - round(many * score)) for score in scores.values()]
    true = rate([Pairing(*pair, games=Trinomial(won, 0, lost)) for pair, (won, lost) in zip(names, exact, strict=True)])
    covered = covered_differences = 0
    for _ in range(TOURNAMENTS):
        pairings = []
        for one, other in names:
            apart = played_elo[one] - played_elo[other]
            if pairs:
                # An opening that is better for one colour makes the two games of a pair depend on each other.
                openings = [rng.gauss(0, 150) for _ in range(10)]
                results = [(result(rng, apart + at) + result(rng, apart - at)) / 2 for at in openings]
                pairings.append(Pairing(one, other, Pentanomial.of(results)))
            else:
                pairings.append(Pairing(one, other, games=Trinomial.of(result(rng, apart) for _ in range(20))))
        ratings = rate(pairings)
        for name, found in ratings.estimates.items():
            covered += found.low <= true.estimates[name].value <= found.high
        for pair in names:
            found = ratings.difference(*pair)
            covered_differences += found.low <= true.difference(*pair).value <= found.high
    assert 0.93 < covered / TOURNAMENTS / len(played_elo) < 0.97
    assert 0.93 < covered_differences / TOURNAMENTS / len(names) < 0.97


def test_an_engine_that_won_everything_has_no_upper_end() -> None:
    ratings = rate(
        [
            Pairing("A", "B", games=Trinomial(wins=10)),
            Pairing("C", "A", Pentanomial((5, 0, 0, 0, 0))),
            Pairing("B", "C", games=Trinomial(4, 3, 5)),
        ]
    )
    assert list(ratings.estimates) == ["A", "C", "B"]
    best, last = ratings.estimates["A"], ratings.estimates["B"]
    assert best.high == math.inf and 0 < best.low < best.value < 1000
    assert last.low == -math.inf and last.value < last.high < 0
    assert ratings.difference("A", "B").high == math.inf
    assert ratings.difference("A", "B").low > 0
    # The two that lost played each other.
    assert ratings.difference("B", "C").value == pytest.approx(elo(5.5 / 12), abs=2)
    assert ratings.difference("B", "C").error < 400
    assert ratings.superiority("A", "B") > 0.975


def test_one_draw_is_supposed_between_engines_of_which_one_took_all_points() -> None:
    won = [Pairing("A", "B", games=Trinomial(wins=6)), Pairing("A", "C", games=Trinomial(wins=4))]
    ratings = rate(won)
    assert ratings.difference("A", "B").value == pytest.approx(elo(6.5 / 7))
    assert ratings.difference("A", "C").value == pytest.approx(elo(4.5 / 5))
    # Nothing bounds the difference of two engines that lost every game to a third one.
    assert (ratings.difference("B", "C").low, ratings.difference("B", "C").high) == (-math.inf, math.inf)
    # Two that are known to be equal share one draw.
    ratings = rate([*won, Pairing("B", "C", games=Trinomial(draws=10**6))])
    assert ratings.difference("A", "B").value == pytest.approx(elo(10.5 / 11), abs=0.01)


def test_an_engine_between_two_others_has_both_ends() -> None:
    ratings = rate([Pairing(*names, games=Trinomial(wins=5)) for names in ("AB", "BC")])
    ends = {name: (math.isfinite(one.low), math.isfinite(one.high)) for name, one in ratings.estimates.items()}
    assert ends == {"A": (True, False), "B": (True, True), "C": (False, True)}


def test_draws_alone_leave_room_on_both_sides() -> None:
    difference = rate([Pairing("A", "B", games=Trinomial(draws=10))]).difference("A", "B")
    assert difference.value == pytest.approx(0)
    assert difference.error == pytest.approx(Trinomial(draws=10).elo.error, rel=0.1)
    ratings = rate([Pairing("A", "B", games=Trinomial(draws=10))], model="davidson")
    # Half a game counts as decided.
    assert ratings.nu == pytest.approx(2 * 9.5 / 0.5)
    assert ratings.difference("A", "B").value == pytest.approx(0)


def test_groups_that_never_met_are_not_compared() -> None:
    pairings = [Pairing("A", "B", games=Trinomial(6, 0, 4)), Pairing("C", "D", games=Trinomial(3, 2, 1))]
    pairings.append(Pairing("D", "E", games=Trinomial(3, 2, 1)))
    ratings = rate(pairings, ["Z"], anchor=("A", 2000.0))
    assert ratings.groups == (("C", "D", "E"), ("A", "B"), ("Z",))
    assert values(ratings)["A"] == pytest.approx(2000)
    assert values(ratings)["B"] == pytest.approx(2000 - elo(0.6))
    middle = 2000 - elo(0.6) / 2
    assert sum(values(ratings)[name] for name in "CDE") / 3 == pytest.approx(middle)
    unknown = ratings.estimates["Z"]
    assert (unknown.value, unknown.low, unknown.high) == (pytest.approx(middle), -math.inf, math.inf)
    between = ratings.difference("A", "C")
    assert (between.low, between.high) == (-math.inf, math.inf)
    assert between.value == pytest.approx(values(ratings)["A"] - values(ratings)["C"])
    assert ratings.superiority("A", "C") == 0.5
    assert ratings.estimates["C"].error < 400


def test_nobody_played() -> None:
    assert rate([]).estimates == {} == rate([], model="davidson", advantage=True).estimates
    ratings = rate([Pairing("A", "B")], anchor=("A", 100.0))
    assert ratings.groups == (("A",), ("B",))
    assert values(ratings) == {"A": 100.0, "B": 100.0}


def test_an_anchor_has_its_rating_and_no_error() -> None:
    ratings, free = rate(ORDO, anchor=("B", 3000.0)), rate(ORDO)
    anchor = ratings.estimates["B"]
    assert (anchor.value, anchor.low, anchor.high) == (pytest.approx(3000), pytest.approx(3000), pytest.approx(3000))
    assert ratings.estimates["A"].value == pytest.approx(3000 + free.difference("A", "B").value)
    assert ratings.estimates["A"].error == pytest.approx(free.difference("A", "B").error)
    assert ratings.difference("A", "C").low == pytest.approx(free.difference("A", "C").low)


def test_an_engine_is_as_strong_as_itself() -> None:
    difference = rate(ORDO).difference("A", "A")
    assert (difference.value, difference.low, difference.high) == (0, 0, 0)
    assert rate(ORDO).superiority("A", "A") == 0.5


@given(tournaments(), ways(advantage=st.booleans()))
@settings(max_examples=50)
def test_every_record_has_ratings(pairings: list[Pairing], way: dict[str, Any]) -> None:
    ratings = rate(pairings, **way)
    assert sorted(name for group in ratings.groups for name in group) == sorted(ratings.estimates)
    for group in ratings.groups:
        assert math.fsum(ratings.estimates[name].value for name in group) == pytest.approx(0, abs=1e-3)
    estimates = [
        *ratings.estimates.values(),
        *(ratings.difference(*names) for names in combinations(ratings.estimates, 2)),
    ]
    if way["advantage"]:
        assert ratings.advantage is not None
        estimates.append(ratings.advantage)
    for one in estimates:
        assert one.low < one.value < one.high and math.isfinite(one.value)
    assert ratings.nu is None or 0 <= ratings.nu < math.inf
    for names in combinations(ratings.estimates, 2):
        assert ratings.superiority(*names) == pytest.approx(1 - ratings.superiority(*names[::-1]), abs=1e-9)


@given(tournaments())
@settings(max_examples=50)
def test_expected_points_are_those_obtained(pairings: list[Pairing]) -> None:
    drawn = [Pairing(one.first, one.second, games=Trinomial(draws=1)) for one in pairings]
    ratings = rate([*pairings, *drawn])
    for name in ratings.estimates:
        missing, games = 0.0, 0
        for one in (*pairings, *drawn):
            if name in (one.first, one.second):
                other = one.second if name == one.first else one.first
                for results in (one.pairs, one.games):
                    mean = results.mean if name == one.first else 1 - results.mean
                    missing += results.games * (mean - expected(ratings.difference(name, other).value))
                    games += results.games
        assert abs(missing) < 1e-8 * (100 + games)


@given(tournaments(), ways(advantage=st.booleans()))
@settings(max_examples=50)
def test_turned_results_turn_the_ratings(pairings: list[Pairing], way: dict[str, Any]) -> None:
    ratings = rate(pairings, **way)
    turned = rate(
        [Pairing(one.first, one.second, one.pairs.turned, one.games.turned, one.starts) for one in pairings], **way
    )
    for name, one in ratings.estimates.items():
        other = turned.estimates[name]
        assert (one.value, one.low, one.high) == pytest.approx(
            (-other.value, -other.high, -other.low), rel=1e-3, abs=1e-2
        )


@given(tournaments(), ways())
@settings(max_examples=50)
def test_a_pairing_reads_the_same_from_both_sides(pairings: list[Pairing], way: dict[str, Any]) -> None:
    turned = [Pairing(one.second, one.first, one.pairs.turned, one.games.turned) for one in pairings]
    assert values(rate(turned[::-1], **way)) == pytest.approx(values(rate(pairings, **way)), rel=1e-4, abs=1e-3)


@pytest.mark.long
def test_a_pool_of_fifty_engines_is_rated() -> None:
    rng = random.Random(1)
    true = {f"engine {place}": 8.0 * place - 196 for place in range(50)}
    pairings = [
        Pairing(one, other, games=Trinomial.of([float(rng.random() < expected(true[one] - true[other]))]))
        for one, other in combinations(true, 2)
    ]
    found = rate(pairings).estimates
    missed = [name for name, one in found.items() if not one.low <= true[name] <= one.high]
    # Two or three of fifty are expected, with a standard deviation of one and a half.
    assert len(found) == 50 and 0 < len(missed) < 8


def test_wrong_pairings_and_settings_are_refused() -> None:
    with pytest.raises(PlayoutError, match=r"^a pairing of 'A' with itself: allowed are two engines$"):
        Pairing("A", "A")
    with pytest.raises(PlayoutError, match=r"^ratings: the model 'elo' is none of logistic, davidson$"):
        rate(ORDO, model="elo")  # type: ignore[arg-type]
    with pytest.raises(PlayoutError, match=r"^ratings: the anchor 'X' is none of the engines A, B, C$"):
        rate(ORDO, anchor=("X", 0.0))
    with pytest.raises(PlayoutError, match=r"^ratings: the anchor's rating is nan: allowed are finite numbers$"):
        rate(ORDO, anchor=("A", math.nan))
    for ask in (rate(ORDO).difference, rate(ORDO).superiority):
        with pytest.raises(PlayoutError, match=r"^there is no engine 'X': there are A, B, C$"):
            ask("A", "X")
