"""Games that a coordinator refuses, and pairs that cannot be played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from playout.arena.coordinator import BARREN, Coordinator
from playout.arena.faults import ATTEMPTS, WITNESSES
from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse
from playout.arena.play.desk import void
from playout.arena.store.store import Receipt, Store
from playout.arena.terms.end import End
from playout.arena.terms.job import Played

from .coordinated import FILE, Clock, claimed, coordinator, deliver, fail, finish, game_of, wait


def test_a_game_against_the_rules_is_refused_and_played_again() -> None:
    store = Store(":memory:")
    cup = coordinator(store=store)
    grant = claimed(cup)
    forged = msgspec.structs.replace(game_of(grant, 0), result=-1.0)
    assert cup.deliver("w", grant.job.id, 0, grant.attempt, forged) is Receipt.UNKNOWN
    assert [(kind, game) for kind, game, _ in store.mishaps()] == [("refused", f"{grant.job.id}/0")]
    assert claimed(cup).job.id == grant.job.id
    assert not list(store.games())


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
