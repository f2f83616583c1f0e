"""Results that files of games have: who played whom, and who won."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import chess.pgn

from playout.books.past.sgf import decoded, split_games
from playout.engine.statistics.pairs import Pentanomial, Trinomial
from playout.engine.statistics.records import Pairing
from playout.games.errors import PlayoutError
from playout.games.support import sgf

POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


@dataclass(frozen=True, slots=True)
class Result:
    """A game between two players."""

    names: tuple[str, str]
    """The players; the first moved first."""
    points: float
    """Points of the first: 1, 0.5 or 0."""


def results_of(path: Path) -> Iterator[Result]:
    """Yields the results of a file of PGN, or of SGF by its ending; games without one are left out.

    Raises:
        PlayoutError: one line with the file if it cannot be read, or its ending is another one.
    """
    readers = {".pgn": _from_pgn, ".sgf": _from_sgf}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise PlayoutError(f"{path}: {' or '.join(readers)} expected")
    try:
        yield from reader(path)
    except OSError as error:
        raise PlayoutError(f"{path}: {error.strerror or error}") from error


def pairings(results: Iterable[Result], *, pairs: bool) -> list[Pairing]:
    """Returns the results as ratings take them.

    With ``pairs`` each two games of the same players in a row, with colours exchanged, are a pair; games that are left
    over are single.
    """
    whole: dict[tuple[str, str], list[float]] = defaultdict(list)
    single: dict[tuple[str, str], list[float]] = defaultdict(list)
    waiting: dict[frozenset[str], Result] = {}
    for result in results:
        if result.names[0] == result.names[1]:
            continue
        other = waiting.pop(frozenset(result.names), None) if pairs else None
        if other is not None and other.names == result.names[::-1]:
            whole[other.names].append((other.points + 1 - result.points) / 2)
            continue
        if other is not None:
            single[other.names].append(other.points)
        if pairs:
            waiting[frozenset(result.names)] = result
        else:
            single[result.names].append(result.points)
    for result in waiting.values():
        single[result.names].append(result.points)
    found = [Pairing(*names, pairs=Pentanomial.of(points)) for names, points in whole.items()]
    found += [Pairing(*names, games=Trinomial.of(points), starts=True) for names, points in single.items()]
    return found


def _from_pgn(path: Path) -> Iterator[Result]:
    with path.open(encoding="utf-8", errors="replace") as file:
        while (headers := chess.pgn.read_headers(file)) is not None:
            points = POINTS.get(headers.get("Result", "*"))
            if points is not None:
                yield Result((headers.get("White", "?"), headers.get("Black", "?")), points)


def _from_sgf(path: Path) -> Iterator[Result]:
    for text in split_games(path, 0):
        root = sgf.main_line(decoded(text))[0]
        said = sgf.first(root, "RE").strip().upper()
        if said.startswith(("B+", "W+")):
            points = 1.0 if said.startswith("B") else 0.0
        elif said in ("0", "DRAW"):
            points = 0.5
        else:
            continue
        yield Result((sgf.first(root, "PB", "?"), sgf.first(root, "PW", "?")), points)
