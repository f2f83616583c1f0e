"""Positions of chess whose scores are those of another engine."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.engine

from playout.engine.learning.data.judged import Judged, judged_lines, unread
from playout.engine.learning.data.labels import opened
from playout.engine.learning.training.watch import Watch
from playout.games.errors import PlayoutError
from playout.games.nearest import unusable

BATCH = 1000
"""Positions that are written at once."""
SURE = 0.9995
"""The greatest value that is written: of mates too."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """Settings of the engine's searches."""

    command: str
    """The UCI engine, with its arguments."""
    depth: int = 1
    """Plies of its search."""
    scale: float = 300.0
    """Centipawns of a value of tanh(1)."""
    share: float = 1.0
    """Part of the engine's score in the new value; the rest is the value that was there."""


def score(files: Sequence[Path], out: Path, scoring: Scoring, watch: Watch) -> int:
    """Appends the lines ``FEN;BY HAND;SEARCHED;RESULT`` of ``files`` to ``out``, with the engine's score for the player
    to move, in [-1, 1], in the place of the third field, or mixed with it. A file that has lines goes on with the next
    one. Returns the number of positions that were scored.

    Raises:
        PlayoutError: if the engine cannot be started, does not answer or ends, and one line that names the file that
            cannot be read or written, or the line that is no position.
    """
    done = _whole_lines(out)
    total = sum(1 for _ in _lines(files))
    watch.begin("positions", total)
    count = done
    with opened(scoring.command) as engine:
        rest = itertools.islice(_lines(files), done, None)
        while rows := list(itertools.islice(rest, BATCH)):
            scored = [_scored(engine, *row, scoring) for row in rows]
            try:
                with out.open("a", encoding="utf-8") as file:
                    file.writelines(scored)
            except OSError as error:
                raise PlayoutError(unusable(out, error)) from error
            count += len(rows)
            watch.advance(count)
    return count - done


def _lines(files: Sequence[Path]) -> Iterator[tuple[Path, int, Judged]]:
    """The lines of the files, with the places where they stand."""
    for path in files:
        for number, line in enumerate(judged_lines(path), 1):
            yield path, number, line


def _whole_lines(out: Path) -> int:
    """The number of whole lines of a file; half a line at its end is cut off."""
    if not out.exists():
        return 0
    try:
        with out.open("rb+") as file:
            count = whole = 0
            for line in file:
                if line.endswith(b"\n"):
                    count += 1
                    whole += len(line)
            file.truncate(whole)
    except OSError as error:
        raise PlayoutError(unusable(out, error)) from error
    return count


def _scored(engine: chess.engine.SimpleEngine, path: Path, number: int, line: Judged, scoring: Scoring) -> str:
    try:
        board = chess.Board(line.fen)
        if not board.is_valid():  # engines may crash on it
            raise ValueError(f"{line.fen!r} is no position")
    except ValueError as error:
        raise unread(path, number, error) from error
    said = engine.analyse(board, chess.engine.Limit(depth=scoring.depth), info=chess.engine.INFO_SCORE).get("score")
    if said is None:
        raise PlayoutError(f"{path}: line {number}: {scoring.command} gives no score")
    centipawns = said.relative.score()
    if centipawns is None:
        value = SURE if said.relative > chess.engine.Cp(0) else -SURE
    else:
        value = max(-SURE, min(SURE, math.tanh(centipawns / scoring.scale)))
    value = scoring.share * value + (1 - scoring.share) * line.searched
    as_before, _, result = line.text.rsplit(";", 2)
    return f"{as_before};{value:.5f};{result}\n"
