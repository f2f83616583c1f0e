"""python-chess's engine module as the interface: all that chess GUIs and bots written with it do."""

from __future__ import annotations

from collections.abc import Iterator

import chess
import chess.engine
import pytest

from ...patience import PATIENCE
from ..pipe import forked
from ..pondering import hits_and_misses

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATED = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"


@pytest.fixture(scope="module")
def engine() -> Iterator[chess.engine.SimpleEngine]:
    with chess.engine.SimpleEngine.popen_uci(
        forked("uci", "--option", "OwnBook=false", "--options", "all"), timeout=PATIENCE
    ) as engine:
        yield engine


def test_it_introduces_itself(engine: chess.engine.SimpleEngine) -> None:
    assert engine.id["name"].startswith("playout")
    assert engine.id["author"]
    assert {"Hash", "Threads", "MultiPV", "Ponder", "UCI_Chess960", "UCI_ShowWDL"} <= set(engine.options)


def test_nothing_that_it_says_is_strange(caplog: pytest.LogCaptureFixture) -> None:
    with chess.engine.SimpleEngine.popen_uci(forked("uci"), timeout=PATIENCE) as other:
        other.play(chess.Board(), chess.engine.Limit(nodes=300), info=chess.engine.INFO_ALL)
    assert [record.getMessage() for record in caplog.records if record.levelname not in ("DEBUG", "INFO")] == []


def test_options_are_set_and_refused_by_bounds(engine: chess.engine.SimpleEngine) -> None:
    engine.configure({"Hash": 32, "Seed": 7, "UCI_ShowWDL": True, "Clear Hash": None, "LeafEvaluation": "playout"})
    engine.ping()
    with pytest.raises(chess.engine.EngineError):
        engine.configure({"Hash": 0})
    engine.configure({"LeafEvaluation": "static"})


def test_every_option_takes_its_default_back(engine: chess.engine.SimpleEngine) -> None:
    for name, option in engine.options.items():
        if not option.is_managed() and option.type != "button" and name != "OwnBook":
            engine.configure({name: option.default})
    engine.configure({"Clear Hash": None})
    engine.ping()
    assert engine.play(chess.Board(), chess.engine.Limit(nodes=50)).move is not None


def test_it_is_told_who_plays_and_that_the_game_is_over(engine: chess.engine.SimpleEngine) -> None:
    opponent = chess.engine.Opponent("Magnus Carlsen", "GM", 2839, False)
    board = chess.Board()
    result = engine.play(board, chess.engine.Limit(nodes=50), game="with a name", opponent=opponent)
    assert result.move in board.legal_moves
    engine.send_game_result(board, chess.BLACK, "resignation")
    engine.ping()


@pytest.mark.parametrize(
    "limit",
    [
        chess.engine.Limit(nodes=500),
        chess.engine.Limit(depth=2),
        chess.engine.Limit(time=0.1),
        chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.1, black_inc=0.1, remaining_moves=20),
        chess.engine.Limit(white_clock=0, black_clock=0),
        chess.engine.Limit(mate=1, nodes=500),
        chess.engine.Limit(nodes=500, depth=50, time=5.0),
    ],
    ids=["nodes", "depth", "time", "clock", "no time left", "mate", "all"],
)
def test_it_plays_under_every_limit(engine: chess.engine.SimpleEngine, limit: chess.engine.Limit) -> None:
    board = chess.Board()
    for _ in range(4):
        result = engine.play(board, limit, info=chess.engine.INFO_ALL)
        assert result.move in board.legal_moves
        board.push(result.move)


def test_a_node_limit_is_kept(engine: chess.engine.SimpleEngine) -> None:
    info = engine.analyse(chess.Board(), chess.engine.Limit(nodes=1234), game="fresh")
    assert info["nodes"] == 1234


