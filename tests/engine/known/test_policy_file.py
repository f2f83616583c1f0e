"""Nets for boards of any size, which PatternFile and EvalFile name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout
from playout.engine.options.config import search_config
from playout.engine.search.searcher import Searcher
from playout.engine.search.weights import shipped_moves
from playout.engine.terms.shipped_nets import WEIGHTS
from playout.games import catalogue

from .net_file import write_net

CHANNELS = 16
PLANES = 14
LAST = 6
"""The plane of the last stone."""
KOMI = 12
"""The plane of the mover's komi, in tens of points."""
LEFT, HERE = 3, 4
"""The parts of a convolution that read the cell to the left, and the cell itself."""
BESIDE, PASS = 4.0, -3.0


def nets(path: Path, **changes: Any) -> Path:
    """Nets that would play to the right of the last stone, and like a pass less than all else; ``changes`` are tensors
    to change, or to leave out where they are None.
    """
    stem = np.zeros((9, PLANES, CHANNELS), np.float32)
    stem[LEFT, LAST, 0] = 1.0
    aim = np.zeros((1, CHANNELS), np.float32)
    aim[0, 0] = BESIDE
    tensors: dict[str, Any] = {
        "tower.stem.weight": stem.reshape(-1, CHANNELS),
        "tower.stem.bias": np.zeros(CHANNELS, np.float32),
        "tower.aim.weight": aim,
        "tower.aim.bias": np.zeros(1, np.float32),
        "first.weight": np.zeros((2 * CHANNELS, 1), np.float32),
        "first.bias": np.ones(1, np.float32),
        "policy.weight": np.full((1, 1), PASS, np.float32),
        "policy.bias": np.zeros(1, np.float32),
        **changes,
    }
    kept = {f"all.{name}": tensor for name, tensor in tensors.items() if tensor is not None}
    return write_net(path / "moves.safetensors", kept, game="go", inputs="go-any-1")


@pytest.mark.parametrize(
    ("game", "move", "right"), [("go:5", "C3", "D3"), ("go:13", "K4", "L4"), ("go:7x9", "F9", "G9")]
)
def test_its_policy_orders_the_moves_of_boards_of_any_size(tmp_path: Path, game: str, move: str, right: str) -> None:
    played = catalogue.load(game)
    searcher = Searcher(played, search_config(played, {}))
    searcher.set_position(None, [move])
    without, _ = searcher.estimates()
    searcher.set_patterns(nets(tmp_path))
    value, preferences = searcher.estimates()
    assert preferences is not None and value == without
    assert preferences.pop(right) == pytest.approx(BESIDE, abs=0.05)
    assert preferences.pop("pass") == pytest.approx(PASS, abs=1e-4)
    assert all(abs(preference) < 0.05 for preference in preferences.values())


def test_what_it_said_in_a_game_is_not_taken_for_another_game_s(tmp_path: Path) -> None:
    stem = np.zeros((9, PLANES, CHANNELS), np.float32)
    stem[HERE, KOMI, 0] = 1.0
    path = nets(tmp_path, **{"tower.stem.weight": stem.reshape(-1, CHANNELS)})
    for komi in (-10.0, -20.0):  # in tens, as Black sees it
        played = catalogue.load(f"go:5,komi={komi}")
        searcher = Searcher(played, search_config(played, {}))
        searcher.set_patterns(path)
        _, preferences = searcher.estimates()
        assert preferences is not None
        assert preferences["C3"] == pytest.approx(-komi / 10 * BESIDE, abs=0.05)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"policy.weight": None, "policy.bias": None}, "it has neither outcomes nor a policy"),
        ({"first.weight": np.zeros((8, 1), np.float32)}, "all.first.weight has the sides [8, 1] instead of [32, 1]"),
        ({"policy.bias": np.zeros(26, np.float32)}, "all.policy.bias has the sides [26] instead of [1]"),
        ({"tower.aim.bias": None}, "there is no tensor all.tower.aim.bias"),
    ],
)
def test_a_damaged_one_is_told_and_the_engine_plays_on(tmp_path: Path, changes: dict[str, Any], what: str) -> None:
    path = nets(tmp_path, **changes)
    with playout.Engine("go:5", hash=16, own_book=False, pattern_file=path) as engine:
        result = engine.think(nodes=20)
        assert result.move in engine.legal_moves()
    assert result.remarks == (f"PatternFile is not used: {path}: {what}",)


def test_nets_that_judge_without_a_policy_are_refused(tmp_path: Path) -> None:
    outcome = {"outcome.weight": np.zeros((2, 1), np.float32), "outcome.bias": np.zeros(2, np.float32)}
    path = nets(tmp_path, **{"policy.weight": None, "policy.bias": None}, **outcome)
    with playout.Engine("go:5", hash=16, own_book=False, pattern_file=path) as engine:
        (remark,) = engine.think(nodes=20).remarks
    assert remark == f"PatternFile is not used: {path}: its nets have no policy"


