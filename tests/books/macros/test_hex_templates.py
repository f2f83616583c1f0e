"""The shipped macros of Hex: bridges and templates of the edge."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from playout.books.macros.cell_boards import HEXAGONAL, apply
from playout.books.macros.decision_tree import MacroTurn
from playout.books.macros.declared_boards import board_of
from playout.games import catalogue
from playout.games.hex import STEPS

from .shipped import after, moves, named, parsed


def test_bridges_are_saved_in_every_direction_and_at_the_own_edges() -> None:
    game = catalogue.load("hex:5")
    bridge = named("bridge", game)
    pattern = parsed("bridge", "hex").patterns[0].value
    board = board_of(game)
    assert board is not None
    # A stone in the middle reaches no edge; one in the second row has a bridge to Black's edge, and none to White's.
    middle, low = after(game, "c3"), after(game, "c4")
    assert not list(pattern.matches(board, middle, 0))
    assert {frozenset(match.values()) for match in pattern.matches(board, low, 0)} == {frozenset({21, 22})}
    assert moves(game, low, bridge.at(low)) == {"b5", "c5"}
    aside = after(game, "d3")
    assert not list(pattern.matches(board, aside, 0))
    for matrix in HEXAGONAL:
        column, row = apply(matrix, 1, 1)
        state = game.state_from_text("5/5/2b2/5/5 w")
        cells = list(state.board)
        cells[(2 + row) * 5 + 2 + column] = "b"
        state = type(state)("".join(cells), 1)
        between = {(2, 2), (2 + column, 2 + row)}
        common = {
            (c, r)
            for c, r in product(range(5), repeat=2)
            if all((c - x, r - y) in STEPS for x, y in between) and (c, r) not in between
        }
        found = {frozenset(match.values()) for match in pattern.matches(board, state, 0)}
        assert frozenset(r * 5 + c for c, r in common) in found


WIDTH = 32
"""Cells are the bits of a number, WIDTH to a row with free room at both ends, so that a step is a shift."""
SHIFTS = tuple(shift for column, row in STEPS if (shift := row * WIDTH + column) > 0)
"""Steps of one half; those of the other go back."""


def bit(cell: tuple[int, int]) -> int:
    column, row = cell
    assert -8 <= column < WIDTH - 8
    assert row >= -8
    return 1 << ((row + 8) * WIDTH + column + 8)


def bits(cells: int) -> Iterator[int]:
    while cells:
        yield cells & -cells
        cells &= cells - 1


class Region:
    """The cells of a template, in which we are to connect its first stone with the others.

    If we connect in some way after one reply, only replies inside that way can change it: the others are not tried.
    """

    def __init__(self, source: int, goals: int) -> None:
        self._source, self._goals = source, goals
        self._known: dict[tuple[int, int, bool], int | None] = {}
        self._distance = cache(self._missing)

    def holds(self, ours: int, free: int) -> int | None:
        """The cells by which we connect, the opponent to move; None if we do not."""
        if (ours, free, False) not in self._known:
            self._known[ours, free, False] = self._held(ours, free)
        return self._known[ours, free, False]

    def _held(self, ours: int, free: int) -> int | None:
        distance = self._distance(ours, free)
        if distance == 0 or distance > free.bit_count():
            return None if distance else 0
        needed, left = 0, free
        while left:
            way = self._reached(ours, free ^ (left & -left))
            if way is None:
                return None
            needed |= way
            left &= way
        return needed

    def _reached(self, ours: int, free: int) -> int | None:
        """The cells by which we connect, if it is our move."""
        if (ours, free, True) not in self._known:
            found = None
            for cell in sorted(bits(free), key=lambda cell: self._distance(ours | cell, free ^ cell)):
                way = self.holds(ours | cell, free ^ cell)
                if way is not None:
                    found = way | cell
                    break
            self._known[ours, free, True] = found
        return self._known[ours, free, True]

    def _missing(self, ours: int, free: int) -> int:
        """Stones of ours that are missing on the shortest way; more than there are free cells if there is no way."""
        reached, missing = self._source, 0
        while True:
            beside = self._beside(reached)
            while own := beside & ours & ~reached:
                reached |= own
                beside |= self._beside(own)
            if beside & self._goals:
                return missing
            if not (more := beside & free & ~reached):
                return free.bit_count() + 1
            reached |= more
            missing += 1

    @staticmethod
    def _beside(cells: int) -> int:
        beside = 0
        for shift in SHIFTS:
            beside |= cells << shift | cells >> shift
        return beside


@pytest.mark.parametrize("name", ["bridge", "ziggurat", pytest.param("fourth row", marks=pytest.mark.long)])
def test_the_answers_of_hex_templates_keep_the_connection(name: str) -> None:
    """The macro answers every reply inside a template, and its stones stay connected after any reply."""
    text = parsed(name, "hex")
    cells = text.patterns[0].value.cells
    places = {
        cell.symbol: bit((cell.column, cell.row)) for cell in cells if cell.symbol.isalpha() and cell.symbol != "X"
    }
    stones = [bit((cell.column, cell.row)) for cell in cells if cell.symbol == "X"]
    region = Region(stones[0], sum(stones[1:]))

    def check(turn: MacroTurn, ours: int, free: int) -> None:
        answered = {places[reply.value]: answer for reply, answer in turn.replies}
        for reply in bits(free):
            left = free ^ reply
            if reply not in answered:
                assert region.holds(ours, left) is not None, "a reply that the tree leaves out needs no answer"
                continue
            answer = answered[reply]
            assert answer.play is not None
            own = places[answer.play.value]
            assert region.holds(ours | own, left ^ own) is not None
            if name != "fourth row":
                check(answer, ours | own, left ^ own)

    check(text.turn, 0, sum(places.values()))
    assert len(text.turn.replies) == len(places)
