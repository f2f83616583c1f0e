"""Single games as people have them: PGN, SGF, lines of text, and positions."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playout.books.base.past_games import BrokenGame
from playout.books.past import lines, pgn, sgf
from playout.books.past.written import WrittenGame, writer_of
from playout.games import catalogue
from playout.games.board_hooks import HasSgf, HasTerritory
from playout.games.chess import Chess
from playout.games.errors import PlayoutError
from playout.games.game import Game, HasStateText, action_to_text
from playout.games.support.whole_file import save_text

_PGN = re.compile(r"\s*(?:\[\s*[A-Za-z0-9_]+\s+\"|1\s*\.\s*\S)")
_KOMI = re.compile(r"KM\[\s*(-?\d+(?:\.\d+)?)\s*\]")
_LINES = "playout games of "


@dataclass(frozen=True, slots=True)
class Record:
    """A game, or a position where there are no moves."""

    game: str
    """Name of the game."""
    start: str | None
    """Text of the position in which it begins; None is the game's own start."""
    moves: list[str]


def read_record(text: str, game: Game[Any, Any], name: str, check: Callable[[str], None]) -> Record:
    """Returns the first game that ``text`` has, or the position that it describes.

    Args:
        text: what a user has pasted.
        game: the game in progress, which positions are of, and chess games if it is chess.
        name: its name.
        check: raises PlayoutError for the name of a game that the user may not begin. Nothing of it is loaded before.

    Raises:
        PlayoutError: one line about what cannot be read.
    """
    if text.lstrip().startswith("(;"):
        return _read(text, ".sgf", sgf, game, name, check)
    if text.startswith(_LINES):
        return _read(text, ".games", lines, game, name, check)
    if _PGN.match(text):
        return _read(text, ".pgn", pgn, game, name, check)
    return Record(name, " ".join(text.split()), [])


def write_record(game: Game[Any, Any], record: Record, result: float | None) -> tuple[str, str]:
    """Returns a name for the file of a game, and its text: PGN, SGF or a line of text.

    Raises:
        PlayoutError: if the game cannot be written.
    """
    ending = ".pgn" if isinstance(game, Chess) else ".sgf" if isinstance(game, HasSgf) else ".games"
    name = f"{re.sub('[^a-z0-9]+', '-', game.name.lower()).strip('-')}{ending}"
    head, written = writer_of(Path(name), game)
    return name, head + written(game, WrittenGame(record.moves, result, record.start), 1)


def _read(
    text: str, ending: str, reader: Any, current: Game[Any, Any], name: str, check: Callable[[str], None]
) -> Record:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"record{ending}")
        save_text(path, text)
        try:
            found = str(reader.game_name(path))
            if _is_of(found, current, text):
                found, game = name, current
            else:
                found += _rules(found, text)
                check(found)
                game = catalogue.load(found)
            past = next(iter(reader.read_games(path, game)), None)
        except PlayoutError as error:
            raise PlayoutError(str(error).replace(f"{folder}/", "")) from error
    if past is None:
        raise PlayoutError("no game in what was pasted")
    if isinstance(past, BrokenGame):
        raise PlayoutError(past.message.replace(f"{folder}/", ""))
    state, moves = past.start, list[str]()
    for player, action in past.turns:
        if player != game.current_player(state):
            raise PlayoutError(f"move {len(moves) + 1}: the players do not move in turn")
        moves.append(action_to_text(game, state, action))
        state = game.next_state(state, action)
    start = None
    if past.start != game.initial_state() and isinstance(game, HasStateText):
        start = game.state_to_text(past.start)
    return Record(found, start, moves)


def _is_of(found: str, current: Game[Any, Any], text: str) -> bool:
    """Whether a record of the game ``found`` is one of the game in progress, whose rules it then takes."""
    if found == current.name:
        return True
    if isinstance(current, Chess):
        return found == "chess"
    komi = _KOMI.search(text)
    same = (
        isinstance(current, HasSgf) and catalogue.is_built_in(found) and _size(catalogue.load(found)) == _size(current)
    )
    return same and (komi is None or not isinstance(current, HasTerritory) or float(komi[1]) == current.komi)


def _size(game: Game[Any, Any]) -> tuple[Any, ...]:
    return type(game), getattr(game, "columns", None), getattr(game, "rows", None)


def _rules(found: str, text: str) -> str:
    """Returns the parameters of a record's rules, for the name of the game."""
    komi = _KOMI.search(text)
    return f",komi={float(komi[1]):g}" if komi is not None and found.startswith("go:") else ""