def test_a_mate_in_one_is_found_and_scored(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board(MATE_IN_ONE)
    info = engine.analyse(board, chess.engine.Limit(nodes=5000))
    assert info["score"].white() == chess.engine.Mate(1)
    assert info["pv"] == [chess.Move.from_uci("a1a8")]
    board.push(info["pv"][0])
    assert board.is_checkmate()


def test_several_lines_come_in_order_and_are_legal(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    engine.configure({"UCI_ShowWDL": True})
    lines = engine.analyse(board, chess.engine.Limit(nodes=3000), multipv=5)
    assert [line["multipv"] for line in lines] == [1, 2, 3, 4, 5]
    assert len({line["pv"][0] for line in lines}) == 5
    for line in lines:
        board.variation_san(line["pv"])
        assert sum(line["wdl"].relative) == 1000


def test_there_are_as_many_lines_as_moves(engine: chess.engine.SimpleEngine) -> None:
    for fen in (MATE_IN_ONE, "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"):
        board = chess.Board(fen)
        lines = engine.analyse(board, chess.engine.Limit(nodes=2000), multipv=50)
        assert {line["pv"][0] for line in lines} == set(board.legal_moves)
        values = [line["score"].relative.score(mate_score=100_000) for line in lines]
        assert values == sorted(values, reverse=True)


def test_only_the_moves_asked_for_are_searched(engine: chess.engine.SimpleEngine) -> None:
    wanted = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    for _ in range(3):
        assert engine.play(chess.Board(), chess.engine.Limit(nodes=200), root_moves=wanted).move in wanted


def test_no_move_to_search_is_none(engine: chess.engine.SimpleEngine) -> None:
    with engine.analysis(chess.Board(), root_moves=[]) as analysis:
        analysis.stop()
        assert analysis.wait().move is None
    assert engine.play(chess.Board(), chess.engine.Limit(nodes=50), root_moves=[]).move is None


def test_a_reply_that_mates_is_not_pondered_on(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board()
    for move in ("f2f3", "e7e5"):
        board.push_uci(move)
    limit = chess.engine.Limit(nodes=3000)
    result = engine.play(board, limit, root_moves=[chess.Move.from_uci("g2g4")], info=chess.engine.INFO_ALL)
    assert result.info["score"].relative == chess.engine.Mate(-1)
    assert result.ponder is None


@pytest.mark.parametrize("fen", [MATED, STALEMATED], ids=["mated", "stalemated"])
def test_a_finished_game_has_no_move(engine: chess.engine.SimpleEngine, fen: str) -> None:
    board = chess.Board(fen)
    assert engine.play(board, chess.engine.Limit(nodes=100)).move is None
    info = engine.analyse(board, chess.engine.Limit(nodes=100))
    expected = chess.engine.MateGiven if board.is_checkmate() else chess.engine.Cp(0)
    assert info["score"].relative in (expected, chess.engine.Mate(-0))


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, MATE_IN_ONE], ids=["open", "proven at once"])
def test_infinite_analysis_reports_and_runs_until_it_is_stopped(engine: chess.engine.SimpleEngine, fen: str) -> None:
    with engine.analysis(chess.Board(fen)) as analysis:
        info = next(info for info in analysis if "pv" in info)
        assert info["pv"][0] in chess.Board(fen).legal_moves
        analysis.stop()
        assert analysis.wait().move in chess.Board(fen).legal_moves
    engine.ping()


def test_analysis_streams_reports(engine: chess.engine.SimpleEngine) -> None:
    """All of what a GUI shows arrives: lines in their order, counts, the move being searched."""
    seen: dict[str, list[object]] = {}
    with engine.analysis(chess.Board(), multipv=2, options={"InfoInterval": 100}) as analysis:
        for info in analysis:
            for name, value in info.items():
                seen.setdefault(name, []).append(value)
            if "currmove" in seen and "pv" in info:
                break
    engine.configure({"InfoInterval": 500})
    assert set(seen) >= {"depth", "seldepth", "multipv", "score", "nodes", "nps", "hashfull", "time", "pv"}
    assert seen["multipv"][:4] == [1, 2, 1, 2]
    assert set(seen["currmove"]) <= set(chess.Board().legal_moves)


def test_another_analysis_ends_the_first(engine: chess.engine.SimpleEngine) -> None:
    first = engine.analysis(chess.Board())
    board = chess.Board(MATE_IN_ONE)
    info = engine.analyse(board, chess.engine.Limit(nodes=500))
    assert info["pv"][0] in board.legal_moves
    assert first.wait().move in chess.Board().legal_moves


def test_pondering_hits_and_misses(engine: chess.engine.SimpleEngine) -> None:
    hits_and_misses(engine)


def test_chess960_castling(engine: chess.engine.SimpleEngine) -> None:
    board = chess.Board("1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1", chess960=True)
    castle = chess.Move.from_uci("f1h1")
    assert castle in board.legal_moves
    result = engine.play(board, chess.engine.Limit(nodes=100), root_moves=[castle])
    assert result.move == castle
    board.push(castle)
    assert engine.play(board, chess.engine.Limit(nodes=100)).move in board.legal_moves
    assert engine.play(chess.Board(), chess.engine.Limit(nodes=100)).move in chess.Board().legal_moves


def test_quit_during_an_analysis() -> None:
    engine = chess.engine.SimpleEngine.popen_uci(forked("uci", "--option", "OwnBook=false"), timeout=PATIENCE)
    engine.analysis(chess.Board())
    engine.quit()
    assert engine.returncode.result(PATIENCE) == 0
    engine.close()


def test_quit() -> None:
    engine = chess.engine.SimpleEngine.popen_uci(forked("uci", "--option", "OwnBook=false"), timeout=PATIENCE)
    engine.quit()
    assert engine.returncode.result(PATIENCE) == 0
    engine.close()
