"""Real book files in a session: the formats, the tables in the search, and what finished games leave in a store."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import chess
import chess.syzygy
import pytest

from playout.books import formats, shipped
from playout.books.base.book import BookMove
from playout.books.base.entry import BookEntry
from playout.engine.session import Session
from playout.games import catalogue
from playout.games.game import text_to_action
from playout.games.support.backgammon.position_id import position_id
from playout.protocols.uci.ugi import Ugi

from ...needs import needs
from ...syzygy import tables
from ..session_desk import Desk

SYZYGY = str(tables() or "")


def write(path: Path, game: Any, lines: dict[str, str]) -> str:
    """A book that answers each line of moves with one move."""
    entries = []
    for before, move in lines.items():
        state, actions = game.initial_state(), []
        for word in before.split():
            actions.append(text_to_action(game, state, word))
            state = game.next_state(state, actions[-1])
        entries.append(BookEntry(state, [BookMove(text_to_action(game, state, move), 5.0)], tuple(actions)))
    formats.write_book(path, game, entries)
    return str(path)


@pytest.mark.parametrize("suffix", [".yaml", ".book", ".bin"])
def test_a_book_of_each_format_answers(suffix: str, tmp_path: Path) -> None:
    game = catalogue.load("chess")
    file = write(tmp_path / f"own{suffix}", game, {"": "d2d4", "d2d4 g8f6": "c2c4"})
    desk = Desk(game)
    desk.session.set_option("BookFile", file)
    try:
        for moves, answer in (((), "d2d4"), (("d2d4", "g8f6"), "c2c4"), (("e2e4",), None)):
            desk.session.set_position(None, moves)
            result = desk.think(nodes=20)
            assert (result.move == answer and result.reason == "book") if answer else result.reason == "nodes"
            assert result.remarks == ()
    finally:
        desk.session.close()


def test_one_entry_answers_all_images(tmp_path: Path) -> None:
    game = catalogue.load("go:9")
    file = write(tmp_path / "own.book", game, {"C4": "F6"})
    desk = Desk(game)
    desk.session.set_option("BookFile", file)
    try:
        images = {"C4": "F6", "G4": "D6", "C6": "F4", "G6": "D4", "D3": "F6", "D7": "F4", "F3": "D6", "F7": "D4"}
        for move, answer in images.items():
            desk.session.set_position(None, (move,))
            assert desk.think(nodes=5).move == answer, move
    finally:
        desk.session.close()


def test_a_book_move_that_the_game_so_far_forbids_is_not_played(tmp_path: Path) -> None:
    """The book knows the board, not the ko fight before it."""
    game = catalogue.load("go:5,ko=positional")
    ko = ("C3", "D3", "B2", "C2", "C1", "E2", "A5", "D1", "D2")
    desk = Desk(game)
    try:
        desk.session.set_position(None, ko)
        state = desk.session.state
        forbidden = next(a for a in range(25) if state.board[a] == "." and a not in game.legal_actions(state))

        class Known:
            name = "known"

            def lookup(self, _: Any) -> list[BookMove]:
                return [BookMove(forbidden, 1.0)]

            def close(self) -> None:
                pass

        other = Desk(game, books=[Known()])
        other.session.set_position(None, ko)
        result = other.think(nodes=20)
        assert result.reason == "nodes" and text_to_action(game, state, result.move or "") != forbidden
        other.session.close()
    finally:
        desk.session.close()


def test_finished_games_flow_back_into_a_store(tmp_path: Path) -> None:
    game = catalogue.load("tic_tac_toe")
    file = write(tmp_path / "own.book", game, {"": "b2"})
    engine = Ugi(Session(game, post=lambda _: None))
    for option in (f"BookFile value {file}", "BookLearn value true", "OwnBook value true"):
        engine.handle_line(f"setoption name {option}", time.monotonic())
    for moves in ("b2 a1 c1 a3 a2 c2 b1 b3 c3", "b2 a2 a1 c3 c1 a3 b1"):
        engine.handle_line("uginewgame", time.monotonic())
        engine.handle_line(f"position startpos moves {moves}", time.monotonic())
    engine.handle_line("quit", time.monotonic())
    book = formats.open_book(Path(file), game)
    (move,) = book.lookup(game.initial_state())
    assert (move.weight, move.wins, move.draws, move.losses, move.learn) == (5.0, 1, 1, 0, 1)
    book.close()


@pytest.mark.long
def test_the_bear_off_database_is_played_and_searched(tmp_path: Path) -> None:
    file = tmp_path / "small.bearoff"
    shutil.copy(shipped.FOLDER / "backgammon.bearoff", file)
    game = catalogue.load("backgammon")
    desk = Desk(game)
    desk.session.set_option("BookFile", str(file))
    try:
        text = game.state_to_text(bear_off_state(game))
        desk.session.set_position(text, ())
        result = desk.think(nodes=50)
        assert result.reason == "book" and "small.bearoff" in (result.book or "")
        analysed = desk.think(nodes=50, search_moves=tuple(known_moves(game, text)))
        assert analysed.info.moves[0].lower == analysed.info.moves[0].upper, "a position of the table is proven"
    finally:
        desk.session.close()


def bear_off_state(game: Any) -> Any:
    """Each side has a checker on its 2 and one on its 1 point, and player 0 has rolled 1-1."""
    own = (13, 1, 1, *[0] * 23)
    return game.state_from_text(f"{position_id(own, own)} 0 11")


def known_moves(game: Any, text: str) -> list[str]:
    """The legal moves at ``text``."""
    state = game.state_from_text(text)
    return [game.action_to_text(state, action) for action in game.legal_actions(state)]


def drawing_moves(fen: str) -> set[str]:
    """The moves that keep the draw, by python-chess's reader alone."""
    kept = set()
    with chess.syzygy.open_tablebase(SYZYGY) as known:
        board = chess.Board(fen)
        for move in list(board.legal_moves):
            board.push(move)
            if known.probe_wdl(board) == 0:
                kept.add(move.uci())
            board.pop()
    return kept


@needs("syzygy")
def test_syzygy_is_asked_at_the_root_and_in_the_search() -> None:
    desk = Desk(catalogue.load("chess"))
    desk.session.set_option("SyzygyPath", SYZYGY)
    try:
        desk.session.set_position("8/8/8/8/8/3k4/8/R3K3 w - - 0 1", ())
        assert desk.think(nodes=10).reason == "book"
        # Drawn, but one of White's moves to the edge or Black's beside it loses a piece: it is thought about.
        desk.session.set_position("8/8/3nk3/8/8/4K3/8/R7 w - - 0 1", ())
        result = desk.think(nodes=200)
        assert (result.reason, result.info.simulations >= 200) == ("nodes", True)
        assert result.move in drawing_moves("8/8/3nk3/8/8/4K3/8/R7 w - - 0 1")
        assert {move.move for move in result.info.moves} <= drawing_moves("8/8/3nk3/8/8/4K3/8/R7 w - - 0 1")
        desk.session.set_position("3k4/8/3K4/3P4/8/8/8/8 w - - 0 1", ())
        assert desk.think(nodes=2000, search_moves=("d6c6", "d6e6")).info.moves[0].value > 0.9
    finally:
        desk.session.close()
