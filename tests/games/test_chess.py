"""Chess against python-chess: legal moves, results, texts; the rules that end a game; malformed text."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.engine import _core
from playout.engine.terms.kernel import kernel_params
from playout.games import catalogue
from playout.games.chess import Chess, State
from playout.games.errors import GameError, IllegalMove

STANDARD = Chess()
STARTS = [
    (STANDARD, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    (STANDARD, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    (STANDARD, "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    (STANDARD, "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"),
    (STANDARD, "8/5k2/3p4/8/8/3P4/5K2/4B3 w - - 60 90"),
    (Chess(True), "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"),
    (Chess(True), "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1"),
]


def play(state: State, *moves: str, game: Chess = STANDARD) -> State:
    for move in moves:
        state = game.next_state(state, game.text_to_action(state, move))
    return state


def oracle_result(board: chess.Board) -> tuple[float, float] | None:
    if board.is_checkmate():
        return (-1.0, 1.0) if board.turn else (1.0, -1.0)
    drawn = board.is_stalemate() or board.is_insufficient_material() or board.is_repetition(3) or board.is_fifty_moves()
    return (0.0, 0.0) if drawn else None


@pytest.mark.long
@pytest.mark.parametrize("start", range(len(STARTS)))
def test_random_games_follow_python_chess(start: int) -> None:
    game, fen = STARTS[start]
    rng = random.Random(start)
    state, board = game.state_from_text(fen), chess.Board(fen, chess960=game.chess960)
    while game.returns(state) is None:
        texts = [game.action_to_text(state, action) for action in game.legal_actions(state)]
        assert sorted(texts) == sorted(board.uci(move) for move in board.legal_moves)
        assert game.current_player(state) == (0 if board.turn else 1)
        assert game.state_to_text(state) == board.fen()
        text = rng.choice(texts)
        state = game.next_state(state, game.text_to_action(state, text))
        board.push_uci(text)
        assert game.returns(state) == oracle_result(board)
    assert game.legal_actions(state) == ()


@pytest.mark.parametrize("array", [0, 100, 279, 518, 700, 959])
def test_arrays_of_chess960(array: int) -> None:
    game = Chess(chess960=True, position=array)
    assert game.state_to_text(game.initial_state()) == chess.Board.from_chess960_pos(array).fen()


def test_standard_chess_is_array_518() -> None:
    assert STANDARD.state_to_text(STANDARD.initial_state()) == chess.STARTING_FEN


def test_names() -> None:
    for game in (Chess(), Chess(True), Chess(True, 17)):
        assert catalogue.load(game.name) == game
    assert Chess().name == "chess"
    assert Chess(True, 17).name == "chess:chess960=true,position=17"


@pytest.mark.parametrize(
    "name", ["chess:true,960", "chess:true,-1", "chess:false,3", "chess:perhaps", "chess:true,1,2"]
)
def test_bad_parameters(name: str) -> None:
    with pytest.raises(GameError, match="chess"):
        catalogue.load(name)


KNIGHTS = ("g1f3", "g8f6", "f3g1", "f6g8")


def test_third_occurrence_is_a_draw() -> None:
    state = play(STANDARD.initial_state(), *KNIGHTS, *KNIGHTS[:3])
    assert STANDARD.returns(state) is None
    assert STANDARD.returns(play(state, KNIGHTS[3])) == (0.0, 0.0)


def test_repetition_needs_the_same_castling_rights() -> None:
    state = STANDARD.state_from_text("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    circle = ("a1b1", "a8b8", "b1a1", "b8a8")
    state = play(state, *circle)
    assert state.repetitions == 0
    state = play(state, *circle)
    assert state.repetitions == 1
    assert STANDARD.returns(state) is None


def test_repetition_needs_the_same_legal_en_passant_capture() -> None:
    state = play(STANDARD.state_from_text("4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1"), "d2d4")
    assert play(state, "e8d8", "e1d1", "d8e8", "d1e1").repetitions == 0
    state = play(STANDARD.state_from_text("4k3/8/8/8/p7/8/3P4/4K3 w - - 0 1"), "d2d4")
    assert play(state, "e8d8", "e1d1", "d8e8", "d1e1").repetitions == 1
    # The capture would uncover the king: not a right that could be lost.
    state = play(STANDARD.state_from_text("8/8/8/8/k3p2Q/8/3P4/4K3 w - - 0 1"), "d2d4")
    assert state.position.endswith(" -")


def test_fifty_moves_draw_unless_the_last_one_mates() -> None:
    state = STANDARD.state_from_text("7k/8/6K1/8/8/8/8/R7 w - - 99 80")
    assert STANDARD.returns(state) is None
    assert STANDARD.returns(play(state, "a1b1")) == (0.0, 0.0)
    assert STANDARD.returns(play(state, "a1a8")) == (1.0, -1.0)
    with pytest.raises(IllegalMove):
        play(state, "a1b1", "h8g8")


def test_stalemate_and_mates() -> None:
    assert STANDARD.returns(STANDARD.state_from_text("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")) == (0.0, 0.0)
    mated = play(STANDARD.initial_state(), "f2f3", "e7e5", "g2g4", "d8h4")
    assert STANDARD.returns(mated) == (-1.0, 1.0)
    assert STANDARD.legal_actions(mated) == ()


@pytest.mark.parametrize(
    ("pieces", "drawn"),
    [
        ("8/8/4k3/8/8/3K4/8/8", True),
        ("8/8/4k3/8/8/3KN3/8/8", True),
        ("8/8/4k3/8/8/3KB3/8/8", True),
        ("8/8/3bk3/8/8/3KB3/8/8", True),
        ("8/8/4k3/3b4/8/3KB3/8/8", False),
        ("8/8/3nk3/8/8/3KN3/8/8", False),
        ("8/8/4k3/8/8/2NKN3/8/8", False),
        ("8/8/3nk3/8/8/3KB3/8/8", False),
        ("8/8/4k3/8/8/3KP3/8/8", False),
    ],
)
def test_insufficient_material(pieces: str, drawn: bool) -> None:
    state = STANDARD.state_from_text(f"{pieces} w - - 0 1")
    assert STANDARD.returns(state) == ((0.0, 0.0) if drawn else None)


def test_key_merges_orders_of_moves_and_tells_repetitions_apart() -> None:
    start = STANDARD.initial_state()
    knights = play(start, "g1f3", "g8f6", "b1c3", "b8c6")
    assert STANDARD.key(knights) == STANDARD.key(play(start, "b1c3", "b8c6", "g1f3", "g8f6"))
    assert knights != play(start, "b1c3", "b8c6", "g1f3", "g8f6")
    seen = set()
    for moves in range(9):
        seen.add(STANDARD.key(play(start, *(KNIGHTS * 2)[:moves])))
    assert len(seen) == 9


def test_key_has_a_coarse_clock_below_80_and_the_exact_one_above() -> None:
    clocks: dict[tuple[str, int, int], list[int]] = {}
    for clock in range(101):
        state = STANDARD.state_from_text(f"7k/8/6K1/8/8/8/8/R7 w - - {clock} 80")
        clocks.setdefault(STANDARD.key(state), []).append(clock)
    assert [group[0] for group in clocks.values()] == [0, 40, 48, 56, 64, 72, *range(80, 101)]


def test_castling_text() -> None:
    state = STANDARD.state_from_text("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    short = chess.E1 | chess.H1 << 6
    assert STANDARD.action_to_text(state, short) == "e1g1"
    for text in ("e1g1", "E1G1", "e1h1", "O-O", "o-o", "0-0", " e1g1\n"):
        assert STANDARD.text_to_action(state, text) == short
    game = Chess(chess960=True)
    assert game.action_to_text(state, short) == "e1h1"
    assert game.text_to_action(state, "e1g1") == short
    # b1c1 is a move of the king, b1a1 castles; from f1 the king may name its target where it cannot walk there.
    state = game.state_from_text("4k3/8/8/8/8/8/8/RK3R2 w Q - 0 1")
    assert game.text_to_action(state, "b1c1") == chess.B1 | chess.C1 << 6
    assert game.text_to_action(state, "b1a1") == chess.B1 | chess.A1 << 6
    state = game.state_from_text("4k3/8/8/8/8/8/8/R4K1R w AH - 0 1")
    assert game.text_to_action(state, "f1c1") == chess.F1 | chess.A1 << 6


def test_move_text_is_tolerant() -> None:
    start = STANDARD.initial_state()
    for text in ("g1f3", "G1F3", "Nf3", "Ng1f3", "Ng1-f3", " g1f3 "):
        assert STANDARD.text_to_action(start, text) == chess.G1 | chess.F3 << 6
    state = STANDARD.state_from_text("7k/P7/8/8/8/8/8/K7 w - - 0 1")
    for text in ("a7a8n", "a7a8N", "A7A8N", "a8=N", "a8N"):
        assert STANDARD.text_to_action(state, text) == chess.A7 | chess.A8 << 6 | chess.KNIGHT << 12


@pytest.mark.parametrize(
    "text",
    ["", "e2e5", "e7e5", "0000", "--", "Z0", "resign", "Ke2", "e2e4q", "P@e4", "a7a8", "e2e4 e7e5", "x" * 100_000],
)
def test_illegal_move_text(text: str) -> None:
    with pytest.raises(IllegalMove) as error:
        STANDARD.text_to_action(STANDARD.initial_state(), text)
    assert len(str(error.value)) < 200
    assert "\n" not in str(error.value)


def test_position_text_takes_missing_fields_and_all_castling_notations() -> None:
    board = "r3k2r/8/8/8/8/8/8/R3K2R"
    whole = STANDARD.state_from_text(f"{board} w KQkq - 0 1")
    assert STANDARD.state_from_text(f" {board}  w KQkq\t-\n") == whole
    assert STANDARD.state_from_text(f"{board} w HAha - 0 1") == whole
    assert STANDARD.state_to_text(STANDARD.state_from_text(board)) == f"{board} w - - 0 1"
    assert STANDARD.state_from_text(f"{board} w KQkq - 0 0") == whole


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "0 fields"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "no white king"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side to move"),
        ("4k3/8/8/8/8/8/8/4K3 w KK - 0 1", "castling"),
        ("4k3/8/8/8/8/8/8/4K3 w KQkqK - 0 1", "castling rights"),
        ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "ep square"),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en passant square"),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", "halfmove clock"),
        ("4k3/8/8/8/8/8/8/4K3 w - - ٣ 1", "halfmove clock"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1000000", "move number"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", "7 fields"),
        ("4k3/8/8/8/8/8/8/4K2 w - - 0 1", "8 columns"),
        ("4k3/8/8/8/8/8/8 w - - 0 1", "8 rows"),
        ("4k3/44/8/8/8/8/8/4K3 w - - 0 1", "digits"),
        ("4k3/8/8/8/8/8/8/4K2Q~ w - - 0 1", "board"),
        ("4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1", "not to move is in check"),
        ("P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn on the first or last rank"),
        ("4k3/8/8/8/8/8/8/4KR2 w K - 0 1", "chess960=true"),
        ("k" * 100_000, "rows"),
        ("8" * 100_000 + " w - - 0 1", "rows"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 " + "9" * 100_000, "move number"),
    ],
)
def test_malformed_position_text(text: str, why: str) -> None:
    with pytest.raises(GameError, match=why) as error:
        STANDARD.state_from_text(text)
    assert len(str(error.value)) < 300
    assert "\n" not in str(error.value)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.text(max_size=80) | st.text("kqrbnpKQRBNP12345678/ w-KQkqabcdefgh0", max_size=90))
def test_any_text_is_a_position_or_a_game_error(text: str) -> None:
    for game in (STANDARD, Chess(True)):
        try:
            state = game.state_from_text(text)
        except GameError:
            continue
        assert game.state_from_text(game.state_to_text(state)) == state


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.data())
def test_a_damaged_position_text_is_a_position_or_a_game_error(data: st.DataObject) -> None:
    game, fen = data.draw(st.sampled_from(STARTS))
    place = data.draw(st.integers(0, len(fen) - 1))
    damaged = fen[:place] + data.draw(st.text("kqrbnpKQRBNP18/ -w", max_size=2)) + fen[place + 1 :]
    try:
        state = game.state_from_text(damaged)
    except GameError:
        return
    assert game.state_from_text(game.state_to_text(state)) == state
    assert chess.Board(game.state_to_text(state), chess960=True).is_valid()


def damaged_position(rng: random.Random) -> str:
    """The FEN of a random position, its pieces and its text tampered with."""
    board = chess.Board.from_chess960_pos(rng.choice([518, rng.randrange(960)]))
    for _ in range(rng.randrange(50)):
        moves = list(board.legal_moves)
        if not moves:
            break
        board.push(rng.choice(moves))
    for _ in range(rng.choice([0, 0, 2])):
        board.set_piece_at(rng.randrange(64), chess.Piece(rng.choice([1, 2, 2, 4, 6]), rng.random() < 0.5))
    fields = board.fen(en_passant=rng.choice(["fen", "legal"]), shredder=rng.random() < 0.3).split()
    if rng.random() < 0.3:
        fields[3] = rng.choice(["-", *chess.SQUARE_NAMES])
    if rng.random() < 0.3:
        fields[2] = "".join(sorted(rng.sample("KQABHkqabh-", 2), key=str.islower))
    text = " ".join(fields)
    place = rng.randrange(len(text))
    return (
        text if rng.random() < 0.7 else text[:place] + rng.choice("kPN18/ _~[+9aA") + text[place + rng.randrange(2) :]
    )


@pytest.mark.long
def test_the_kernel_takes_the_same_position_texts() -> None:
    rng, taken = random.Random(9), 0
    for _ in range(500):
        game, text = Chess(rng.random() < 0.5), damaged_position(rng)
        try:
            state = game.state_from_text(text)
        except GameError:
            with pytest.raises(ValueError, match="not a chess position"):
                _core.Position("chess", kernel_params(game), text)
            continue
        taken += 1
        kernel = _core.Position("chess", kernel_params(game), text)
        assert sorted(kernel.actions()) == sorted(game.legal_actions(state)), text
        assert kernel.result() == (None if game.returns(state) is None else game.returns(state)[0]), text
    assert 100 < taken < 400


def test_states_are_values() -> None:
    start = STANDARD.initial_state()
    for action in STANDARD.legal_actions(start):
        STANDARD.next_state(start, action)
    assert start == STANDARD.initial_state()
    assert hash(start) == hash(STANDARD.initial_state())


def test_render() -> None:
    lines = STANDARD.render(STANDARD.initial_state()).splitlines()
    assert lines[1] == " | r | n | b | q | k | b | n | r | 8"
    assert lines[15] == " | R | N | B | Q | K | B | N | R | 1"
    assert lines[17] == "   a   b   c   d   e   f   g   h"
