"""Files of records: what numpy reads is what was played; damage and other games are named."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from playout import Engine, load_game
from playout.engine.learning.data.records import Kind, RecordedGame, RecordFile
from playout.engine.learning.training import stages
from playout.engine.learning.training.settings import Settings
from playout.engine.learning.training.watch import Silent
from playout.engine.learning.training.workshop import open_workshop
from playout.games import catalogue
from playout.games.errors import PlayoutError
from tests.users.learnable import Row

FEW = Settings(games=12, simulations=20, random_plies=1)
AIMS = FEW.aims()


def played(name: str, path: Path, settings: Settings = FEW) -> list[RecordedGame]:
    game = catalogue.load(name)
    assert stages.generate(open_workshop(game), game, settings, path, None, 1, Silent()) == settings.games
    return list(RecordFile(path))


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four"])
def test_the_games_that_numpy_reads_follow_the_rules(name: str, tmp_path: Path) -> None:
    game = catalogue.load(name)
    kinds = set()
    for one in played(name, tmp_path / "r"):
        state = game.initial_state()
        for ply, action in enumerate(one.actions.tolist()):
            legal = game.legal_actions(state)
            actions, visits = one.visits_at(ply)
            kinds.add(Kind(one.kinds[ply]))
            assert action in legal and set(actions.tolist()) <= set(legal)
            assert (len(actions) > 0) == (one.kinds[ply] == Kind.VISITS) and (visits > 0).all()
            state = game.next_state(state, action)
        assert game.returns(state) == (one.result, -one.result)
    assert kinds == set(Kind) - {Kind.GIVEN}


def test_a_game_in_python_is_kept_by_its_literals(tmp_path: Path) -> None:
    game = Row()
    path = tmp_path / "r"
    workshop = open_workshop(game)
    assert stages.generate(workshop, game, FEW, path, None, 1, Silent()) == FEW.games
    file = RecordFile(path)
    games = list(file)
    assert file.game == "python:Row:length=5" and sorted(file.texts) == [f"('take', {cell})" for cell in range(5)]
    for one in games:
        state = game.initial_state()
        for action in one.actions.tolist():
            state = game.next_state(state, eval(file.texts[action]))
        assert game.returns(state) == (one.result, -one.result)
    workshop.start([4], AIMS, 1)
    assert workshop.read(path)[0] == FEW.games


def test_nets_of_values_alone_leave_the_priors_of_a_game_in_python_alone(tmp_path: Path) -> None:
    game, records = load_game(Row()), tmp_path / "r"
    workshop = open_workshop(game)
    stages.generate(workshop, game, FEW, records, None, 1, Silent())
    for only, moves in ("values", set[str]()), ("policy", {str(("take", cell)) for cell in range(5)}):
        workshop.start([4], replace(FEW, only=only).aims(), 1)
        workshop.read(records)
        workshop.write(tmp_path / only, {})
        with Engine(game, own_book=False, eval_file=str(tmp_path / only)) as engine:
            assert set(engine.priors()) == moves
            assert engine.think(nodes=20).remarks == ()


def test_games_are_added_to_a_file_and_depend_on_the_seed_alone(tmp_path: Path) -> None:
    game = catalogue.load("tic_tac_toe")
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    played("tic_tac_toe", whole)
    for count, threads in (5, 1), (12, 3):
        settings = Settings(games=count, simulations=20, random_plies=1, threads=threads)
        assert stages.generate(open_workshop(game), game, settings, parts, None, 1, Silent()) == count
    for one, other in zip(RecordFile(whole), RecordFile(parts), strict=True):
        assert (one.actions.tolist(), one.visits.tolist()) == (other.actions.tolist(), other.visits.tolist())
        assert np.array_equal(one.values, other.values)


def test_a_cut_off_record_is_named_and_what_comes_before_it_is_used(tmp_path: Path) -> None:
    path = tmp_path / "r"
    played("tic_tac_toe", path)
    more = Settings(games=20, simulations=20, random_plies=1)
    played("tic_tac_toe", path, more)
    path.write_bytes(path.read_bytes()[:-3])
    file = RecordFile(path)
    assert len(list(file)) == 12
    assert file.damage is not None and file.damage.startswith(f"{path}: record 13, at byte ")
    workshop = open_workshop(catalogue.load("tic_tac_toe"))
    workshop.start([4], AIMS, 1)
    games, rows, damage = workshop.read(path)
    assert (games, damage) == (12, f"{file.damage}; only what comes before it is used") and rows > 0


def test_wrong_contents_are_named_by_record(tmp_path: Path) -> None:
    path = tmp_path / "r"
    played("tic_tac_toe", path)
    data = path.read_bytes()
    label = 16 + 8 + int.from_bytes(data[16:20], "little")
    contents = bytearray(zlib.decompress(data[label + 8 :]))
    contents[16:20] = np.float32(np.nan).tobytes()  # the result of the first game
    packed = zlib.compress(bytes(contents))
    frame = len(packed).to_bytes(4, "little") + zlib.crc32(packed).to_bytes(4, "little") + packed
    path.write_bytes(data[:label] + frame)
    with pytest.raises(PlayoutError, match="record 1: a result or a value is not in"):
        list(RecordFile(path))
    workshop = open_workshop(catalogue.load("tic_tac_toe"))
    workshop.start([4], AIMS, 1)
    with pytest.raises(ValueError, match=r"/r: record 1: the result is NaN, which is not in \[-1, 1\]"):
        workshop.read(path)


def test_another_game_and_another_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r"
    played("tic_tac_toe", path)
    workshop = open_workshop(catalogue.load("connect_four"))
    workshop.start([4], AIMS, 1)
    with pytest.raises(ValueError, match='/r: its game is "tic_tac_toe" instead of "connect_four:columns=7,rows=6"'):
        workshop.read(path)
    path.write_text("no records")
    for read in workshop.read, RecordFile:
        with pytest.raises((ValueError, PlayoutError), match="/r: not a file of records"):
            read(path)
    with pytest.raises(PlayoutError, match="No such file"):
        RecordFile(tmp_path / "missing")


def test_a_full_disk_is_one_line_and_the_file_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "r"
    played("tic_tac_toe", path)
    before = path.read_bytes()
    words = [sys.executable, "-m", "playout", "learn", "generate", "tic_tac_toe", str(path)]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, resource.RLIM_INFINITY))

    done = subprocess.run(
        [*words, "--games", "30", "--simulations", "20"],
        capture_output=True,
        text=True,
        preexec_fn=limit,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # compiled modules would be cut off too, and stay so
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.strip() == f"playout: {path}: record 13: File too large (os error 27)"
    assert path.read_bytes() == before
