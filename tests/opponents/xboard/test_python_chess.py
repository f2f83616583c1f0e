"""python-chess's engine module as the interface, by XBoard's protocol."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any, cast

import chess
import chess.engine
import pytest

from ...patience import PATIENCE
from ..pipe import forked
from ..pondering import hits_and_misses

Limit = chess.engine.Limit
FIRST_SIGN = 2.0
"""Seconds for which python-chess waits for the first feature."""
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
WON = "4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1"


class Unhurried:
    """An event loop whose timers of two seconds run as long as the tests have patience."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)

    def call_later(self, delay: float, callback: Callable[..., object], *given: Any) -> asyncio.TimerHandle:
        return self._loop.call_later(PATIENCE if delay == FIRST_SIGN else delay, callback, *given)


class Patient(chess.engine.XBoardProtocol):
    """python-chess takes a program that says nothing for two seconds to have no features; a loaded machine may need
    longer to start Python."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = cast(asyncio.AbstractEventLoop, Unhurried(self.loop))


def open_engine(*arguments: str) -> chess.engine.SimpleEngine:
    """The engine."""
    return chess.engine.SimpleEngine.popen(Patient, list(forked(*arguments)), timeout=PATIENCE)


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    with open_engine("xboard", "--option", "OwnBook=false", "--options", "all") as engine:
        yield engine


def test_it_introduces_itself(engine: chess.engine.SimpleEngine) -> None:
    assert engine.id["name"].startswith("playout")
    assert {"memory", "cores", "egtpath syzygy", "MoveOverhead", "OwnBook", "LeafEvaluation"} <= set(engine.options)
    assert engine.options["LeafEvaluation"].var == ["playout", "static"]


def test_options_are_set(engine: chess.engine.SimpleEngine, caplog: pytest.LogCaptureFixture) -> None:
    engine.configure({"memory": 32, "cores": 1, "Seed": 7, "Rave": True, "ClearHash": None})
    engine.configure({"LeafEvaluation": "playout"})
    engine.ping()
    engine.configure({"Rave": False, "LeafEvaluation": "static"})
    engine.ping()
    assert "Error" not in caplog.text


@pytest.mark.parametrize(
    "limit",
    [
        Limit(nodes=500),
        Limit(depth=2),
        Limit(time=0.1),
        Limit(white_clock=1, black_clock=1, white_inc=0.1, black_inc=0.1, remaining_moves=20),
        Limit(white_clock=0, black_clock=0),
    ],
    ids=["nodes", "depth", "time", "clock", "no time left"],
)
def test_it_plays_under_every_limit(engine: chess.engine.SimpleEngine, limit: Limit) -> None:
    board, game = chess.Board(), object()
    for _ in range(4):
        result = engine.play(board, limit, game=game, info=chess.engine.INFO_ALL)
        assert result.move in board.legal_moves
        board.push(result.move)


def test_moves_are_taken_back_and_another_line_is_played(engine: chess.engine.SimpleEngine) -> None:
    game, limit = object(), Limit(nodes=50)
    for moves in ("e4 e5 Nf3 Nc6", "e4 c5", "d4 d5 c4 e6 Nc3 Nf6 Bg5", "d4", ""):
        board = chess.Board()
        for move in moves.split():
            board.push_san(move)
        assert engine.play(board, limit, game=game).move in board.legal_moves


def test_a_mate_is_found_scored_and_claimed(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board(MATE_IN_ONE)
    result = engine.play(board, Limit(nodes=2000), game="mate", info=chess.engine.INFO_ALL)
    assert result.move == chess.Move.from_uci("a1a8")
    assert result.info["score"].white() == chess.engine.Mate(1)
    board.push(result.move)
    assert engine.play(board, Limit(nodes=100), game="mate").move is None
    engine.send_game_result(board)
    engine.ping()


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, MATE_IN_ONE], ids=["open", "proven at once"])
def test_analysis_reports_and_ends(engine: chess.engine.SimpleEngine, fen: str) -> None:
    info = engine.analyse(chess.Board(fen), Limit(nodes=300), game=fen)
    assert info["nodes"] >= 300
    chess.Board(fen).variation_san(info["pv"])
    assert info["nps"] > 0
    assert info["seldepth"] >= info["depth"]
    with engine.analysis(chess.Board(fen)) as analysis:
        analysis.get()
        analysis.stop()
        assert analysis.wait().move in chess.Board(fen).legal_moves


def test_only_the_moves_asked_for_are_analysed(engine: chess.engine.SimpleEngine) -> None:
    wanted = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    info = engine.analyse(chess.Board(), Limit(nodes=200), root_moves=wanted, game="few")
    assert info["pv"][0] in wanted


def test_pondering_hits_and_misses(engine: chess.engine.SimpleEngine) -> None:
    hits_and_misses(engine)


def test_a_draw_is_accepted_by_the_loser_and_a_lost_game_resigned(engine: chess.engine.SimpleEngine) -> None:
    lost = chess.Board(WON)
    lost.push_san("Qa7")
    assert engine.play(lost, Limit(nodes=200), game="lost", draw_offered=True).draw_offered
    winner = engine.play(chess.Board(WON), Limit(nodes=200), game="won", draw_offered=True)
    assert not winner.draw_offered
    engine.configure({"Resign": "0.3"})
    assert engine.play(lost, Limit(nodes=400), game="resigned").resigned
    engine.configure({"Resign": "0.0"})


def test_chess960_castling(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board("1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1", chess960=True)
    castle = chess.Move.from_uci("f1h1")
    info = engine.analyse(board, Limit(nodes=100), root_moves=[castle], game="960")
    assert info["pv"][0] == castle
    board.push(castle)
    assert engine.play(board, Limit(nodes=100), game="960").move in board.legal_moves
    assert engine.play(chess.Board(), Limit(nodes=100), game="again").move in chess.Board().legal_moves


def test_nothing_is_said_that_the_client_does_not_know(caplog: pytest.LogCaptureFixture) -> None:
    """python-chess warns of every line that it does not expect, and of the features that it refuses."""
    caplog.set_level(logging.WARNING, "chess.engine")
    with open_engine("xboard") as engine:
        board = chess.Board()
        for _ in range(3):
            result = engine.play(board, Limit(time=0.05), info=chess.engine.INFO_ALL, ponder=True)
            assert result.move is not None
            board.push(result.move)
            board.push(next(iter(board.legal_moves)))
        engine.quit()
        assert engine.returncode.result(PATIENCE) == 0
    assert [record.getMessage() for record in caplog.records] == []


def test_it_can_be_left_while_it_ponders() -> None:
    engine = open_engine("xboard", "--option", "OwnBook=false")
    engine.play(chess.Board(), Limit(time=0.05), ponder=True)
    engine.quit()
    assert engine.returncode.result(PATIENCE) == 0
    engine.close()
