"""Sequential halving: its rounds, and the frequency with which it finds the best arm of simulated matches."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse
from playout.arena.forms.form import Meeting, Outcome, Round
from playout.arena.store.store import PairRow
from playout.arena.tune import reader
from playout.arena.tune.halving import Halving, HalvingMethod


def played(form: Halving, chances: Sequence[float], rng: random.Random) -> tuple[int, list[Round]]:
    """The arm that is left when arm n wins each game with ``chances[n]``, and the rounds."""
    rounds: list[Round] = []
    while (meetings := form.draw(rounds, len(rounds))) is not None:
        outcomes = []
        for meeting in meetings:
            points = tuple(
                float(sum(rng.random() < chances[meeting.first] for _ in range(2))) for _ in range(meeting.pairs)
            )
            outcomes.append(Outcome(meeting, (sum(points), 2 * len(points) - sum(points)), points))
        rounds.append(outcomes)
    [best] = form.left(rounds)
    return best, rounds


def test_the_rounds_are_those_of_the_formula() -> None:
    assert Halving(8, 1600).sizes == [(8, 66), (4, 133), (2, 266)]
    assert Halving(2, 11).sizes == [(2, 5)]
    assert Halving(5, 60).sizes == [(5, 4), (3, 6), (2, 10)]
    for arms in range(2, 40):
        sizes = Halving(arms, 1000).sizes
        assert sum(left * pairs for left, pairs in sizes) <= 1000
        assert math.ceil(sizes[-1][0] / 2) == 1


def test_each_round_has_equal_pairs_for_the_better_half() -> None:
    form = Halving(8, 1600)
    chances = [0.1, 0.9, 0.2, 0.3, 0.8, 0.6, 0.7, 0.4]
    best, rounds = played(form, chances, random.Random(1))
    assert best == 1
    assert [[outcome.meeting for outcome in outcomes] for outcomes in rounds] == [
        [Meeting(arm, 8, 66) for arm in range(8)],
        [Meeting(arm, 8, 133) for arm in (1, 4, 5, 6)],
        [Meeting(arm, 8, 266) for arm in (1, 4)],
    ]
    assert form.draw(rounds, 3) is None


def test_of_equals_the_first_goes_on() -> None:
    level = [Outcome(Meeting(arm, 4, 2), (2.0, 2.0), (1.0, 1.0)) for arm in range(4)]
    assert Halving(4, 16).left([level]) == [0, 1]
    without = [*level[:2], Outcome(Meeting(2, 4, 2), (0.0, 0.0), ()), Outcome(Meeting(3, 4, 2), (2.0, 0.0), (2.0,))]
    assert Halving(4, 16).left([without]) == [0, 3]


def test_of_two_arms_it_finds_the_better_one_as_often_as_the_binomials_say() -> None:
    games, chances = 40, (0.5, 0.6)
    both = [[math.comb(games, won) * p**won * (1 - p) ** (games - won) for won in range(games + 1)] for p in chances]
    expected = sum(
        one * two for won, one in enumerate(both[0]) for other, two in enumerate(both[1]) if other > won
    )  # of equals the first goes on, which is the worse one here
    assert 0.75 < expected < 0.85
    rng = random.Random(2)
    found = sum(played(Halving(2, 40), chances, rng)[0] for _ in range(3000)) / 3000
    assert found == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 3000))


def test_of_eight_arms_it_finds_one_that_is_clearly_best() -> None:
    """In the first round the best one leads each other by 2.5 standard errors, and must only be among four."""
    chances = [0.5] * 8
    rng = random.Random(3)
    for place in range(8):
        arms = [*chances[:place], 0.65, *chances[place + 1 :]]
        assert sum(played(Halving(8, 1600), arms, rng)[0] == place for _ in range(15)) >= 14


FILE = """
game: hex:3
nodes: 10
openings: {random: 2}
method: halving
pairs: 24
engine: {options: {Threads: 1}}
options:
  Exploration: {values: [0.5, 1, 2]}
  Rave: {values: [true, false]}
