"""The coordinator: leases, retries, repeats, rounds that depend on results, and a start in the middle."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.arena.faults import ATTEMPTS
from playout.arena.lease import LEASE, longest_move
from playout.arena.play.desk import void
from playout.arena.store.store import Receipt, Store, StoreError

from .coordinated import FILE, Clock, claimed, coordinator, deliver, fail, finish, game_of, wait


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
