"""The tournaments of ``examples/tournaments/`` and ``benches/cups/``: their files are right, ``docs/strength.md`` names
those that measure, and the example without other programs is played."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.arena.cup import Cup
from playout.arena.drivers.inside import InsideDriver
from playout.arena.file.plan import Plan, plans_of
from playout.arena.file.reader import parse, read
from playout.arena.local import LocalRun
from playout.arena.terms.end import End
from playout.arena.terms.job import Player
from playout.games.catalogue import load
from playout.games.check.checker import check

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "tournaments"
CUPS = ROOT / "benches" / "cups"
FILES = sorted(FOLDER.glob("*.yaml"))
MEASURING = sorted(CUPS.glob("*.yaml"))
STRENGTH = (ROOT / "docs" / "strength.md").read_text(encoding="utf-8")


def stem(path: Path) -> str:
    """The part of a test's name that stands for a file."""
    return path.stem


def playable(path: Path) -> list[Plan]:
    """The events of a file."""
    plans = plans_of(read(path), path.parent)
    assert all(len(plan.players) >= 2 for plan in plans)
    return plans


def own_players(plans: list[Plan]) -> Iterator[tuple[str, Player]]:
    """Yields playout's own engines, with the names of their games; those with the same options once."""
    seen = set[str]()
    for plan in plans:
        for player in plan.players:
            own = player.protocol == "inside" or player.command[:1] == ("playout",)
            key = f"{plan.game} {player.options}"
            if own and key not in seen:
                seen.add(key)
                yield plan.game, player


@pytest.mark.parametrize("path", FILES, ids=stem)
def test_a_tournament_can_be_played(path: Path) -> None:
    for plan in playable(path):
        assert plan.openings[0].moves or plan.game == "backgammon"


@pytest.mark.parametrize("path", [*FILES, *MEASURING], ids=stem)
def test_the_options_exist_and_act(path: Path) -> None:
    """No other process is started, of playout or of another program."""
    for game, player in own_players(playable(path)):
        InsideDriver(player, load(game)).close()


@pytest.mark.parametrize("path", MEASURING, ids=stem)
def test_the_head_of_a_file_has_its_command(path: Path) -> None:
    head, _, _ = path.read_text(encoding="utf-8").partition("\nname: ")
    lines = head.splitlines()
    assert all(line.startswith("# ") for line in lines)
    assert f"#   playout arena run benches/cups/{path.name}" in lines


def test_docs_strength_names_the_files_that_exist() -> None:
    named = set(re.findall(r"\bbenches/[\w./-]*\w", STRENGTH))
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
    assert sorted(path.name for path in MEASURING if f"benches/cups/{path.name}" not in STRENGTH) == []


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
