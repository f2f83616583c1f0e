"""A tuning in the coordinator: kills, repeats, several pairs at a time, and changes of the file."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from playout.arena.coordinator import Grant
from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse as parse_cup
from playout.arena.play.desk import void
from playout.arena.play.referee import play
from playout.arena.store.store import PairRow, Receipt, Store
from playout.arena.terms.job import Played
from playout.arena.tune.halving import HalvingMethod
from playout.arena.tune.kept import EVENT
from playout.arena.tune.reader import parse
from playout.arena.tune.run import Tuner
from playout.arena.tune.steps import StepForm, StepMethod, StepPlan
from playout.engine.statistics.elo import expected
from playout.games import catalogue
from playout.games.errors import PlayoutError

from ..players import ScriptedDriver

FILE = """
game: tic_tac_toe
nodes: 1
pairs: 6
options:
  Exploration: {start: 1.0, min: 0.1, max: 4.0, step: 0.3, rate: 0.1}
  MultiPV: {start: 3, min: 1, max: 10, kind: int, rate: 0.1}
"""
HALVING = """
game: tic_tac_toe
nodes: 1
pairs: 16
method: halving
options: {Exploration: {values: [1, 2, 3, 4]}}
"""
Options = Mapping[str, Any]


def tuner(text: str = FILE, state: Path | None = None) -> Tuner:
    return Tuner(parse(text, "tune.yaml"), Path(), state)


def game_of(grant: Grant, number: int) -> Played:
    """A game that is won the more likely, the nearer an engine's Exploration is to 2; the pair's id decides."""
    job = grant.job
    lost = [100.0 * (float(player.options.get("Exploration", 0)) - 2) ** 2 for player in job.players]
    best = 0 if random.Random(f"{job.id} {number}").random() < expected(lost[1] - lost[0]) else 1
    order = (0, 1) if number == 0 else (1, 0)
    drivers = [ScriptedDriver(["a1", "a2", "a3", "b3"] if seat == best else ["b1", "b2", "c1"]) for seat in order]
    return play(catalogue.load(job.game), job, number, (drivers[0], drivers[1]))


def finish(to: Tuner, seen: dict[str, tuple[Options, Options]]) -> None:
    """Plays what is left, and notes the options of each pair given out."""
    while (grant := to.coordinator.claim("w", "b")) is not None:
        seen[grant.job.id] = (grant.job.players[0].options, grant.job.players[1].options)
        for number in sorted({0, 1} - grant.played):
            played = game_of(grant, number)
            assert to.coordinator.deliver("w", grant.job.id, number, grant.attempt, played) is Receipt.RECORDED


class Killed(BaseException):
    """The end of the process."""


def killing(monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    """Ends the process before, or after, the write of a number: moments 0 and 1 are those of the first."""
    count = [0]

    def watched(method: Callable[..., Any]) -> Callable[..., Any]:
        def made(store: Store, *words: Any) -> Any:
            count[0] += 1
            if count[0] - 1 == moment // 2 and moment % 2 == 0:
                raise Killed
            done = method(store, *words)
            if count[0] - 1 == moment // 2:
                raise Killed
            return done

        return made

    for name in ("note", "add", "begin", "record"):
        monkeypatch.setattr(Store, name, watched(getattr(Store, name)))


@pytest.mark.long
@pytest.mark.parametrize("text", [FILE, HALVING], ids=["spsa", "halving"])
def test_a_tuning_that_is_killed_goes_on_as_if_nothing_had_happened(text: str, tmp_path: Path) -> None:
    """It is killed before and after every write of its store."""
    text = text.replace("pairs: 6", "pairs: 3").replace("pairs: 16", "pairs: 6").replace(", 4]", "]")
    whole: dict[str, tuple[Options, Options]] = {}
    with tuner(text) as calm:
        finish(calm, whole)
        wanted = calm.method.records(calm.rows())
        assert calm.coordinator.finished
        writes = 1 + 2 * len(whole) + sum(len(row.results) for row in calm.rows())
    assert len({str(options) for options in whole.values()}) >= 3
    kills = 0
    for moment in range(2 * writes):
        state = tmp_path / f"{moment}.tune"
        seen: dict[str, tuple[Options, Options]] = {}
        with pytest.MonkeyPatch.context() as patch:
            killing(patch, moment)
            try:
                with tuner(text, state) as first:
                    finish(first, seen)
            except Killed:
                kills += 1
        with tuner(text, state) as second:
            finish(second, seen)
            assert second.method.records(second.rows()) == wanted
        assert {name: options for name, options in seen.items() if options != whole[name]} == {}
    assert kills > writes


def test_a_game_that_comes_twice_changes_nothing() -> None:
    one, two = tuner(), tuner()
    finish(one, {})
    delivered = []
    while (grant := two.coordinator.claim("w", "b")) is not None:
        for number in (0, 1):
            played = game_of(grant, number)
            delivered.append((grant, number, played))
            two.coordinator.deliver("w", grant.job.id, number, grant.attempt, played)
            for again, place, game in delivered:
                receipt = two.coordinator.deliver("w", again.job.id, place, again.attempt, game)
                assert receipt is Receipt.REPEAT
    assert one.method.records(one.rows()) == two.method.records(two.rows())
    assert two.coordinator.finished
    one.store.close()
    two.store.close()


def test_a_pair_keeps_the_options_of_its_step_and_uses_the_results_before() -> None:
    seen: dict[str, tuple[Options, Options]] = {}
    with tuner() as made:
        finish(made, seen)
        assert isinstance(made.method, StepMethod)
        records = [row for row in made.method.records(made.rows()) if row[1] == "Exploration"]
        before = [1.0, 1.0, *(float(row[2]) for row in records)]
        assert len(set(before)) > 3
        for step in range(6):
            plus, minus = seen[f"tuning/{step + 1}/1"]
            middle = (plus["Exploration"] + minus["Exploration"]) / 2
            assert middle == pytest.approx(before[step], abs=1e-5)
            assert abs(plus["Exploration"] - minus["Exploration"]) == pytest.approx(
                0.6 * (6 / (step + 1)) ** 0.101, rel=1e-4
            )


def test_several_steps_are_played_at_a_time() -> None:
    with tuner() as made:
        grants = [made.coordinator.claim("w", "b") for _ in range(6)]
        assert made.coordinator.claim("w", "b") is None
        names = [grant.job.id for grant in grants if grant is not None]
        assert names == [f"tuning/{step}/1" for step in range(1, 7)]
        first = [grant.job.players[0].options["Exploration"] for grant in grants if grant is not None]
        for grant in reversed([grant for grant in grants if grant is not None]):
            for number in (0, 1):
                made.coordinator.deliver("w", grant.job.id, number, grant.attempt, game_of(grant, number))
        assert made.coordinator.finished
        assert len(first) == 6
        results = {row[3] for row in made.method.records(made.rows())}
        assert "" not in results


@pytest.mark.parametrize("opponent", ["", "opponent: {options: {Level: 3}}"], ids=["alone", "opponent"])
def test_the_results_in_memory_are_those_of_the_rows(opponent: str, tmp_path: Path) -> None:
    """Games come in any order, pairs are void, and the tuning is taken up anew in between."""
    text, rng = FILE.replace("pairs: 6", f"pairs: 60\n{opponent}"), random.Random(1)
    for _ in range(3):
        with tuner(text, tmp_path / "a.tune") as made:
            assert isinstance(made.plan, StepPlan)
            form = made.plan.form
            assert isinstance(form, StepForm)
            for _ in range(8):
                grants = [grant for _ in range(3) if (grant := made.coordinator.claim("w", "b")) is not None]
                games = [(grant, number) for grant in grants for number in {0, 1} - grant.played]
                rng.shuffle(games)
                for grant, number in games:
                    played = game_of(grant, number) if rng.random() < 0.8 else void(grant.job, number, "no engine")
                    made.coordinator.deliver("w", grant.job.id, number, grant.attempt, played)
                    rows = made.store.pairs(EVENT)
                    assert made.rows() == rows
                    assert made.plan.results() == form.results(rows)
    assert any(len(row.results) == 2 for row in rows) and any(row.state == "void" for row in rows)


def test_a_step_reads_no_rows_from_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    with tuner(FILE.replace("pairs: 6", "pairs: 20")) as made:
        assert made.coordinator.claim("w", "b") is not None
        monkeypatch.setattr(Store, "pairs", None)
        finish(made, {})
        assert made.coordinator.finished is False


def test_an_opponent_meets_both_sides_with_the_same_openings() -> None:
    text = FILE.replace("pairs: 6", "pairs: 13\nbatch: 2\nopenings: {random: 1}\nopponent: {options: {Level: 3}}")
    with tuner(text) as made:
        assert made.total == 24
        jobs = made.plan.jobs(0, made.plan.form.draw([], 0) or [], 0)
        assert [(job.players[0].name, job.players[1].name) for job in jobs] == [
            ("engine+", "opponent"),
            ("engine+", "opponent"),
            ("engine-", "opponent"),
            ("engine-", "opponent"),
        ]
        assert [job.opening for job in jobs[:2]] == [job.opening for job in jobs[2:]]
        assert [job.seed for job in jobs[:2]] == [job.seed for job in jobs[2:]]
        assert all(job.players[1].options == {"Level": 3} for job in jobs)
        assert jobs[0].players[0].options != jobs[2].players[0].options


RESULTS = {2: (1.0, -1.0), 1: (1.0, 0.0), 0: (0.4, 1.0), -1: (0.0, 1.0), -2: (-1.0, 0.2)}
"""Results of a pair's two games for player 0, by the margin of the pair's first player."""


def pair(won: int | None) -> PairRow:
    results = {0: 1.0} if won is None else dict(enumerate(RESULTS[won]))
    return PairRow("tuning/1/1", 0, "done", results)


@pytest.mark.parametrize(
    ("form", "margins", "results"),
    [
        (StepForm(9, 1, False), [2, -2, 1, -1, 0, None], [2, -2, 1, -1, 0, None]),
        (StepForm(9, 3, False), [2, 1, 1, None, 2, None], [4, 2]),
        (StepForm(9, 1, True), [2, -2, 1, 1, None, 2, 0, 2], [4, 0, None, -2]),
        (StepForm(9, 2, True), [2, 0, -2, None], [3]),
    ],
)
def test_the_result_of_a_step_is_won_less_lost(
    form: StepForm, margins: list[int | None], results: list[float | None]
) -> None:
    assert form.results([pair(one) for one in margins]) == results


def test_a_step_whose_pair_is_void_moves_nothing() -> None:
    with tuner() as made:
        for _ in range(3):
            grant = made.coordinator.claim("w", "b")
            assert grant is not None and grant.job.id == "tuning/1/1"
            made.coordinator.deliver("w", grant.job.id, 0, grant.attempt, void(grant.job, 0, "no engine"))
        finish(made, {})
        records = made.method.records(made.rows())
        assert records[1] == ("1", "Exploration", "1.0", "")
        assert made.coordinator.finished
        assert made.method.state(made.rows()).startswith("step 5 of 6: ")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("pairs: 6", "pairs: 7", "pairs 6, not 7"),
        ("step: 0.3", "step: 0.2", "options.Exploration.step 0.3, not 0.2"),
        ("nodes: 1", "nodes: 2", "nodes 1, not 2"),
    ],
)
def test_a_changed_file_is_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    state = tmp_path / "a.tune"
    tuner(FILE, state).store.close()
    with pytest.raises(PlayoutError) as found:
        tuner(FILE.replace(old, new), state)
    assert str(found.value) == f"{state}: this tuning began with {said}; only concurrency may change"
    turned = FILE.replace("pairs: 6", "concurrency: 3\npairs: 6")
    with tuner(turned, state) as made:
        assert made.tuning.concurrency == 3


def test_the_state_of_a_tournament_is_refused(tmp_path: Path) -> None:
    with Store(tmp_path / "cup.arena") as store:
        store.note("tournament", "{}")
    with pytest.raises(PlayoutError, match="the state of a tournament, not of a tuning"):
        tuner(FILE, tmp_path / "cup.arena")


def test_the_match_that_verifies_is_a_tournament_of_the_same_event(tmp_path: Path) -> None:
    text = FILE.replace("nodes: 1", "nodes: 1\nadjudication: {plies: 30}\nengine: {options: {Threads: 1}, depth: 4}")
    with tuner(text) as made:
        finish(made, {})
        plain = made.verification()
        found = made.method.found(made.rows())
    cup = parse_cup(str(plain), "verify.yaml")
    [plan] = plans_of(cup, tmp_path)
    assert (cup.seed, plan.game, plan.adjudication.plies, cup.events[0].form) == (2, "tic_tac_toe", 30, "sprt")
    assert plan.players[0].options == {"Threads": 1, **found}
    assert plan.players[1].options == {"Threads": 1, "Exploration": 1.0, "MultiPV": 3}
    assert plan.players[0].pace.depth == 4
    assert found != {"Exploration": 1.0, "MultiPV": 3}


def test_halving_by_games_finds_the_best_value() -> None:
    seen: dict[str, tuple[Options, Options]] = {}
    with tuner(HALVING.replace("pairs: 16", "pairs: 48")) as made:
        finish(made, seen)
        assert isinstance(made.method, HalvingMethod)
        assert made.method.found(made.rows()) == {"Exploration": 2}
        assert len(seen) == made.method.pairs == 4 * 6 + 2 * 12
        assert len(made.store.pairs(EVENT)) == 48
        plain = made.verification()
    assert plain["engines"] == {"tuned": {"options": {"Exploration": 2}}, "start": {}}
