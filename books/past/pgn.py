"""PGN reader: chess games, parsed by python-chess."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import chess
import chess.pgn

from playout.books.base.book import Book
from playout.books.base.entry import BookEntry
from playout.books.base.past_games import (
    LONGEST_GAME,
    START,
    BrokenGame,
    Mark,
    PastGame,
    Turn,
    Variation,
    advanced,
    broken,
)
from playout.books.past.counting import book_in_memory, entries_of_games
from playout.games.errors import BookError, GameError
from playout.games.game import Game
from playout.games.nearest import unusable

RESULTS = {"1-0": 1, "0-1": -1, "1/2-1/2": 0}
STANDARD = ("", "standard", "chess", "normal", "from position")
CHESS960 = ("chess960", "chess 960", "fischerandom", "fischer random", "fischerrandom", "freestyle")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TAG = re.compile(rb"\[\s*[A-Za-z0-9_]+\s*\"")
_EVENT = re.compile(rb"\[\s*Event\s*\"")
_COMMENT = re.compile(rb"\{[^}]*(?:\}|\Z)|;.*|\}")
_UNPLAYED = re.compile(rb"(?m)^\s*\[.*|" + _COMMENT.pattern)
"""A tag or a comment."""
_BLANK_LINE = re.compile(rb"\n\s*\n")


def read_games(
    path: Path, game: Game[Any, Any], *, variations: bool = False, after: Mark = START
) -> Iterator[PastGame | BrokenGame]:
    """Yields the games of a PGN file. Each game is read whole. A game is broken if one of its moves cannot be read, if
    it is of a variant, or if it starts from a position that the game's rules do not allow.
    """
    if getattr(game, "kernel", None) != "chess":
        raise BookError(f"{path}: PGN holds chess games, not {game.name}")
    begin = after
    for text, size, lines in _split(path, after.offset):
        end = advanced(begin, size, lines)
        if size > LONGEST_GAME:
            yield broken(path, begin, end, f"longer than {LONGEST_GAME} bytes")
        elif text.strip():
            lead = len(text) - len(text.lstrip())
            head = Mark(begin.offset + lead, begin.line + text[:lead].count(b"\n"), begin.game)
            yield from _games(path, game, _decode(text), head, end, variations)
        begin = end


def game_marks(path: Path) -> list[Mark] | None:
    """Returns where the games of a file begin, without reading their moves, which takes a hundredth of the time.

    Returns None if games cannot be told apart so: one has no tags, or moves follow its end.
    """
    found, begin = [], START
    for text, size, lines in _split(path, 0):
        if text.strip() or size > LONGEST_GAME:
            tagged = _TAG.match(text.removeprefix(_BYTE_ORDER_MARK).lstrip())
            if size > LONGEST_GAME or not tagged or _BLANK_LINE.search(_UNPLAYED.sub(b"", text).strip()):
                return None
            found.append(begin)
        begin = advanced(begin, size, lines)
    return found


def game_name(path: Path) -> str:  # noqa: ARG001
    """Returns the name of chess, whatever the file."""
    return "chess"


def open_book(path: Path, game: Game[Any, Any]) -> Book:
    """Reads a small file of games as a book in memory."""
    return book_in_memory(path, game, read_games)


def entries(path: Path, game: Game[Any, Any]) -> Iterable[BookEntry]:
    """Yields the positions of a small file of games."""
    return entries_of_games(path, game, read_games)


def _split(path: Path, offset: int) -> Iterator[tuple[bytes, int, int]]:
    """Splits the file into games and yields for each its text, bytes and line ends; the text of an overlong game is
    dropped. A game begins where tags follow moves outside a comment, and at every Event tag, so that one unclosed
    comment does not swallow the rest of the file.
    """
    held: list[bytes] = []
    size, lines, moves, event, comment = 0, 0, False, False, False
    try:
        with path.open("rb") as file:
            file.seek(offset)
            # A file without line ends must not be read into memory as one line.
            for line in iter(lambda: file.readline(LONGEST_GAME), b""):
                bare = line.removeprefix(_BYTE_ORDER_MARK)
                if bare.startswith(b"[") and (_EVENT.match(bare) or (not comment and _TAG.match(bare))):
                    if moves or (event and _EVENT.match(bare)):
                        yield b"".join(held), size, lines
                        held, size, lines, moves, event = [], 0, 0, False, False
                    event = event or bool(_EVENT.match(bare))
                    comment = False
                elif line.strip() and not line.startswith(b"%"):
                    comment = _in_comment(line, comment)
                    moves = True
                size += len(line)
                lines += line.count(b"\n")
                if size <= LONGEST_GAME:
                    held.append(line)
                else:
                    held.clear()
    except OSError as error:
        raise BookError(unusable(path, error)) from error
    if size:
        yield b"".join(held), size, lines


def _in_comment(line: bytes, comment: bool) -> bool:
    """Whether a comment in braces is open at the end of a line, given whether it was open at the start."""
    at = 0
    if comment:
        at = line.find(b"}") + 1
        if not at:
            return True
    return any(match[0].startswith(b"{") and not match[0].endswith(b"}") for match in _COMMENT.finditer(line, at))


def _decode(text: bytes) -> str:
    try:
        return text.removeprefix(_BYTE_ORDER_MARK).decode()
    except UnicodeDecodeError:
        return text.removeprefix(_BYTE_ORDER_MARK).decode("latin-1")


def _games(
    path: Path, game: Any, text: str, begin: Mark, end: Mark, variations: bool
) -> Iterator[PastGame | BrokenGame]:
    """Yields the games of one piece; there are several only if the games have no tags."""
    stream = io.StringIO(text)
    while True:
        try:
            found = chess.pgn.read_game(stream, Visitor=lambda: _Visitor(variations))
        except (ValueError, AssertionError, IndexError, RecursionError) as error:
            yield broken(path, begin, end, str(error) or type(error).__name__)
            return
        if found is None:
            return
        if not found.headers and not found.turns and not found.error:
            continue
        yield found.game(path, game, begin, end)


class _Visitor(chess.pgn.BaseVisitor["_Visitor"]):
    """Collects the actions while python-chess parses a game."""

    def __init__(self, variations: bool) -> None:
        self.headers: dict[str, str] = {}
        self.turns: list[Turn] = []
        self.variations: list[Variation] = []
        self.error = ""
        self.said = ""
        self.start: chess.Board | None = None
        self.last: chess.Board | None = None
        self._wanted = variations
        self._outer: list[tuple[list[Turn], int]] = []
        self._branch = 0

    def visit_header(self, tagname: str, tagvalue: str) -> None:
        self.headers[tagname] = tagvalue

    def visit_board(self, board: chess.Board) -> None:
        if self.start is None:
            self.start = board.copy(stack=False)
        if not self._outer:
            self.last = board

    def visit_move(self, board: chess.Board, move: chess.Move) -> None:
        if not move and not self.error:
            self.error = f"a null move after {len(self.turns)} plies"
        self.turns.append((int(not board.turn), _action(board, move)))

    def begin_variation(self) -> Any:
        if not self._wanted:
            return chess.pgn.SKIP
        self._outer.append((self.turns, self._branch))
        self.turns = self.turns[:-1]
        self._branch = len(self.turns)
        return None

    def end_variation(self) -> None:
        # Also called for skipped games.
        if not self._wanted:
            return
        if len(self.turns) > self._branch:
            self.variations.append(Variation(tuple(self.turns), self._branch))
        self.turns, self._branch = self._outer.pop()

    def visit_result(self, result: str) -> None:
        self.said = result

    def handle_error(self, error: Exception) -> None:
        self.error = self.error or str(error)

    def result(self) -> _Visitor:
        return self

    def game(self, path: Path, game: Any, begin: Mark, end: Mark) -> PastGame | BrokenGame:
        """Returns the game that was read."""
        variant = self.headers.get("Variant", "").strip().lower()
        if variant not in (*STANDARD, *CHESS960):
            return broken(path, begin, end, f"a game of {variant}")
        if self.error:
            return broken(path, begin, end, self.error)
        try:
            start = game.initial_state() if not self.headers.get("FEN") and not game.chess960 else None
            if start is None:
                if self.start is None:
                    raise GameError("no position to start from")
                start = game.state_from_text(self.start.fen(shredder=True) if game.chess960 else self.start.fen())
        except GameError as error:
            return broken(path, begin, end, str(error))
        players = self.headers.get("White", ""), self.headers.get("Black", "")
        return PastGame(
            begin,
            end,
            start,
            tuple(self.turns),
            self._result(),
            (_known(players[0]), _known(players[1])),
            tuple(self.variations),
        )

    def _result(self) -> int | None:
        for said in (self.headers.get("Result", ""), self.said):
            if said in RESULTS:
                return RESULTS[said]
        outcome = self.last.outcome() if self.last else None
        return RESULTS[outcome.result()] if outcome else None


def _known(name: str) -> str:
    return "" if name.strip() in ("", "?") else name.strip()


def _action(board: chess.Board, move: chess.Move) -> int:
    """Returns the chess game's action for a move; castling goes to the rook's square."""
    to = move.to_square
    if not board.chess960 and board.is_castling(move):
        to = chess.square(
            7 if chess.square_file(to) > chess.square_file(move.from_square) else 0, chess.square_rank(to)
        )
    return move.from_square | to << 6 | (move.promotion or 0) << 12
