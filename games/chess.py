"""Chess and Chess960, by the FIDE Laws; White moves first. python-chess generates the moves.

A game ends by checkmate, or as a draw by stalemate, by insufficient material (neither side can mate by any sequence of
moves), by the third occurrence of a position, or after 50 moves by each side without a capture or a pawn move. The last
two need no claim here; ``without_claim`` is for interfaces that wait for one. Checkmate takes precedence over draws.

An action is ``from | to << 6 | promotion << 12`` with squares a1 = 0, b1 = 1, ... h8 = 63 and the promotion 0 (none) or
2 to 5 (knight, bishop, rook, queen). Castling goes from the king's square to the rook's, in standard chess too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import chess

from playout.games.errors import GameError, IllegalMove
from playout.games.game import Box, Cell

MARGIN, SQUARE = 15, 45
"""Units of the picture that python-chess draws."""
STANDARD = 518
"""The Scharnagl number of the array of standard chess."""

PROMOTIONS = (chess.QUEEN, chess.KNIGHT, chess.ROOK, chess.BISHOP)

_FIELDS = ("[1-8pnbrqkPNBRQK/]+", "[wb]", "-|[KQA-H]{0,2}[kqa-h]{0,2}", "-|[a-h][1-8]", "[0-9]{1,6}", "[0-9]{1,6}")
_FIELD_NAMES = (
    ("board", "eight rows of PNBRQK, pnbrqk and 1 to 8, with / between them"),
    ("side to move", "w or b"),
    ("castling rights", "-, or of KQ and A to H, then of kq and a to h"),
    ("en passant square", "- or a square"),
    ("halfmove clock", "a number below a million"),
    ("move number", "a number below a million"),
)
_STATUS_NAMES = {
    chess.Status.OPPOSITE_CHECK: "the side that is not to move is in check",
    chess.Status.PAWNS_ON_BACKRANK: "a pawn on the first or last rank",
}
"""Names of faults that python-chess calls otherwise."""


@dataclass(frozen=True, slots=True)
class State:
    """A position, its counters, and the positions that could still be repeated."""

    position: str
    """The part of the position that counts for repetition: pieces, player to move, castling rights and en passant
    square (if a capture there is legal). These are the first four fields of the X-FEN.
    """
    halfmove_clock: int
    """Halfmoves since the last capture or pawn move."""
    move_number: int
    """Starts at 1 and increases after Black's moves."""
    earlier: tuple[str, ...]
    """The positions before this one, back to the last irreversible move."""
    board: chess.Board = field(compare=False, repr=False)
    """The same position for python-chess, in its Chess960 mode; never modified."""

    @property
    def repetitions(self) -> int:
        """Number of earlier occurrences of the position."""
        return self.earlier.count(self.position)


def _state(board: chess.Board, earlier: tuple[str, ...]) -> State:
    return State(_position(board), board.halfmove_clock, board.fullmove_number, earlier, board)


def _position(board: chess.Board) -> str:
    """Same as ``board.epd()``, but several times faster: it visits pieces instead of squares."""
    cells = [" "] * 64
    for letter, pieces in zip(
        "PNBRQK", (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings), strict=True
    ):
        for square in chess.scan_forward(pieces & board.occupied_co[chess.WHITE]):
            cells[square] = letter
        for square in chess.scan_forward(pieces & board.occupied_co[chess.BLACK]):
            cells[square] = letter.lower()
    rows = "/".join("".join(cells[rank : rank + 8]) for rank in range(56, -1, -8))
    for run in range(8, 0, -1):
        rows = rows.replace(" " * run, str(run))
    en_passant = board.ep_square if board.ep_square and board.has_legal_en_passant() else None
    return " ".join(
        (
            rows,
            "w" if board.turn == chess.WHITE else "b",
            board.castling_xfen(),
            "-" if en_passant is None else chess.SQUARE_NAMES[en_passant],
        )
    )