def test_they_judge_positions_too_where_they_have_outcomes(tmp_path: Path) -> None:
    outcome = {
        "outcome.weight": np.zeros((2, 1), np.float32),
        "outcome.bias": np.array([np.log(3.0), 0.0], np.float32),
    }
    path = nets(tmp_path, **outcome)
    for game in ("go:4", "go:6x5"):
        with playout.Engine(game, hash=16, own_book=False, eval_file=path, symmetries=False) as engine:
            result = engine.think(nodes=1)
        # The mover has won three of four, so after a move his opponent has: 2 * 3/4 - 1.
        assert result.remarks == () and abs(result.value) == pytest.approx(0.5, abs=1e-3)


@pytest.mark.parametrize("game", ["hex:1", "hex:3", "hex:3,swap=true", "hex:13", "hex:26,swap=true"])
def test_those_of_hex_are_a_tower_that_aims_and_play_with_swap_too(tmp_path: Path, game: str) -> None:
    stem = np.zeros((9, 6, CHANNELS), np.float32)
    stem[LEFT, 1, 0] = 1.0  # to the right of a stone of the opponent's, as the mover sees the board
    tensors = {
        "all.tower.stem.weight": stem.reshape(-1, CHANNELS),
        "all.tower.stem.bias": np.zeros(CHANNELS, np.float32),
        "all.tower.aim.weight": np.eye(1, CHANNELS, dtype=np.float32) * BESIDE,
        "all.tower.aim.bias": np.zeros(1, np.float32),
        "all.first.weight": np.zeros((2 * CHANNELS, 1), np.float32),
        "all.first.bias": np.ones(1, np.float32),
        "all.outcome.weight": np.zeros((2, 1), np.float32),
        "all.outcome.bias": np.array([np.log(3.0), 0.0], np.float32),
    }
    path = write_net(tmp_path / "hex.safetensors", tensors, game="hex", inputs="hex-any-1")
    played = catalogue.load(game)
    searcher = Searcher(played, search_config(played, {}))
    searcher.set_nets(path)
    value, _ = searcher.estimates()
    if "swap" not in game:
        assert value == pytest.approx(0.5, abs=1e-3)
    if game == "hex:1":
        return
    searcher.set_position(None, ["a1"])
    value, preferences = searcher.estimates()
    assert value == pytest.approx(0.5, abs=1e-3) and preferences is not None
    # White sees rows and columns exchanged.
    assert preferences.pop("a2") == pytest.approx(BESIDE, abs=0.05)
    assert preferences.pop("swap-pieces", BESIDE) == pytest.approx(BESIDE, abs=0.05)
    assert all(abs(preference) < 0.05 for preference in preferences.values())


def test_nets_of_one_size_are_for_no_other(tmp_path: Path) -> None:
    with playout.Engine("go:7", hash=16, own_book=False, pattern_file=WEIGHTS / "go.safetensors") as engine:
        (remark,) = engine.think(nodes=20).remarks
    assert 'inputs is "go-9-1" instead of "go-7-1" or "go-any-1"' in remark


def test_large_boards_have_a_policy_and_small_ones_strengths() -> None:
    found = {
        name: shipped_moves(catalogue.load(name))
        for name in ("go:7", "go:13", "go:19", "go:13x9", "go:10", "go:9x11", "hex:11", "chess")
    }
    names = {name: path.name if path else None for name, path in found.items()}
    assert names == {
        "go:7": "go-patterns.safetensors",
        "go:13": "go-policy.safetensors",
        "go:19": "go-policy.safetensors",
        "go:13x9": "go-policy.safetensors",
        "go:10": "go-policy.safetensors",
        "go:9x11": "go-patterns.safetensors",
        "hex:11": "hex-patterns.safetensors",
        "chess": None,
    }


def test_territory_has_the_policy_and_no_nets_that_judge() -> None:
    found = [shipped_moves(catalogue.load(f"go:{size},scoring=territory")) for size in (9, 19)]
    assert found == [WEIGHTS / "go-patterns.safetensors", WEIGHTS / "go-policy.safetensors"]
    with playout.Engine("go:13,scoring=territory", hash=16, own_book=False) as engine:
        assert engine.think(nodes=30).remarks == ()
    with playout.Engine("go:9,scoring=territory", hash=16, own_book=False, eval_file=found[1]) as engine:
        (remark,) = engine.think(nodes=30).remarks
    assert "this game has no inputs for nets" in remark
