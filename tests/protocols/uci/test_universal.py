"""UCI and UGI on a session whose searches the test ends."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.games.catalogue import load
from playout.games.errors import PlayoutError
from playout.games.game import CHANCE
from playout.games.tic_tac_toe import TicTacToe
from playout.protocols.uci.uci import Uci
from playout.protocols.uci.ugi import Ugi

from ..fake_session import FakeSession, deliver, info, move_info, send
from ..transcript import check

CLIENTS = (
    "arena",
    "cutechess",
    "cutechess_cfour",
    "en_croissant",
    "fastchess",
    "fastchess_compliance",
    "lichess_bot",
    "python_chess",
)


def start(kind: Any = Uci, game: Any = None) -> tuple[Any, FakeSession]:
    session = FakeSession(game or TicTacToe())
    return kind(session), session


@pytest.mark.parametrize(
    ("name", "kind", "game"),
    [
        ("uci.txt", Uci, "tic_tac_toe"),
        ("uci_chess.txt", Uci, "chess"),
        *((f"uci_{client}.txt", Uci, "chess") for client in CLIENTS),
        ("ugi.txt", Ugi, "tic_tac_toe"),
        ("ugi_backgammon.txt", Ugi, "backgammon"),
    ],
)
def test_transcript(name: str, kind: Any, game: str) -> None:
    protocol, session = start(kind, load(game))
    check(name, protocol, session)
    assert protocol.closed
    assert not protocol.busy


def test_a_second_go_ends_the_first_and_the_lines_after_it_wait() -> None:
    uci, session = start()
    assert send(uci, "go infinite", "position startpos moves b2", "go nodes 5", "xyzzy", "isready") == ["readyok"]
    assert session.calls == ["go", "stop"]
    session.finish("a1")
    replies = deliver(uci, session)
    assert replies[-2:] == ["bestmove a1", "info string unknown command: xyzzy"]
    assert session.calls == ["go", "stop", "go"]
    assert session.limits[1].nodes == 5
    session.finish("b1")
    assert deliver(uci, session)[-1] == "bestmove b1"


def test_each_of_three_go_gets_its_move() -> None:
    uci, session = start()
    send(uci, "go infinite", "go infinite", "go infinite", "stop")
    moves = []
    for _ in range(3):
        session.finish("a1")
        moves += [line for line in deliver(uci, session) if line.startswith("bestmove")]
    assert moves == ["bestmove a1"] * 3
    assert not uci.busy


def test_a_new_game_waits_for_the_search() -> None:
    uci, session = start()
    send(uci, "position startpos moves b2", "go infinite", "ucinewgame")
    assert session.move_texts == ("b2",)
    assert session.calls == ["go", "stop"]
    session.finish("a1")
    deliver(uci, session)
    assert session.move_texts == ()


def test_ponderhit_reaches_a_pondering_search_once() -> None:
    uci, session = start()
    send(uci, "ponderhit", "go ponder wtime 1000 btime 1000", "ponderhit", "ponderhit")
    assert session.calls == ["go", "ponder_hit"]
    session.finish("a1", ponder="b2")
    assert deliver(uci, session)[-1] == "bestmove a1 ponder b2"


def test_options_of_another_game_are_declared_with_their_defaults() -> None:
    uci, _ = start()
    send(uci, "setoption name ShowAllOptions value true")
    declared = send(uci, "setoption name UCI_Variant value chess", "uci")
    assert "option name SyzygyProbeDepth type spin default 1 min 1 max 100" in declared


def test_ugi_names_no_ponder_move() -> None:
    ugi, session = start(Ugi)
    send(ugi, "go nodes 5")
    session.finish("a1", ponder="b2")
    assert deliver(ugi, session)[-1] == "bestmove a1"


def test_reports_follow_the_options() -> None:
    uci, session = start()
    send(uci, "setoption name MultiPV value 2", "setoption name UCI_ShowWDL value true", "go")
    session.post(info([move_info("a1"), move_info("b1"), move_info("c1")]))
    lines = deliver(uci, session)
    assert [line.split()[6] for line in lines] == ["1", "2"]
    assert all(" wdl 500 250 250 " in line for line in lines)


def test_a_search_that_takes_its_time_names_the_move_that_it_is_at() -> None:
    uci, session = start()
    send(uci, "go infinite")
    for seconds, visits in ((0.5, (50, 40)), (1.0, (60, 80)), (1.5, (100, 90))):
        moves = [move_info(move, visits=count) for move, count in zip(("a1", "b1"), visits, strict=True)]
        session.post(info(moves, time=seconds))
    lines = [line for line in deliver(uci, session) if "currmove" in line]
    assert lines == ["info currmove b1 currmovenumber 2", "info currmove a1 currmovenumber 1"]
    session.finish("a1")
    deliver(uci, session)
    send(uci, "go infinite")
    session.post(info([move_info("a1")], time=2.0))
    assert [line for line in deliver(uci, session) if "currmove" in line] == []


def test_debug_says_why_a_search_ended() -> None:
    uci, session = start()
    send(uci, "debug on", "go nodes 5")
    session.finish("a1", reason="nodes", info=info([move_info("a1", visits=3), move_info("b2", 0.0, visits=1)]))
    *_, remark, best = deliver(uci, session)
    assert remark == "info string ended by nodes, 120 visits with those kept; a1 75.0% +0.250; b2 25.0% +0.000"
    assert best == "bestmove a1"
    send(uci, "debug off", "go nodes 5")
    session.finish("a1")
    assert not any("ended by" in line for line in deliver(uci, session))


def test_nobody_is_asked_to_ponder_on_a_reply_that_ends_the_game() -> None:
    uci, session = start()
    for position, move, ponder, best in (
        ("oo1/xx1/3 x", "a1", "c3", "bestmove a1"),
        ("oo1/xx1/3 x", "a1", "b1", "bestmove a1 ponder b1"),
        ("oo1/xx1/3 x", "c2", "c3", "bestmove c2"),
        ("oo1/xx1/3 x", "a1", "nonsense", "bestmove a1"),
    ):
        send(uci, f"position fen {position}", "go nodes 5")
        session.finish(move, ponder=ponder)
        assert deliver(uci, session)[-1] == best


def test_nobody_is_asked_to_ponder_on_a_roll() -> None:
    uci, session = start(game=Dice())
    send(uci, "position startpos", "go nodes 5")
    session.finish("b2", ponder="a1")
    assert deliver(uci, session)[-1] == "bestmove b2"


def test_a_move_is_not_played_in_a_position_that_came_after_its_search() -> None:
    uci, session = start()
    send(uci, "position startpos", "go nodes 5")
    session.finish("a1")
    deliver(uci, session)
    send(uci, "go nodes 5", "position startpos moves b2")
    session.finish("b2")
    assert deliver(uci, session)[-1] == "bestmove b2"
    assert session.calls == ["go", "settle a1", "go"]


def test_the_book_is_closed_under_ugi_unless_it_was_opened() -> None:
    ugi, session = start(Ugi)
    assert "option name OwnBook type check default false" in send(ugi, "ugi")
    assert not session.options["OwnBook"]
    session = FakeSession(TicTacToe())
    session.set_option("OwnBook", "true")
    assert "option name OwnBook type check default true" in send(Ugi(session), "ugi")  # type: ignore[arg-type]


def test_ugi_has_no_variants() -> None:
    ugi, _ = start(Ugi)
    assert not any("UCI_Variant" in line for line in send(ugi, "ugi"))
    assert send(ugi, "setoption name uci_variant value cfour") == ["info string no option uci_variant under UGI"]


def test_options_that_were_set_stay_when_the_variant_changes() -> None:
    uci, session = start(game=load("chess"))
    send(uci, "setoption name Hash value 64", "setoption name UCI_Chess960 value true")
    assert send(uci, "setoption name UCI_Variant value cfour") == []
    assert session.game == load("connect_four")
    assert session.options["Hash"] == 64
    assert "UCI_Chess960" not in session.options
    assert send(uci, "setoption name UCI_Variant value chess") == []
    assert session.game == load("chess")


def test_rules_that_the_command_line_sets_hold_from_the_start() -> None:
    session = FakeSession(load("chess"))
    session.set_option("UCI_Variant", "tictactoe")
    uci = Uci(session)  # type: ignore[arg-type]
    assert "option name UCI_Variant type combo default tictactoe var chess var tictactoe var cfour" in send(uci, "uci")
    assert send(uci, "position startpos moves P@b2") == []
    session = FakeSession(load("chess"))
    session.set_option("UCI_Chess960", "true")
    assert send(Uci(session), "position fen 1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1") == []  # type: ignore[arg-type]
    assert session.game == load("chess:chess960=true")


def test_a_variant_that_is_being_played_is_no_change() -> None:
    uci, session = start(game=load("chess:chess960=true,position=0"))
    send(uci, "position startpos moves e2e4", "setoption name UCI_Variant value chess")
    assert session.game == load("chess:chess960=true,position=0")
    assert session.move_texts == ("e2e4",)


def test_chess960_unasked_ends_with_the_search_that_it_was_for() -> None:
    uci, session = start(game=load("chess"))
    assert send(uci, "position fen 1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1", "go infinite") == []
    assert session.game == load("chess:chess960=true")
    assert send(uci, "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1") == []
    assert session.game == load("chess:chess960=true")
    session.finish("f1h1")
    assert deliver(uci, session)[-1] == "bestmove f1h1"
    assert session.game == load("chess")
    assert session.move_texts == ("e1g1",)


def test_a_variant_asked_for_in_a_search_waits_for_its_end() -> None:
    uci, session = start(game=load("chess"))
    send(uci, "position startpos", "go infinite", "setoption name UCI_Variant value tictactoe")
    session.finish("e2e4")
    assert deliver(uci, session)[-1] == "bestmove e2e4"
    assert session.game == load("tic_tac_toe")
    assert send(uci, "position startpos moves P@a1") == []


@pytest.mark.parametrize("last", ["quit", None])
def test_the_end_of_the_session_stops_a_search_and_reports_its_move(last: str | None) -> None:
    uci, session = start()
    send(uci, "go nodes 1000000", "go nodes 5")
    assert list(uci.handle_line(last, 0.0) if last else uci.handle_eof()) == []
    assert uci.closed
    assert uci.busy
    assert "stop" in session.calls
    session.finish("a1")
    assert deliver(uci, session)[-1] == "bestmove a1"
    assert not uci.busy
    assert session.calls.count("go") == 1
    assert send(uci, "isready") == []


def test_a_go_that_fails_still_gets_its_answer() -> None:
    uci, session = start()

    def fail(_: Any) -> None:
        raise PlayoutError("no weights")

    session.go = fail  # type: ignore[method-assign]
    assert send(uci, "go nodes 5") == ["info string go: no weights", "bestmove (none)"]
    assert not uci.busy


def test_a_fault_in_the_users_game_is_one_line() -> None:
    uci, session = start()
    send(uci, "go nodes 5")
    session.finish("a1", reason="fault", fault="Traceback:\n  line 3\nValueError: oops\n")
    lines = deliver(uci, session)
    assert lines[0] == "info string the search failed: ValueError: oops"
    assert lines[-1] == "bestmove a1"


def test_a_defect_is_one_line_and_the_session_lives_on(caplog: pytest.LogCaptureFixture) -> None:
    uci, session = start()

    def fail(*_: Any) -> None:
        raise ZeroDivisionError("1/0\n2/0")

    session.set_position = fail  # type: ignore[method-assign]
    assert send(uci, "position startpos", "isready") == [
        "info string internal error: ZeroDivisionError: 1/0 2/0",
        "readyok",
    ]
    assert "Traceback" in caplog.text
    assert "'position startpos' failed" in caplog.text


def test_an_engine_that_does_not_get_ready_says_that_it_lives() -> None:
    uci, session = start()

    def fail() -> None:
        raise MemoryError

    session.get_ready = fail  # type: ignore[method-assign]
    assert send(uci, "isready") == ["readyok"]


def test_a_refused_line_is_reported() -> None:
    uci, _ = start()
    assert uci.handle_refusal("line too long: xxx") == ["info string line too long: xxx"]


@dataclasses.dataclass(frozen=True)
class Castling(TicTacToe):
    """A game with the field that UCI_Chess960 sets, and one cell that only that variant has."""

    chess960: bool = False
    kernel = "chess"

    def text_to_action(self, state: Any, text: str) -> int:
        return super().text_to_action(state, "a1" if self.chess960 and text == "castle" else text)


def test_chess960_changes_the_rules_and_keeps_the_position() -> None:
    uci, session = start(game=Castling())
    assert "option name UCI_Chess960 type check default false" in send(uci, "uci")
    assert send(uci, "position startpos moves b2", "setoption name uci_chess960 value true") == []
    assert session.game.chess960
    assert session.move_texts == ("b2",)
    assert send(uci, "position startpos moves castle") == []
    assert send(uci, "setoption name UCI_Chess960 value false") == [
        "info string start position, as the rules have changed: move 1: illegal move: 'castle' "
        "(an empty cell from a1 to c3)"
    ]
    assert session.move_texts == ()


def test_chess960_asked_for_in_a_search_waits_for_its_end() -> None:
    uci, session = start(game=Castling())
    send(uci, "go infinite", "setoption name UCI_Chess960 value true")
    assert not session.game.chess960
    session.finish("a1")
    deliver(uci, session)
    send(uci, "position startpos moves castle")
    assert session.game.chess960
    assert session.move_texts == ("a1",)


def test_a_position_of_chess960_that_comes_in_a_search_waits_for_its_end() -> None:
    uci, session = start(game=load("chess"))
    place = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    illegal = send(uci, "go infinite", f"position fen {place} moves a1a8")
    assert len(illegal) == 1 and "a1a8" in illegal[0]
    assert send(uci, f"position fen {place} moves e1f3") == []
    assert session.game == load("chess")
    session.finish("e2e4")
    assert deliver(uci, session)[-1] == "bestmove e2e4"
    assert session.game == load("chess:chess960=true")
    assert session.move_texts == ("e1f3",)
    send(uci, "go infinite", f"position fen {place}", "position startpos moves e2e4")
    session.finish("e8c8")
    deliver(uci, session)
    assert (session.game, session.move_texts) == (load("chess"), ("e2e4",)), "the last position counts"
    send(uci, "go infinite", f"position fen {place}", "setoption name UCI_Variant value tictactoe")
    session.finish("g8f6")
    assert deliver(uci, session)[-1] == "bestmove g8f6"
    assert session.game == load("tic_tac_toe")


def test_a_position_of_chess960_stays_without_the_option() -> None:
    uci, session = start(game=load("chess"))
    castling = "position fen 1rk3r1/8/8/8/8/8/8/1RK3R1 w GBgb - 0 1 moves c1c2"
    assert send(uci, "setoption name UCI_Chess960 value true", castling) == []
    assert send(uci, "setoption name UCI_Chess960 value false") == []
    assert (session.game, session.move_texts) == (load("chess:chess960=true"), ("c1c2",))
    assert send(uci, "position startpos") == []
    assert session.game == load("chess")


def test_moves_to_search_are_read_as_those_of_a_position_and_illegal_ones_are_named() -> None:
    uci, session = start(game=load("chess"))
    said = send(uci, "go nodes 20 searchmoves e2e4 Nf3 e2e5 zzz")
    assert said == ["info string go: searchmoves: illegal e2e5 zzz"]
    assert session.limits[-1].search_moves == ("e2e4", "g1f3", "e2e5", "zzz")


def test_a_game_that_was_chosen_as_chess960_stays_so() -> None:
    uci, session = start(game=Castling(chess960=True))
    send(uci, "uci", "ucinewgame", "position startpos moves castle", "go nodes 5")
    assert session.game.chess960


class Dice(TicTacToe):
    """Dice decide whenever player 1 would."""

    def current_player(self, state: Any) -> int:
        return CHANCE if state.player == 1 else 0


def test_dice_come_first_and_stand_in_the_moves() -> None:
    ugi, session = start(Ugi, Dice())
    assert send(ugi, "position startpos moves b2", "go nodes 5", "query p1turn") == [
        "info string the dice come first: give the roll as a move",
        "bestmove (none)",
        "response false",
    ]
    assert send(ugi, "position startpos moves b2 a1", "go nodes 5") == []
    assert session.limits


WORDS = (
    "uci isready debug register setoption name value Hash MultiPV ucinewgame position startpos fen moves a1 b2 c3 "
    "xxx/oo1/3 o go nodes 5 -1 infinite ponder searchmoves depth wtime stop ponderhit d joho \x00 <empty> "
    "query p1turn gameover result"
)
VOCABULARY = st.sampled_from(WORDS.split())
LINES = st.sampled_from(
    (
        *("setoption name UCI_Variant value tictactoe", "setoption name UCI_Variant value cfour", "debug on"),
        *("setoption name MultiPV value 3", "setoption name UCI_ShowWDL value true", "position startpos moves P@a1"),
        *("position fen 3/1P1/3[PPPPpppp] b - - 0 1", "position fen 3/3/3 w - - 0 1 moves P@b2 P@a1", "go infinite"),
        *("go searchmoves P@c1 a1", "go ponder", "position startpos moves P@d1 P@d2", "uginewgame", "ucinewgame"),
    )
)


@pytest.mark.long
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.one_of(LINES, st.lists(VOCABULARY, max_size=8).map(" ".join), st.text(max_size=30)), max_size=12))
def test_whatever_is_sent_the_session_lives_and_each_go_is_answered(lines: list[str]) -> None:
    for kind in (Uci, Ugi):
        protocol, session = start(kind)
        session.instant = True
        gone, best = 0, 0
        for line in lines:
            before = session.state
            replies = send(protocol, line)
            if any(reply.startswith("info string") for reply in replies) and not line.strip().startswith("d"):
                assert session.state == before
            gone += len(session.limits)
            session.limits.clear()
            replies += deliver(protocol, session)
            best += sum(reply.startswith("bestmove") for reply in replies)
            assert all(reply and "\n" not in reply and "internal error" not in reply for reply in replies)
        assert best == gone
        if not protocol.closed:
            assert send(protocol, "isready") == ["readyok"]


def test_a_line_of_a_hundred_thousand_words() -> None:
    uci, _ = start()
    (reply,) = send(uci, "position startpos moves" + " a1" * 100_000)
    assert reply.startswith("info string move 2:")
    assert len(reply) < 300
    (reply,) = send(uci, "word " * 100_000)
    assert len(reply) < 100
