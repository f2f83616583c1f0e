"""The law of moves that are clicked cell by cell (``HasSteps``), a part of ``playout check``."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from playout.games.check.watched import Watched
from playout.games.game import GAP

MOST = 25
"""Maximum number of columns and rows of a board in GoGui."""


def law_steps(game: Watched, state: Any, actions: Sequence[Any]) -> None:
    """Checks that each of ``actions`` can be clicked, and no other by the same clicks; reports the first
    that cannot.
    """
    if not game.has("steps"):
        return
    if not game.has("cells"):
        game.stop("steps", "steps needs cells")
    rows = game.cells(state, ())
    if not rows or len({len(row) for row in rows}) != 1 or not 1 <= len(rows[0]) <= MOST or len(rows) > MOST:
        game.stop("steps", f"cells must give rows of one length, {MOST} at most of at most {MOST} cells")
    places = {(x, y) for y, row in enumerate(rows) for x, man in enumerate(row) if man != GAP}
    known: dict[tuple[Any, ...], Any] = {}
    for action in actions:
        ways = [tuple(tuple(cell) for cell in way) for way in game.steps(state, action)]
        if not ways:
            game.stop("steps", f"steps gives no way to click action {action!r}")
        for way in ways:
            if outside := [cell for cell in way if cell not in places]:
                game.stop("steps", f"steps of action {action!r} has {outside[0]!r}, which is no cell of the board")
            if any(one == two for one, two in pairwise(way)):
                game.stop("steps", f"steps of action {action!r} has a cell twice in a row: {way!r}")
            if way in known:
                game.stop("steps", f"actions {known[way]!r} and {action!r} are clicked in the same way: {way!r}")
            known[way] = action
    begun = {way[:length]: action for way, action in known.items() for length in range(1, len(way))}
    for way, action in known.items():
        if way in begun:
            game.stop("steps", f"a way to click action {begun[way]!r} begins with one of {action!r}: {way!r}")
