"""Systems of linear equations, solved by elimination: enough for the ratings of some hundred engines without numpy."""

from __future__ import annotations

from collections.abc import Sequence

Matrix = Sequence[Sequence[float]]
"""Rows of numbers."""


def solve(matrix: Matrix, right: Matrix) -> list[list[float]]:
    """Returns X with ``matrix`` X = ``right``, by Gaussian elimination with row pivots.

    Args:
        matrix: a square matrix with an inverse.
        right: a matrix with as many rows.
    """
    size = len(matrix)
    rows = [[*left, *of_right] for left, of_right in zip(matrix, right, strict=True)]
    for place in range(size):
        pivot = max(range(place, size), key=lambda number: abs(rows[number][place]))
        rows[place], rows[pivot] = rows[pivot], rows[place]
        head = rows[place][place:]
        for number in range(place + 1, size):
            row = rows[number]
            if row[place]:
                factor = row[place] / head[0]
                row[place:] = [value - factor * above for value, above in zip(row[place:], head, strict=True)]
    for place in reversed(range(size)):
        row = rows[place]
        row[size:] = [value / row[place] for value in row[size:]]
        for number in range(place):
            if factor := rows[number][place]:
                above = rows[number]
                above[size:] = [value - factor * below for value, below in zip(above[size:], row[size:], strict=True)]
    return [row[size:] for row in rows]


def sandwich(matrix: Matrix, middle: Matrix) -> list[list[float]]:
    """Returns A ``middle`` A', where A is the inverse of ``matrix``, for a symmetric ``middle``."""
    half = solve(matrix, middle)
    return solve(matrix, list(zip(*half, strict=True)))
