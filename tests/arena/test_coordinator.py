"""The coordinator: leases, retries, repeats, rounds that depend on results, and a start in the middle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from playout.arena.coordinator import BARREN, STILL, Coordinator, Grant
from playout.arena.faults import ATTEMPTS, WITNESSES
from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse
from playout.arena.lease import LEASE, longest_move
from playout.arena.play.desk import void
from playout.arena.play.referee import play
from playout.arena.store.store import Receipt, Store, StoreError
from playout.arena.terms.end import End
from playout.arena.terms.job import Played
from playout.games import catalogue

from .players import ScriptedDriver

FILE = """
engines: {one: {}, two: {}, three: {}}
game: tic_tac_toe
nodes: 1
games: 2
"""


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def coordinator(text: str = FILE, store: Store | None = None, clock: Clock | None = None) -> Coordinator:
    plans = plans_of(parse(text, "cup.yaml"), Path())
    return Coordinator(store or Store(":memory:"), plans, clock or Clock())


def wait(cup: Coordinator, clock: Clock, seconds: float) -> None:
    """Lets time pass on a machine that runs: the coordinator looks at its leases."""
    end = clock.now + seconds
    while clock.now < end:
        clock.now = min(clock.now + STILL - 1, end)
        cup.expire()


def game_of(grant: Grant, number: int, winner: str = "one") -> Played:
    """A game that the engine called ``winner`` wins, if it plays."""
    drivers = tuple(
        ScriptedDriver(["a1", "a2", "a3", "b3"] if player.name == winner else ["b1", "b2", "c1"])
        for player in grant.job.players
    )
    return play(catalogue.load(grant.job.game), grant.job, number, (drivers[0], drivers[1]))


def deliver(to: Coordinator, grant: Grant, number: int, worker: str = "w", winner: str = "one") -> Receipt:
    return to.deliver(worker, grant.job.id, number, grant.attempt, game_of(grant, number, winner))


def finish(to: Coordinator, winner: str = "one") -> list[str]:
    """Plays everything that is left; returns the pairs in the order in which they were given out."""
    seen = []
    while (grant := to.claim("w", "b")) is not None:
        seen.append(grant.job.id)
        for number in range(grant.job.games):
            if number not in grant.played:
                assert deliver(to, grant, number, winner=winner) is Receipt.RECORDED
    return seen


def claimed(to: Coordinator, worker: str = "w", boot: str = "b") -> Grant:
    grant = to.claim(worker, boot)
    assert grant is not None
    return grant


def test_a_tournament_is_played_to_its_end() -> None:
    cup = coordinator()
    assert finish(cup) == ["tic_tac_toe/1/1", "tic_tac_toe/2/1", "tic_tac_toe/3/1"]
    assert cup.finished
    assert cup.claim("w", "b") is None
    assert len(cup.pairs("tic_tac_toe")) == 3


def test_a_pair_is_given_to_one_worker() -> None:
    cup = coordinator()
    grants = [claimed(cup, name) for name in ("u", "v", "w")]
    assert len({grant.job.id for grant in grants}) == 3
    assert cup.claim("x", "b") is None
    assert not cup.finished


def test_a_silent_worker_loses_its_pair_and_another_gets_it() -> None:
    clock = Clock()
    cup = coordinator(clock=clock)
    first = claimed(cup, "w")
    wait(cup, clock, LEASE - 1)
    assert cup.beat("w", "b", {first.job.id: (1, 1)}) == set()
    wait(cup, clock, LEASE - 1)
    others = [claimed(cup, "v"), claimed(cup, "v")]
    assert first.job.id not in {grant.job.id for grant in others}
    wait(cup, clock, 2)
    again = claimed(cup, "v")
    assert (again.job.id, again.attempt) == (first.job.id, 2)
    assert cup.beat("w", "b", {first.job.id: (1, 2)}) == {first.job.id}


def test_a_worker_that_lives_but_makes_no_move_loses_its_pair() -> None:
    clock = Clock()
    cup = coordinator(clock=clock)
    grant = claimed(cup)
    for plies in range(2):  # a move renews the time for the next one
        assert cup.beat("w", "b", {grant.job.id: (1, plies)}) == set()
        end = clock.now + LEASE + longest_move(grant.job)
        while clock.now + LEASE < end:
            wait(cup, clock, LEASE - 1)
            assert cup.beat("w", "b", {grant.job.id: (1, plies)}) == set()
    wait(cup, clock, LEASE)
    assert claimed(cup, "v").attempt == 2
    assert cup.beat("w", "b", {grant.job.id: (1, 1)}) == {grant.job.id}


def test_a_late_result_counts_if_nobody_was_faster() -> None:
    clock = Clock()
    cup = coordinator(clock=clock)
    grant = claimed(cup, "slow")
    wait(cup, clock, 2 * LEASE)
    assert deliver(cup, grant, 0, "slow") is Receipt.RECORDED
    again = claimed(cup, "fast")
    assert (again.job.id, again.played) == (grant.job.id, frozenset({0}))
    assert deliver(cup, again, 1, "fast") is Receipt.RECORDED
    assert deliver(cup, grant, 1, "slow") in (Receipt.REPEAT, Receipt.CONFLICT)
    assert len(list(cup.pairs("tic_tac_toe"))) == 1


def test_a_repeated_result_is_counted_once() -> None:
    cup = coordinator()
    grant = claimed(cup)
    played = game_of(grant, 0)
    answers = [cup.deliver("w", grant.job.id, 0, grant.attempt, played) for _ in range(3)]
    assert answers == [Receipt.RECORDED, Receipt.REPEAT, Receipt.REPEAT]
    assert [pair.results for pair in cup.pairs("tic_tac_toe")] == [(-1.0,) if played.result == -1 else (1.0,)]


def test_a_void_game_is_played_again_and_the_pair_is_void_in_the_end() -> None:
    store = Store(":memory:")
    cup = coordinator(store=store)
    first = claimed(cup)
    for attempt in range(1, ATTEMPTS + 1):
        grant = first if attempt == 1 else claimed(cup)
        assert (grant.job.id, grant.attempt) == (first.job.id, attempt)
        cup.deliver("w", grant.job.id, 0, grant.attempt, void(grant.job, 0, "no power"))
    assert finish(cup) == ["tic_tac_toe/2/1", "tic_tac_toe/3/1"]
    assert cup.finished
    assert [row.state for row in store.pairs("tic_tac_toe")] == ["void", "done", "done"]
    assert [kind for kind, _, _ in store.mishaps()] == ["void"] * ATTEMPTS


def test_a_void_game_of_an_old_attempt_changes_nothing() -> None:
    clock = Clock()
    cup = coordinator(clock=clock)
    old = claimed(cup, "w")
    wait(cup, clock, 2 * LEASE)
    new = claimed(cup, "v")
    assert new.job.id == old.job.id
    cup.deliver("w", old.job.id, 0, old.attempt, void(old.job, 0, "late"))
    assert deliver(cup, new, 0, "v") is Receipt.RECORDED


def test_a_game_against_the_rules_is_refused_and_played_again() -> None:
    store = Store(":memory:")
    cup = coordinator(store=store)
    grant = claimed(cup)
    forged = msgspec.structs.replace(game_of(grant, 0), result=-1.0)
    assert cup.deliver("w", grant.job.id, 0, grant.attempt, forged) is Receipt.UNKNOWN
    assert [(kind, game) for kind, game, _ in store.mishaps()] == [("refused", f"{grant.job.id}/0")]
    assert claimed(cup).job.id == grant.job.id
    assert not list(store.games())


def test_a_worker_that_was_started_anew_loses_its_old_pairs() -> None:
    cup = coordinator()
    old = claimed(cup, "w", "first boot")
    cup.lost("w", "second boot")
    assert claimed(cup, "v").job.id == old.job.id
    mine = claimed(cup, "w", "second boot")
    cup.lost("w", "second boot")
    assert cup.beat("w", "second boot", {mine.job.id: (mine.attempt, 0)}) == set()


def test_a_pair_that_is_released_costs_no_attempt_of_another() -> None:
    cup = coordinator()
    grant = claimed(cup)
    for stranger in (("v", "b", 1), ("w", "another boot", 1), ("w", "b", 2)):
        cup.release(stranger[0], stranger[1], grant.job.id, stranger[2])
        assert cup.beat("w", "b", {grant.job.id: (1, 0)}) == set()
    cup.release("w", "b", grant.job.id, 1)
    assert claimed(cup).job.id == grant.job.id


@pytest.mark.parametrize("games", range(7))
def test_a_tournament_goes_on_where_it_was(tmp_path: Path, games: int) -> None:
    whole = coordinator()
    finish(whole)
    path = tmp_path / "cup.arena"
    with Store(path) as store:
        cup, left = coordinator(store=store), games
        while left:
            grant = claimed(cup)
            for number in range(min(2, left)):
                deliver(cup, grant, number)
                left -= 1
    with Store(path) as store:
        cup = coordinator(store=store)
        finish(cup)
        assert cup.finished
        assert sorted(cup.pairs("tic_tac_toe"), key=str) == sorted(whole.pairs("tic_tac_toe"), key=str)
        assert len(list(store.games())) == 6


def test_more_games_may_be_asked_for_later(tmp_path: Path) -> None:
    with Store(tmp_path / "cup.arena") as store:
        finish(coordinator(store=store))
        more = coordinator(FILE.replace("games: 2", "games: 6"), store=store)
        assert len(finish(more)) == 6
        assert len(list(store.games())) == 18


KNOCKOUT = """
engines: {one: {}, two: {}, three: {}, four: {}}
game: tic_tac_toe
form: knockout
nodes: 1
"""


def test_a_round_that_depends_on_results_waits_for_them(tmp_path: Path) -> None:
    with Store(tmp_path / "cup.arena") as store:
        cup = coordinator(KNOCKOUT, store)
        first, second = claimed(cup, "u"), claimed(cup, "v")
        assert [player.name for player in first.job.players] == ["one", "four"]
        for number in (0, 1):
            deliver(cup, first, number, "u")
        assert cup.claim("u", "b") is None
        deliver(cup, second, 0, "v", winner="three")
    with Store(tmp_path / "cup.arena") as store:
        cup = coordinator(KNOCKOUT, store)
        rest = claimed(cup, "u")
        assert (rest.job.id, rest.played) == (second.job.id, frozenset({0}))
        deliver(cup, rest, 1, "u", winner="three")
        final = claimed(cup, "u")
        assert [player.name for player in final.job.players] == ["one", "three"]
        for number in (0, 1):
            deliver(cup, final, number, "u")
        assert cup.finished


def test_a_test_that_has_decided_ends_the_match_and_frees_the_workers() -> None:
    text = """
