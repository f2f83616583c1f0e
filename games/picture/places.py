"""Places in the picture of a position: where people click to make a move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from playout.games.game import Box, Cell, Game, HasCells, HasPlaces, HasSteps, HasSvg
from playout.games.picture import cells


def places(game: Game[Any, Any], state: Any) -> Mapping[str, Box]:
    """Returns the places of the picture of ``state`` by their names; none where only the texts of moves are known."""
    if isinstance(game, HasPlaces):
        return game.places(state)
    if isinstance(game, HasSvg):
        return {}
    if isinstance(game, HasSteps):
        return cells.places(game.cells(state, ()), cells.LETTERS)
    return cells.places(game.cells(state), cells.LETTERS) if isinstance(game, HasCells) else {}


def clicks(game: Game[Any, Any], state: Any, action: Any) -> Sequence[Sequence[str]]:
    """Returns the sequences of places that make a legal action; none for one that has no place."""
    if isinstance(game, HasPlaces):
        return game.clicks(state, action)
    if isinstance(game, HasSvg):
        return ()
    if isinstance(game, HasSteps):
        return [[cell_name(cell) for cell in way] for way in game.steps(state, action) if way]
    if isinstance(game, HasCells) and (cell := game.cell(state, action)) is not None:
        return [[cell_name(cell)]]
    return ()


def cell_name(cell: Cell) -> str:
    """Returns the name of a cell: the letter of its column and the number of its row."""
    return f"{cells.LETTERS[cell[0]]}{cell[1] + 1}"
