"""Positions in which games of self-play begin."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playout.books.base.past_games import BrokenGame
from playout.books.formats import format_of
from playout.books.from_games import GAME_FORMATS, game_reader
from playout.games.errors import BookError, PlayoutError
from playout.games.game import Game, HasStateText
from playout.games.support.whole_file import read_text

EPD = re.compile(r"((?:\S+ ){3}\S+) [A-Za-z]")
"""The position of a line in EPD, before its operations."""


def read_openings(path: Path, game: Game[Any, Any]) -> list[tuple[str, str]]:
    """Returns the positions in a file, each with its place: the file and the line.

    In PGN, SGF and .games they are the ends of the games. Any other file has a position in the game's notation on each
    line, such as FEN or EPD; empty lines and those that begin with # are left out. Positions of lines are not checked.

    Raises:
        PlayoutError: one line that names the file if it cannot be read or has no positions, and the game if its
            positions have no text.
    """
    if not isinstance(game, HasStateText):
        raise PlayoutError(f"{path}: {game.name} has no notation for positions")
    if has_games(path):
        found = _ends(path, game)
    else:
        found = [(f"{path}, line {number}", text) for number, text in position_lines(path)]
    if not found:
        raise PlayoutError(f"{path}: no positions")
    return found


def has_games(path: Path) -> bool:
    """Whether the file's ending is that of a format of games."""
    try:
        return format_of(path).name in GAME_FORMATS
    except BookError:
        return False


def _ends(path: Path, game: Any) -> list[tuple[str, str]]:
    found = []
    for past in game_reader(path).read_games(path, game):
        if isinstance(past, BrokenGame):
            raise BookError(past.message)
        state: Any = past.start
        for _, action in past.turns:
            state = game.next_state(state, action)
        found.append((f"{path}, line {past.begin.line}", game.state_to_text(state)))
    return found


def position_lines(path: Path) -> list[tuple[int, str]]:
    """Returns the positions in a file that has one on each line, such as FEN or EPD, with the numbers of their lines.

    Empty lines, those that begin with #, and the operations of EPD are left out. Positions are not checked.

    Raises:
        PlayoutError: one line that names the file if it cannot be read.
    """
    texts = [(number, line.strip()) for number, line in enumerate(read_text(path).splitlines(), 1)]
    return [
        (number, found[1] if (found := EPD.match(text)) else text)
        for number, text in texts
        if text and not text.startswith("#")
    ]
