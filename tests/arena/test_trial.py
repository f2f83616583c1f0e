"""The trial before a tournament: engines and tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse
from playout.arena.trial import check_engines, try_engines
from playout.games.errors import PlayoutError

FILE = """
engines: {one: {}, two: {}}
game: chess
nodes: 1
"""


def test_engines_inside_the_arena_start() -> None:
    plans = plans_of(parse(FILE, "cup.yaml"), Path())
    assert [(player.name, wrong) for _, player, _, wrong in try_engines(plans)] == [("one", None), ("two", None)]


def test_tables_that_are_not_there_are_told_before_the_first_game(tmp_path: Path) -> None:
    plans = plans_of(parse(f"{FILE}adjudication: {{tables: [none]}}\n", "cup.yaml"), tmp_path)
    with pytest.raises(PlayoutError, match=rf"^cup\.yaml, line 5, adjudication\.tables: {tmp_path}/none: [^\n]+$"):
        check_engines(plans)
