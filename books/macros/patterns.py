"""Patterns of cells: drawings, and the places on a board where they match, in all symmetries of the grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any

from playout.books.macros.cell_boards import OUTSIDE, CellBoard, apply

OURS, THEIRS, EMPTY, TAKEN, ANY, EDGE = "X", "O", ".", "*", "?", "#"
SYMBOLS = OURS + THEIRS + EMPTY + TAKEN + ANY + EDGE


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a drawing."""

    column: int
    row: int
    symbol: str
    """One of ``SYMBOLS``, a letter, which names an empty cell, or the symbol of a cell with a man of certain kinds."""
    kinds: int = 0
    """Those kinds, a bit each."""
    name: str = ""
    """The letter that names the cell."""


@dataclass(frozen=True, slots=True)
class _Placement:
    """A pattern at one place of a board."""

    ours: int
    theirs: int
    empty: int
    taken: int
    named: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A drawing of cells with at least one letter.

    On boards whose edges belong to players, a place beyond an edge counts as its owner's stone.
    """

    cells: tuple[Cell, ...]
    is_directed: bool = False
    """Whether it applies in the images only that keep its direction."""
    _placements: dict[tuple[CellBoard, int], dict[int | None, list[_Placement]]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def names(self) -> frozenset[str]:
        """The letters of the drawing."""
        return frozenset(cell.name for cell in self.cells if cell.name)

    def matches(self, board: CellBoard, state: Any, player: int) -> Iterator[Mapping[str, int]]:
        """Yields the cells of the letters for each place where the pattern matches, with ``player`` as "we"."""
        stones = board.stones(state)
        ours, theirs = stones[player], stones[1 - player]
        taken = ours | theirs
        placements = self._placed(board, player)
        for first in (None, *_bits(ours)):
            for place in placements.get(first, ()):
                if (
                    place.ours & ours == place.ours
                    and place.theirs & theirs == place.theirs
                    and place.taken & taken == place.taken
                    and not place.empty & taken
                ):
                    yield place.named

    def _placed(self, board: CellBoard, player: int) -> dict[int | None, list[_Placement]]:
        """Returns all places of the pattern, by the first of our stones that each requires."""
        known = self._placements.get((board, player))
        if known is not None:
            return known
        found: dict[int | None, list[_Placement]] = {}
        seen = set()
        reach = max(max(cell.column, cell.row) for cell in self.cells) * 2
        places = board.places(reach)
        drawn = [cell for cell in self.cells if cell.symbol != ANY]
        for image in board.images:
            cells = [(*apply(image, cell.column, cell.row), cell.symbol) for cell in drawn]
            column, row = next((c, r) for c, r, symbol in cells if symbol in ascii_lowercase)
            around = [(c - column, r - row, symbol) for c, r, symbol in cells]
            for across in range(board.columns):
                for down in range(board.rows):
                    place = _place(places, player, across, down, around)
                    if place is None:
                        continue
                    identity = (place.ours, place.theirs, place.empty, place.taken, tuple(sorted(place.named.items())))
                    if identity not in seen:
                        seen.add(identity)
                        first = next(_bits(place.ours), None)
                        found.setdefault(first, []).append(place)
        self._placements[board, player] = found
        return found


def _place(
    places: Mapping[tuple[int, int], int], player: int, across: int, down: int, cells: list[tuple[int, int, str]]
) -> _Placement | None:
    """Returns the pattern with its cells around a place of the board, or None if it cannot match there."""
    ours = theirs = empty = taken = 0
    named: dict[str, int] = {}
    for column, row, symbol in cells:
        place = places[across + column, down + row]
        if place <= OUTSIDE:
            owner = OUTSIDE - place
            if symbol not in (EDGE, TAKEN) and not (owner < 2 and symbol == (OURS if owner == player else THEIRS)):
                return None
        elif symbol == EDGE:
            return None
        elif symbol == OURS:
            ours |= 1 << place
        elif symbol == THEIRS:
            theirs |= 1 << place
        elif symbol == TAKEN:
            taken |= 1 << place
        else:
            empty |= 1 << place
            if symbol != EMPTY:
                named[symbol] = place
    return _Placement(ours, theirs, empty, taken, named)


def _bits(number: int) -> Iterator[int]:
    while number:
        least = number & -number
        yield least.bit_length() - 1
        number ^= least
