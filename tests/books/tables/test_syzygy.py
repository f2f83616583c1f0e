"""Syzygy at the root: what is played by which values, and what is refused. The tables are stood in for; with
``PLAYOUT_SYZYGY`` set to a directory of real ones (3 and 4 pieces), the rest runs too."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import pytest

from playout.books.formats import format_module, format_of
from playout.books.formats import open_book as open_any
from playout.books.tables.syzygy import SyzygyBook, open_syzygy, python_tables, split_paths
from playout.engine import _core
from playout.engine.known.kernel_tables import KernelTables
from playout.engine.options.config import preset
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.errors import BookError

from ...needs import needs
from ...syzygy import tables as folder_of_tables

GAME: Any = catalogue.load("chess")
REAL = folder_of_tables()
needs_tables = needs("syzygy")
ROOK = "8/8/8/8/8/2k5/8/R3K3 w - - {} 60"
PAWN = "8/8/8/8/2k5/8/4P3/4K3 w - - {} 60"


class Stand:
    """Tables with the WDL and DTZ after each move, from the point of view of the player who makes it."""

    def __init__(self, values: Mapping[str, tuple[int, int]], default: tuple[int, int] = (0, 0)) -> None:
        self.values = values
        self.default = default
        self.closed = False

    def of(self, board: chess.Board) -> tuple[int, int]:
        return self.values.get(board.peek().uci(), self.default)

    def probe_wdl(self, board: chess.Board) -> int:
        return -self.of(board)[0]

    def probe_dtz(self, board: chess.Board) -> int:
        return -self.of(board)[1]

    def close(self) -> None:
        self.closed = True


def played(fen: str, values: Mapping[str, tuple[int, int]], default: tuple[int, int] = (0, 0)) -> list[str]:
    state = GAME.state_from_text(fen)
    moves = SyzygyBook(Stand(values, default), GAME).lookup(state)
    assert all(move.weight == 1 for move in moves)
    return sorted(GAME.action_to_text(state, move.action) for move in moves)


WON = {"a1a2": (2, 20), "a1a3": (2, 30), "a1a4": (1, 105), "a1a5": (0, 0), "a1a6": (-1, -103), "a1a7": (-2, -9)}


def test_the_best_class_goes_first_and_in_it_the_least_dtz() -> None:
    assert played(ROOK.format(0), WON) == ["a1a2"]
    for removed, then in (("a1a2", "a1a3"), ("a1a3", "a1a4"), ("a1a4", "a1a5"), ("a1a5", "a1a6"), ("a1a6", "a1a7")):
        less = {move: value for move, value in WON.items() if move > removed}
        assert played(ROOK.format(0), less, (-2, -5)) == [then]


def test_all_that_keep_a_draw_are_equal() -> None:
    legal = {GAME.action_to_text(GAME.state_from_text(ROOK.format(0)), a) for a in _legal(ROOK.format(0))}
    assert played(ROOK.format(0), {"a1a2": (-1, -110), "a1a3": (-2, -3)}) == sorted(legal - {"a1a2", "a1a3"})


def test_moves_have_the_value_of_their_result_unless_the_clock_decides() -> None:
    def values(clock: int, default: tuple[int, int], known: dict[str, tuple[int, int]]) -> set[float | None]:
        state = GAME.state_from_text(ROOK.format(clock))
        return {move.value for move in SyzygyBook(Stand(known, default), GAME).lookup(state)}

    assert values(0, (-2, -5), {"a1a2": (2, 20)}) == {1.0}
    assert values(98, (-2, -5), {"a1a2": (2, 20)}) == {None}
    assert values(0, (-2, -5), {"a1a2": (1, 105)}) == {None}
    assert values(0, (-2, -5), {"a1a2": (0, 0), "a1a3": (0, 0)}) == {0.0}
    assert values(0, (-2, -5), {}) == {-1.0}


def _legal(fen: str) -> list[int]:
    return list(GAME.legal_actions(GAME.state_from_text(fen)))


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        (0, ["a1a2"]),
        # 79 + 21 = 100 could be a draw if DTZ was rounded, and is still the best there is.
        (79, ["a1a2"]),
        # A draw under the rule of 50 moves; the least DTZ all the same: the opponent may help.
        (98, ["a1a2"]),
    ],
)
def test_winning_moves_by_the_clock(clock: int, expected: list[str]) -> None:
    assert played(ROOK.format(clock), WON) == expected


def test_a_zeroing_move_that_wins_goes_before_a_slower_one() -> None:
    values = {"e2e3": (2, 40), "e2e4": (1, 101), "e1d2": (2, 8)}
    assert played(PAWN.format(0), values) == ["e2e3"]
    # The clock leaves no time for the king's move.
    assert played(PAWN.format(95), values) == ["e2e3"]
    assert played(PAWN.format(95), {"e2e4": (1, 101), "e1d2": (2, 2)}, (-2, -7)) == ["e1d2"]


def test_the_loser_delays_and_does_not_begin_the_clock_anew() -> None:
    lost = {"e1d2": (-2, -30), "e1f2": (-2, -12), "e2e3": (-2, -80), "e2e4": (-2, -80)}
    assert played(PAWN.format(0), lost, (-2, -4)) == ["e1d2"]
    blessed = {"e1d2": (-1, -120), "e1f2": (-2, -90)}
    assert played(PAWN.format(0), blessed, (-2, -4)) == ["e1d2"]
    # 31 plies on a clock of 80 pass the 50 moves.
    assert played(PAWN.format(80), {"e1d2": (-2, -30)}, (-2, -4)) == ["e1d2"]


def test_a_mate_is_played_whatever_the_tables_say() -> None:
    assert played("7k/8/6K1/8/8/8/8/R7 w - - 0 1", {"a1a7": (2, 1)}) == ["a1a8"]
    assert played("7k/8/6K1/8/8/8/8/R7 w - - 99 90", {"a1a7": (2, 1)}) == ["a1a8"]


def test_what_the_rules_draw_is_a_draw() -> None:
    """Stalemate, a third occurrence, the hundredth ply."""
    stale = "7k/5K2/8/8/8/8/8/6R1 w - - 0 1"
    assert "g1g6" not in played(stale, {"g1g6": (2, 1)}, (2, 30))
    state = GAME.state_from_text("8/8/8/8/8/2k5/8/R3K3 w - - 0 1")
    for move in ["a1a2", "c3b3", "a2a1", "b3c3", "a1a2", "c3b3", "a2a1", "b3c3"][:7]:
        state = GAME.next_state(state, GAME.text_to_action(state, move))
    book = SyzygyBook(Stand({"b3c3": (-2, -1)}, (-2, -9)), GAME)
    assert [GAME.action_to_text(state, move.action) for move in book.lookup(state)] == ["b3c3"], "the third time"


def test_where_tables_lack_or_do_not_reach_nothing_is_known() -> None:
    class Missing(Stand):
        def probe_wdl(self, board: chess.Board) -> int:
            raise chess.syzygy.MissingTableError("KRvK")

    class Damaged(Stand):
        def probe_dtz(self, board: chess.Board) -> int:
            raise IndexError("index out of range")

    state = GAME.state_from_text(ROOK.format(0))
    for tables in (Missing({}), Damaged({}, (2, 5))):
        assert SyzygyBook(tables, GAME).lookup(state) == ()
    book = SyzygyBook(stand := Stand(WON), GAME, most_pieces=2)
    assert book.lookup(state) == ()
    castling = GAME.state_from_text("8/8/8/8/8/2k5/8/4K2R w K - 0 1")
    over = GAME.state_from_text("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    book = SyzygyBook(stand, GAME)
    assert [book.lookup(one) for one in (castling, over, GAME.initial_state())] == [(), (), ()]
    book.close()
    assert stand.closed
    assert book.lookup(state) == ()


def test_directories_are_refused_in_one_line(tmp_path: Path) -> None:
    missing, empty, short, alien = (tmp_path / name for name in ("missing", "empty", "short", "alien"))
    for directory in (empty, short, alien):
        directory.mkdir()
    (empty / "readme.txt").write_text("no table")
    (short / "KRvK.rtbw").write_bytes(b"\x71\xe8\x23\x5d" + bytes(70))
    (alien / "KRvK.rtbz").write_bytes(b"\x71\xe8\x23\x5d" + bytes(76))
    for directory, words in [
        (missing, "No such file or directory"),
        (empty, "no Syzygy tables there"),
        (short, "KRvK.rtbw: damaged: a Syzygy table of 74 bytes"),
        (alien, "KRvK.rtbz: not a Syzygy table"),
    ]:
        with pytest.raises(BookError) as raised:
            open_syzygy([directory], GAME)
        assert str(raised.value).startswith(str(directory))
        assert words in str(raised.value)
        assert "\n" not in str(raised.value)
    searcher = Searcher(GAME)
    for directory in (missing, empty, short):
        with pytest.raises(BookError, match=str(directory)):
            searcher.set_tables([directory])
    with pytest.raises(BookError, match="for chess, not hex:5"):
        open_any(tmp_path, catalogue.load("hex:5"))
    module = format_module(format_of(tmp_path))
    with pytest.raises(BookError, match="no list of moves"):
        module.entries(tmp_path, GAME)
    with pytest.raises(BookError, match="no list of moves"):
        module.write_book(tmp_path, GAME, [])


def test_a_table_that_cannot_be_read_is_not_known(tmp_path: Path) -> None:
    """Its size and first bytes are right."""
    (tmp_path / "KRvK.rtbw").write_bytes(b"\x71\xe8\x23\x5d" + bytes(76))
    fen = ROOK.format(0)
    assert open_syzygy([tmp_path], GAME).lookup(GAME.state_from_text(fen)) == ()
    assert _core.Position("chess", {}, fen, [tmp_path]).known() is None
    searcher = Searcher(GAME, preset("chess").search)
    searcher.set_tables([tmp_path])
    searcher.set_position(fen, [])
    searcher.prepare()
    assert searcher.run(nodes=200).move is not None


def test_paths_are_split_as_the_system_does() -> None:
    assert split_paths(os.pathsep.join(["a", "", "b/c"])) == [Path("a"), Path("b/c")]
    assert split_paths("") == []


def positions(ending: str, count: int, rng: random.Random) -> list[chess.Board]:
    white, black = ending.split("v")
    found: list[chess.Board] = []
    while len(found) < count:
        board = chess.Board(None)
        squares = rng.sample(range(64), len(white) + len(black))
        for square, letter in zip(squares, white + black.lower(), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        if board.is_valid() and not board.is_game_over():
            found.append(board)
    return found


@needs_tables
@pytest.mark.parametrize("ending", ["KRvK", "KPvK", "KBNvK", "KQvKR", "KNNvK", "KPvKP"])
def test_the_kernel_knows_what_python_chess_probes(ending: str) -> None:
    directory = Path(str(REAL))
    rng = random.Random(1)
    with chess.syzygy.open_tablebase(str(directory)) as tables:
        for board in positions(ending, 10, rng):
            wdl = tables.probe_wdl(board) * (1 if board.turn else -1)
            for clock in (0, 1):
                board.halfmove_clock = clock
                known = _core.Position("chess", {}, board.fen(), [directory]).known()
                assert known == {2: 1, -2: -1}.get(wdl, 0) if clock == 0 or abs(wdl) < 2 else known is None


@needs_tables
@pytest.mark.parametrize("ending", ["KRvK", "KPvK", "KBNvK", "KQvKR", "KNNvK", "KPvKP"])
def test_the_kernels_reader_says_what_python_chess_says(ending: str) -> None:
    kernel = KernelTables([Path(str(REAL))])
    with chess.syzygy.open_tablebase(str(REAL)) as tables:
        for board in positions(ending, 20, random.Random(3)):
            assert kernel.probe_wdl(board) == tables.probe_wdl(board)
            assert kernel.probe_dtz(board) == tables.probe_dtz(board)


def test_the_kernels_reader_knows_nothing_of_what_it_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "KRvK.rtbw").write_bytes(b"\x71\xe8\x23\x5d" + bytes(76))
    kernel = KernelTables([tmp_path])
    board = chess.Board(ROOK.format(0))
    for probe in (kernel.probe_wdl, kernel.probe_dtz):
        with pytest.raises(KeyError):
            probe(board)
    with pytest.raises(BookError, match="nowhere"):
        KernelTables([tmp_path / "nowhere"])


@needs_tables
@pytest.mark.parametrize("reader", [python_tables, KernelTables])
@pytest.mark.parametrize("ending", ["KRvK", "KQvK", "KBNvK"])
def test_the_book_mates_within_dtz(ending: str, reader: Any) -> None:
    book = open_syzygy([Path(str(REAL))], GAME, reader=reader)
    with chess.syzygy.open_tablebase(str(REAL)) as tables:
        boards = [
            board for board in positions(ending, 8, random.Random(2)) if board.turn and tables.probe_dtz(board) > 0
        ]
        for board in boards:
            state, bound = GAME.state_from_text(board.fen()), tables.probe_dtz(board)
            plies = 0
            while GAME.returns(state) is None:
                state = GAME.next_state(state, book.lookup(state)[0].action)
                plies += 1
            assert GAME.returns(state) == (1.0, -1.0)
            assert plies <= bound + 1
    assert boards
    book.close()


@needs_tables
def test_the_search_knows_results_below_the_root_but_not_their_length() -> None:
    searcher = Searcher(GAME, preset("chess").search)
    searcher.set_tables([Path(str(REAL))])
    searcher.set_position("8/2P5/8/8/8/k7/8/4K3 w - - 0 1", [])
    searcher.prepare()
    result = searcher.run(nodes=500)
    best = result.info.moves[0]
    assert (result.reason, best.lower, best.plies) == ("proven", 1, None)
    assert best.move in ("c7c8q", "c7c8r")
