"""CECP on a session whose searches the test ends."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.engine.terms.limits import Clock, Limits, Reports
from playout.games.catalogue import load
from playout.games.chess import Chess
from playout.games.errors import ProtocolError
from playout.protocols.xboard.protocol import XBoard

from ..fake_session import FakeSession, info, move_info
from ..transcript import check

ENDGAME = "8/8/8/8/8/1k6/8/K6R w - - 0 1"
RECEIVED = 5.0
LINES = Reports(plain=True)


class Times:
    """A clock that stands where the test puts it."""

    def __init__(self) -> None:
        self.now = RECEIVED

    def __call__(self) -> float:
        return self.now


def start(*lines: str) -> tuple[Any, FakeSession, Times]:
    session, times = FakeSession(Chess()), Times()
    protocol = XBoard(session, now=times)  # type: ignore[arg-type]
    send(protocol, "xboard", "new", *lines)
    return protocol, session, times


def send(protocol: Any, *lines: str) -> list[str]:
    return [reply for line in lines for reply in protocol.handle_line(line, RECEIVED)]


def finish(protocol: Any, session: FakeSession, move: str | None = None, **changes: Any) -> list[str]:
    session.finish(move, **changes)
    replies = []
    while session.events:
        replies += protocol.handle_event(session.events.pop(0))
    return replies


@pytest.mark.parametrize("name", ["xboard.txt", "xboard_analyze.txt", "xboard_4_9.txt", "xboard_python_chess.txt"])
def test_transcript(name: str) -> None:
    session = FakeSession(load("chess"))
    protocol = XBoard(session)  # type: ignore[arg-type]
    check(name, protocol, session)
    assert protocol.closed
    assert not protocol.busy


def test_other_games_are_refused() -> None:
    with pytest.raises(ProtocolError, match=r"for chess, not for tic_tac_toe"):
        XBoard(FakeSession(load("tic_tac_toe")))  # type: ignore[arg-type]


def test_force_ends_the_search_without_a_move_and_pong_comes_after_it() -> None:
    xboard, session, _ = start("e2e4", "force", "ping 1")
    assert session.calls == ["go", "stop"]
    assert finish(xboard, session, "e7e5") == ["pong 1"]
    assert session.move_texts == ("e2e4",)


def test_a_move_that_was_found_just_before_force_is_not_played() -> None:
    xboard, session, _ = start("e2e4")
    session.finish("e7e5")
    assert send(xboard, "force", "ping 1") == []
    assert xboard.handle_event(session.events.pop()) == ["pong 1"]
    assert session.move_texts == ("e2e4",)


def test_new_during_a_search_waits_for_its_end() -> None:
    xboard, session, _ = start("e2e4", "new", "force", "d2d4", "ping 7")
    assert session.move_texts == ("e2e4",)
    assert finish(xboard, session) == ["pong 7"]
    assert session.move_texts == ("d2d4",)
    assert session.calls.count("go") == 1


@pytest.mark.parametrize("line", ["setboard nonsense", "exclude e2e5", "variant shogi", "usermove e2e5"])
def test_nonsense_does_not_cost_the_move_that_is_owed(line: str) -> None:
    xboard, session, _ = start("e2e4", line)
    if session.calls[-1] == "stop":
        finish(xboard, session, "a7a6")
        assert len(session.move_texts) == 1
    if "setboard" in line:
        return
    assert session.searching
    assert "move e7e5" in finish(xboard, session, "e7e5")


def test_the_expected_reply_turns_pondering_into_thinking() -> None:
    xboard, session, times = start("hard", "level 0 1 0", "e2e4")
    times.now = 8.0
    replies = finish(xboard, session, "e7e5", ponder="g1f3")
    assert replies == ["move e7e5", "Hint: g1f3"]
    assert session.move_texts == ("e2e4", "e7e5")
    assert session.limits[-1].ponder
    assert session.limits[-1].clock == Clock(57.0)
    assert send(xboard, "ping 1") == ["pong 1"]
    assert send(xboard, "time 5000", "otim 4000", "Nf3", "ping 2") == []
    assert session.calls == ["go", "go", "ponder_hit"]
    assert session.limits[-1] == Limits(clock=Clock(50.0), received=RECEIVED)
    assert finish(xboard, session, "b8c6") == ["move b8c6", "pong 2"]
    assert session.move_texts == ("e2e4", "e7e5", "g1f3", "b8c6")


def test_another_reply_ends_pondering_and_is_thought_about() -> None:
    xboard, session, _ = start("hard", "e2e4")
    finish(xboard, session, "e7e5", ponder="g1f3")
    assert send(xboard, "d2d4", "ping 1") == []
    assert session.calls == ["go", "go", "stop"]
    assert finish(xboard, session, "b8c6") == []
    assert session.limits[-1] == Limits(received=RECEIVED, reports=LINES)
    assert finish(xboard, session, "e5d4") == ["move e5d4", "pong 1"]


def test_a_reply_that_is_none_leaves_pondering_alone() -> None:
    xboard, session, _ = start("hard", "e2e4")
    finish(xboard, session, "e7e5", ponder="g1f3")
    send(xboard, "g1g5")
    assert finish(xboard, session) == ["Illegal move: g1g5", "Hint: g1f3"]
    assert session.searching


def test_easy_ends_pondering_and_hard_begins_it() -> None:
    xboard, session, _ = start("hard", "e2e4")
    finish(xboard, session, "e7e5", ponder="g1f3")
    assert send(xboard, "hint") == ["Hint: g1f3"]
    send(xboard, "easy")
    assert finish(xboard, session) == []
    assert not session.searching
    assert send(xboard, "hard") == ["Hint: g1f3"]
    send(xboard, "force")
    assert finish(xboard, session) == []
    assert not session.searching


def test_nothing_is_pondered_on_after_new() -> None:
    xboard, session, _ = start("hard", "easy", "hard")
    assert session.calls == []
    send(xboard, "playother")
    assert session.limits[-1] == Limits(ponder=True)


@pytest.mark.parametrize(
    ("lines", "limits"),
    [
        ((), Limits()),
        (("level 40 5 0",), Limits(clock=Clock(300.0, 0.0, 40))),
        (("level 40 0:30 0",), Limits(clock=Clock(30.0, 0.0, 40))),
        (("level 40 25+5 0",), Limits(clock=Clock(1500.0, 0.0, 40))),
        (("level 0 2 12",), Limits(clock=Clock(120.0, 12.0))),
        (("level 0 2:05 0.25", "time 1234", "otim 99"), Limits(clock=Clock(12.34, 0.25))),
        (("level 0 2 12", "time -5"), Limits(clock=Clock(0.0, 12.0))),
        (("time 700",), Limits(clock=Clock(7.0))),
        (("st 30",), Limits(movetime=30.0)),
        (("st 0.1", "level 0 1 0"), Limits(clock=Clock(60.0))),
        (("level 0 1 0", "st 2", "time 10"), Limits(movetime=2.0)),
        (("sd 5", "st 2"), Limits(movetime=2.0, depth=5)),
        (("sd 5", "level 0 1 0"), Limits(clock=Clock(60.0), depth=5)),
        (("sd 5", "nps 10", "new"), Limits()),
        (("level 40 5 0", "time 1", "new"), Limits(clock=Clock(300.0, 0.0, 40))),
        (("st 8", "nps 10000"), Limits(nodes=80000)),
        (("nps 1", "st 1"), Limits(nodes=1)),
        (("nps 1000", "level 0 5 1"), Limits(nodes=11000)),
        (("nps 1000", "level 0 0:01 5"), Limits(nodes=1000)),
        (("nps 0", "st 1"), Limits(movetime=1.0)),
    ],
)
def test_time_controls(lines: tuple[str, ...], limits: Limits) -> None:
    xboard, session, _ = start(*lines)
    assert send(xboard, "e2e4") == []
    assert session.limits == [replace(limits, received=RECEIVED, reports=LINES)]


@pytest.mark.parametrize(
    "line",
    ["level", "level 40 5", "level a 5 0", "level 40 x 0", "level 40 5 y", "level -1 5 0", "level 0 1 -2", "st",
     "st nan", "sd", "sd x", "sd 1.5", "nps", "nps x", "time", "time x", "time nan", "time inf", "otim y"],
)  # fmt: skip
def test_time_that_is_none_is_refused_and_changes_nothing(line: str) -> None:
    xboard, session, _ = start("st 3")
    replies = send(xboard, line)
    if line == "time inf":
        assert replies == []
    else:
        (reply,) = replies
        assert re.fullmatch(rf"Error \([^()]+\): {re.escape(line)}", reply)
    send(xboard, "e2e4")
    assert session.limits == [Limits(movetime=3.0, received=RECEIVED, reports=LINES)]


def test_the_clock_is_kept_where_the_interface_says_nothing() -> None:
    """Three moves a minute, of which the engine takes 10 seconds each; a move of a session is its own."""
    xboard, session, times = start("level 3 1 0")
    seen = []
    for own, reply in (("a2a3", "a7a6"), ("b2b3", "b7b6"), ("c2c3", "c7c6"), ("d2d3", "d7d6"), ("e2e3", "e7e6")):
        times.now = RECEIVED + 10
        send(xboard, own)
        seen.append(session.limits[-1].clock)
        finish(xboard, session, reply)
    left = [(clock.remaining, clock.moves_to_go) for clock in seen if clock is not None]
    assert left == [(60, 3), (50, 2), (40, 1), (90, 3), (80, 2)]


def test_a_level_in_the_middle_of_a_game_counts_from_there() -> None:
    xboard, session, _ = start("force", "e2e4", "e7e5", "g1f3", "level 20 22 0", "go")
    assert session.limits[-1].clock == Clock(1320.0, 0.0, 20)
    finish(xboard, session, "b8c6")
    send(xboard, "d2d4")
    assert session.limits[-1].clock is not None
    assert session.limits[-1].clock.moves_to_go == 19


def test_a_pause_is_not_on_the_clock() -> None:
    xboard, session, _ = start("e2e4")
    xboard.handle_line("pause", 7.0)
    assert finish(xboard, session) == []
    assert not session.searching
    xboard.handle_line("resume", 17.0)
    assert session.limits[-1].received == 15.0
    assert finish(xboard, session, "e7e5") == ["move e7e5"]


@pytest.mark.parametrize(("value", "accepted"), [(-0.3, True), (0.0, True), (0.01, False)])
def test_a_draw_is_accepted_if_the_engine_expects_no_more(value: float, accepted: bool) -> None:
    expected = ["offer draw"] if accepted else []
    found = {"info": info([move_info("e7e5", value)])}
    xboard, session, _ = start("e2e4", "draw")
    assert finish(xboard, session, "e7e5", **found) == [*expected, "move e7e5"]
    xboard, session, _ = start("e2e4")
    finish(xboard, session, "e7e5", **found)
    assert send(xboard, "draw") == expected


def test_a_draw_is_not_accepted_before_anything_is_known() -> None:
    xboard, session, _ = start("draw", "force", "e2e4", "go")
    assert finish(xboard, session, "e7e5", info=info([])) == ["move e7e5"]
    assert send(xboard, "draw") == []


def test_a_draw_that_is_proven_is_offered_once() -> None:
    proven = {"value": 0.0, "lower": 0.0, "upper": 0.0, "plies": None}
    xboard, session, _ = start("e2e4")
    assert finish(xboard, session, "e7e5", info=info([move_info("e7e5", **proven)])) == ["offer draw", "move e7e5"]
    send(xboard, "d2d4")
    assert finish(xboard, session, "d7d5", info=info([move_info("d7d5", **proven)])) == ["move d7d5"]


@pytest.mark.parametrize(("value", "reply"), [(-0.96, "resign"), (-0.94, "move e7e5")])
def test_it_resigns_by_the_option(value: float, reply: str) -> None:
    xboard, session, _ = start("option Resign=0.05", "e2e4")
    assert finish(xboard, session, "e7e5", info=info([move_info("e7e5", value)])) == [reply]


@pytest.mark.parametrize(
    ("plies", "lower", "upper", "score"),
    [(1, 1.0, 1.0, 100001), (3, 1.0, 1.0, 100002), (2, -1.0, -1.0, -100001), (4, -1.0, -1.0, -100002)],
)
def test_mates_are_scored_in_moves(plies: int, lower: float, upper: float, score: int) -> None:
    xboard, _, _ = start("post", "e2e4")
    best = move_info("e7e5", value=lower, lower=lower, upper=upper, plies=plies)
    assert xboard.handle_event(info([best])) == [f"3 {score} 50 100 7 200 0\te5"]


def test_variations_are_in_standard_notation_and_multipv_gives_several() -> None:
    xboard, _, _ = start("option MultiPV=2", "post", "e2e4")
    moves = [move_info("e7e5", pv=("e7e5", "g1f3", "b8c6")), move_info("d7d5", value=-0.25), move_info("c7c5")]
    first, second = xboard.handle_event(info(moves))
    assert first.split("\t") == ["3 37 50 100 7 200 0", "e5 Nf3 Nc6"]
    assert second.split("\t") == ["3 -37 50 100 7 200 0", "d5"]


def test_pondering_on_the_position_is_scored_for_the_engine() -> None:
    xboard, session, _ = start("post", "hard", "e2e4")
    finish(xboard, session, "e7e5")
    assert xboard.handle_event(info([move_info("g1f3", 0.25)])) == ["3 -37 50 100 7 200 0\tNf3"]


def test_a_book_move_is_shown_as_one() -> None:
    xboard, session, _ = start("post", "e2e4")
    replies = finish(xboard, session, "e7e5", info=info([]), reason="book", book="my.book: e7e5 weight 3")
    assert replies == ["0 0 0 0 (my.book: e7e5 weight 3)", "move e7e5"]


@pytest.mark.parametrize(
    ("fen", "move", "claim"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "1-0 {White mates}"),
        ("r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1", "a8a1", "0-1 {Black mates}"),
        ("7k/8/4Q3/8/8/8/8/K7 w - - 0 1", "e6f7", "1/2-1/2 {Stalemate}"),
        ("7k/8/4Q3/8/8/8/8/K7 w - - 0 1", "e6d7", None),
        ("8/8/8/8/3k4/8/1p6/K7 w - - 0 1", "a1b2", "1/2-1/2 {Insufficient material}"),
        ("8/8/8/8/8/1k6/8/K6R w - - 99 80", "h1h2", "1/2-1/2 {Draw by 50 move rule}"),
    ],
)
def test_results_are_claimed_for_both_sides_moves(fen: str, move: str, claim: str | None) -> None:
    expected = [] if claim is None else [claim]
    xboard, session, _ = start("setboard " + fen, "go")
    assert finish(xboard, session, move) == [f"move {move}", *expected]
    xboard, session, _ = start("setboard " + fen, "playother")
    assert send(xboard, move) == expected
    assert session.searching == (claim is None)
    xboard, session, _ = start("setboard " + fen, "force")
    assert send(xboard, move) == []


def test_a_repetition_is_claimed_but_go_plays_on() -> None:
    shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"] * 2
    xboard, session, _ = start("force", *shuffle[:-1], "playother")
    finish_move = shuffle[-1]
    assert send(xboard, finish_move) == ["1/2-1/2 {Draw by repetition}"]
    assert not session.searching
    assert send(xboard, "go") == []
    assert session.searching


def test_after_a_fault_there_is_a_move_or_an_error() -> None:
    xboard, session, _ = start("e2e4")
    replies = finish(xboard, session, "e7e5", reason="fault", fault="Traceback\nValueError: 7")
    assert replies == ["tellusererror the search failed: ValueError: 7", "move e7e5"]


def test_comments_are_sent_only_where_they_are_understood() -> None:
    for lines, expected in ((("protover 2",), ["# so"]), (("protover 2", "rejected debug"), []), ((), [])):
        xboard, session, _ = start(*lines, "e2e4")
        assert finish(xboard, session, "e7e5", remarks=("so",)) == [*expected, "move e7e5"]


def test_a_line_over_the_limit_is_an_error() -> None:
    xboard, _, _ = start()
    assert xboard.handle_refusal("line too long: abc...") == ["Error (line too long): abc..."]


def test_the_opponent_is_told_to_the_option() -> None:
    _, session, _ = start("name GNU Chess", "rating 2000 0", "computer")
    assert session.options.text("UCI_Opponent") == "none none computer GNU Chess"


def test_every_option_is_declared_or_has_a_command() -> None:
    xboard, session, _ = start("option ShowAllOptions=1")
    declared = re.findall(r'feature option="(\w+) -', "\n".join(send(xboard, "protover 2")))
    commanded = {
        "Hash",
        "Threads",
        "Ponder",
        "UCI_Chess960",
        "UCI_Variant",
        "UCI_ShowWDL",
        "UCI_AnalyseMode",
        "UCI_Opponent",
    }
    assert {name.replace(" ", "") for name in session.options} | {"ClearHash"} == {*declared, *commanded}


def test_every_command_is_documented() -> None:
    xboard, _, _ = start()
    for word, handler in xboard._commands.items():
        assert (handler.__doc__ or "").startswith(f"``{word}"), word


def test_the_end_of_the_input_stops_the_search_and_says_nothing() -> None:
    xboard, session, _ = start("e2e4")
    assert xboard.handle_eof() == ()
    assert xboard.closed
    assert xboard.busy
    assert finish(xboard, session, "e7e5") == []
    assert not xboard.busy


WORDS = [
    "new", "force", "go", "playother", "white", "black", "?", "draw", "hint", "bk", "undo", "remove", "hard", "easy",
    "post", "nopost", "analyze", "exit", ".", "pause", "resume", "computer", "random", "edit", "exclude all",
    "include all", "exclude e2e4", "include e2e4", "variant fischerandom", "variant normal", "result * {x}",
    "result 1-0", "level 40 5 0", "st 1", "sd 3", "nps 5", "time 100", "otim 100", "option MultiPV=2", "memory 16",
    "cores 1", "e2e4", "e7e5", "usermove d2d4", "d7d5", "Nf3", "g8f6", "O-O", "@@@@", "e9e4",
    f"setboard {ENDGAME}", "setboard 8/8/8/8/8/8/8/8 w - - 0 1", "protover 2", "accepted done", "!",
]  # fmt: skip
KNOWN = re.compile(
    r"feature .+|Error \([^()]+\): .*|Illegal move( \([^()]+\))?: .*|move \S+|Hint: \S+|pong \d+|offer draw|"
    r"1-0 \{[^{}]+\}|0-1 \{[^{}]+\}|1/2-1/2 \{[^{}]+\}|stat01: \d+ \d+ \d+ \d+ \d+.*|tellusererror .+|# .+|"
    r"-?\d+ -?\d+ \d+ \d+ \d+ \d+ 0\t.*|0 0 0 0 \(.*\)| .*|"
)
GARBAGE = st.text(st.characters(codec="utf-8"), max_size=30)


@pytest.mark.long
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.one_of(st.sampled_from(WORDS), st.sampled_from(WORDS), GARBAGE), max_size=40))
def test_any_lines_in_any_order(lines: list[str]) -> None:
    """Replies are of the protocol, pings are answered once and in order, and in force mode nothing is played.

    ``!`` ends a search that is under way.
    """
    xboard, session, _ = start()
    replies, asked, forced, played = [], 0, False, []
    for line in lines:
        if line == "!":
            before = session.move_texts
            got = finish(xboard, session) if session.searching else []
            if any(reply.startswith("move ") for reply in got):
                played.append(before)
                assert not forced, lines
        else:
            got = send(xboard, line)
            asked += 1
            got += send(xboard, f"ping {asked}")
            if xboard.closed:
                return
            if line in ("force", "analyze") or line.startswith("result 1"):
                forced = True
            elif line in ("new", "go", "playother", "white", "black"):
                forced = False
        replies += got
    for _ in range(9):
        if session.searching:
            replies += finish(xboard, session)
    replies += send(xboard, "easy", "new")
    while session.searching:
        replies += finish(xboard, session)
    assert [reply for reply in replies if not KNOWN.fullmatch(reply)] == []
    assert [reply for reply in replies if reply.startswith("pong")] == [f"pong {n + 1}" for n in range(asked)]
