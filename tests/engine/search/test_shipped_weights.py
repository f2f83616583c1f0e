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
        assert said["game"] == file.stem.partition("-")[0]
        for name in ("data", "command", "date", "commit", "gate"):
            assert said[f"provenance.{name}"]


def test_the_policy_of_go_begins_in_the_corners_and_answers_there() -> None:
    game = catalogue.load("go:19")
    searcher = Searcher(game, search_config(game, {}))
    set_weights(searcher, weight_files(game, options_for(game, {})))

    def best(moves: list[str], count: int) -> list[str]:
        searcher.set_position(None, moves)
        _, preferences = searcher.estimates()
        assert preferences is not None
        return sorted(preferences, key=preferences.__getitem__, reverse=True)[:count]

    corner = {f"{column}{row}" for column in "CDQR" for row in (3, 4, 16, 17)}
    assert set(best([], 4)) <= corner
    # The last corner is taken, or the stone beside it approached.
    assert set(best(["Q16", "D4", "Q4"], 3)) <= corner | {"F3", "C6", "F17", "O17", "R14", "O3", "R6"}


def test_what_the_net_of_go_says_depends_on_the_last_moves_and_on_nothing_before() -> None:
    game = catalogue.load("go:9")

    def estimates(*lines: str) -> list[tuple[float | None, dict[str, float] | None]]:
        searcher, found = Searcher(game, search_config(game, {})), []
        set_weights(searcher, weight_files(game, options_for(game, {})))
        for line in lines:
            searcher.set_position(None, line.split())
            found.append(searcher.estimates())
        return found

    one, other = "D4 F6 F4", "F4 F6 D4"
    first, second = estimates(one, other)
    assert first != second
    assert estimates(other, one) == [second, first]


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
