"""Openings of a tournament, from files in the formats that players have."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from playout.arena.file.plain import plain
from playout.arena.file.source import FieldError
from playout.arena.file.types import Openings
from playout.arena.play.board import board_of
from playout.arena.terms.job import Opening
from playout.books.base.past_games import BrokenGame, GameReader, HasGameMarks, Mark, PastGame
from playout.books.from_games import game_reader
from playout.engine.learning.data.openings import has_games, position_lines
from playout.games.errors import BookError, PlayoutError
from playout.games.game import CHANCE, Game, HasStateText, action_to_text
from playout.games.support.whole_file import read_text

ATTEMPTS = 1000
"""Number of random lines after which an opening that does not end the game is given up."""


class OpeningBook:
    """The openings of an event, by number."""

    def __init__(self, game: Game[Any, Any], wanted: Openings, seed: int) -> None:
        """Reads the file, if one is named. Openings are checked when they are asked for, because a book may have
        hundreds of thousands of them; those of games in a format other than PGN are checked here.

        Raises:
            PlayoutError: one line with the file and the line that is wrong.
        """
        self._game, self._random = game, wanted.random
        self._seed = seed
        self._found: Sequence[Opening] = []
        if wanted.file:
            self._found = read_openings(Path(wanted.file), game, wanted.plies)
        self._order = list(range(len(self._found)))
        if wanted.order == "random":
            random.Random(seed).shuffle(self._order)
        if self._found and wanted.start > len(self._found):
            said = f"{wanted.start}: {wanted.file} has {len(self._found)} openings"
            raise FieldError(("openings", "start"), said)
        self._first = wanted.start - 1

    def __len__(self) -> int:
        """Number of openings of the file."""
        return len(self._found)

    def __getitem__(self, number: int) -> Opening:
        """The opening of a number, from 0; after the last one the first follows.

        Raises:
            PlayoutError: if the file has no such opening at its place, its moves are illegal, or every random line ends
                the game.
        """
        opening = self._found[self._order[(self._first + number) % len(self._order)]] if self._order else Opening()
        return self._varied(opening, number) if self._random else opening

    def check(self) -> None:
        """Checks all openings of the file.

        Raises:
            PlayoutError: one line with the file and the line of the first that is wrong.
        """
        for _ in self._found:
            pass

    def _varied(self, opening: Opening, number: int) -> Opening:
        """Returns the opening with random moves after it, other ones for each number."""
        rng = random.Random(f"{self._seed} opening {number}")
        for _ in range(ATTEMPTS):
            board = board_of(self._game, opening.start)
            for text in opening.moves:
                board.play(text)
            for _ in range(self._random):
                while board.player == CHANCE:
                    board.play(board.roll(rng))
                if board.player is None:
                    break
                board.play(rng.choice(board.legal()))
            if board.player is not None:
                return msgspec.structs.replace(opening, moves=tuple(board.moves))
        raise PlayoutError(
            f"openings.random: {self._random}: every line of {self._game.name} that was tried ends the game"
        )


def read_openings(path: Path, game: Game[Any, Any], plies: int | None = None) -> Sequence[Opening]:
    """Returns the openings of a file.

    In PGN, SGF and ``.games`` they are the games, to ``plies`` plies if that is given. YAML has a list of texts, each
    a line of moves or, after ``position:``, a position. Any other file has a position on each line, as FEN or EPD;
    empty lines and those that begin with # are left out. Openings of YAML, of lines and of PGN are checked each time
    that they are taken from the sequence, which raises the same errors as this function.

    Raises:
        PlayoutError: one line with the file and the line that is wrong.
    """
    found: Sequence[Opening]
    if path.suffix.lower() in (".yaml", ".yml"):
        found = _from_yaml(path, game)
    elif has_games(path):
        found = _from_games(path, game, plies)
    else:
        found = _from_lines(path, game)
    if not found:
        raise PlayoutError(f"{path}: no openings")
    return found


@dataclass(frozen=True, slots=True)
class _Games(Sequence[Opening]):
    """The games of a file whose places are known."""

    path: Path
    game: Any
    plies: int | None
    reader: GameReader
    marks: Sequence[Mark]

    def __len__(self) -> int:
        return len(self.marks)

    def __getitem__(self, place: Any) -> Any:
        mark = self.marks[place]
        past = next(self.reader.read_games(self.path, self.game, after=mark), None)
        if past is None:
            raise BookError(f"{self.path}, line {mark.line}: the game that stood there is gone")
        return _of_game(self.path, self.game, past, self.plies)


def _from_games(path: Path, game: Game[Any, Any], plies: int | None) -> Sequence[Opening]:
    reader = game_reader(path)
    games = reader.read_games(path, game)
    marks = reader.game_marks(path) if isinstance(reader, HasGameMarks) else None
    if marks is None:
        return [_of_game(path, game, past, plies) for past in games]
    next(games, None)  # refuses a file of another game at once
    return _Games(path, game, plies, reader, marks)


def _of_game(path: Path, game: Game[Any, Any], past: PastGame | BrokenGame, plies: int | None) -> Opening:
    if isinstance(past, BrokenGame):
        raise BookError(past.message)
    state: Any = past.start
    moves = list[str]()
    for player, action in past.turns[:plies]:
        if player != game.current_player(state):
            raise PlayoutError(f"{path}, line {past.begin.line}: the players do not move in turn")
        moves.append(action_to_text(game, state, action))
        state = game.next_state(state, action)
    if game.returns(state) is not None:
        raise PlayoutError(f"{path}, line {past.begin.line}: the opening ends the game; openings.plies cuts it")
    own = past.start == game.initial_state()
    if not own and not isinstance(game, HasStateText):
        raise PlayoutError(f"{path}, line {past.begin.line}: {game.name} has no notation for positions")
    start = None if own or not isinstance(game, HasStateText) else game.state_to_text(past.start)
    return Opening(start=start, moves=tuple(moves), name=f"{path.name}, line {past.begin.line}")


@dataclass(frozen=True, slots=True)
class _Positions(Sequence[Opening]):
    """The positions of a file that has one on each line."""

    path: Path
    game: Any
    lines: Sequence[tuple[int, str]]

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, place: Any) -> Any:
        number, text = self.lines[place]
        try:
            state = self.game.state_from_text(text)
            if self.game.returns(state) is not None:
                raise PlayoutError("the game is over")
            return Opening(start=self.game.state_to_text(state), name=f"{self.path.name}, line {number}")
        except PlayoutError as error:
            raise PlayoutError(f"{self.path}, line {number}: {error}") from error


@dataclass(frozen=True, slots=True)
class _Lines(Sequence[Opening]):
    """The lines of moves of a YAML file."""

    path: Path
    game: Game[Any, Any]
    raw: Sequence[Any]

    def __len__(self) -> int:
        return len(self.raw)

    def __getitem__(self, place: Any) -> Any:
        one, name = self.raw[place], f"opening {place + 1}"
        try:
            opening = msgspec.convert({"moves": one.split()} if isinstance(one, str) else one, Opening)
            board = board_of(self.game, opening.start)
            for text in opening.moves:
                board.play(text)
        except (msgspec.ValidationError, PlayoutError) as error:
            raise PlayoutError(f"{self.path}, {name}: {error}") from error
        return msgspec.structs.replace(opening, name=opening.name or f"{self.path.name}, {name}")


def _from_lines(path: Path, game: Game[Any, Any]) -> _Positions:
    if not isinstance(game, HasStateText):
        raise PlayoutError(f"{path}: {game.name} has no notation for positions")
    return _Positions(path, game, position_lines(path))


def _from_yaml(path: Path, game: Game[Any, Any]) -> _Lines:
    _, raw = plain(read_text(path), str(path))
    if not isinstance(raw, list) or not all(isinstance(one, str | dict) for one in raw):
        raise PlayoutError(f"{path}: a list of lines of moves expected")
    return _Lines(path, game, raw)
