"""Points that other Go programs get wrong, as clients have found: one test for each."""

from __future__ import annotations

import time
from typing import Any

import pytest

from playout.engine.terms.limits import Clock
from playout.games.catalogue import load
from playout.games.go import Go
from playout.games.hex import Hex
from playout.protocols.base.lines import LineSplitter
from playout.protocols.gtp.protocol import Gtp

from ..fake_session import FakeSession
from .test_gtp import Controller


def raw(*lines: str) -> list[str]:
    """The lines of the reply, unchanged."""
    gtp = Gtp(FakeSession(Go(9)))
    return [reply for line in lines for reply in gtp.handle_line(line, 0.0)]


def test_control_characters_blanks_and_comments() -> None:
    assert raw("na\x07me\r") == ["= playout", ""]
    assert raw("\tname\t# who?") == ["= playout", ""]
    assert raw("", "   ", "# nothing", "\x00\x1b", "\r") == []
    lines = LineSplitter().feed(b"\xff\xfename\r\nname\x00\n", time.monotonic())
    assert [reply for line in lines for reply in raw(line.text) if reply.startswith("=")] == ["= playout"]


def test_a_line_that_begins_with_blanks_is_answered() -> None:
    assert raw(" \t 9 name") == ["=9 playout", ""]


def test_a_response_ends_with_one_blank_line_and_has_none_inside() -> None:
    for command in ("showboard", "list_commands", "final_status_list dead", "undo", "known_command name", "printsgf"):
        send = Controller()
        replies = list(send.gtp.handle_line(command, 0.0))
        while send.session.events:
            replies += send.gtp.handle_event(send.session.events.pop(0))
        assert replies[-1] == ""
        assert "" not in replies[:-1]
        assert not any("\n" in reply for reply in replies)


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("0 name", "=0 playout"),
        ("007 name", "=007 playout"),
        ("2147483647 name", "=2147483647 playout"),
        ("2147483648 name", "? unknown command"),
        ("-1 name", "? unknown command"),
        ("5", "?5 empty command"),
    ],
)
def test_identifiers_are_of_31_bits(line: str, reply: str) -> None:
    assert raw(line)[0] == reply


def test_names_of_commands_have_a_case_and_colours_vertices_and_passes_have_none() -> None:
    send = Controller()
    assert send("NAME", "Play b d4") == ["? unknown command"] * 2
    assert send("play BLACK d4", "play White D5", "play B PASS", "play wHITE PaSs") == ["= "] * 4


def test_failures_have_the_texts_that_controllers_know() -> None:
    send = Controller()
    assert send("sing") == ["? unknown command"]
    assert send("boardsize 1", "boardsize 26") == ["? unacceptable size"] * 2
    assert send("play b D4", "play w D4") == ["= ", "? illegal move"]
    assert send("undo", "undo") == ["= ", "? cannot undo"]
    assert send("komi much") == ["? syntax error: number expected, not 'much'"]
    assert send("komi 1_0", "komi \u0665") == [
        "? syntax error: number expected, not '1_0'",
        "? syntax error: number expected, not '\u0665'",
    ]


def test_sizes_up_to_25_and_column_i_is_left_out() -> None:
    send = Controller()
    assert send("boardsize 25", "clear_board", "play b Z25", "play w i5") == ["= ", "= ", "= ", "? illegal move"]
    assert send("boardsize 9", "play b i5", "play b j5", "play b k5") == [
        "= ",
        "? illegal move",
        "= ",
        "? illegal move",
    ]


def test_resign_is_no_move_of_play_and_none_to_undo() -> None:
    send = Controller()
    assert send("play b D4", "play w resign", "undo", "undo") == ["= ", "? illegal move", "= ", "? cannot undo"]


def test_a_colour_may_move_twice_but_not_break_the_rules() -> None:
    send = Controller()
    assert send("play b A2", "play b B1", "play b B2") == ["= "] * 3
    assert send("play w A1", "play b B2") == ["? illegal move"] * 2


