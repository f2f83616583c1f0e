"""GTP commands that read and write game records, for games with ``HasSgf``."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from playout.games.board_hooks import HasHandicap, HasTerritory
from playout.games.errors import GameError, PlayoutError
from playout.games.support import sgf
from playout.games.support.board_size import resized
from playout.games.support.go.komi import with_komi
from playout.games.support.whole_file import write_whole
from playout.protocols.base.lines import one_line
from playout.protocols.base.version import NAME, VERSION
from playout.protocols.gtp.board import PASS, Board, GameRecord, Stone, canonical
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, integer

logger = logging.getLogger(__name__)

LARGEST_FILE = 4 * 2**20
NO_MOVES = ("resign", "forfeit")


def load(text: str, game: Any, before_move: int | None = None) -> GameRecord:
    """Reads a record of ``game``, which gets the record's board size and komi.

    With ``before_move``, counted from 1, the moves from that one on are left out.

    Raises:
        PlayoutError: if ``text`` is not a record of this kind of game.
    """
    root, *_ = nodes = sgf.main_line(text)
    if sgf.first(root, "GM", str(game.sgf_number)).strip() != str(game.sgf_number):
        raise GameError("SGF: a record of another game")
    game = _with_parameters(game, root)
    setup: list[Stone] = []
    moves: list[Stone] = []
    for node in nodes:
        if "AE" in node or (moves and ("AB" in node or "AW" in node)):
            raise GameError("SGF: stones are changed in the middle of the game")
        for player, key in enumerate(("AB", "AW")):
            points = [game.move_from_sgf(value.strip()) for value in sgf.expand(node.get(key, ()))]
            if len(setup) + len(points) > game.columns * game.rows:
                raise GameError("SGF: more setup stones than points on the board")
            setup += [(player, canonical(game, point)) for point in points]
        for player, key in enumerate("BW"):
            values = node.get(key, ())
            if len(values) > 1:
                raise GameError(f"SGF: {len(values)} moves of {key} in one node, after move {len(moves)}")
            moves += [
                (player, game.move_from_sgf(value.strip())) for value in values if value.strip().lower() not in NO_MOVES
            ]
    black, white = ({text for owner, text in setup if owner == player} for player in (0, 1))
    if both := black & white:
        raise GameError(f"SGF: a black and a white stone at {min(both)}")
    if any(text == PASS for _, text in setup):
        raise GameError("SGF: a setup stone without a point")
    if before_move is not None:
        moves = moves[: max(before_move - 1, 0)]
    mover = sgf.first(root, "PL", "").strip().lower()[:1]
    white_first = mover == "w" or (mover != "b" and (moves[0][0] == 1 if moves else _is_handicap(setup)))
    return GameRecord(game, tuple(setup), 1 if white_first else 0, tuple(moves))


def save(record: GameRecord) -> str:
    """``record`` as SGF."""
    game = record.game
    root = sgf.header(game, f"{NAME}:{VERSION}")
    if _is_handicap(record.setup) and isinstance(game, HasHandicap):
        root["HA"] = [str(len(record.setup))]
    for player, key in enumerate(("AB", "AW")):
        if stones := [game.move_to_sgf(text) for owner, text in record.setup if owner == player]:
            root[key] = stones
    implied = record.moves[0][0] if record.moves else 0
    if record.setup or record.first or implied:
        root["PL"] = ["BW"[record.first]]
    return sgf.write([root, *({"BW"[player]: [game.move_to_sgf(text)]} for player, text in record.moves)])


def sgf_commands(board: Board, files: bool) -> dict[str, Handler]:
    """The commands. Without ``files`` they refuse the names of files."""

    def loadsgf(command: GtpCommand) -> str:
        """``loadsgf FILE [MOVE]``: sets up the position at the end of a game record or, with MOVE, before that move,
        counted from 1. Instead of a file name the record itself may be given; it begins with ``(``."""
        words = list(command.arguments)
        before_move = integer(words.pop()) if len(words) > 1 and words[-1].isascii() and words[-1].isdigit() else None
        if not words:
            raise GtpError("syntax error: expected loadsgf FILE [MOVE]")
        try:
            text = " ".join(words)
            board.load(load(text if text.startswith("(") else _read(text, files), board.game, before_move))
        except (OSError, ValueError, PlayoutError) as error:
            logger.warning("loadsgf: %s", one_line(str(error), 200))
            raise GtpError("cannot load file") from None
        return ""

    def printsgf(command: GtpCommand) -> str:
        """``printsgf [FILE]``: writes a record of the game to a file; without FILE, or with ``-``, answers the
        record."""
        text = save(board.record())
        name = " ".join(command.arguments)
        if name in ("", "-"):
            return text
        try:
            if not files:
                raise OSError("files are not allowed")
            write_whole(Path(name), f"{text}\n".encode())
        except (OSError, ValueError) as error:
            logger.warning("printsgf: %s", one_line(str(error), 200))
            raise GtpError("cannot write file") from None
        return ""

    return {"loadsgf": loadsgf, "printsgf": printsgf}


def _read(name: str, files: bool) -> str:
    if not files:
        raise OSError("files are not allowed")
    path = Path(name)
    if path.exists() and not path.is_file():
        raise OSError(f"{name}: not a regular file")
    with path.open("rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise OSError(f"{name}: longer than {LARGEST_FILE >> 20} MiB")
    return data.decode("utf-8", "replace")


def _with_parameters(game: Any, root: sgf.Node) -> Any:
    """``game`` with the board and the komi of a record."""
    sides = sgf.read_size(sgf.first(root, "SZ", str(game.sgf_size)))
    changed = game if sides == (game.columns, game.rows) else resized(game, *sides)
    try:
        if isinstance(game, HasTerritory) and (komi := sgf.first(root, "KM", "").strip()):
            changed = with_komi(changed, float(komi))
    except ValueError:
        raise GameError("SGF: the komi is not a number") from None
    return changed


def _is_handicap(setup: list[Stone] | tuple[Stone, ...]) -> bool:
    return bool(setup) and all(player == 0 for player, _ in setup)
