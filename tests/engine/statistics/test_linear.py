"""Linear equations, and what can be reached along steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playout.engine.statistics.linear import sandwich, solve
from playout.engine.statistics.links import members, reach

NUMBER = st.floats(-1, 1)


def product(one: list[list[float]], other: list[list[float]]) -> list[list[float]]:
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*other, strict=True)] for row in one
    ]


@given(st.lists(st.lists(NUMBER, min_size=5, max_size=5), min_size=5, max_size=5))
def test_the_solution_solves_the_equations(rows: list[list[float]]) -> None:
    # A dominant diagonal has an inverse; its columns are turned so that each step needs another pivot.
    matrix = [[value + 6 * (place == (row + 2) % 5) for place, value in enumerate(rows[row])] for row in range(5)]
    right = [[row[0], row[1]] for row in rows]
    found = product(matrix, solve(matrix, right))
    assert [value for row in found for value in row] == pytest.approx([value for row in right for value in row])


def test_the_sandwich_has_the_inverse_on_both_sides() -> None:
    # The inverse is ((1, -1), (0, 1)).
    assert sandwich([[1.0, 1.0], [0.0, 1.0]], [[2.0, 1.0], [1.0, 3.0]]) == [[3.0, -2.0], [-2.0, 3.0]]


def test_what_can_be_reached() -> None:
    assert reach(5, [(0, 1), (1, 2), (2, 1), (3, 2)]) == [0b00111, 0b00110, 0b00110, 0b01110, 0b10000]


def test_members_of_a_mask() -> None:
    assert members(0b1001010) == [1, 3, 6]
    assert members(0) == []