@pytest.mark.parametrize("ko", ["positional", "situational", "simple"])
def test_a_ko_may_not_be_retaken_at_once(ko: str) -> None:
    send = Controller(Go(5, ko=ko))
    moves = "b B3 w C3 b A2 w D2 b B1 w C1 b C2 w B2"
    words = moves.split()
    for colour, point in zip(words[::2], words[1::2], strict=True):
        assert send(f"play {colour} {point}") == ["= "]
    assert send("play b C2") == ["? illegal move"]
    assert send("is_legal b C2", "is_legal b E5") == ["= 0", "= 1"]


def test_handicaps_on_a_board_that_is_not_empty_or_of_numbers_that_are_none() -> None:
    send = Controller()
    for number in ("-1", "0", "1", "10", "99"):
        assert send(f"fixed_handicap {number}") == ["? invalid number of stones"]
        if number not in ("10", "99"):
            assert send(f"place_free_handicap {number}") == ["? invalid number of stones"]
    assert send("fixed_handicap x", "fixed_handicap", "fixed_handicap 2.5") == [
        "? syntax error: whole number expected, not 'x'",
        "? syntax error: expected fixed_handicap STONES",
        "? syntax error: whole number expected, not '2.5'",
    ]
    assert send("fixed_handicap 9", "fixed_handicap 5") == ["= C3 G7 C7 G3 C5 G5 E3 E7 E5", "? board not empty"]
    assert send("place_free_handicap 2", "set_free_handicap A1 A2") == ["? board not empty"] * 2
    assert send("get_handicap", "undo", "clear_board", "get_handicap") == ["= 9", "? cannot undo", "= ", "= 0"]
    assert send("play b pass", "fixed_handicap 2") == ["= ", "? board not empty"]


@pytest.mark.parametrize("words", ["", "A1", "A1 a1", "A1 pass", "A1 Z9", "A1 i2", "A1 A2 resign"])
def test_a_free_handicap_is_two_points_or_more_each_once(words: str) -> None:
    send = Controller()
    assert send(f"set_free_handicap {words}") == ["? bad vertex list"]
    assert send("list_stones b") == ["= "]


def test_a_full_board_is_no_handicap() -> None:
    send = Controller(Go(3))
    points = [f"{column}{row}" for column in "ABC" for row in (1, 2, 3)]
    assert send("set_free_handicap " + " ".join(points)) == ["? bad vertex list"]
    assert send("set_free_handicap " + " ".join(points[:-1])) == ["= "]
    assert send("is_legal w C3", "play w C3") == ["= 1", "= "]


def test_white_moves_first_after_a_handicap() -> None:
    send = Controller()
    send("fixed_handicap 2")
    assert send.session.state.player == 1


def test_genmove_answers_after_the_end_and_play_goes_on() -> None:
    send = Controller()
    send("play b pass", "play w pass")
    assert send("genmove b", "genmove w", "reg_genmove b") == ["= pass"] * 3
    assert send("play b D4", "undo", "undo", "undo") == ["= "] * 4
    assert send("genmove b") == []
    assert send.finish("D4") == ["= D4"]


def test_quit_is_answered_and_the_board_and_komi_outlive_clear_board() -> None:
    send = Controller()
    assert send("boardsize 13", "komi 0.5", "clear_board", "query_boardsize", "get_komi") == [
        "= ",
        "= ",
        "= ",
        "= 13",
        "= 0.5",
    ]
    assert send("3 quit") == ["=3 "]
    assert send.gtp.closed


@pytest.mark.parametrize("seconds", ["0.25", "-0.75", "-10", "3599.999", "1e3"])
def test_times_may_have_fractions_and_be_late(seconds: str) -> None:
    send = Controller()
    assert send("time_settings 300 0 0", f"time_left b {seconds} 0", "genmove b") == ["= ", "= "]
    assert send.clock == Clock(max(float(seconds), 0.0))


