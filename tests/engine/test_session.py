"""The session, for every game that ships and for one written in Python."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from playout.books.base.book import BookMove
from playout.engine.options.config import option_defaults
from playout.engine.options.table import Options
from playout.engine.session import Session
from playout.engine.terms.info import NOTHING, SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games import catalogue
from playout.games.errors import BadOption, GameError, IllegalMove, PlayoutError
from playout.games.game import HasClaimedDraws, HasStateText
from playout.games.tic_tac_toe import TicTacToe

from .session_desk import GAMES, desk


def test_options_that_were_set_stay_when_the_game_changes() -> None:
    """Except options that the other game does not have, or that have no effect there."""
    with desk("chess") as d:
        for name, value in (("UCI_Chess960", "true"), ("Rave", "true"), ("MultiPV", "3"), ("OwnBook", "false")):
            d.session.set_option(name, value)
        d.session.set_game(catalogue.load("backgammon"))
        assert (d.session.options["Hash"], d.session.options["MultiPV"], d.session.options["OwnBook"]) == (16, 3, False)
        assert d.session.options["Rave"] is False
        assert "UCI_Chess960" not in d.session.options
        assert dict(d.session.options.given).keys() >= {"Hash", "MultiPV", "OwnBook"}
        default = Options("backgammon", option_defaults(d.session.game))["Exploration"]
        assert d.session.options["Exploration"] == default
        d.roll()
        assert d.think(nodes=20).move is not None


@pytest.mark.parametrize("name", GAMES)
def test_a_move_is_legal_and_its_lines_too(name: str) -> None:
    with desk(name) as d:
        d.session.set_option("MultiPV", "3")
        for _ in range(3):
            d.roll()
            result = d.think(nodes=60)
            game: Any = d.session.game
            assert result.reason in ("nodes", "proven")
            assert result.info.moves[0].move == result.move == result.info.moves[0].pv[0]
            for line in (move.pv for move in result.info.moves[:3]):
                state = d.session.state
                for text in line:
                    state = game.next_state(state, game.text_to_action(state, text))
            assert result.move is not None
            d.session.play(result.move)
        assert len(d.session.move_texts) >= 3


@pytest.mark.parametrize("name", GAMES)
def test_a_seed_repeats_the_search(name: str) -> None:
    def once() -> list[tuple[Any, ...]]:
        with desk(name) as d:
            d.roll()
            return [(m.move, m.visits, m.value, m.pv) for m in d.think(nodes=80).info.moves]

    assert once() == once()


@pytest.mark.parametrize("name", GAMES)
def test_whole_games_end(name: str) -> None:
    with desk(name if name != "go" else "go:5") as d:
        for _ in range(2000):
            if d.session.game.returns(d.session.state) is not None:
                break
            d.roll()
            if d.session.game.returns(d.session.state) is not None:
                break
            move = d.think(nodes=4).move
            assert move is not None
            d.session.play(move)
        assert d.session.game.returns(d.session.state) is not None
        game, state = d.session.game, d.session.state
        result = d.think(nodes=4)
        if isinstance(game, HasClaimedDraws) and game.without_claim(state) is not None:
            assert result.move is not None, "a draw that nobody has claimed"
        else:
            assert result == SearchResult(None, None, NOTHING, "over")


@pytest.mark.parametrize("name", ["tic_tac_toe", "plain"])
def test_wins_in_one_and_blocks_in_one(name: str) -> None:
    with desk(name) as d:
        d.session.set_position("3/oo1/xx1 x", ())
        assert d.think(nodes=500).move == "c1"
        d.session.set_position("3/x2/oo1 x", ())
        assert d.think(nodes=500).move == "c1"


def test_bad_positions_change_nothing() -> None:
    with desk("chess") as d:
        d.session.set_position(None, ["e2e4"])
        before = d.session.state
        with pytest.raises(IllegalMove, match="move 2: illegal move: 'e7e4'"):
            d.session.set_position(None, ["d2d4", "e7e4"])
        with pytest.raises(GameError):
            d.session.set_position("no board at all", ())
        with pytest.raises(IllegalMove):
            d.session.play("e2e4")
        assert d.session.state == before
        assert d.session.move_texts == ("e2e4",)


SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def test_chess_goes_on_after_a_draw_that_nobody_claims() -> None:
    with desk("chess") as d:
        d.session.set_position(None, SHUFFLE * 2)
        assert d.session.game.returns(d.session.state) == (0.0, 0.0)
        assert d.think(nodes=50).move is not None
        d.session.set_position(None, (*SHUFFLE * 4, "e2e4", "e7e5"))
        assert d.session.game.returns(d.session.state) is None
        assert d.think(nodes=50).move is not None
        assert len(d.session.move_texts) == 18
        for count in range(17, 7, -1):
            d.session.undo()
            assert len(d.session.move_texts) == count
        assert d.session.game.returns(d.session.state) == (0.0, 0.0), "after 8 moves, as before"
        d.session.play("g1f3")
        assert d.session.game.returns(d.session.state) is None


def test_chess_goes_on_after_fifty_moves_that_nobody_claims() -> None:
    with desk("chess") as d:
        d.session.set_position("8/8/8/4k3/8/8/4P3/4KR2 w - - 99 80", ["f1f2"])
        assert d.session.game.returns(d.session.state) == (0.0, 0.0)
        assert d.think(nodes=50).move is not None
        # The clock begins anew, so that moves are told apart again.
        d.session.set_position("3qk3/8/8/8/8/8/4K3/Q7 b - - 100 90", [])
        assert d.think(movetime=0.2).move != "d8d1"
        d.session.set_position("8/8/8/4k3/8/8/4P3/4KR2 w - - 99 80", ["f1f2", "e5e4", "e2e3"])
        assert d.session.game.returns(d.session.state) is None
    with desk("chess") as d:
        for over in ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "8/8/8/4k3/8/8/8/4K3 w - - 0 1"):
            d.session.set_position(over, [])
            assert d.think(nodes=50).move is None
            with pytest.raises(IllegalMove, match="over"):
                d.session.set_position(over, ["e1e2"])


def test_a_panic_of_the_searcher_costs_a_search_not_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """As PyO3's: not an Exception."""

    def panic(*_: Any, **__: Any) -> None:
        raise PanicException("min > max")

    with desk("connect_four") as d:
        with monkeypatch.context() as broken:
            broken.setattr("playout.engine.thinker.Searcher.run", panic)
            result = d.think(nodes=10)
        assert (result.reason, result.fault) == ("fault", "PanicException: min > max")
        assert result.move in ("a", "b", "c", "d", "e", "f", "g")
        assert d.think(nodes=10).reason == "nodes"


