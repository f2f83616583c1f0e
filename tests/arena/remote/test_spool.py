"""The spool: games wait on the disk until they are acknowledged, and outlive the worker that played them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.arena.remote.messages import Done
from playout.arena.remote.spool import Spool
from playout.arena.terms.end import End
from playout.arena.terms.job import Opening, Played
from playout.games.errors import PlayoutError

from ...patience import PATIENCE


def done(number: int, cup: str = "a cup") -> Done:
    names = ("one", "two")
    played = Played(
        id=f"hex/1/1/{number}", game="hex:3", names=names, opening=Opening(), moves=(), result=1.0, end=End.RESIGN
    )
    return Done(boot="b", cup=cup, job="hex/1/1", number=number, attempt=1, played=played)


def test_games_stay_until_they_are_dropped(tmp_path: Path) -> None:
    with Spool(tmp_path) as spool:
        spool.put(done(0))
        spool.put(done(1))
        spool.put(done(1, "another cup"))
        spool.drop("a cup", "hex/1/1/1")
        spool.drop("a cup", "hex/1/1/1")
        assert {(one.cup, one.played.id) for one in spool.games()} == {
            ("a cup", "hex/1/1/0"),
            ("another cup", "hex/1/1/1"),
        }


def test_a_worker_that_ended_in_order_leaves_nothing(tmp_path: Path) -> None:
    with Spool(tmp_path) as spool:
        spool.put(done(0))
        spool.drop("a cup", "hex/1/1/0")
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []


def test_the_next_worker_inherits_what_one_has_left_and_a_living_one_keeps_its_own(tmp_path: Path) -> None:
    with Spool(tmp_path) as living:
        living.put(done(0))
        with Spool(tmp_path) as ended:
            ended.put(done(1))
        with Spool(tmp_path) as heir:
            assert list(heir.games()) == [done(1)]
            assert list(living.games()) == [done(0)]


def test_a_game_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with Spool(tmp_path) as spool:
        spool.put(done(0))
        [path] = tmp_path.rglob("*.json")
        path.write_bytes(path.read_bytes()[:20])
        with pytest.raises(PlayoutError, match=r"\.json: ") as found:
            list(spool.games())
        assert "\n" not in str(found.value)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PlayoutError, match=r"file: File exists$"):
        Spool(tmp_path / "file")


START = """
import sys
import subprocess
import sys
from pathlib import Path
from playout.arena.remote.spool import Spool
sys.stdin.read(1)
for _ in range(50):
    Spool(Path(sys.argv[1])).close()
"""


@pytest.mark.opponents
def test_many_may_start_at_once(tmp_path: Path) -> None:
    workers = [
        subprocess.Popen([sys.executable, "-c", START, str(tmp_path)], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write(b"x")
        worker.stdin.flush()
    assert [(worker.communicate(timeout=PATIENCE)[1], worker.returncode) for worker in workers] == [(b"", 0)] * 4


def test_a_subfolder_may_go_while_it_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner lets go of it and then removes it, perhaps when another worker has begun to read it."""
    left = Spool(tmp_path)
    left._lock.release()
    read = Path.glob

    def slow(folder: Path, pattern: str) -> Iterator[Path]:
        if folder == left._own:
            shutil.rmtree(folder)
            os.scandir(folder)
        return read(folder, pattern)

    monkeypatch.setattr(Path, "glob", slow)
    with Spool(tmp_path) as taken:
        assert list(taken.games()) == []
    assert not left._own.exists()
