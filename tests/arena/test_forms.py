"""The draws of events: round-robins, gauntlets, Swiss and knock-out tournaments, matches with a test."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations

import pytest

from playout.arena.forms.everyone import Gauntlet, RoundRobin
from playout.arena.forms.form import Form, Meeting, Outcome, Places, schedule
from playout.arena.forms.knockout import Knockout
from playout.arena.forms.matching import most_pairs
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


def matchings(players: tuple[int, ...]) -> list[tuple[tuple[int, int], ...]]:
    """All ways in which an even number of players can meet."""
    if not players:
        return [()]
    first, *others = players
    return [
        ((first, second), *rest)
        for second in others
        for rest in matchings(tuple(one for one in others if one != second))
    ]


def random_swiss(players: int, length: int, rng: random.Random) -> list[list[Outcome]]:
    """The rounds of a Swiss tournament with results at random."""
    form, rounds = Swiss(players, length, 1), list[list[Outcome]]()
    while (meetings := form.draw(rounds, len(rounds))) is not None:
        points = [rng.choice([0.0, 0.5, 1.0, 1.5, 2.0]) for _ in meetings]
        rounds.append([Outcome(one, (won, 2 - won), (won,)) for one, won in zip(meetings, points, strict=True)])
    return rounds


@pytest.mark.parametrize(("players", "length"), [(4, 5), (5, 3), (5, 6), (6, 5), (7, 5), (8, 6), (9, 4)])
def test_no_pairing_of_a_swiss_round_repeats_fewer_meetings(players: int, length: int) -> None:
    """Nor does any with another player at rest, of those who have rested least."""
    for seed in range(12):
        met, rested = Counter[frozenset[int]](), Counter[int](dict.fromkeys(range(players), 0))
        for outcomes in random_swiss(players, length, random.Random(seed)):
            drawn = [frozenset((one.meeting.first, one.meeting.second)) for one in outcomes]
            least = min(met[frozenset(two)] for two in combinations(range(players), 2))
            resting = set(range(players)).difference(*drawn)
            fewest = [player for player in range(players) if rested[player] == min(rested.values())]
            rests: Sequence[set[int]] = [{player} for player in fewest] if players % 2 else [set()]
            assert resting in rests
            possible = [
                sum(met[frozenset(two)] > least for two in pairs)
                for rest in rests
                for pairs in matchings(tuple(one for one in range(players) if one not in rest))
            ]
            assert sum(met[two] > least for two in drawn) == min(possible)
            met.update(drawn)
            rested.update(resting)


def test_players_with_the_same_points_meet_though_the_first_choice_of_the_best_would_part_them() -> None:
    """The best could meet 2, but then 1 and 3, who have met, could not meet their equals."""
    form = Swiss(6, 9, 1)
    points = {(0, 4): (1.0, 0.0), (1, 3): (1.0, 1.0), (2, 5): (1.0, 0.0)}
    drawn = form.draw([[Outcome(Meeting(*two, 1), won, (won[0],)) for two, won in points.items()]], 1)
    assert drawn is not None
    assert {frozenset((one.first, one.second)) for one in drawn} == set(map(frozenset, [(0, 3), (1, 2), (4, 5)]))


@pytest.mark.parametrize("games", [1, 2])
def test_a_rest_in_a_swiss_tournament_is_worth_a_meeting_won(games: int) -> None:
    form = Swiss(3, 2, 2, games)
    [meeting] = form.draw([], 0) or ()
    assert (meeting.first, meeting.second) == (0, 1)
    lost = Outcome(meeting, (0.0, 2.0 * games), (0.0, 0.0))
    assert form.places([[lost]]) == Places([0.0, -2.0 * games, -2.0 * games], [0.0, 0.0, 2.0 * games])


def test_the_greatest_number_of_pairs_is_that_of_all_ways_to_pair() -> None:
    rng = random.Random(1)
    for _ in range(300):
        players, share = rng.randint(1, 9), rng.random()
        edges = frozenset(two for two in combinations(range(players), 2) if rng.random() < share)

        @cache
        def most(left: frozenset[int], edges: frozenset[tuple[int, int]] = edges) -> int:
            return max((1 + most(left - set(two)) for two in edges if left.issuperset(two)), default=0)

        found = most_pairs(range(players), lambda a, b, edges=edges: (min(a, b), max(a, b)) in edges)  # type: ignore[misc]
        assert found == most(frozenset(range(players)))


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


def test_the_places_of_a_knock_out_are_those_of_its_rounds() -> None:
    """A final that ends level is won by the better seed, however many points the other one has."""
    form = Knockout(3, 1, extra=1)
    assert form.places([]) == Places([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], None)
    half = Outcome(Meeting(1, 2, 1), (2.0, 0.0), (2.0,))
    assert form.places([[half]]) == Places([-1.0, -1.0, 0.0], [0.0] * 3, None)
    level = Outcome(Meeting(0, 1, 1), (1.0, 1.0), (1.0,))
    assert form.places([[half], [level]]).winner is None
    assert form.places([[half], [level], [level]]) == Places([-2.0, -1.0, 0.0], [0.0] * 3, 0)


def test_shares_of_the_points_decide_where_all_meet() -> None:
    assert RoundRobin(3, 1).places([]) is None
    assert Gauntlet(3, 1).places([]) is None
    assert SprtMatch(Sprt(0, 5), 1).places([]) is None


def test_a_match_with_a_test_ends_with_its_decision() -> None:
    form = SprtMatch(Sprt(0, 200, model="logistic"), pairs=1000)
    meeting = Meeting(0, 1, 1)
    assert form.decided({}) is None
    assert form.draw([], 999) == [meeting]
    assert form.draw([], 1000) is None
    assert form.decided({2.0: 30}) == "H1"
    assert form.decided({2.0: 3, 1.0: 3}) is None
    assert form.decided({0.0: 30}) == "H0"