"""


def test_the_arms_are_the_grid() -> None:
    method = HalvingMethod(reader.parse(FILE, "tune.yaml"))
    assert list(method.engines) == [
        "Exploration=0.5 Rave=True",
        "Exploration=0.5 Rave=False",
        "Exploration=1 Rave=True",
        "Exploration=1 Rave=False",
        "Exploration=2 Rave=True",
        "Exploration=2 Rave=False",
        "opponent",
    ]
    assert method.engines["Exploration=1 Rave=False"].options == {"Threads": 1, "Exploration": 1, "Rave": False}
    assert method.engines["opponent"].options == {"Threads": 1}
    assert method.pairs == 6 * 1 + 3 * 2 + 2 * 4


def test_arms_may_be_listed_and_the_opponent_named() -> None:
    text = FILE.partition("options:\n")[0] + "arms: [{}, {Exploration: 2}]\nopponent: {options: {Level: 3}}\n"
    method = HalvingMethod(reader.parse(text, "tune.yaml"))
    assert {name: engine.options for name, engine in method.engines.items()} == {
        "unchanged": {"Threads": 1},
        "Exploration=2": {"Threads": 1, "Exploration": 2},
        "opponent": {"Level": 3},
    }


def test_all_arms_of_a_round_have_the_same_openings_and_seeds() -> None:
    method = HalvingMethod(reader.parse(FILE, "tune.yaml"))
    names = ", ".join(f'"{name}": {{}}' for name in method.engines)
    text = f"{{engines: {{{names}}}, game: 'hex:3', nodes: 1, openings: {{random: 2}}}}"
    [event] = plans_of(parse(text, "cup.yaml"), Path())
    plan = method.plan(event, list)
    jobs = plan.jobs(1, [Meeting(arm, 6, 2) for arm in (0, 3, 4)], 1)
    assert [job.opening for job in jobs[:2]] * 3 == [job.opening for job in jobs]
    assert [job.seed for job in jobs[:2]] * 3 == [job.seed for job in jobs]
    assert jobs[0].opening != jobs[1].opening


def rows(points: Sequence[Sequence[float]]) -> list[PairRow]:
    """Pairs of the file above: for each round the first player's points of each pair, None if it is not complete."""
    results = {0: {0: -1.0, 1: 1.0}, 1: {0: 1.0, 1: 1.0}, 2: {0: 1.0, 1: -1.0}}
    return [
        PairRow(f"tuning/{number + 1}/{place + 1}", number, "done", results[int(one)])
        for number, row in enumerate(points)
        for place, one in enumerate(row)
    ]


def test_the_table_the_record_and_the_best_follow_from_the_pairs() -> None:
    method = HalvingMethod(reader.parse(FILE, "tune.yaml"))
    some = rows([[0, 2, 1, 2, 1, 2], [1, 1, 2, 2, 0, 1], [0, 1, 1, 1, 2, 2, 2]])
    assert method.state(some) == "round 3 of 3: 2 arms"
    assert method.found(some) == {"Exploration": 1, "Rave": False}
    assert [row[:4] for row in method.table(some)] == [
        ("arm", "rounds", "pairs", "%"),
        ("Exploration=1 Rave=False", "3", "6", "100.0"),
        ("Exploration=0.5 Rave=False", "3", "7", "50.0"),
        ("Exploration=2 Rave=False", "2", "3", "50.0"),
        ("Exploration=1 Rave=True", "1", "1", "50.0"),
        ("Exploration=2 Rave=True", "1", "1", "50.0"),
        ("Exploration=0.5 Rave=True", "1", "1", "0.0"),
    ]
    records = method.records(some)
    assert len(records) == 1 + 6 + 3 + 2
    assert records[-2:] == [
        ("3", "Exploration=0.5 Rave=False", "4", "3"),
        ("3", "Exploration=1 Rave=False", "3", "6"),
    ]
    assert method.state([]) == "round 1 of 3: 6 arms"
    assert method.found([]) == {"Exploration": 0.5, "Rave": True}
