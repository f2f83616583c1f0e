"""The numbers of Hex."""

from __future__ import annotations

import itertools
import math
import random
from typing import Any

import pytest

from playout.engine import _core
from playout.engine.experiments import hex_size
from playout.engine.experiments.base import hex_counts
from playout.engine.terms.kernel import kernel_params
from playout.games import catalogue


@pytest.fixture(scope="module")
def result() -> hex_size.HexSize:
    return hex_size.run(simulations=5000, runs=10)


@pytest.fixture(scope="module")
def sizes(result: hex_size.HexSize) -> dict[int, hex_size.Size]:
    return {one.size: one for one in result.sizes}


def walked(size: int) -> tuple[set[int], int, int]:
    """The positions of the kernel's rules, the number of games, and the plies of the shortest, by visiting each."""
    positions, games = set[int](), dict[int, int]()
    shortest = size * size

    def visit(position: Any, ply: int) -> int:
        nonlocal shortest
        key = position.key(0)
        if key not in positions:
            positions.add(key)
            if position.result() is not None:
                shortest = min(shortest, ply)
                games[key] = 1
            else:
                total = 0
                for action in position.actions():
                    after = position.copy()
                    after.play(action)
                    total += visit(after, ply + 1)
                games[key] = total
        return games[key]

    root = _core.Position("hex", kernel_params(catalogue.load(f"hex:{size}")))
    total = visit(root, 0)
    return positions, total, shortest


@pytest.mark.parametrize("size", [2, 3])
def test_positions_and_games_are_those_of_the_rules(size: int) -> None:
    positions, games, shortest = walked(size)
    counted = hex_counts.counts(size, 0, random.Random(0))
    assert (counted.positions, counted.games, counted.exact) == (len(positions), games, True)
    assert shortest == 2 * size - 1


def test_samples_come_near_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = hex_counts.counts(3, 0, random.Random(0))
    monkeypatch.setattr(hex_counts, "EXACT", 1)
    sampled = hex_counts.counts(3, 4000, random.Random(0))
    assert sampled.positions == pytest.approx(exact.positions, rel=0.02)
    assert sampled.games == pytest.approx(exact.games, rel=0.04)
    assert sampled.length == pytest.approx(exact.length, rel=0.01)
    assert not sampled.exact


def test_4x4_is_counted(sizes: dict[int, hex_size.Size]) -> None:
    one = sizes[4]
    assert (one.counts.positions, one.counts.games) == (9_386_235, 10_663_950_528_000)
    assert one.boards == 10_165_779
    assert one.shortest == 7


def test_where_the_literature_is_corrected(sizes: dict[int, hex_size.Size]) -> None:
    """Browne's 2.4e56 for 11 x 11 is half of the boards; 3^121, 121! and 96^50 are no counts of states and games."""
    eleven = sizes[11]
    assert eleven.boards / 2 == pytest.approx(2.4e56, rel=0.02)
    assert eleven.counts.positions <= eleven.boards < 3**121 / 10
    assert eleven.counts.games < math.factorial(121) / 4
    assert eleven.counts.games > 10**95 * 96**50


@pytest.mark.parametrize("cells", [1, 2, 4, 9])
def test_lines_and_boards_are_those_counted_one_by_one(cells: int) -> None:
    lines = [list(itertools.permutations(range(cells), depth)) for depth in range(min(cells, 5) + 1)]
    assert list(hex_size.lines(cells))[:6] == [len(level) for level in lines]
    boards = [{(frozenset(line[::2]), frozenset(line[1::2])) for line in level} for level in lines]
    assert [hex_counts.boards(cells, stones) for stones in range(len(lines))] == [len(level) for level in boards]


def test_chains_join_the_sides_of_their_player() -> None:
    """The rows of Hex are shifted: b1 and a2 are neighbours, a1 and b2 are not."""
    board = hex_counts.Board(2)
    a1, b1, a2, b2 = 1, 2, 4, 8
    assert [board.joins(stones, 0) for stones in (a1 | a2, b1 | a2, b1 | b2, a1 | b2)] == [True, True, True, False]
    assert [board.joins(stones, 1) for stones in (a1 | b1, b1 | a2, a2 | b2, a1 | b2)] == [True, True, True, False]
    assert board.just_joined(a1 | a2, 0)
    assert not board.just_joined(a1 | b1 | a2 | b2, 0)


def test_the_depth_is_where_the_nodes_end(sizes: dict[int, hex_size.Size]) -> None:
    assert {n: sizes[n].lines_depth for n in (6, 8, 11, 19)} == {6: 6, 8: 5, 11: 4, 19: 3}
    assert sizes[4].boards_depth == 16, "4x4 is exhausted"
    assert hex_size.depth_reached(iter([1, 9, 72]), 81) == 1
    assert hex_size.depth_reached(iter([1, 9, 72]), 82) == 2
    for one in sizes.values():
        assert one.lines_depth <= one.boards_depth


def test_nodes_are_counted_not_simulations(result: hex_size.HexSize) -> None:
    """Without merging each simulation makes one node: from 32 to 1000 bytes each."""
    for one in result.measured:
        assert one.nodes == 5000
        assert 32 < one.bytes / one.nodes < 1000
        assert 1 <= one.depth < 2 * one.size - 1
