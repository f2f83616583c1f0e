"""Reports of the engine under UCI, and cutechess's games, over real pipes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import chess
import pytest

from playout.arena.probes.positions import MATE_IN_ONE
from playout.games.catalogue import load
from playout.games.game import action_to_text, is_over
from playout.protocols.uci.cutechess_text import NOTATIONS
from playout.protocols.uci.variants import GAMES

from ..pipe import Pipe
from .desk import best, bests, open_engine, position, reports, said

WINNING = "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1"


@pytest.fixture(scope="module")
def one_engine() -> Iterator[Pipe]:
    with open_engine() as engine:
        yield engine


@pytest.fixture
def engine(one_engine: Pipe) -> Pipe:
    defaults = ("MultiPV value 1", "UCI_ShowWDL value false", "InfoInterval value 500", "UCI_Variant value chess")
    said(one_engine, *(f"setoption name {option}" for option in defaults), "debug off", "ucinewgame")
    return one_engine


def search(engine: Pipe, *lines: str) -> tuple[list[dict[str, str]], str]:
    """The reports of a search, and its move."""
    engine.send(*lines)
    replies = engine.until("bestmove")
    return reports(replies), replies[-1].split()[1]


@pytest.mark.parametrize("share", [95, 40])
def test_the_last_report_begins_with_the_move_and_numbers_never_fall(engine: Pipe, share: int) -> None:
    # With 40 the look-ahead begins anew with the rest of the time, because one move alone is left.
    said(engine, "setoption name InfoInterval value 10", f"setoption name LookAhead value {share}")
    for limit in ("nodes 3000", "movetime 120", "depth 4", "wtime 3000 btime 3000", "nodes 1"):
        found, move = search(engine, "ucinewgame", "position startpos moves e2e4 c7c5", f"go {limit}")
        assert found[-1]["pv"].split()[0] == move
        for name in ("depth", "seldepth", "nodes", "time"):
            numbers = [int(report[name]) for report in found]
            assert numbers == sorted(numbers), (limit, name)
        assert all(int(report["depth"]) <= int(report["seldepth"]) for report in found)


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, MATE_IN_ONE, "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"])
def test_several_lines_come_as_whole_batches(engine: Pipe, fen: str) -> None:
    said(engine, "setoption name MultiPV value 6", "setoption name InfoInterval value 20", f"position fen {fen}")
    found, move = search(engine, "go nodes 20000")
    count = min(6, chess.Board(fen).legal_moves.count())
    assert [int(report["multipv"]) for report in found] == [*range(1, count + 1)] * (len(found) // count)
    batches = [found[start : start + count] for start in range(0, len(found), count)]
    for batch in batches:
        assert len({report["pv"].split()[0] for report in batch}) == count
        assert len({report["depth"] for report in batch}) == 1
    assert batches[-1][0]["pv"].split()[0] == move


def test_win_draw_and_loss_come_only_when_asked_for(engine: Pipe) -> None:
    found, _ = search(engine, "position startpos", "go nodes 200")
    assert found[-1]["wdl"] is None
    said(engine, "setoption name UCI_ShowWDL value true")
    found, _ = search(engine, "go nodes 200")
    assert sum(map(int, found[-1]["wdl"].split())) == 1000


def test_scores_are_for_the_player_to_move(engine: Pipe) -> None:
    white, _ = search(engine, f"position fen {WINNING}", "go nodes 500")
    black, _ = search(engine, f"position fen {WINNING.replace(' w ', ' b ')}", "go nodes 500")
    assert int(white[-1]["score"]) > 0 > int(black[-1]["score"])
    mate, move = search(engine, f"position fen {MATE_IN_ONE}", "go mate 1")
    assert (mate[-1]["kind"], mate[-1]["score"], move) == ("mate", "1", "a1a8")
    mated, _ = search(engine, "position fen 7k/8/5K2/8/8/8/8/6Q1 b - - 0 1", "go nodes 5000")
    assert (mated[-1]["kind"], mated[-1]["score"]) == ("mate", "-1")


def test_the_hash_fills_up_and_is_cleared(engine: Pipe) -> None:
    said(engine, "setoption name Hash value 1", "position startpos")
    try:
        found, _ = search(engine, "go nodes 20000")
        assert 500 < int(found[-1]["hashfull"]) <= 1000
        found, _ = search(engine, "setoption name Clear Hash", "go nodes 10")
        assert int(found[-1]["hashfull"]) < 100
    finally:
        said(engine, "setoption name Hash value 256")


def test_a_long_search_names_the_move_that_it_is_at(engine: Pipe) -> None:
    said(engine, "setoption name InfoInterval value 200", "position startpos")
    engine.send("go infinite")
    current = engine.until("info currmove ")[-1].split()
    assert chess.Move.from_uci(current[2]) in chess.Board().legal_moves
    assert current[3] == "currmovenumber"
    assert 1 <= int(current[4]) <= 20
    assert best(engine, "stop") != "(none)"


def test_debug_explains_the_search(engine: Pipe) -> None:
    engine.send("debug on", "position startpos", "go nodes 300")
    assert any(line.startswith("info string ended by nodes, 300 visits") for line in engine.until("bestmove"))


def test_spellings_of_moves_that_are_taken(engine: Pipe) -> None:
    castled = "r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4"
    for word in ("e1g1", "e1h1", "E1G1"):
        assert said(engine, f"position fen {castled} moves {word}") == []
        assert "RNBQ1RK1 b kq" in position(engine)
    for word in ("a7a8q", "a7a8Q"):
        assert said(engine, f"position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1 moves {word}") == []
        assert "Fen: Q7/7k/" in position(engine)
    assert best(engine, "position fen 8/P6k/8/8/8/8/8/K7 w - - 0 1", "go searchmoves a7a8q nodes 5") == "a7a8q"


def test_positions_of_chess960_are_taken_unasked(engine: Pipe) -> None:
    assert said(engine, "position fen 1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1 moves f1b1") == []
    assert "2KR3R b kq" in position(engine)
    assert best(engine, "go searchmoves f8h8 nodes 5") == "f8h8"
    assert said(engine, "position startpos moves g1f3 g8f6 g2g3 g7g6 f1g2 f8g7") == []
    assert best(engine, "go searchmoves e1g1 nodes 5") == "e1g1"


def test_a_clock_that_has_run_out_still_gets_a_move_at_once(engine: Pipe) -> None:
    assert said(engine, "setoption name MoveTime value 86400000", "position startpos") == []
    for clock in ("wtime 0 btime 0", "wtime -50 btime 1000", "wtime 1 btime 1 movestogo 1", "movetime -7"):
        assert best(engine, f"go {clock}") != "(none)"
    assert said(engine, "setoption name MoveTime value 3000") == []


@pytest.mark.parametrize("variant", NOTATIONS)
def test_games_of_cutechess(engine: Pipe, variant: str) -> None:
    """As cutechess referees them: from a FEN with the pawns in hand, every move and line a legal drop."""
    game: Any = load(GAMES[variant])
    notation, rng = NOTATIONS[variant], random.Random(3)
    assert said(engine, f"setoption name UCI_Variant value {variant}", "ucinewgame") == []
    state, moves = game.initial_state(), []
    start = notation.fen(state)
    while not is_over(game, state):
        line = f" moves {' '.join(moves)}" if moves else ""
        if len(moves) % 2 == 0:
            found, move = search(engine, f"position fen {start}{line}", "go nodes 200")
            following = state
            for text in notation.read(state, found[-1]["pv"].split()):
                following = game.next_state(following, game.text_to_action(following, text))
            assert found[-1]["pv"].split()[0] == move
        else:
            texts = [action_to_text(game, state, action) for action in game.legal_actions(state)]
            (move,) = notation.write(state, [rng.choice(texts)])
        (text,) = notation.read(state, [move])
        state = game.next_state(state, game.text_to_action(state, text))
        moves.append(move)
    assert game.returns(state)[0] >= 0
    assert best(engine, f"position fen {start} moves {' '.join(moves)}", "go nodes 5") == "(none)"
    assert bests(said(engine)) == []
