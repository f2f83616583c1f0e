"""Numbers in bulk, as numpy arrays."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import playout


def test_the_arrays_have_the_documented_shapes() -> None:
    with playout.Engine("go:5x4", own_book=False, hash=16) as one:
        result = one.think(nodes=500, ownership=True)
        found = result.arrays()
        count = len(result.moves)
        assert found.moves == tuple(move.move for move in result.moves)
        assert (found.visits.shape, found.visits.dtype) == ((count,), np.int64)
        assert (found.values.shape, found.values.dtype) == ((count,), np.float64)
        assert found.bounds.shape == (count, 2)
        assert found.wdl.shape == (count, 3)
        assert found.wdl.sum(axis=1) == pytest.approx(np.ones(count))
        assert found.ownership.shape == (4, 5)
        assert found.ownership[0, 1] == result.ownership[1]
        assert np.abs(found.ownership).max() <= 1
        assert list(found.visits) == [move.visits for move in result.moves]


def test_ownership_of_the_position() -> None:
    with playout.Engine("go:9", hash=16) as one:
        for move in ("E5", "PASS", "C3", "PASS", "G7", "PASS"):
            one.play(move)
        owners = one.ownership()
        assert owners.shape == (9, 9)
        assert owners[4, 4] > 0.5
    with playout.Engine("hex:5") as one:
        one.play("e1")  # the top right
        owners = one.ownership()
        assert owners.shape == (5, 5)
        assert owners[0, 4] == 1.0
        assert abs(owners).max() <= 1
    with playout.Engine("tic_tac_toe", own_book=False) as one:
        assert one.ownership().shape == (0, 0)
        assert one.think(nodes=5).arrays().ownership.shape == (0, 0)


def test_an_empty_result_has_empty_arrays() -> None:
    with playout.Engine("chess") as one:
        found = one.think(nodes=5).arrays()
        assert (found.visits.shape, found.bounds.shape, found.wdl.shape) == ((0,), (0, 2), (0, 3))


def test_without_numpy_one_line_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with playout.Engine("tic_tac_toe", own_book=False) as one:
        result = one.think(nodes=5)
        with pytest.raises(playout.PlayoutError, match=r"pip install 'playout\[numpy\]'"):
            result.arrays()
        with pytest.raises(playout.PlayoutError, match=r"pip install 'playout\[numpy\]'"):
            one.ownership()


def test_results_never_change() -> None:
    with playout.Engine("tic_tac_toe", own_book=False) as one:
        result = one.think(nodes=5)
    with pytest.raises(AttributeError):
        result.move = "a1"  # type: ignore[misc]