@dataclass(frozen=True)
class Chess:
    """``chess``, or ``chess:chess960=true,position=N`` with the Scharnagl number N of the array (0 to 959)."""

    chess960: bool = False
    position: int = STANDARD

    kernel: ClassVar[str] = "chess"
    colours: ClassVar[tuple[str, str]] = ("white", "black")
    max_game_length: ClassVar[int] = 12_700
    """At most 96 pawn moves and 30 captures, each up to 100 halfmoves after the previous one, and 100 more."""

    def __post_init__(self) -> None:
        if not 0 <= self.position < 960:
            raise GameError(f"chess: position={self.position} is not a Scharnagl number (0 to 959)")
        if self.position != STANDARD and not self.chess960:
            raise GameError(f"chess: position={self.position} needs chess960=true")

    @property
    def name(self) -> str:
        if not self.chess960:
            return "chess"
        return "chess:chess960=true" + (f",position={self.position}" if self.position != STANDARD else "")

    @property
    def book_name(self) -> str:
        """Name of the game in books; a Chess960 book holds any array."""
        return "chess:chess960=true" if self.chess960 else "chess"

    def initial_state(self) -> State:
        return _state(chess.Board.from_chess960_pos(self.position), ())

    def current_player(self, state: State) -> int:
        return 0 if state.board.turn == chess.WHITE else 1

    def legal_actions(self, state: State) -> Sequence[int]:
        if self.returns(state) is not None:
            return ()
        return [_action(move) for move in state.board.generate_legal_moves()]

    def next_state(self, state: State, action: int) -> State:
        board = state.board.copy(stack=False)
        move = _move(action)
        earlier = () if board.is_irreversible(move) else (*state.earlier, state.position)
        board.push(move)
        return _state(board, earlier)

    def returns(self, state: State) -> Sequence[float] | None:
        board = state.board
        if not any(board.generate_legal_moves()):
            if not board.is_check():
                return (0.0, 0.0)
            return (-1.0, 1.0) if board.turn == chess.WHITE else (1.0, -1.0)
        drawn = state.halfmove_clock >= 100 or state.repetitions >= 2 or board.is_insufficient_material()
        return (0.0, 0.0) if drawn else None

    def spoken(self, state: State, action: int) -> str:
        return state.board.san(_move(action))

    def ending(self, state: State) -> str:
        board = state.board
        if not any(board.generate_legal_moves()):
            return "checkmate" if board.is_check() else "stalemate"
        if state.repetitions >= 2:
            return "repetition"
        return "fifty moves" if state.halfmove_clock >= 100 else "insufficient material"

    def without_claim(self, state: State) -> State | None:
        """Returns the position without its repetitions, and with the halfmove clock at 0 after a draw by 50 moves."""
        board = state.board
        if board.is_insufficient_material() or not any(board.generate_legal_moves()):
            return None
        board = board.copy(stack=False)
        if board.halfmove_clock >= 100:
            board.halfmove_clock = 0
        return _state(board, ())

    def key(self, state: State) -> tuple[str, int, int]:
        """The position, its number of earlier occurrences, and the halfmove clock, in coarse steps far from 100.

        No line of play reaches a key twice, because a repeated position has another count. Lines that reach a position
        by different orders of moves share a key, because it ignores other earlier positions and a low clock. Draws that
        depend on these alone (by repetition or by 50 moves) are a property of the line, not of the key.
        """
        clock = state.halfmove_clock
        if clock < 40:
            clock = 0
        elif clock < 80:
            clock //= 8
        return state.position, min(state.repetitions, 2), min(clock, 100)

    def action_to_text(self, state: State, action: int) -> str:
        """UCI: ``"e2e4"``, ``"e7e8q"``; castling ``"e1g1"`` in standard chess, king takes rook in Chess960."""
        return state.board.uci(_move(action), chess960=self.chess960)

    def action_to_san(self, state: State, action: int) -> str:
        """Standard algebraic notation: ``"Nf3"``, ``"exd8=Q+"``, ``"O-O"``."""
        return state.board.san(_move(action))

    def text_to_action(self, state: State, text: str) -> int:
        """Accepts UCI in any case, castling as king takes rook or as the king's two squares, and SAN."""
        word = text.strip()
        move = _find_move(state.board, word) if self.returns(state) is None else None
        if move is None:
            raise IllegalMove(f"illegal move: {_quote(word)} (as in 'e2e4', 'e7e8q' or 'Nf3')")
        return _action(move)

    def book_state(self, state: State) -> State:
        """The first four fields of X-FEN."""
        return self.state_from_text(state.position)

    def book_text(self, state: State) -> str:
        return state.position

    def state_to_text(self, state: State) -> str:
        """X-FEN, which names the en passant square only if a capture there is legal."""
        return f"{state.position} {state.halfmove_clock} {state.move_number}"

    def state_from_text(self, text: str) -> State:
        """Reads FEN, X-FEN and Shredder-FEN; missing fields at the end are those of ``"... w - - 0 1"``."""

        def bad(why: str) -> GameError:
            return GameError(f"not a chess position: {_quote(text.strip())}: {why}")

        fields = text.split()
        if not 1 <= len(fields) <= 6:
            raise bad(f"{len(fields)} fields instead of 6")
        for (what, allowed), pattern, part in zip(_FIELD_NAMES, _FIELDS, fields, strict=False):
            if not re.fullmatch(pattern, part):
                raise bad(f"{what} {_quote(part)} ({allowed})")
        board = chess.Board(None, chess960=True)
        try:
            board.set_fen(" ".join(fields))
        except ValueError as error:
            raise bad(str(error).partition(":")[0]) from None
        if status := board.status():
            flags = [flag for flag in chess.Status if status & flag]
            raise bad(", ".join(_STATUS_NAMES.get(flag, str(flag.name).lower().replace("_", " ")) for flag in flags))
        castling = fields[2] if len(fields) > 2 else "-"
        for rank, letter in ((chess.BB_RANK_1, str.isupper), (chess.BB_RANK_8, str.islower)):
            if any(map(letter, castling)) and not board.castling_rights & rank:
                raise bad("bad castling rights")
        if not self.chess960 and board.has_chess960_castling_rights():
            raise bad("castling from these squares needs chess960=true")
        return _state(board, ())

    def cells(self, state: State, clicked: Sequence[Cell]) -> Sequence[Sequence[int | None]]:
        owners = [None if colour is None else 1 - colour for colour in map(state.board.color_at, chess.SQUARES)]
        return [owners[rank : rank + 8] for rank in range(0, 64, 8)]

    def steps(self, state: State, action: int) -> Sequence[Sequence[Cell]]:
        """From and to; castling as the king's two squares or as king takes rook; a promotion takes a third click, on
        the pawn's file: one rank back for a queen, then knight, rook, bishop.
        """
        move = _move(action)
        way = [_cell(move.from_square), _cell(move.to_square)]
        if move.promotion:
            file, rank = way[1]
            return [[*way, (file, abs(rank - 1 - PROMOTIONS.index(move.promotion)))]]
        if not state.board.is_castling(move):
            return [way]
        (home, rank), (rook, _) = way
        target = 6 if rook > home else 2
        moves = [[way[0], (target, rank)]] if abs(target - home) > 1 else []
        return [way, *moves] if self.chess960 else [*moves, way]

    def labels(self, state: State, clicked: Sequence[Cell]) -> dict[Cell, str]:
        """The pieces by their letters in FEN; while a promotion is pending, the pieces to choose from."""
        letters = {_cell(square): piece.symbol() for square, piece in state.board.piece_map().items()}
        if len(clicked) == 2:
            file, rank = clicked[1]
            choices = enumerate(map(chess.piece_symbol, PROMOTIONS), 1)
            letters |= {(file, abs(rank - back)): f"={letter.upper()}" for back, letter in choices}
        return letters

    def shades(self) -> dict[str, list[Cell]]:
        light = {square for square in chess.SQUARES if chess.BB_SQUARES[square] & chess.BB_LIGHT_SQUARES}
        return {
            "#f0d9b5": [_cell(square) for square in chess.SQUARES if square in light],
            "#b58863": [_cell(square) for square in chess.SQUARES if square not in light],
        }

    def captures(self, state: State) -> tuple[int, int]:
        """Number of men that each player has captured."""
        white, black = (state.board.occupied_co[colour] for colour in (chess.WHITE, chess.BLACK))
        return 16 - chess.popcount(black), 16 - chess.popcount(white)

    def places(self, state: State) -> dict[str, Box]:
        names = enumerate(chess.SQUARE_NAMES)
        return {
            name: (MARGIN + SQUARE * (square % 8), MARGIN + SQUARE * (7 - square // 8), SQUARE, SQUARE)
            for square, name in names
        }

    def clicks(self, state: State, action: int) -> list[list[str]]:
        """From and to, for all promotions of a pawn alike; castling in each of its ways."""
        return [[chess.SQUARE_NAMES[8 * row + column] for column, row in way[:2]] for way in self.steps(state, action)]

    def svg(self, state: State) -> str:
        import chess.svg

        check = state.board.king(state.board.turn) if state.board.is_check() else None
        return str(chess.svg.board(state.board, check=check, size=360))

    def render(self, state: State) -> str:
        line = " +" + "---+" * 8
        lines = [line]
        for rank in reversed(range(8)):
            pieces = (state.board.piece_at(chess.square(file, rank)) for file in range(8))
            row = " | ".join(piece.symbol() if piece else " " for piece in pieces)
            lines += [f" | {row} | {rank + 1}", line]
        return "\n".join([*lines, "   a   b   c   d   e   f   g   h"])


def _cell(square: int) -> Cell:
    return square % 8, square // 8


def _action(move: chess.Move) -> int:
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


def _move(action: int) -> chess.Move:
    return chess.Move(action & 63, action >> 6 & 63, action >> 12 or None)


def _find_move(board: chess.Board, word: str) -> chess.Move | None:
    """Returns the legal move that ``word`` names. Exact UCI is tried before SAN, which distinguishes b4 from B4."""
    for parse, spelling in (
        (board.parse_uci, word),
        (board.parse_san, word.replace("o", "O")),
        (board.parse_uci, word.lower()),
    ):
        try:
            move = parse(spelling)
        except ValueError:
            continue
        if move:
            return move
    for move in board.generate_castling_moves():
        file = 6 if move.to_square > move.from_square else 2
        if word.lower() == chess.Move(move.from_square, chess.square(file, chess.square_rank(move.to_square))).uci():
            return move
    return None


def _quote(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")
