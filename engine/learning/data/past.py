"""Games that were played elsewhere, in PGN, SGF or lines of text, as records to learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playout.books.base.past_games import BrokenGame, PastGame
from playout.books.from_games import game_reader
from playout.engine import _core
from playout.engine.learning.training.watch import Watch
from playout.engine.learning.training.workshop import one_line
from playout.games.errors import BookError
from playout.games.game import Game, HasStateText, action_to_text, is_over

BATCH = 200
"""Games that are written at once."""

GivenGame = tuple[str | None, float, list[str], None]


@dataclass(slots=True)
class Imported:
    """Counts of games."""

    taken: int = 0
    unknown: int = 0
    """Games without a result, which are left out."""
    broken: int = 0


def import_games(
    workshop: _core.Learning, game: Game[Any, Any], files: Sequence[Path], records: Path, watch: Watch
) -> Imported:
    """Appends the games of PGN, SGF and .games files to the file ``records``. The watch is told of each broken game.

    Raises:
        BookError: if a file cannot be read, or has no games of this kind.
        PlayoutError: one line that names the file of records and what is wrong with it.
    """
    counts, waiting = Imported(), list[GivenGame]()

    def write() -> None:
        if waiting:
            with one_line():
                workshop.append(records, waiting)
            waiting.clear()

    watch.begin("files", len(files))
    for number, path in enumerate(files, 1):
        for past in game_reader(path).read_games(path, game):
            if isinstance(past, BrokenGame):
                counts.broken += 1
                watch.note(past.message)
            elif past.result is None:
                counts.unknown += 1
            else:
                try:
                    waiting.append(_given(game, past, past.result))
                except BookError as error:
                    counts.broken += 1
                    watch.note(f"{path}, line {past.begin.line}, game {past.begin.game + 1}: {error}")
                    continue
                counts.taken += 1
            if len(waiting) == BATCH:
                write()
                watch.advance(number - 1, f"{counts.taken} games")
        watch.advance(number, f"{counts.taken} games")
    write()
    return counts


def _given(game: Game[Any, Any], past: PastGame, result: int) -> GivenGame:
    """The start, None for the game's own, the result and the moves, up to the end of the game by its rules.

    Raises:
        BookError: if a move is made out of turn, or if there is none.
    """
    state, moves = past.start, list[str]()
    for player, action in past.turns:
        if is_over(game, state):
            break
        if game.current_player(state) != player:
            raise BookError("a move out of turn")
        moves.append(action_to_text(game, state, action))
        state = game.next_state(state, action)
    if not moves:
        raise BookError("no moves")
    if past.start == game.initial_state():
        return None, float(result), moves, None
    if not isinstance(game, HasStateText):
        raise BookError(f"{game.name} does not write the position in which it starts")
    return game.state_to_text(past.start), float(result), moves, None
