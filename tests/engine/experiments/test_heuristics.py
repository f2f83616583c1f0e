"""A small match of every technique, and taking up where a file ends."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from playout.engine.experiments import heuristics
from playout.engine.experiments.base.plain import plain
from playout.engine.options.config import SearchConfig
from playout.games.errors import GameError


def test_every_technique_plays_at_equal_playouts_and_at_equal_time() -> None:
    said: list[str] = []
    result = heuristics.run(game=["hex:4"], games=4, nodes=30, seconds=0.002, say=said.append)
    assert [line.technique for line in result.lines[::2]] == list(heuristics.TECHNIQUES)
    assert [line.pace for line in result.lines[:2]] == ["30 playouts", "0.002 s"]
    assert len(said) == len(result.lines) == 2 * len(heuristics.TECHNIQUES)
    for line in result.lines:
        assert line.games == 4
        assert 0 <= line.score <= 1
        assert line.elo_least <= line.elo <= line.elo_most


@pytest.mark.parametrize("game", heuristics.GAMES)
@pytest.mark.parametrize("technique", heuristics.TECHNIQUES)
def test_the_sides_differ_by_the_technique_only(game: str, technique: str) -> None:
    on, off = heuristics.sides(game, technique)
    differing = {
        field.name for field in dataclasses.fields(SearchConfig) if getattr(on, field.name) != getattr(off, field.name)
    }
    assert differing
    assert differing <= set(heuristics.settings(game, technique))
    kernel = game.partition(":")[0]
    assert off == plain(solver=True, exploration=heuristics.EXPLORATION[kernel]), "whatever the presets say"


def test_a_match_that_stands_in_the_file_is_not_played_again(tmp_path: Path) -> None:
    file = tmp_path / "lines.csv"
    words = {"game": ["hex:4"], "games": 2, "nodes": 20, "seconds": 0.002, "csv": file}
    first = heuristics.run(technique=["rave"], **words)  # type: ignore[arg-type]
    before = file.read_text(encoding="utf-8")
    both = heuristics.run(technique=["rave", "early-termination"], **words)  # type: ignore[arg-type]
    assert both.lines[:2] == first.lines
    after = file.read_text(encoding="utf-8")
    assert after.startswith(before)
    assert len(after.splitlines()) == 5
    # Another seed is another match.
    assert len(heuristics.run(technique=["rave"], seed=1, **words).lines) == 2  # type: ignore[arg-type]
    assert len(file.read_text(encoding="utf-8").splitlines()) == 7


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(GameError, match="not a file of this experiment"):
        heuristics.run(csv=file)
    assert file.read_text(encoding="utf-8") == "a,b\n1,2\n"


def test_an_unknown_technique_is_refused() -> None:
    with pytest.raises(GameError, match="no technique 'luck': one of progressive-bias"):
        heuristics.run(technique=["luck"])