def test_fischer_time() -> None:
    send = Controller()
    send("kata-time_settings fischer 60 5", "genmove b")
    assert send.clock == Clock(60.0, 5.0)
    send.time += 20
    send.finish()
    send("genmove b")
    assert send.clock == Clock(45.0, 5.0)
    send.finish()
    send("time_left b 17.5 0", "genmove b")
    assert send.clock == Clock(17.5, 5.0)


def test_fischer_time_with_bounds() -> None:
    send = Controller()
    send("kata-time_settings fischer-capped 60 20 70 8", "genmove b")
    assert send.clock == Clock(60.0, 20.0)
    assert send.session.limits[-1].movetime == 8.0
    send.time += 5
    send.finish()
    send("genmove b")
    assert send.clock == Clock(70.0, 20.0)
    send.finish()
    send("kata-time_settings fischer-capped 60 20 -1 -1", "genmove b")
    assert send.session.limits[-1].movetime is None


def test_a_change_of_rules_keeps_the_game_and_a_refused_one_the_rules() -> None:
    send = Controller()
    send("fixed_handicap 2", "play w E5", "kata-set-rules japanese")
    assert send.session.move_texts == ("E5",)
    assert send.session.game == Go(9, ko="simple", scoring="territory")
    assert send("undo", "list_stones b") == ["= ", "= C3 G7"]


def test_white_gets_points_for_handicap_stones_if_the_rules_say_so() -> None:
    send = Controller()
    send("komi 0.5", "fixed_handicap 3")
    for rules, komi in ("aga", 2.5), ("chinese", 3.5), ("japanese", 0.5), ('{"whiteHandicapBonus":"N"}', 3.5):
        assert send(f"kata-set-rules {rules}", "get_komi") == ["= ", "= 0.5"]
        assert send.session.game.komi == komi
    assert "KM[0.5]" in send("printsgf")[0]
    assert send("final_score") == []
    assert send.deliver() == ["= B+74.5"]
    assert send("komi 1.5", "get_komi", "play w E5", "undo") == ["= ", "= 1.5", "= ", "= "]
    assert send.session.game.komi == 4.5
    assert send("clear_board", "get_komi", "place_free_handicap 2") == ["= ", "= 1.5", "= C3 G7"]
    assert send.session.game.komi == 3.5
    assert send("boardsize 13", "get_komi") == ["= ", "= 1.5"]
    assert send.session.game == Go(13, komi=1.5, ko="simple", scoring="territory")


def test_suicide_is_a_rule() -> None:
    send = Controller(Go(5))
    position = "set_position w B1 w B2 w A3 b A1"
    assert send(position, "is_legal b A2", "kata-set-rule suicide true", "is_legal b A2") == [
        "= ",
        "= 0",
        "= ",
        "= 1",
    ]
    assert send("play b A2", "kata-set-rules chinese") == [
        "= ",
        "? cannot change the rules: illegal move: 'A2' (suicide)",
    ]
    assert send.session.game.suicide


def test_a_proven_win_is_claimed_if_that_is_wanted() -> None:
    from ..fake_session import info, move_info

    won = info([move_info("D4", 1.0, lower=1.0)])
    send = Controller()
    send("gomill-genmove_ex b claim")
    assert send.finish("D4", info=won) == ["= claim"]
    assert send.session.move_texts == ()
    send("gomill-genmove_ex b")
    assert send.finish("D4", info=won) == ["= D4"]


@pytest.mark.parametrize("game", [Hex(5), Hex(5, swap=True), load("tic_tac_toe"), load("chess")])
def test_turns_are_asked_of_the_game(game: Any) -> None:
    send = Controller(game)
    free = hasattr(game, "with_player")
    assert send("all_legal b") != ["= "]
    assert (send("all_legal w") == ["= "]) is not free
    assert send("last_move") == ["? no previous move known"]
