"""Games of records as others read them: PGN, SGF, lines of text."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from playout.books.past.lines import start_of
from playout.books.past.written import WrittenGame, check_ending, write_games
from playout.engine import _core
from playout.engine.learning.data.records import Kind, RecordedGame, RecordFile
from playout.engine.learning.training.watch import Watch
from playout.engine.learning.training.workshop import full_name
from playout.engine.terms.kernel import kernel_of, kernel_params
from playout.games.errors import PlayoutError
from playout.games.game import Game, action_to_text


def export(game: Game[Any, Any], files: Sequence[Path], out: Path, watch: Watch) -> int:
    """Writes the games of files of records to ``out``, by its ending as PGN, SGF or lines. Returns their number.

    The value that a search found before a move, for the player who makes it, is the move's comment in PGN and SGF.

    Raises:
        PlayoutError: one line that names the file that cannot be read or written, or has another game, and the allowed
            endings.
    """
    check_ending(out, game)
    return write_games(out, game, _games(game, files, watch))


def _games(game: Game[Any, Any], files: Sequence[Path], watch: Watch) -> Iterator[WrittenGame]:
    kernel = kernel_of(game)
    watch.begin("files", len(files))
    for number, path in enumerate(files, 1):
        file = RecordFile(path)
        for place, one in enumerate(file.games_of(full_name(game), watch.note), 1):
            try:
                if kernel is None:
                    moves = _python_moves(game, one, file.texts)
                else:
                    moves = _moves(_core.Position(kernel, kernel_params(game), one.start), one)
            except (ValueError, SyntaxError, PlayoutError) as error:
                raise PlayoutError(f"{path}: record {place}: {error}") from error
            yield WrittenGame(moves, one.result, one.start, _comments(one))
        watch.advance(number)


def _moves(position: _core.Position, one: RecordedGame) -> list[str]:
    moves = list[str]()
    for action in one.actions.tolist():
        moves.append(position.action_text(action))
        position.play(action)
    return moves


def _python_moves(game: Game[Any, Any], one: RecordedGame, texts: Sequence[str]) -> list[str]:
    state, moves = start_of(game, one.start), list[str]()
    for number in one.actions.tolist():
        action = ast.literal_eval(texts[number])
        moves.append(action_to_text(game, state, action))
        state = game.next_state(state, action)
    return moves


def _comments(one: RecordedGame) -> list[str]:
    searched = (Kind.VALUE, Kind.VISITS)
    pairs = zip(one.values.tolist(), one.kinds.tolist(), strict=True)
    return [f"{value:+.2f}" if kind in searched else "" for value, kind in pairs]
