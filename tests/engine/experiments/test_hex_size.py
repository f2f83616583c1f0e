"""The numbers of Hex."""

from __future__ import annotations

import itertools
import math

import pytest

from playout.engine.experiments import hex_size


@pytest.fixture(scope="module")
def sizes() -> dict[int, hex_size.Size]:
    return {one.size: one for one in hex_size.run(seconds=0.05).sizes}


def test_branching_and_tree(sizes: dict[int, hex_size.Size]) -> None:
    assert [sizes[n].branching for n in (6, 8, 11, 19)] == [18.5, 32.5, 61.0, 181.0]
    assert sizes[11].tree == pytest.approx(200.9, abs=0.05)  # 121! = 8.09e200
    assert sizes[19].tree == pytest.approx(768.2, abs=0.05)


def test_boards_are_an_upper_bound_of_the_positions(sizes: dict[int, hex_size.Size]) -> None:
    """For 11 x 11 the literature has 2.4e56."""
    assert math.log10(2.4e56) < sizes[11].positions < math.log10(2.4e57)


@pytest.mark.parametrize("cells", [1, 2, 4, 9])
def test_lines_and_boards_are_those_counted_one_by_one(cells: int) -> None:
    lines = [list(itertools.permutations(range(cells), depth)) for depth in range(min(cells, 5) + 1)]
    assert list(hex_size.lines(cells))[:6] == [len(level) for level in lines]
    boards = [{(frozenset(line[::2]), frozenset(line[1::2])) for line in level} for level in lines]
    assert list(hex_size.boards(cells))[:6] == [len(level) for level in boards]


def test_the_depth_is_where_the_nodes_end(sizes: dict[int, hex_size.Size]) -> None:
    assert {n: one.lines_depth for n, one in sizes.items()} == {6: 6, 8: 5, 11: 4, 19: 3}
    assert hex_size.depth_reached(iter([1, 9, 72]), 81) == 1
    assert hex_size.depth_reached(iter([1, 9, 72]), 82) == 2
    for one in sizes.values():
        assert one.lines_depth <= one.boards_depth


def test_the_engine_is_measured(sizes: dict[int, hex_size.Size]) -> None:
    for one in sizes.values():
        assert 2**30 / 1000 < one.nodes_per_gib < 2**30 / 32, "from 32 to 1000 bytes a node"
        assert one.nodes_per_second > 0
        assert one.engine_depth >= 1
        assert one.size**2 / 2 < one.length <= one.size**2
