"""Games in progress, for those who watch a tournament."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest

from playout.arena.coordinator import NO_STAGES, Coordinator
from playout.arena.cup import Cup
from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse, read
from playout.arena.local import LocalRun
from playout.arena.remote.hub import Hub
from playout.arena.remote.messages import Beat, Topics, pack
from playout.arena.report.boards import MOST, in_progress
from playout.arena.store.live_file import OLD, LiveFile, live_path, read_live
from playout.arena.store.store import MEMORY, Store
from playout.arena.terms.job import Played
from playout.arena.terms.live import InProgress, Stage
from playout.cli.main import main

from ..patience import PATIENCE

CUP = "engines: {one: {}, two: {}}\ngame: tic_tac_toe\nnodes: 5\ngames: 4\n"


def made() -> Coordinator:
    return Coordinator(Store(MEMORY), plans_of(parse(CUP, "cup"), Path()), time.monotonic)


def test_a_coordinator_knows_how_far_games_are() -> None:
    cup = made()
    grant = cup.claim("w", "b")
    assert grant is not None
    name = grant.job.id
    assert cup.live() == []
    assert cup.beat("w", "b", {name: (1, 2)}, {name: Stage(0, ["b2", "a1"])}) == set()
    assert cup.live() == [InProgress(f"{name}/0", "tic_tac_toe", ("one", "two"), None, ("b2", "a1"), "w")]
    cup.beat("w", "b", {name: (1, 9)}, {name: Stage(1, ["c3"])})
    assert [(one.id, one.names, one.moves) for one in cup.live()] == [(f"{name}/1", ("two", "one"), ("c3",))]
    cup.release("w", "b", name, grant.attempt)
    assert cup.live() == []


def test_a_worker_tells_how_far_its_games_are() -> None:
    cup, topics = made(), Topics("p")
    hub = Hub(cup, topics, time.monotonic)
    grant = cup.claim("w", "b")
    assert grant is not None
    topic = topics.to_coordinator + "w"
    beat = Beat(boot="b", jobs={grant.job.id: (1, 1)}, stages={grant.job.id: (1, ["b2"])})
    assert hub.take(topic, pack(topic, beat, None)) == []
    assert [(one.id, one.moves) for one in cup.live()] == [(f"{grant.job.id}/1", ("b2",))]


@pytest.mark.parametrize("desks", [1, 2])
def test_a_run_shows_its_games_until_it_ends(desks: int, tmp_path: Path) -> None:
    path = tmp_path / "cup.yaml"
    path.write_text("engines: {one: {}, two: {}}\ngame: hex:7\nmovetime: 0.15\ngames: 20\n")
    state = path.with_suffix(".arena")
    seen: list[InProgress] = []
    with Cup(read(path), tmp_path, state) as cup:
        run = LocalRun(cup.coordinator, desks)

        def tick() -> None:
            cup.show_live()
            if not seen:
                seen.extend(read_live(state))
            if seen:
                run.stop()

        run.run(tick)
    assert seen[0].game == "hex:7"
    assert {*seen[0].names} == {"one", "two"}
    assert not live_path(state).exists()


def test_a_desk_gives_no_sign_of_life_for_a_pair_that_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "cup.yaml"
    path.write_text("engines: {one: {}, two: {}}\ngame: tic_tac_toe\nnodes: 1\ngames: 2\n")
    held: list[set[str]] = []
    beaten = threading.Event()
    beat = Coordinator.beat

    def heard(self: Coordinator, worker: str, boot: str, jobs: Any, stages: Any = NO_STAGES) -> set[str]:
        if over:
            held.append(set(jobs))
            beaten.set()
        return beat(self, worker, boot, jobs, stages)

    over: list[str] = []

    def ended(played: Played) -> None:
        if played.id.endswith("/1"):
            over.append(played.id)
            assert beaten.wait(PATIENCE)

    monkeypatch.setattr(Coordinator, "beat", heard)
    with Cup(read(path), tmp_path, path.with_suffix(".arena")) as cup:
        LocalRun(cup.coordinator, 1, ended).run()
    assert held and not any(held)


def test_a_file_that_nobody_writes_any_more_is_not_read(tmp_path: Path) -> None:
    state = tmp_path / "cup.arena"
    assert read_live(state) == []
    LiveFile(state).write([GAME])
    assert read_live(state) == [GAME]
    old = time.time() - OLD - 1
    os.utime(live_path(state), (old, old))
    assert read_live(state) == []
    live_path(state).write_text("[{")
    assert read_live(state) == []


def test_a_file_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    LiveFile(tmp_path / "missing" / "cup.arena").write([GAME])


GAME = InProgress("cup/1/1/0", "chess", ("<one>", "two"), None, ("e2e4", "e7e5"), "here")


def test_games_in_progress_are_drawn() -> None:
    text = in_progress([GAME])
    assert "&lt;one&gt; - two, ply 2" in text
    assert "<one>" not in text
    assert "<svg" in unquote(text)


@pytest.mark.parametrize("game", ["nothing", "missing.py:Mine", "hex:3"])
def test_a_game_that_cannot_be_drawn_has_its_name(game: str) -> None:
    text = in_progress([msgspec.structs.replace(GAME, game=game)])
    assert "<img" not in text
    assert "cup/1/1/0" in text


def test_of_many_games_some_are_drawn() -> None:
    games = [
        msgspec.structs.replace(GAME, id=f"cup/1/{number}/0", game="tic_tac_toe", moves=("b2",)) for number in range(40)
    ]
    text = in_progress(games)
    assert text.count("<img") == MOST
    assert all(f"cup/1/{number}/0:" in text for number in range(40))


def test_watch_names_games_in_progress(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cup.yaml"
    path.write_text(CUP)
    state = path.with_suffix(".arena")
    with Cup(read(path), tmp_path, state) as cup:
        cup.coordinator.claim("w", "b")
        LiveFile(state).write([GAME])
        assert main(["watch", str(path)]) == 0
    assert "cup/1/1/0: <one> - two, ply 2" in capsys.readouterr().out
