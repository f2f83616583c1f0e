"""Openings of a tournament, from files in the formats that players have."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec

from playout.arena.file.plain import plain
from playout.arena.file.types import Openings
from playout.arena.play.board import board_of
from playout.arena.terms.job import Opening
from playout.books.base.past_games import BrokenGame, PastGame
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
        """Reads the file, if one is named.

        Raises:
            PlayoutError: one line with the file and the line that is wrong.
        """
        self._game, self._random = game, wanted.random
        self._seed = seed
        self._found = [] if not wanted.file else read_openings(Path(wanted.file), game, wanted.plies)
        if wanted.order == "random":
            random.Random(seed).shuffle(self._found)
        if self._found and wanted.start > len(self._found):
            raise PlayoutError(f"openings.start: {wanted.start}: {wanted.file} has {len(self._found)} openings")
        self._first = wanted.start - 1

    def __len__(self) -> int:
        """Number of openings of the file."""
        return len(self._found)

    def __getitem__(self, number: int) -> Opening:
        """The opening of a number, from 0; after the last one the first follows.

        Raises:
            PlayoutError: if its moves are illegal, or every random line ends the game.
        """
        opening = self._found[(self._first + number) % len(self._found)] if self._found else Opening()
        return self._varied(opening, number) if self._random else opening

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


def read_openings(path: Path, game: Game[Any, Any], plies: int | None = None) -> list[Opening]:
    """Returns the openings of a file.

    In PGN, SGF and ``.games`` they are the games, to ``plies`` plies if that is given. YAML has a list of texts, each
    a line of moves or, after ``position:``, a position. Any other file has a position on each line, as FEN or EPD;
    empty lines and those that begin with # are left out.

    Raises:
        PlayoutError: one line with the file and the line that is wrong.
    """
    if path.suffix.lower() in (".yaml", ".yml"):
        found = _from_yaml(path, game)
    elif has_games(path):
        found = _from_games(path, game, plies)
    else:
        found = _from_lines(path, game)
    if not found:
        raise PlayoutError(f"{path}: no openings")
    return found


def _from_games(path: Path, game: Game[Any, Any], plies: int | None) -> list[Opening]:
    found = []
    for past in game_reader(path).read_games(path, game):
        if isinstance(past, BrokenGame):
            raise BookError(past.message)
        found.append(_of_game(path, game, past, plies))
    return found


def _of_game(path: Path, game: Game[Any, Any], past: PastGame, plies: int | None) -> Opening:
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


def _from_lines(path: Path, game: Game[Any, Any]) -> list[Opening]:
    if not isinstance(game, HasStateText):
        raise PlayoutError(f"{path}: {game.name} has no notation for positions")
    return [
        _position(f"{path}, line {number}", f"{path.name}, line {number}", game, text)
        for number, text in position_lines(path)
    ]


def _position(place: str, name: str, game: Any, text: str) -> Opening:
    """Returns the opening that a position is, in the game's own notation."""
    try:
        state = game.state_from_text(text)
        if game.returns(state) is not None:
            raise PlayoutError("the game is over")
        return Opening(start=game.state_to_text(state), name=name)
    except PlayoutError as error:
        raise PlayoutError(f"{place}: {error}") from error


def _from_yaml(path: Path, game: Game[Any, Any]) -> list[Opening]:
    _, raw = plain(read_text(path), str(path))
    if not isinstance(raw, list) or not all(isinstance(one, str | dict) for one in raw):
        raise PlayoutError(f"{path}: a list of lines of moves expected")
    found = []
    for number, one in enumerate(raw, 1):
        try:
            opening = msgspec.convert({"moves": one.split()} if isinstance(one, str) else one, Opening)
            board = board_of(game, opening.start)
            for text in opening.moves:
                board.play(text)
        except (msgspec.ValidationError, PlayoutError) as error:
            raise PlayoutError(f"{path}, opening {number}: {error}") from error
        found.append(msgspec.structs.replace(opening, name=opening.name or f"{path.name}, opening {number}"))
    return found
