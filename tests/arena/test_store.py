"""The file of a tournament: each game once, and nothing that is recorded is lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from playout.arena.store.store import Receipt, Store
from playout.arena.terms.end import End
from playout.arena.terms.job import Job, Opening, Played
from playout.games.errors import PlayoutError

from .players import job


def jobs(count: int, games: int = 2) -> list[Job]:
    return [job(id=f"e/1/{number + 1}", games=games) for number in range(count)]


def game_of(wanted: Job, number: int = 0, result: float = 1.0, detail: str = "") -> Played:
    return Played(
        id=f"{wanted.id}/{number}",
        game=wanted.game,
        names=("one", "two"),
        opening=Opening(),
        moves=(),
        result=result,
        end=End.RESIGN,
        detail=detail,
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "cup.arena") as made:
        made.add("e", 0, jobs(2))
        yield made


def test_what_was_recorded_is_there_when_the_file_is_opened_again(store: Store, tmp_path: Path) -> None:
    [one, two] = jobs(2)
    assert store.record(one.id, 0, game_of(one), 1, "w") is Receipt.RECORDED
    store.note("name", "cup")
    store.close()
    with Store(tmp_path / "cup.arena") as again:
        assert [(open_job.job, open_job.played) for open_job in again.open_jobs()] == [
            (one, frozenset({0})),
            (two, frozenset()),
        ]
        assert list(again.games("e")) == [game_of(one)]
        assert again.facts() == {"name": "cup"}


def test_a_pair_is_done_when_its_games_are(store: Store) -> None:
    [one, two] = jobs(2)
    for number in (0, 1):
        store.record(one.id, number, game_of(one, number), 1, "w")
    assert [open_job.job.id for open_job in store.open_jobs()] == [two.id]
    assert [(row.state, dict(row.results)) for row in store.pairs("e")] == [("done", {0: 1.0, 1: 1.0}), ("open", {})]


def test_a_game_is_recorded_once(store: Store) -> None:
    [one, _] = jobs(2)
    played = game_of(one)
    assert store.record(one.id, 0, played, 1, "w") is Receipt.RECORDED
    assert store.record(one.id, 0, played, 2, "v") is Receipt.REPEAT
    assert list(store.games()) == [played]


def test_another_game_of_the_same_id_is_kept_aside(store: Store) -> None:
    [one, _] = jobs(2)
    store.record(one.id, 0, game_of(one), 1, "w")
    assert store.record(one.id, 0, game_of(one, result=-1.0), 2, "v") is Receipt.CONFLICT
    assert [game.result for game in store.games()] == [1.0]
    assert store.mishaps() == [("conflict", "e/1/1/0", "")]


@pytest.mark.parametrize("name", ["e/1/9", "x/1/1"])
def test_a_game_that_nobody_asked_for_is_not_recorded(store: Store, name: str) -> None:
    [one, _] = jobs(2)
    stranger = msgspec.structs.replace(game_of(one), id=f"{name}/0")
    assert store.record(name, 0, stranger, 1, "w") is Receipt.UNKNOWN
    assert store.record(one.id, 1, game_of(one, 0), 1, "w") is Receipt.UNKNOWN
    assert store.record(one.id, 2, game_of(one, 2), 1, "w") is Receipt.UNKNOWN
    assert list(store.games()) == []


def test_a_pair_that_is_given_up_takes_no_more_games(store: Store) -> None:
    [one, two] = jobs(2)
    store.record(one.id, 0, game_of(one), 1, "w")
    store.give_up([one.id], "void")
    assert store.record(one.id, 1, game_of(one, 1), 1, "w") is Receipt.UNKNOWN
    assert [open_job.job.id for open_job in store.open_jobs()] == [two.id]
    assert [row.state for row in store.pairs("e")] == ["void", "open"]


def test_attempts_are_counted(store: Store) -> None:
    assert [store.begin("e/1/1"), store.begin("e/1/1"), store.begin("e/1/2")] == [1, 2, 1]
    assert [open_job.attempt for open_job in store.open_jobs()] == [2, 1]


def test_pairs_that_are_there_already_stay_as_they_are(store: Store) -> None:
    store.add("e", 0, [job(id="e/1/1", seed=99)])
    assert [open_job.job.seed for open_job in store.open_jobs()] == [0, 0]


def test_two_processes_cannot_play_one_tournament(store: Store, tmp_path: Path) -> None:
    program = (
        "import sys; from playout.arena.store.store import Store; from playout.games.errors import PlayoutError\n"
        "try: Store(sys.argv[1])\n"
        "except PlayoutError as error: sys.exit(str(error))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "cup.arena")], capture_output=True, text=True, check=False
    )
    assert done.stderr == f"{tmp_path / 'cup.arena'}: another process plays this tournament\n"


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    text = tmp_path / "text.arena"
    text.write_text("name: cup\n" * 100)
    with pytest.raises(PlayoutError, match=r"text\.arena: file is not a database"):
        Store(text)
    assert text.read_text() == "name: cup\n" * 100
    other = tmp_path / "other.arena"
    with sqlite3.connect(other) as base:
        base.execute("CREATE TABLE mine (x)")
    base.close()
    with pytest.raises(PlayoutError, match="no tournament"):
        Store(other)


def test_a_full_disk_is_an_error_that_changes_nothing(store: Store) -> None:
    [one, _] = jobs(2)
    [pages] = store._base.execute("PRAGMA page_count").fetchone()
    store._base.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(PlayoutError, match="full"):
        store.record(one.id, 0, game_of(one, detail="x" * 100_000), 1, "w")
    assert list(store.games()) == []
    store._base.execute("PRAGMA max_page_count = 100000")
    assert store.record(one.id, 0, game_of(one, detail="x" * 100_000), 1, "w") is Receipt.RECORDED


def test_a_killed_process_loses_no_game_that_was_recorded(tmp_path: Path) -> None:
    path = tmp_path / "cup.arena"
    script = (
        "import os, signal, sys\n"
        "import msgspec\n"
        "from playout.arena.store.store import Store\n"
        "from playout.arena.terms.job import Job, Played\n"
        "store = Store(sys.argv[1])\n"
        "wanted = msgspec.json.decode(sys.argv[2], type=list[Job])\n"
        "played = msgspec.json.decode(sys.argv[3], type=list[Played])\n"
        "store.add('e', 0, wanted)\n"
        "for one, game in zip(wanted, played):\n"
        "    store.record(one.id, 0, game, 1, 'w')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    wanted = jobs(20)
    played = [game_of(one) for one in wanted]
    subprocess.run(
        [sys.executable, "-c", script, str(path), msgspec.json.encode(wanted), msgspec.json.encode(played)], check=False
    )
    with Store(path) as store:
        assert list(store.games()) == played


def test_a_copy_is_taken_while_another_process_plays(store: Store, tmp_path: Path) -> None:
    [one, _] = jobs(2)
    store.record(one.id, 0, game_of(one), 1, "w")
    path = tmp_path / "cup.arena"
    with Store.copy_of(path) as copy:
        assert list(copy.games()) == [game_of(one)]
        copy.record(one.id, 1, game_of(one, 1), 1, "w")
        assert (copy.id, copy.path) == (store.id, path)
    assert list(store.games()) == [game_of(one)]


@pytest.mark.parametrize("text", [None, "no database", ""])
def test_a_copy_of_something_else_is_refused(text: str | None, tmp_path: Path) -> None:
    path = tmp_path / "other"
    if text is not None:
        path.write_text(text)
    with pytest.raises(PlayoutError, match=r"other: [^\n]*$"):
        Store.copy_of(path)
    assert path.exists() == (text is not None)
