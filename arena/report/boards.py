"""Positions of a tournament's games, drawn for its report by the games' own pictures."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from playout.arena.terms.live import InProgress
from playout.engine.terms.line import Line
from playout.games import catalogue
from playout.games.errors import RAISED_BY_GAMES
from playout.games.picture.picture import svg

MOST = 24
"""Games in progress that are drawn; of more only the names stand."""
KEPT = 256
"""Pictures that are kept, because a page that is watched asks for those of finished games again and again."""


@functools.lru_cache(maxsize=KEPT)
def board(game: str, start: str | None, moves: tuple[str, ...]) -> str:
    """Returns the position after some moves as HTML; empty if the game cannot be loaded or drawn here."""
    try:
        rules = catalogue.load(game)
        line = Line.start(rules, start).extended(rules, moves)
        drawn = svg(rules, line.state)
    except RAISED_BY_GAMES:
        return ""
    # An image of its own: the styles of the page do not reach into it.
    return f'<img class="board" alt="{escape(_said(moves), quote=True)}" src="data:image/svg+xml,{quote(drawn)}">'


def in_progress(games: Sequence[InProgress]) -> str:
    """Returns the games in progress as HTML; empty if there are none."""
    if not games:
        return ""
    drawn = [
        f"<figure>{board(one.game, one.start, one.moves)}<figcaption>{escape(str(one))}</figcaption></figure>"
        for one in games[:MOST]
    ]
    more = "".join(f"<p>{escape(str(one))}</p>" for one in games[MOST:])
    return f'<h2>In progress</h2>\n<div class="boards">{"".join(drawn)}</div>{more}\n'


def _said(moves: Sequence[str]) -> str:
    return f"after {len(moves)} plies: {moves[-1]}" if moves else "the start"
