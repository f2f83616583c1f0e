"""Records of a tournament's games: PGN for chess, SGF for Go and Hex, lines of text for other games."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playout.arena.terms.end import End
from playout.arena.terms.job import Move, Played
from playout.books.past.written import WrittenGame, writer_of
from playout.games.errors import PlayoutError
from playout.games.game import Game
from playout.games.support.whole_file import save_text
from playout.protocols.base.lines import one_line

TERMINATIONS = {
    End.NORMAL: "normal",
    End.RESIGN: "normal",
    End.TIME: "time forfeit",
    End.HANG: "stalled connection",
    End.ILLEGAL: "illegal move",
    End.GARBAGE: "rules infraction",
    End.VOID: "unterminated",
}
"""PGN's words, and cutechess's, for the tag Termination; games that the referee ended are ``adjudication``."""


class RecordFile:
    """The file with the records of one event."""

    def __init__(self, path: Path, game: Game[Any, Any], event: str) -> None:
        """Raises PlayoutError if games of this kind are not written to files with such an ending."""
        self._path, self._game, self._event = path, game, event
        self._before, self._written = writer_of(path, game)
        self._count = 0

    def rewrite(self, games: Iterable[Played]) -> None:
        """Writes the file anew with these games.

        Raises:
            PlayoutError: one line if it cannot be written; the old content is then intact.
        """
        texts, self._count = [self._before], 0
        for played in games:
            texts.append(self._text(played))
        save_text(self._path, "".join(texts))

    def append(self, played: Played) -> None:
        """Adds a game at the end.

        Raises:
            PlayoutError: one line if the file cannot be written.
        """
        text = self._text(played)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise PlayoutError(f"{self._path}: {error.strerror or error}") from error

    def _text(self, played: Played) -> str:
        self._count += 1
        return self._written(self._game, written_game(played, self._event), self._count)


def written_game(played: Played, event: str) -> WrittenGame:
    """Returns a game as it is written, with evaluations and times as cutechess writes them."""
    opening = len(played.opening.moves)
    comments = tuple("book" if ply < opening else comment(move) for ply, move in enumerate(played.moves))
    date = played.began[:10].replace("-", ".")
    tags = {
        "Event": event,
        "Date": date or "????.??.??",
        "Round": played.id.partition("/")[2],
        "TimeControl": played.paces[0] if played.paces[0] == played.paces[1] else "-",
        "PlyCount": str(len(played.moves)),
        "GameDuration": _duration(played.seconds),
        "Termination": termination(played.end),
    }
    if played.paces[0] != played.paces[1]:
        tags |= {"WhiteTimeControl": played.paces[0], "BlackTimeControl": played.paces[1]}
    return WrittenGame(
        moves=[move.text for move in played.moves],
        result=played.result,
        start=played.opening.start,
        comments=_with_end(comments, played),
        names=(one_line(played.names[0]), one_line(played.names[1])),
        tags=tags,
    )


def comment(move: Move) -> str:
    """Returns the comment on a move: ``+0.31/12 0.45s``, ``+M5/20 0.1s``, or only the time; empty for a roll."""
    if not move.seconds:
        return ""
    time = f"{_fixed(move.seconds)}s"
    if move.mate is not None:
        score = f"{'+' if move.mate > 0 else '-'}M{abs(move.mate)}"
    elif move.centipawns is not None:
        score = f"{move.centipawns / 100:+.2f}"
    else:
        return time
    return f"{score}/{move.depth or 0} {time}"


def _fixed(seconds: float) -> str:
    """Returns a positive number with three significant digits or all before the point, and never with an exponent."""
    places = max(0, 2 - math.floor(math.log10(seconds)))
    text = f"{seconds:.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def termination(end: End) -> str:
    """Returns PGN's word for the end of a game."""
    if end.is_adjudicated:
        return "adjudication"
    return TERMINATIONS.get(end, "abandoned")


def _with_end(comments: tuple[str, ...], played: Played) -> tuple[str, ...]:
    """Returns the comments with the reason of the end at the last move, as match runners write it."""
    if not comments or played.end is End.NORMAL:
        return comments
    said = f"{played.end}: {played.detail}" if played.detail else played.end.value
    return (*comments[:-1], f"{comments[-1]}, {said}" if comments[-1] else said)


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
