"""The tournaments of ``examples/tournaments/``: their files are right, and the one without other programs is played."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from playout.arena.cup import Cup
from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse, read
from playout.arena.local import LocalRun
from playout.arena.terms.end import End
from playout.games.catalogue import load
from playout.games.check.checker import check

FOLDER = Path(__file__).parents[2] / "examples" / "tournaments"
FILES = sorted(FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_tournament_can_be_played(path: Path) -> None:
    for plan in plans_of(read(path), FOLDER):
        assert len(plan.players) >= 2
        assert plan.openings[0].moves or plan.game == "backgammon"


def test_the_game_in_python_keeps_its_contract() -> None:
    assert check(load(f"{FOLDER / 'four.py'}:Four"), games=2) == []


@pytest.mark.opponents
@pytest.mark.long
def test_connect_four_in_python_is_played_without_a_fault(tmp_path: Path) -> None:
    for name in ("four.py", "greedy.py", "connect-four-python.yaml"):
        shutil.copy(FOLDER / name, tmp_path)
    text = (tmp_path / "connect-four-python.yaml").read_text()
    small = (
        text.replace("games: 20", "games: 2")
        .replace("nodes: 400", "nodes: 8")
        .replace("movetime: 1.0", "movetime: 300.0")
    )
    with Cup(parse(small, "small.yaml"), tmp_path, None) as cup:
        LocalRun(cup.coordinator, 1).run()
        games = list(cup.store.games())
        assert [played.end for played in games] == [End.NORMAL] * 2
        assert cup.store.mishaps() == []
