"""Requirements of UCI where the protocol is subtle, or where well-known engines fail, over real pipes.

The points are those at which Stockfish 15, GNU Chess 6 and Toga II 3 were seen to crash, hang or stay silent. The
probes of ``playout engine check`` ask the same of any engine; these tests demand more of playout, such as its words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import pytest

from playout.arena.probes.positions import MATE_IN_ONE, MATED, STALEMATED

from ..pipe import Pipe
from .desk import best, bests, open_engine, position, said

START = f"Fen: {chess.STARTING_FEN}"
BAD_FENS = (
    "",
    "x",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1",
    "kk6/8/8/8/8/8/8/K7 w - - 0 1",
    "P7/8/8/8/8/8/8/k1K5 w - - 0 1",
    "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 x - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 99999999999999999999 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1",
    "\u2654\u2655 w - - 0 1",
    "k" * 10000,
)


@pytest.fixture
def engine() -> Iterator[Pipe]:
    with open_engine() as engine:
        yield engine


def test_the_session_from_uci_to_quit(engine: Pipe) -> None:
    engine.send("uci")
    lines = engine.until("uciok")
    assert [line.split()[1] for line in lines[:2]] == ["name", "author"]
    assert all(line.startswith("option name ") for line in lines[2:-1])
    assert said(engine, "ucinewgame", "position startpos") == []
    assert best(engine, "go nodes 10") in {move.uci() for move in chess.Board().legal_moves}
    engine.send("quit")
    assert engine.rest() == []
    assert engine.exit_status() == 0
    assert engine.errors() == ""


def test_it_answers_during_a_search_and_stops_once(engine: Pipe) -> None:
    assert said(engine, "setoption name MoveTime value 3600000", "position startpos") == []
    for command in ("go infinite", "go", "go ponder wtime 1000 btime 1000", "go nodes 1000000000", "go depth 200"):
        engine.send(command)
        for _ in range(3):
            assert bests(said(engine)) == []
        engine.send("stop", "stop")
        engine.until("bestmove")
        assert bests(said(engine, "stop")) == []


def test_infinite_searches_say_nothing_before_they_are_stopped(engine: Pipe) -> None:
    """Also if the game is over, or the result is proven at once."""
    for fen, move in ((MATED, "(none)"), (STALEMATED, "(none)"), (MATE_IN_ONE, "a1a8")):
        for command in ("go infinite", "go infinite nodes 10 movetime 1", "go ponder movetime 1"):
            engine.send(f"position fen {fen}", command)
            for _ in range(5):
                assert bests(said(engine)) == []
            assert best(engine, "stop") == move


def test_every_limit_ends_a_search(engine: Pipe) -> None:
    legal = {move.uci() for move in chess.Board().legal_moves}
    for limit in (
        "nodes 1",
        "nodes 0",
        "nodes -5",
        "depth 1",
        "depth 3",
        "movetime 1",
        "movetime 50",
        "movetime 0",
        "wtime 100",
        "btime 100",
        "wtime 0 btime 0",
        "wtime -50 btime -50",
        "wtime 1000 btime 1000 winc 10 binc 10 movestogo 1",
        "btime 1000 winc 10 wtime 1000 binc 10",
        "wtime 1000 btime 1000 depth 2 nodes 100 movetime 20",
        "nodes 100 infinitely many",
        "nodes",
        "movetime x nodes 10",
        "wtime 99999999999999999999 nodes 5",
        "wtime 1e3",
    ):
        assert best(engine, "setoption name MoveTime value 50", "position startpos", f"go {limit}") in legal, limit
    assert bests(said(engine)) == []
    engine.send("go nodes 1")
    (info, _) = engine.until("bestmove")
    assert " nodes 1 " in info


def test_searchmoves(engine: Pipe) -> None:
    said(engine, "position startpos")
    for command, wanted in (
        ("go searchmoves a2a3 nodes 100", {"a2a3"}),
        ("go nodes 100 searchmoves a2a3 h2h4", {"a2a3", "h2h4"}),
        ("go searchmoves a2a3 b2b3 depth 2", {"a2a3", "b2b3"}),
        ("go searchmoves e7e5 a2a3 nodes 100", {"a2a3"}),
    ):
        assert best(engine, command) in wanted, command
    legal = {move.uci() for move in chess.Board().legal_moves}
    assert best(engine, "go searchmoves e7e5 0000 nodes 10") == "(none)"
    engine.send("go infinite searchmoves 0000")
    assert bests(said(engine)) == []
    assert best(engine, "stop") == "(none)"
    assert best(engine, "go searchmoves nodes 10") in legal
    assert best(engine, "go nodes 10") in legal


def test_finished_games_have_no_move(engine: Pipe) -> None:
    for fen, score in ((MATED, "score mate 0"), (STALEMATED, "score cp 0")):
        engine.send(f"position fen {fen}", "go nodes 100")
        lines = engine.until("bestmove")
        assert lines[-1] == "bestmove (none)"
        assert score in lines[-2]


def test_wrong_positions_change_nothing(engine: Pipe) -> None:
    assert position(engine) == START
    for fen in BAD_FENS:
        (complaint,) = said(engine, f"position fen {fen}")
        assert complaint.startswith("info string ")
        assert len(complaint) < 300
    for moves in ("e2e4 e2e4", "e2e5", "e7e5", "0000", "e2e4 x", "e1g1", "e2e4q", "e2e4 " * 100_000):
        (complaint,) = said(engine, f"position startpos moves {moves}")
        assert "illegal move" in complaint
        assert len(complaint) < 300
    for words in ("", "startpos e2e4", "fen", "moves e2e4", "here"):
        (complaint,) = said(engine, f"position {words}")
        assert complaint.startswith("info string position: ")
    assert position(engine) == START
    for fen in ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"):
        assert said(engine, f"position fen {fen}") == []
        assert position(engine).startswith("Fen: rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w ")


def test_a_list_of_2000_plies(engine: Pipe) -> None:
    board = long_game(2000)
    moves = " ".join(move.uci() for move in board.move_stack)
    assert said(engine, f"position startpos moves {moves}") == []
    assert position(engine) == f"Fen: {board.fen()}"
    assert best(engine, "go nodes 50") in {move.uci() for move in board.legal_moves}
    move = next(iter(board.legal_moves))
    assert said(engine, f"position startpos moves {moves} {move.uci()}") == []
    board.push(move)
    assert position(engine) == f"Fen: {board.fen()}"


def long_game(plies: int) -> chess.Board:
    """Knights and rooks wander, no position comes twice, and in time for the fifty-move rule a pawn steps forward."""
    rng = random.Random(1)
    board = chess.Board()
    seen = {board.epd()}
    while board.ply() < plies:
        moves = [move for move in board.legal_moves if not board.is_capture(move)]
        rng.shuffle(moves)
        role = {move: board.piece_type_at(move.from_square) for move in moves}
        half = range(32) if board.turn == chess.WHITE else range(32, 64)
        steps = [
            move
            for move in moves
            if role[move] == chess.PAWN and abs(move.to_square - move.from_square) == 8 and move.to_square in half
        ]
        tours = [move for move in moves if role[move] in (chess.KNIGHT, chess.ROOK)]
        for move in [*(steps if board.halfmove_clock > 80 else []), *tours, *steps]:
            board.push(move)
            if not board.is_check() and board.epd() not in seen:
                seen.add(board.epd())
                break
            board.pop()
        else:
            raise AssertionError(board.fen())
    return board


def test_noise(engine: Pipe) -> None:
    rng = random.Random(2)
    said(engine, "position startpos moves e2e4")
    before = position(engine)
    (complaint,) = said(engine, "word " * 100_000)
    assert complaint.startswith("info string unknown command: word word")
    assert len(complaint) < 300
    for _ in range(20):
        noise = bytes(byte for byte in rng.randbytes(2000) if byte not in b"\r\n")
        assert len(said(engine, noise + b"\n")) <= 1
    said(engine, b"\x00\x00\n", b"\xff\xfe\n", b"\r\n", b"\n\n\n", b"   \t \n")
    for words in ("", "joho", "UCI?", "go_", "positionstartpos", "\u2654", "%s%n", "'; drop table"):
        assert len(said(engine, words)) == bool(words)
    assert position(engine) == before
    assert said(engine, "debug on", "debug off", "register later", "ponderhit", "stop") == []
    assert engine.errors() == ""


def test_line_endings_and_blanks(engine: Pipe) -> None:
    engine.send(b"  uci\r\n")
    engine.until("uciok")
    assert said(engine, b"\tposition  startpos   moves e2e4 \r\n", b"setoption name  Hash  value  16 \r\n") == []
    assert "/4P3/" in position(engine)
    assert said(engine, b"setoption name hash value 16\n", b"SETOPTION\n") != []


def test_wrong_options_are_refused_in_a_line(engine: Pipe) -> None:
    for words in (
        "",
        "name",
        "name Hash",
        "name Hash value",
        "name Hash value x",
        "name Hash value -1",
        "name Hash value 99999999999999999999",
        "name No Such Option value 1",
        "name Ponder value maybe",
        "name LeafEvaluation value best",
        "value 3 name Hash",
        "Hash 16",
        f"name {'x' * 10000} value {'y' * 10000}",
    ):
        (complaint,) = said(engine, f"setoption {words}")
        assert complaint.startswith("info string "), words
        assert len(complaint) < 600
    assert said(engine, "setoption name Clear Hash", "setoption name move overhead value 10") == []
    assert best(engine, "go nodes 10") != "(none)"


def test_a_second_go_ends_the_first(engine: Pipe) -> None:
    engine.send("position startpos", "go infinite", "position startpos moves e2e4", "go nodes 20")
    first, second = (engine.until("bestmove")[-1].split()[1] for _ in range(2))
    assert chess.Move.from_uci(first) in chess.Board().legal_moves
    board = chess.Board()
    board.push_uci("e2e4")
    assert chess.Move.from_uci(second) in board.legal_moves
    engine.send(*["go infinite"] * 20, "stop")
    for _ in range(20):
        engine.until("bestmove")
    assert bests(said(engine)) == []


def test_options_and_new_games_during_a_search(engine: Pipe) -> None:
    engine.send("position startpos", "go infinite", "setoption name Hash value 8", "setoption name Clear Hash")
    engine.send("ucinewgame", "isready")
    engine.until("bestmove")
    assert best(engine, "position startpos", "go nodes 20") != "(none)"
    assert bests(said(engine)) == []


@pytest.mark.parametrize("search", ["go infinite", "go ponder wtime 9000 btime 9000", "go movetime 360000000"])
@pytest.mark.parametrize("end", ["quit", None], ids=["quit", "EOF"])
def test_the_end_during_a_search(search: str, end: str | None) -> None:
    with open_engine() as engine:
        assert said(engine, "position startpos") == []
        engine.send(search)
        said(engine)
        if end is None:
            engine.close_input()
        else:
            engine.send(end)
        assert engine.exit_status() == 0
        assert len(bests(engine.rest())) == 1
        assert engine.errors() == ""


@pytest.mark.parametrize("lines", [b"", b"uci", b"\xff", b"position startpos moves e2e4\ngo nodes 1"])
def test_the_end_anywhere(lines: bytes) -> None:
    with open_engine() as engine:
        engine.send(lines)
        engine.close_input()
        assert engine.exit_status() == 0
        assert engine.errors() == ""
