"""The weights that come with the package."""

from __future__ import annotations

import json

import pytest

from playout.engine.options.config import options_for, search_config
from playout.engine.search.searcher import Searcher
from playout.engine.search.weights import set_weights, weight_files
from playout.engine.terms.shipped_nets import WEIGHTS
from playout.games import catalogue

MOST_BYTES = 30 << 20
"""Bound on all weights together."""


def test_they_are_small_and_say_where_they_come_from() -> None:
    files = sorted(WEIGHTS.glob("*.safetensors"))
    assert files
    assert sum(file.stat().st_size for file in files) < MOST_BYTES
    for file in files:
        data = file.read_bytes()
        said = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
        assert said["game"] == file.stem.removesuffix("-patterns")
        for name in ("data", "command", "date", "commit", "gate"):
            assert said[f"provenance.{name}"]


@pytest.mark.parametrize(
    ("roll", "play"),
    [
        ("31", "8/5,6/5"),
        ("42", "8/4,6/4"),
        ("53", "8/3,6/3"),
        ("61", "13/7,8/7"),
        ("65", "24/13"),
        ("66", "24/18(2),13/7(2)"),
    ],
)
def test_the_nets_of_backgammon_know_the_openings(roll: str, play: str) -> None:
    game = catalogue.load("backgammon")
    searcher = Searcher(game, search_config(game, {"TreePolicy": "puct", "LeafEvaluation": "static"}))
    set_weights(searcher, weight_files(game, options_for(game, {})))
    for player in "01":
        searcher.set_position(f"4HPwATDgc/ABMA {player} {roll}", [])
        assert searcher.run(nodes=1).move == play
