"""Records of chess whose choices are those of another engine."""

from __future__ import annotations

import contextlib
import random
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.engine

from playout.engine import _core
from playout.engine.learning.data.records import Kind, RecordedGame, RecordFile
from playout.engine.learning.training.watch import Watch
from playout.engine.learning.training.workshop import full_name, one_line
from playout.engine.terms.kernel import kernel_params
from playout.games.chess import Chess
from playout.games.errors import PlayoutError
from playout.games.game import Game

BATCH = 16
"""Games that are written at once."""

Lesson = tuple[str | None, float | None]
LabelledGame = tuple[str | None, float, list[str], list[Lesson]]


@dataclass(frozen=True, slots=True)
class Labelling:
    """Settings of the engine's searches."""

    command: str
    """The UCI engine, with its arguments."""
    nodes: int = 1000
    share: float = 1.0
    """Part of the positions that it is asked about, drawn at random."""
    seed: int = 1


def label(
    workshop: _core.Learning,
    game: Game[Any, Any],
    files: Sequence[Path],
    out: Path,
    labelling: Labelling,
    watch: Watch,
) -> int:
    """Appends the games of ``files`` to the records ``out``, with the moves of an engine as the choices to learn.

    The values that searches found stay; choices that nobody was asked about are left out. A file that has games goes on
    with the next one. Returns the number of positions that were labelled.

    Raises:
        PlayoutError: if the game is not chess, if the engine cannot be started, does not answer or ends, and one line
            that names the file that cannot be read or written, or has another game.
    """
    if not isinstance(game, Chess):
        raise PlayoutError(f"{game.name}: only positions of chess are labelled, by UCI engines")
    name = full_name(game)
    games = [one for file in files for one in RecordFile(file).games_of(name, watch.note)]
    done = len(list(RecordFile(out).games_of(name, watch.note))) if out.exists() else 0
    watch.begin("games", len(games))
    count, waiting = 0, list[LabelledGame]()
    with opened(labelling.command) as engine:
        for number, one in enumerate(games[done:], done + 1):
            made, labelled = _labelled(game, one, engine, labelling, number)
            waiting.append(made)
            count += labelled
            if len(waiting) == BATCH or number == len(games):
                with one_line():
                    workshop.append(out, waiting)
                waiting.clear()
                watch.advance(number, f"{count} positions")
    return count


@contextlib.contextmanager
def opened(command: str) -> Iterator[chess.engine.SimpleEngine]:
    """Starts a UCI engine, and ends it after the block.

    Raises:
        PlayoutError: one line, if it cannot be started, does not answer, or ends.
    """
    words = _words(command)
    try:
        with chess.engine.SimpleEngine.popen_uci(words) as engine:
            yield engine
    except TimeoutError as error:
        raise PlayoutError(f"{command}: it does not answer as a UCI engine") from error
    except (OSError, chess.engine.EngineError) as error:
        raise PlayoutError(f"{command}: {error}") from error


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise PlayoutError(f"engine {command!r}: {error}") from error
    if not words:
        raise PlayoutError(f"engine {command!r}: it has no words")
    return words


def _labelled(
    game: Chess, one: RecordedGame, engine: chess.engine.SimpleEngine, labelling: Labelling, number: int
) -> tuple[LabelledGame, int]:
    """The game with its lessons, and the number of positions that were asked about."""
    rng, limit = random.Random(f"{labelling.seed} {number}"), chess.engine.Limit(nodes=labelling.nodes)
    position = _core.Position("chess", kernel_params(game), one.start)
    state = game.initial_state() if one.start is None else game.state_from_text(one.start)
    board = state.board.copy()
    board.chess960 = game.chess960
    moves, lessons, count = list[str](), list[Lesson](), 0
    for action, value, kind in zip(one.actions.tolist(), one.values.tolist(), one.kinds.tolist(), strict=True):
        searched = kind in (Kind.VALUE, Kind.VISITS)
        wanted = kind != Kind.NOT and rng.random() < labelling.share
        played = engine.play(board, limit).move if wanted else None
        lessons.append((None if played is None else board.uci(played), value if searched else None))
        count += played is not None
        moves.append(position.action_text(action))
        position.play(action)
        board.push_uci(moves[-1])
    return (one.start, one.result, moves, lessons), count
