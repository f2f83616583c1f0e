"""Writers of games: PGN for chess, SGF for Go and Hex, lines of text for any game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chess.pgn

from playout.books.past.lines import HEADING, UNKNOWN, start_of
from playout.games.board_hooks import HasSgf, HasStones, HasSwap, HasTerritory
from playout.games.chess import Chess, State
from playout.games.errors import PlayoutError
from playout.games.game import Game, is_over, text_to_action
from playout.games.support import sgf
from playout.games.support.whole_file import save_text


@dataclass(frozen=True, slots=True)
class WrittenGame:
    """A game to write."""

    moves: Sequence[str]
    """Moves and rolls, each in the game's notation."""
    result: float | None
    """For player 0, in [-1, 1]; None if it is unknown."""
    start: str | None = None
    """The position in which it starts, in the game's notation; None is the game's own start."""
    comments: Sequence[str] = ()
    """A comment on each move, "" for nothing; lines of text have none."""
    names: tuple[str, str] = ("", "")
    """The players; "" if unknown."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Further tags of PGN, such as ``TimeControl``, by name; SGF has Event and Round of them, lines of text none."""


Writer = tuple[str, Callable[[Any, WrittenGame, int], str]]
"""Text with which the file begins, and the function that returns the text of a game with a number, from 1."""


def write_games(path: Path, game: Game[Any, Any], games: Iterable[WrittenGame]) -> int:
    """Writes the games to a file whose ending says how: .pgn, .sgf or .games. Returns their number.

    The file is replaced as a whole.

    Raises:
        PlayoutError: one line if games of this kind are not written so, if a game has an illegal move, or if the file
            cannot be written.
    """
    before, written = writer_of(path, game)
    texts = [before]
    for number, one in enumerate(games, 1):
        try:
            texts.append(written(game, one, number))
        except (PlayoutError, ValueError) as error:
            raise PlayoutError(f"{path}: game {number}: {error}") from error
    save_text(path, "".join(texts))
    return len(texts) - 1


def check_ending(path: Path, game: Game[Any, Any]) -> None:
    """Checks that games of this kind can be written to the file.

    Raises:
        PlayoutError: one line that names the file and the endings that are allowed.
    """
    writer_of(path, game)


def writer_of(path: Path, game: Game[Any, Any]) -> Writer:
    """Returns what writes games of this kind to the file, for those who add games one by one.

    Raises:
        PlayoutError: as ``check_ending`` does.
    """
    known: dict[str, Writer] = {".games": (f"{HEADING}{game.name}\n", _line)}
    if isinstance(game, Chess):
        known[".pgn"] = ("", _pgn)
    if isinstance(game, HasSgf):
        known[".sgf"] = ("", _sgf)
    try:
        return known[path.suffix.lower()]
    except KeyError:
        raise PlayoutError(f"{path}: games of {game.name} are written to {', '.join(sorted(known))}") from None


def _line(game: Game[Any, Any], one: WrittenGame, number: int) -> str:
    del game, number
    parts = [UNKNOWN if one.result is None else f"{one.result:.9g}", one.start or "", *one.moves]
    for part in parts:
        if any(mark in part for mark in "\t\r\n"):
            raise PlayoutError(f"{part!r} has a tab or the end of a line in it")
    return "\t".join(parts) + "\n"


def pgn_head(game: Chess, start: State, one: WrittenGame, number: int) -> tuple[chess.Board, chess.pgn.Game]:
    """Returns the board of a game with a number at its ``start``, and its PGN with the tags alone.

    Raises:
        PlayoutError: if the game has a result that is none of chess.
    """
    board = start.board.copy(stack=False)
    board.chess960 = game.chess960
    made = chess.pgn.Game()
    made.setup(board)
    said = {None: "*", 1.0: "1-0", 0.0: "1/2-1/2", -1.0: "0-1"}.get(one.result)
    if said is None:
        raise PlayoutError(f"the result {one.result} is none of chess")
    made.headers["Round"] = str(number)
    made.headers["White"], made.headers["Black"] = (_tag(name) or "?" for name in one.names)
    made.headers["Result"] = said
    made.headers.update({name: _tag(text) for name, text in one.tags.items()})
    return board, made


def _pgn(game: Chess, one: WrittenGame, number: int) -> str:
    board, made = pgn_head(game, start_of(game, one.start), one, number)
    node: chess.pgn.GameNode = made
    for ply, text in enumerate(one.moves):
        move = board.parse_uci(text)
        node = node.add_variation(move, comment=_comment(one, ply))
        board.push(move)
    return f"{made}\n\n"


def _tag(text: str) -> str:
    """Returns the value of a tag of PGN between its quotation marks."""
    return " ".join(text.split()).replace("\\", r"\\").replace('"', r"\"")


def _sgf(game: Any, one: WrittenGame, number: int) -> str:
    state = start_of(game, one.start)
    root = sgf.header(game)
    event, round_ = one.tags.get("Event", ""), one.tags.get("Round", str(number))
    for key, text in ("PB", one.names[0]), ("PW", one.names[1]), ("EV", event), ("RO", round_):
        if text:
            root[key] = [text]
    if one.start is not None:
        for key, points in zip(("AB", "AW"), _stones(game, state), strict=True):
            if points:
                root[key] = [game.move_to_sgf(_point_text(game, point)) for point in sorted(points)]
        root["PL"] = ["BW"[game.current_player(state)]]
        legal = game.legal_actions(state)
        if isinstance(game, HasSwap) and game.swap_action in legal:
            raise PlayoutError("SGF has no positions in which a swap is allowed")
    nodes = [root]
    for ply, text in enumerate(one.moves):
        node = {"BW"[game.current_player(state)]: [game.move_to_sgf(text)]}
        if comment := _comment(one, ply):
            node["C"] = [comment]
        nodes.append(node)
        state = game.next_state(state, text_to_action(game, state, text))
    if one.result is not None:
        root["RE"] = [_sgf_result(game, state, one.result)]
    return sgf.write(nodes) + "\n"


def _sgf_result(game: Any, state: Any, result: float) -> str:
    if result == 0:
        return "0"
    counted = is_over(game, state) and isinstance(game, HasTerritory)
    by = f"{abs(game.score(state)):g}" if counted else ""
    return f"{'B' if result > 0 else 'W'}+{by}"


def _stones(game: Any, state: Any) -> tuple[frozenset[int], frozenset[int]]:
    if not isinstance(game, HasStones):
        raise PlayoutError(f"{game.name} does not say which stones the position in which it starts has")
    return game.stones(state)


def _point_text(game: Any, point: int) -> str:
    text: str = game.action_to_text(game.initial_state(), point)
    return text


def _comment(one: WrittenGame, ply: int) -> str:
    return one.comments[ply] if one.comments else ""
