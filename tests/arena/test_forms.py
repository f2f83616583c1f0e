"""The draws of events: round-robins, gauntlets, Swiss and knock-out tournaments, matches with a test."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from playout.arena.forms.everyone import Gauntlet, RoundRobin
from playout.arena.forms.form import Form, Meeting, Outcome, schedule
from playout.arena.forms.knockout import Knockout
from playout.arena.forms.sprt import SprtMatch
from playout.arena.forms.swiss import Swiss
from playout.engine.statistics.sprt import Sprt


def played(form: Form, strengths: list[float], level: float = 0.0) -> list[list[Outcome]]:
    """The rounds of an event in which the stronger player wins every game; with equal strength all are drawn."""
    rounds: list[list[Outcome]] = []
    while (meetings := form.draw(rounds, len(rounds))) is not None:
        outcomes = []
        for meeting in meetings:
            lead = strengths[meeting.first] - strengths[meeting.second]
            share = 1.0 if lead > level else 0.0 if lead < -level else 0.5
            games = 2 * meeting.pairs
            outcomes.append(Outcome(meeting, (share * games, (1 - share) * games), (2 * share,) * meeting.pairs))
        rounds.append(outcomes)
        assert len(rounds) < 100
    return rounds


@pytest.mark.parametrize("players", range(2, 12))
def test_a_schedule_has_each_two_players_once_and_nobody_twice_in_a_round(players: int) -> None:
    rounds = schedule(players)
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs)
    assert met == Counter(map(frozenset, combinations(range(players), 2)))
    for pairs in rounds:
        seats = [player for pair in pairs for player in pair]
        assert len(seats) == len(set(seats))
    assert len(rounds) == players - 1 + players % 2


@pytest.mark.parametrize(("players", "pairs"), [(2, 3), (3, 2), (6, 1)])
def test_a_round_robin_has_the_pairs_that_were_asked_for(players: int, pairs: int) -> None:
    met = Counter(
        frozenset((outcome.meeting.first, outcome.meeting.second))
        for outcomes in played(RoundRobin(players, pairs), [0.0] * players)
        for outcome in outcomes
    )
    assert set(met.values()) == {pairs}
    assert len(met) == players * (players - 1) // 2


def test_a_gauntlet_spares_the_others_each_other() -> None:
    form = Gauntlet(4, 2, seeds=2)
    met = Counter((one.first, one.second) for number in (0, 1) for one in form.draw([], number) or ())
    assert met == Counter({(seed, other): 2 for seed in (0, 1) for other in (2, 3)})
    assert form.draw([], 2) is None


@pytest.mark.parametrize("players", [2, 3, 5, 8, 13])
def test_a_swiss_tournament_finds_the_best_and_repeats_no_meeting(players: int) -> None:
    strengths = list(map(float, range(players)))
    random.Random(players).shuffle(strengths)
    length = (players - 1).bit_length()
    rounds = played(Swiss(players, length, 1), strengths)
    assert len(rounds) == length
    met = Counter(frozenset((one.meeting.first, one.meeting.second)) for outcomes in rounds for one in outcomes)
    assert max(met.values()) == 1
    points = Counter[int]()
    for outcomes in rounds:
        seen = set(range(players))
        for outcome in outcomes:
            points[outcome.meeting.first] += int(outcome.points[0])
            points[outcome.meeting.second] += int(outcome.points[1])
            seen -= {outcome.meeting.first, outcome.meeting.second}
        assert len(seen) == players % 2
        points.update(dict.fromkeys(seen, 2))
    assert points.most_common(1)[0][0] == strengths.index(max(strengths))


def test_nobody_rests_twice_in_a_swiss_tournament_before_all_have() -> None:
    rounds = played(Swiss(5, 5, 1), [0.0] * 5)
    rested = []
    for outcomes in rounds:
        seen = {player for one in outcomes for player in (one.meeting.first, one.meeting.second)}
        rested += [player for player in range(5) if player not in seen]
    assert sorted(rested) == [0, 1, 2, 3, 4]


def test_a_swiss_tournament_that_is_longer_than_its_pairings_repeats_some() -> None:
    assert len(played(Swiss(4, 5, 1), [0.0] * 4)) == 5


@pytest.mark.parametrize("players", [2, 3, 4, 6, 8, 11])
def test_the_best_seed_of_a_knock_out_meets_the_second_in_the_final(players: int) -> None:
    strengths = [-float(seed) for seed in range(players)]
    rounds = played(Knockout(players, 2), strengths)
    final = rounds[-1]
    assert [{one.meeting.first, one.meeting.second} for one in final] == [{0, 1}]
    assert sum(len(outcomes) for outcomes in rounds) == players - 1
    assert len(rounds) == (players - 1).bit_length()


def test_level_meetings_of_a_knock_out_go_into_extra_pairs_and_then_to_the_better_seed() -> None:
    form = Knockout(4, 2, extra=3)
    rounds = played(form, [0.0] * 4)
    assert [len(outcomes) for outcomes in rounds] == [2, 2, 2, 2, 1, 1, 1, 1]
    assert [outcomes[0].meeting.pairs for outcomes in rounds] == [2, 1, 1, 1, 2, 1, 1, 1]
    assert {rounds[-1][0].meeting.first, rounds[-1][0].meeting.second} == {0, 1}


def test_only_level_meetings_are_repeated() -> None:
    form = Knockout(4, 1)
    first = form.draw([], 0)
    assert first == [Meeting(0, 3, 1), Meeting(1, 2, 1)]
    decided, level = Outcome(first[0], (0.5, 1.5), (0.5,)), Outcome(first[1], (1.0, 1.0), (1.0,))
    assert form.draw([[decided, level]], 1) == [Meeting(1, 2, 1)]
    extra = Outcome(Meeting(1, 2, 1), (0.0, 2.0), (0.0,))
    assert form.draw([[decided, level], [extra]], 2) == [Meeting(3, 2, 1)]


def test_a_match_with_a_test_ends_with_its_decision() -> None:
    form = SprtMatch(Sprt(0, 200, model="logistic"), pairs=1000)
    meeting = Meeting(0, 1, 1)
    won, even = Outcome(meeting, (2.0, 0.0), (2.0,)), Outcome(meeting, (1.0, 1.0), (1.0,))
    assert form.decided([]) is None
    assert form.draw([], 999) == [meeting]
    assert form.draw([], 1000) is None
    assert form.decided([[won]] * 30) == "H1"
    assert form.decided([[won], [even]] * 3) is None
    assert form.decided([[Outcome(meeting, (0.0, 2.0), (0.0,))]] * 30) == "H0"
