"""Results that files of games have: who played whom, and who won."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import chess
import chess.pgn

from playout.books.past.sgf import decoded, split_games
from playout.engine.statistics.pairs import Pentanomial, Trinomial
from playout.engine.statistics.records import Pairing
from playout.games.errors import PlayoutError
from playout.games.nearest import unusable
from playout.games.support import sgf

POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
BEGINNING = 16
"""Plies by which games of one opening are found at most, where nothing else says which games are a pair."""
_GAME = re.compile(r"(.+)/[01]")
"""The tag Round of a game of a pair, as the arena writes it."""
_ESCAPED = re.compile(r'\\(["\\])')


@dataclass(frozen=True, slots=True)
class Result:
    """A game between two players."""

    names: tuple[str, str]
    """The players; the first moved first."""
    points: float
    """Points of the first: 1, 0.5 or 0."""
    pair: str = ""
    """Event and number of the pair to which the game belongs; empty where the record does not say it."""
    start: str = ""
    """The position in which the game began; empty for the game's own start."""
    moves: tuple[str, ...] = ()
    """The first moves, as the record has them, where it has no pair."""


def results_of(path: Path, *, moves: bool = False) -> Iterator[Result]:
    """Yields the results of a file of PGN, or of SGF by its ending; games without one are left out.

    ``moves`` is for those who look for pairs: then the first moves are read of games whose records name no pair.

    Raises:
        PlayoutError: one line with the file if it cannot be read, or its ending is another one.
    """
    readers = {".pgn": _from_pgn, ".sgf": _from_sgf}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise PlayoutError(f"{path}: {' or '.join(readers)} expected")
    try:
        yield from reader(path, moves)
    except OSError as error:
        raise PlayoutError(unusable(path, error)) from error


def pairings(results: Iterable[Result], *, pairs: bool) -> list[Pairing]:
    """Returns the results as ratings take them.

    With ``pairs`` each two games of the same players with colours exchanged are a pair, if their records say so. Where
    they do not, games from the same position are, those first that have the most first moves in common, in the order of
    the file. Games that are left over are single.
    """
    whole: dict[tuple[str, str], list[float]] = defaultdict(list)
    single: dict[tuple[str, str], list[float]] = defaultdict(list)
    left = [result for result in results if result.names[0] != result.names[1]]
    for key in (_by_record, *map(_by_beginning, range(BEGINNING, -1, -1))) if pairs else ():
        left, couples = _coupled(left, key)
        for one, two in couples:
            whole[one.names].append((one.points + 1 - two.points) / 2)
    for result in left:
        single[result.names].append(result.points)
    found = [Pairing(*names, pairs=Pentanomial.of(points)) for names, points in whole.items()]
    found += [Pairing(*names, games=Trinomial.of(points), starts=True) for names, points in single.items()]
    return found


Key = Callable[[Result], Hashable]
"""Gives a mark that the two games of a pair have in common; None for a game that is none of a pair by this mark."""


def _by_record(result: Result) -> Hashable:
    return result.pair or None


def _by_beginning(plies: int) -> Key:
    return lambda result: None if result.pair else (result.start, result.moves[:plies])


def _coupled(results: Sequence[Result], key: Key) -> tuple[list[Result], list[tuple[Result, Result]]]:
    """Returns the games that are left over, and the pairs by a mark, in the order of the file."""
    waiting: dict[tuple[tuple[str, str], Hashable], deque[int]] = defaultdict(deque)
    left, couples = dict[int, Result](), list[tuple[Result, Result]]()
    for place, result in enumerate(results):
        left[place] = result
        if (mark := key(result)) is None:
            continue
        if others := waiting[result.names[::-1], mark]:
            couples.append((left.pop(others.popleft()), left.pop(place)))
        else:
            waiting[result.names, mark].append(place)
    return list(left.values()), couples


class _Game(chess.pgn.BaseVisitor["_Game"]):
    """Reads what a result takes of a game: the tags and, where wanted, the first moves as they are written."""

    def __init__(self, moves: bool) -> None:
        self._wanted = moves
        self._tags: dict[str, str] = {}
        self._moves: list[str] = []

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self._tags[tagname] = _ESCAPED.sub(r"\1", tagvalue)

    def end_headers(self) -> chess.pgn.SkipType | None:
        return None if self._wanted and not self._pair and self._points is not None else chess.pgn.SKIP

    def begin_variation(self) -> chess.pgn.SkipType | None:
        return chess.pgn.SKIP

    def begin_parse_san(self, board: chess.Board, san: str) -> chess.pgn.SkipType | None:
        return chess.pgn.SKIP if len(self._moves) == BEGINNING else None

    def parse_san(self, board: chess.Board, san: str) -> chess.Move:
        self._moves.append(san)
        return chess.Move.null()  # the rules do not matter here

    def handle_error(self, error: Exception) -> None:
        pass

    def result(self) -> _Game:
        return self

    @property
    def found(self) -> Result | None:
        """The result; None without one."""
        if self._points is None:
            return None
        names = self._tags.get("White", "?"), self._tags.get("Black", "?")
        return Result(names, self._points, self._pair, self._tags.get("FEN", ""), tuple(self._moves))

    @property
    def _points(self) -> float | None:
        return POINTS.get(self._tags.get("Result", "*"))

    @property
    def _pair(self) -> str:
        return _pair(self._tags.get("Event", ""), self._tags.get("Round", ""))


def _pair(event: str, number: str) -> str:
    """Returns the mark of a pair by the event and the number of a game in it; empty if the number is none of a pair."""
    found = _GAME.fullmatch(number)
    return "" if found is None else f"{event}/{found[1]}"


def _from_pgn(path: Path, moves: bool) -> Iterator[Result]:
    with path.open(encoding="utf-8", errors="replace") as file:
        while (game := chess.pgn.read_game(file, Visitor=lambda: _Game(moves))) is not None:
            if game.found is not None:
                yield game.found


def _from_sgf(path: Path, moves: bool) -> Iterator[Result]:
    for text in split_games(path, 0):
        root, *nodes = sgf.main_line(decoded(text))
        won = sgf.first(root, "RE").strip().upper()
        if won.startswith(("B+", "W+")):
            points = 1.0 if won.startswith("B") else 0.0
        elif won in ("0", "DRAW"):
            points = 0.5
        else:
            continue
        names = sgf.first(root, "PB", "?"), sgf.first(root, "PW", "?")
        pair = _pair(sgf.first(root, "EV", ""), sgf.first(root, "RO", ""))
        start = "".join(f"{key}{sorted(root[key])}" for key in ("AB", "AW", "PL") if key in root)
        said = [f"{key}{node[key]}" for node in nodes for key in ("B", "W") if moves and not pair and key in node]
        yield Result(names, points, pair, start, tuple(said[:BEGINNING]))