engines: {one: {}, two: {}}
game: tic_tac_toe
form: sprt
sprt: {elo0: 0, elo1: 400, model: logistic}
nodes: 1
games: 1000
"""
    store = Store(":memory:")
    cup = coordinator(text, store)
    held = claimed(cup, "v")
    finish(cup)
    assert cup.finished
    assert cup.decisions == {"tic_tac_toe": "H1"}
    assert cup.beat("v", "b", {held.job.id: (held.attempt, 3)}) == {held.job.id}
    assert deliver(cup, held, 0, "v") is Receipt.UNKNOWN
    assert 4 < len(list(store.games())) < 100


def test_an_event_whose_pairs_are_all_void_is_given_up() -> None:
    store = Store(":memory:")
    cup = coordinator(FILE.replace("games: 2", "games: 20"), store)
    while (grant := cup.claim("w", "b")) is not None:
        cup.deliver("w", grant.job.id, 0, grant.attempt, void(grant.job, 0, "no program"))
    assert cup.finished
    assert cup.decisions == {"tic_tac_toe": f"given up: {BARREN} pairs in a row were void"}
    assert cup.given_up
    assert len(store.mishaps()) == BARREN * ATTEMPTS
    again = coordinator(FILE.replace("games: 2", "games: 20"), store)  # the program is there now
    assert not again.finished
    assert len(finish(again)) == 30
    assert {row.state for row in store.pairs("tic_tac_toe")} == {"done"}
    assert not again.given_up


def fail(cup: Coordinator, grant: Grant, worker: str) -> None:
    """Delivers a void game, as a worker without the program does."""
    cup.deliver(worker, grant.job.id, 0, grant.attempt, void(grant.job, 0, "no program"))


def test_a_worker_without_the_program_uses_up_no_pair_of_the_others() -> None:
    store, clock = Store(":memory:"), Clock()
    cup = coordinator(FILE.replace("games: 2", "games: 20"), store, clock)
    good = claimed(cup, "good")
    for name in ("bad", "worse", "worst"):  # nobody has played a game yet
        seen = set()
        while (grant := cup.claim(name, "b")) is not None:
            assert grant.job.id not in seen
            seen.add(grant.job.id)
            fail(cup, grant, name)
        assert len(seen) == 29
    for number in (0, 1):
        deliver(cup, good, number, "good")
    while (grant := cup.claim("good", "b")) is not None:
        for number in (0, 1):
            deliver(cup, grant, number, "good")
        if (grant := cup.claim("bad", "b")) is not None:
            fail(cup, grant, "bad")
    assert cup.finished
    assert {row.state for row in store.pairs("tic_tac_toe")} == {"done"}
    assert not cup.given_up


def test_a_worker_whose_games_are_void_waits_while_others_play() -> None:
    clock = Clock()
    cup = coordinator(FILE.replace("games: 2", "games: 200").replace(", three: {}", ""), clock=clock)
    deliver(cup, claimed(cup, "good"), 0, "good")
    for number in range(3):
        deliver(cup, claimed(cup, "good"), 0, "good")
        grant = cup.claim("bad", "b")
        pauses = 0
        while grant is None:
            wait(cup, clock, 1)
            grant, pauses = cup.claim("bad", "b"), pauses + 1
        assert (pauses > 0) == (number > 0)
        fail(cup, grant, "bad")


def test_a_pair_that_nobody_can_play_is_given_up_although_others_have_not_tried() -> None:
    store = Store(":memory:")
    cup = coordinator(store=store)
    for number in range(WITNESSES + 5):
        cup.beat(f"w{number}", "b", {})
    tried = 0
    while (grant := cup.claim(f"w{tried}", "b")) is not None and grant.job.id.endswith("/1/1"):
        fail(cup, grant, f"w{tried}")
        tried += 1
    assert tried == WITNESSES
    assert store.pairs("tic_tac_toe")[0].state == "void"


def test_games_of_a_void_pair_do_not_count() -> None:
    cup = coordinator()
    first = claimed(cup)
    deliver(cup, first, 0)
    for attempt in range(ATTEMPTS):
        grant = first if attempt == 0 else claimed(cup)
        cup.deliver("w", grant.job.id, 1, grant.attempt, void(grant.job, 1, "no power"))
    assert cup.pairs("tic_tac_toe") == []
    finish(cup)
    assert len(cup.pairs("tic_tac_toe")) == 2


def test_a_worker_goes_on_with_its_pair_after_a_start_of_the_coordinator(tmp_path: Path) -> None:
    with Store(tmp_path / "cup.arena") as store:
        grant = claimed(coordinator(store=store))
    with Store(tmp_path / "cup.arena") as store:
        cup = coordinator(store=store)
        assert cup.beat("w", "b", {grant.job.id: (grant.attempt, 7), "tic_tac_toe/9/9": (1, 1)}) == {"tic_tac_toe/9/9"}
        assert claimed(cup, "v").job.id != grant.job.id
        assert deliver(cup, grant, 0) is Receipt.RECORDED
        assert cup.beat("w", "b", {grant.job.id: (grant.attempt, 8)}) == set()


def test_a_worker_keeps_its_pair_when_the_coordinator_stood_still() -> None:
    clock = Clock()
    cup = coordinator(clock=clock)
    grant = claimed(cup)
    clock.now += 10 * LEASE  # its signs of life have not been read yet
    assert claimed(cup, "v").job.id != grant.job.id
    assert cup.beat("w", "b", {grant.job.id: (1, 5)}) == set()


def test_the_time_for_a_move_grows_with_what_may_have_been_saved() -> None:
    cup = coordinator(FILE.replace("nodes: 1", "time: 60+10"))
    job = claimed(cup).job
    first = longest_move(job)
    assert longest_move(job, 100) >= first + 1000
    longer = claimed(coordinator(FILE.replace("nodes: 1", "time: 40/60"))).job
    assert longest_move(longer, 80) >= longest_move(longer) + 60


def test_what_the_store_cannot_write_is_done_later() -> None:
    store = Store(":memory:")
    cup = coordinator(store=store)
    held = claimed(cup)
    store._base.execute("PRAGMA query_only = ON")
    with pytest.raises(StoreError):
        cup.claim("v", "b")
    with pytest.raises(StoreError):
        deliver(cup, held, 0)
    fail(cup, held, "w")
    store._base.execute("PRAGMA query_only = OFF")
    assert len(finish(cup)) == 3
    assert len(cup.pairs("tic_tac_toe")) == 3


def test_another_form_of_the_event_is_refused() -> None:
    store = Store(":memory:")
    finish(coordinator(store=store))
    with pytest.raises(Exception, match="another form"):
        coordinator(FILE + "form: gauntlet\n", store)


WRONG = {
    "a score that no number of 64 bits has": {"centipawns": 10**40},
    "a negative time": {"seconds": -0.001},
    "a time that is none": {"left": float("inf")},
    "a third player": {"player": 7},
}


@pytest.mark.parametrize("fields", WRONG.values(), ids=WRONG)
def test_a_game_with_numbers_that_no_engine_says_is_no_message(fields: dict[str, Any]) -> None:
    played = game_of(claimed(coordinator()), 0)
    last = msgspec.structs.replace(played.moves[-1], **fields)
    wrong = msgspec.structs.replace(played, moves=(*played.moves[:-1], last))
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(msgspec.to_builtins(wrong), Played)


def test_a_move_of_the_other_player_is_refused() -> None:
    cup = coordinator()
    grant = claimed(cup)
    played = game_of(grant, 0)
    moves = [msgspec.structs.replace(move, player=1) for move in played.moves]
    wrong = msgspec.structs.replace(played, moves=tuple(moves))
    assert cup.deliver("w", grant.job.id, 0, 1, wrong) is Receipt.UNKNOWN


def test_a_result_that_the_game_does_not_have_is_refused() -> None:
    store = Store(":memory:")
    cup = coordinator(store=store)
    grant = claimed(cup)
    played = msgspec.structs.replace(game_of(grant, 0), end=End.TABLE, result=0.5, moves=game_of(grant, 0).moves[:2])
    assert cup.deliver("w", grant.job.id, 0, 1, played) is Receipt.UNKNOWN
    assert [said for _, _, said in store.mishaps()] == ["tablebase with the result 0.5, which the game does not have"]


def test_a_report_leaves_what_was_given_up_as_it_is() -> None:
    store = Store(":memory:")
    cup = coordinator(FILE.replace("games: 2", "games: 20"), store)
    while (grant := cup.claim("w", "b")) is not None:
        fail(cup, grant, "w")
    plans = plans_of(parse(FILE.replace("games: 2", "games: 1000"), "cup.yaml"), Path())
    report = Coordinator(store, plans, Clock(), plays=False)
    assert (report.finished, report.given_up, report.decisions) == (True, True, cup.decisions)
    assert {row.state for row in store.pairs("tic_tac_toe")} == {"later"}
