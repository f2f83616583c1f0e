"""Macros in games in Python that declare their cells."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from playout.books.macros.declared_boards import board_of, cell_images
from playout.games.errors import BookError

from .drop import Drop
from .test_macros import the_same_is_known, written

MACROS = """
game: drop
macros:
  - {name: a, pattern: X X a, play: a, weight: 3, visits: 2, value: 0.5}
  - name: b
    pattern: |
      a b
      * *
    play: a
    replies: {else: b}
  - name: c
    pattern: |
      a
      O
    play: a
    only: true
    visits: 4
"""


def test_drawings_match_as_they_are_defined(tmp_path: Path) -> None:
    game: Any = Drop()
    assert the_same_is_known(game, written(tmp_path, MACROS, game), random.Random(7), 20) > 50


def test_drawings_apply_in_the_images_of_the_symmetries_of_the_game() -> None:
    board = board_of(Drop())
    assert board is not None
    assert board.images == ((1, 0, 0, -1), (-1, 0, 0, -1))
    assert cell_images(Drop()) == (4, 3, [list(range(12)), [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8]])


class Bare(Drop):
    """The same game without a board."""

    cells = None  # type: ignore[assignment]


def test_a_game_without_cells_has_no_patterns(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="no board that patterns can be drawn of"):
        written(tmp_path, MACROS, Bare())