def test_a_longer_move_list_replays_only_what_is_new() -> None:
    with desk("chess") as d:
        d.session.set_position(None, ["e2e4", "e7e5"])
        first = d.session.state
        d.session.set_position(None, ["e2e4", "e7e5", "g1f3"])
        d.session.undo()
        assert d.session.state is first
        d.session.set_position(None, ["d2d4"])
        assert d.session.move_texts == ("d2d4",)


def test_either_colour_may_move_where_the_game_allows_it() -> None:
    with desk("go:9") as d:
        d.session.play("C3", 0)
        d.session.play("D4", 0)
        d.session.set_player(0)
        move = d.think(nodes=50).move
        assert move is not None
        d.session.play(move, 0)
        assert len(d.session.move_texts) == 3
        for _ in range(3):
            d.session.undo()
        with pytest.raises(IllegalMove, match="cannot undo"):
            d.session.undo()
        assert d.session.state == d.session.game.initial_state()


def test_dice_come_first() -> None:
    with desk("backgammon") as d:
        with pytest.raises(PlayoutError, match="dice"):
            d.session.go(Limits(nodes=1))
        d.session.play("31")
        assert d.think(nodes=20).move is not None


def test_options_are_bounded() -> None:
    with desk("go:9") as d:
        for name, value in [
            ("Hash", "0"),
            ("Hash", "x"),
            ("No Such", "1"),
            ("Solver", "maybe"),
            ("UCI_Chess960", "true"),
        ]:
            with pytest.raises(BadOption):
                d.session.set_option(name, value)
        assert d.session.options.integer("Hash") == 16
        d.session.set_option("clear  hash", "")


class OneMove:
    """A book of one move for the start of tic-tac-toe."""

    name = "one.book"

    def lookup(self, state: Any) -> list[BookMove]:
        return [BookMove(8, 3.0), BookMove(4, 1.0)] if state == TicTacToe().initial_state() else []


def test_a_book_move_is_played_at_once() -> None:
    with desk("tic_tac_toe", books=[OneMove()]) as d:
        result = d.think(nodes=10)
        assert (result.move, result.reason, result.book) == ("c3", "book", "one.book: c3 weight 3")
        d.session.set_option("OwnBook", "false")
        assert d.think(nodes=10).reason == "nodes"


def test_the_memory_bound_is_kept() -> None:
    with desk("connect_four") as d:
        d.session.set_option("Hash", "1")
        result = d.think(nodes=30_000)
        assert result.reason == "nodes"
        assert result.info.hashfull <= 1000
        assert sum(move.visits for move in result.info.moves) == 30_000


@pytest.mark.parametrize("name", GAMES)
def test_position_texts_are_searched(name: str) -> None:
    with desk(name) as d:
        d.roll()
        game = d.session.game
        assert isinstance(game, HasStateText)
        d.session.set_position(game.state_to_text(d.session.state), ())
        assert d.think(nodes=20).move is not None


def test_an_xgid_is_searched() -> None:
    """The kernel does not read every form of a position that the game's definition reads."""
    with desk("backgammon") as d:
        d.session.set_option("OwnBook", "false")
        d.session.set_position("XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10", ())
        result = d.think(nodes=50)
        assert result.reason == "nodes"
        assert result.fault is None


def test_the_search_has_not_ended_before_its_result_was_taken() -> None:
    taken, wanted = threading.Event(), threading.Event()
    inside: list[bool] = []

    def post(report: SearchInfo | SearchResult) -> None:
        if isinstance(report, SearchResult):
            inside.append(session.wait(0))  # whoever takes the result does not wait for itself
            taken.set()
            wanted.wait()

    session = Session(catalogue.load("tic_tac_toe"), post=post)
    session.go(Limits(nodes=10))
    taken.wait()
    waiting = threading.Thread(target=session.wait)
    waiting.start()
    waiting.join(0.1)
    assert waiting.is_alive()
    wanted.set()
    waiting.join()
    assert inside == [True]
    session.close()
