"""A position on the terminal: its text, with colours for the players' men and a mark on the last move."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from rich.console import Console
from rich.text import Text

from playout.games.board_hooks import HasPoints, HasStones
from playout.games.game import CHANCE, Game, HasCells, HasRender, HasSteps

MEN = ("bold red", "bold cyan")
"""Styles of the men of player 0 and of player 1; both are seen on a dark and on a light ground."""
LAST = "reverse"
_LABELLED = re.compile(r"\s*\d+\s|\s*\|")
"""Begin of a row of the board that says its number, or has a frame."""
_LABELS = re.compile(r"^\s*\d+\s|\s\d+\s*$")

Spot = tuple[int, int]
"""Line and column of a character in a text."""


def has_colours(console: Console) -> bool:
    """Whether a console shows colours, and its user wants them."""
    return console.is_terminal and console.color_system is not None and not console.no_color


def painted(game: Game[Any, Any], states: Sequence[Any]) -> Text:
    """Returns the text of the last of ``states``, which are those of a line of play, with colours."""
    state = states[-1]
    if not isinstance(game, HasRender):
        return Text(str(state))
    shown = game.render(state)
    text = Text(shown)
    starts = [0]
    for line in shown.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    men = _men(game, state, shown)
    marked = _changed(game, states)
    for spot, player in men.items():
        place = starts[spot[0]] + spot[1]
        text.stylize(MEN[player], place, place + 1)
        if spot in marked:
            text.stylize(LAST, place, place + 1)
    return text


def _men(game: Game[Any, Any], state: Any, shown: str) -> dict[Spot, int]:
    """Returns the owners of the men of a position by their places in its text."""
    lines = shown.split("\n")
    rows = _owners(game, state)
    spots = _grid(lines, len(rows), max(map(len, rows), default=0))
    for order in (rows, rows[::-1]):  # a user's text may have the first row at the top
        owners = {
            spot: owner for way, row in zip(spots, order, strict=False) for spot, owner in zip(way, row, strict=False)
        }
        if owners and _agree(lines, owners):
            return {spot: owner for spot, owner in owners.items() if owner in (0, 1)}
    return dict(_letters(lines))


def _agree(lines: Sequence[str], owners: Mapping[Spot, int | None]) -> bool:
    """Whether each character of a text stands for men of one owner."""
    known: dict[str, int | None] = {}
    return all(known.setdefault(lines[line][column], owner) == owner for (line, column), owner in owners.items())


def _owners(game: Game[Any, Any], state: Any) -> list[Sequence[int | None]]:
    """Returns the owners of the cells of a board, row by row from the top; none for a game without such a board."""
    if isinstance(game, HasSteps):
        return list(reversed(game.cells(state, ())))
    if isinstance(game, HasCells):
        return list(reversed(game.cells(state)))
    if isinstance(game, HasPoints) and isinstance(game, HasStones):
        first, second = game.stones(state)
        return [[0 if point in first else 1 if point in second else None for point in row] for row in game.board_rows()]
    return []


def _grid(lines: Sequence[str], rows: int, columns: int) -> list[list[Spot]]:
    """Returns the places of the cells of a board of this size in a text, row by row; none if it has another form."""
    found = [(number, cells) for number, line in enumerate(lines) if len(cells := _cells(line)) == columns]
    if len(found) > rows:  # the names of columns are as many
        found = [(number, cells) for number, cells in found if _LABELLED.match(lines[number])]
    return [[(number, cell) for cell in cells] for number, cells in found] if len(found) == rows else []


def _cells(line: str) -> list[int]:
    """Returns the columns of the cells of a line: characters that stand alone, or the middle between two bars."""
    if line.count("|") > 1:
        bars = [number for number, letter in enumerate(line) if letter == "|"]
        return [(left + right) // 2 for left, right in pairwise(bars)]
    body = _LABELS.sub(lambda label: " " * len(label[0]), line)
    words = list(re.finditer(r"\S+", body))
    return [word.start() for word in words] if all(len(word[0]) == 1 for word in words) else []


def _letters(lines: Sequence[str]) -> Iterator[tuple[Spot, int]]:
    """Yields the men in a text that has them as letters between bars."""
    for number, line in enumerate(lines):
        if _LABELLED.match(line):
            for found in re.finditer(r"(?<![^\s|])[xoXO](?![^\s|])", line[: line.rfind("|") + 1]):
                yield (number, found.start()), int(found[0] in "oO")


def _changed(game: HasRender, states: Sequence[Any]) -> set[Spot]:
    """Returns the places at which the last move of a player changed the text."""
    made = _last_move(game, states)
    if made is None:
        return set()
    before, after = (_drawn(game, state, states[-1]).split("\n") for state in made)
    return {
        (number, column)
        for number, (old, new) in enumerate(zip(before, after, strict=False))
        for column, letter in enumerate(new)
        if old[column : column + 1] != letter
    }


def _last_move(game: Any, states: Sequence[Any]) -> tuple[Any, Any] | None:
    """Returns the positions before and after the last move that was no roll of dice."""
    for before, after in zip(reversed(states[:-1]), reversed(states[1:]), strict=True):
        if game.current_player(before) != CHANCE:
            return before, after
    return None


def _drawn(game: HasRender, state: Any, last: Any) -> str:
    """Returns the text of a position, seen from the side from which the position ``last`` is seen."""
    if dataclasses.is_dataclass(state) and not isinstance(state, type) and hasattr(state, "player"):
        with contextlib.suppress(Exception):  # a user's state may not allow it
            state = dataclasses.replace(state, player=last.player)
    return game.render(state)
