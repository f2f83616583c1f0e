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
    found = _ends(path, game) if _has_games(path) else _lines(path)
    if not found:
        raise PlayoutError(f"{path}: no positions")
    return found


def _has_games(path: Path) -> bool:
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


def _lines(path: Path) -> list[tuple[str, str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise PlayoutError(f"{path}: {error.strerror or error}") from error
    except UnicodeError as error:
        raise PlayoutError(f"{path}: not UTF-8") from error
    texts = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    return [
        (f"{path}, line {number}", found[1] if (found := EPD.match(text)) else text)
        for number, text in texts
        if text and not text.startswith("#")
    ]
