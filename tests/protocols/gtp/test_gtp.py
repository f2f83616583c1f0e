"""GTP on a session whose searches the test ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from playout.engine.terms.info import SearchResult
from playout.engine.terms.limits import Clock
from playout.games.catalogue import load
from playout.games.connect_four import ConnectFour
from playout.games.go import Go
from playout.games.hex import Hex
from playout.games.tic_tac_toe import TicTacToe
from playout.protocols.gtp import protocol, sgf
from playout.protocols.gtp.protocol import Gtp

from ..analysis.desk import MNK
from ..fake_session import FakeSession, info, move_info
from ..transcript import check


class Controller:
    """Sends commands and gives their responses as text."""

    def __init__(self, game: Any = None, **arguments: Any) -> None:
        self.time = 0.0
        self.session = FakeSession(game or Go(9))
        self.gtp = Gtp(self.session, now=lambda: self.time, **arguments)

    def __call__(self, *lines: str) -> list[str]:
        return split([reply for line in lines for reply in self.gtp.handle_line(line, self.time)])

    def finish(self, move: str | None = None, **changes: Any) -> list[str]:
        self.session.finish(move, **changes)
        return self.deliver()

    def deliver(self) -> list[str]:
        replies: list[str] = []
        while self.session.events:
            replies += self.gtp.handle_event(self.session.events.pop(0))
        return split(replies)

    @property
    def clock(self) -> Clock | None:
        """The clock of the last search."""
        return self.session.limits[-1].clock


def split(lines: list[str]) -> list[str]:
    """Responses, each without its closing blank line."""
    text = "".join(f"{line}\n" for line in lines)
    assert text == "" or text.endswith("\n\n")
    return text.split("\n\n")[:-1]


TRANSCRIPTS: dict[str, Any] = {
    "gtp_go.txt": Go(9),
    "gtp_hex.txt": Hex(11, swap=True),
    "gtp_tic_tac_toe.txt": TicTacToe(),
    "gtp_cgos.txt": Go(9),
    "gtp_kgs.txt": Go(19),
    "gtp_twogtp.txt": Go(9),
    "gtp_gomill.txt": Go(9),
    "gtp_gnugo.txt": Go(9),
    "gtp_katago.txt": Go(9),
    "gtp_rectangular.txt": Go(9),
    "gtp_hexgui.txt": Hex(11, swap=True),
    "gtp_benzene.txt": Hex(11, swap=True),
}
"""Dialects and clients, each with the game that it begins with."""


@pytest.mark.parametrize(("name", "game"), TRANSCRIPTS.items())
def test_transcript(name: str, game: Any) -> None:
    session = FakeSession(game)
    gtp = Gtp(session)
    check(name, gtp, session)
    assert gtp.closed
    assert not gtp.busy


def test_every_listed_command_is_known_and_answers() -> None:
    send = Controller()
    (listed,) = send("list_commands")
    names = listed.removeprefix("= ").split("\n")
    assert len(names) == len(set(names))
    for name in names:
        assert send(f"known_command {name}") == ["= true"]
        if name not in ("quit", "list_commands"):
            replies = list(send.gtp.handle_line(name, 0.0))
            if send.gtp.busy and not send.session.events:
                send.session.finish()
            while send.session.events:
                replies += send.gtp.handle_event(send.session.events.pop(0))
            (response,) = split(replies)
            assert response[0] in "=?"
            assert "unknown command" not in response


def test_commands_without_end_are_not_kept_but_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol.Gtp, "most_waiting", 3)
    send = Controller(TicTacToe())
    assert send("genmove b", *["1 name"] * 5) == []
    replies = send.finish()
    assert [reply.split()[0] for reply in replies] == ["=", "=1", "=1", "=1", "?", "?"]
    assert send("2 name") == ["=2 playout"]


def test_commands_during_a_search_wait_in_order() -> None:
    send = Controller()
    assert send("1 genmove b", "2 genmove w", "3 name", "4 foo", "5 quit", "6 name") == []
    assert send.session.calls == ["go"]
    assert send.finish("D4") == ["=1 D4"]
    assert send.finish("E5") == ["=2 E5", "=3 playout", "?4 unknown command", "=5 "]
    assert send.gtp.closed
    assert send.session.move_texts == ("D4", "E5")


def test_a_command_that_waited_starts_its_clock_when_its_turn_comes() -> None:
    send = Controller()
    send("time_settings 100 0 0", "genmove b", "genmove w")
    send.time = 30.0
    send.finish("D4")
    assert send.session.limits[-1].received == 30.0
    send.time = 40.0
    send.finish("E5")
    send("genmove b")
    assert send.clock == Clock(70.0)
    send.finish("E4")
    send("genmove w")
    assert send.clock == Clock(90.0)


def test_interrupt_ends_a_search_and_is_otherwise_a_comment() -> None:
    send = Controller()
    assert send("# interrupt") == []
    assert send.session.calls == []
    send("genmove b", "# interrupt")
    assert send.session.calls == ["go", "stop"]
    assert send.finish("D4") == ["= D4"]


def test_the_end_of_input_lets_queued_commands_finish() -> None:
    send = Controller()
    send("genmove b", "name")
    assert list(send.gtp.handle_eof()) == []
    assert not send.gtp.closed
    assert send.finish("D4") == ["= D4", "= playout"]
    assert send.gtp.closed


def test_an_interrupted_session_drops_them() -> None:
    send = Controller()
    send("genmove b", "name", "genmove w")
    assert list(send.gtp.handle_eof(True)) == []
    assert send.session.calls == ["go", "stop"]
    assert send.finish("D4") == ["= D4"]
    assert send.gtp.closed


def test_a_refused_line_is_answered_in_its_turn() -> None:
    send = Controller()
    send("genmove b")
    assert list(send.gtp.handle_refusal("line too long: xxx")) == []
    assert send.finish("D4") == ["= D4", "? line too long: xxx"]


def test_a_colour_may_move_twice() -> None:
    send = Controller()
    send("play b D4", "genmove b")
    assert send.session.state.player == 0
    assert send.finish("E5") == ["= E5"]
    assert send.session.state.board.count("X") == 2


def test_reg_genmove_changes_nothing() -> None:
    send = Controller()
    send("play b D4")
    before = send.session.state
    for colour in "wb":
        send(f"reg_genmove {colour}")
        assert send.finish("E5") == ["= E5"]
        assert send.session.state == before


@pytest.mark.parametrize(("value", "answer"), [(-0.95, "resign"), (-0.85, "D4")])
def test_resignation(value: float, answer: str) -> None:
    send = Controller()
    send("playout-set_option Resign 0.1", "genmove b")
    assert send.finish("D4", info=info([move_info("D4", value)])) == [f"= {answer}"]
    assert send("undo") == ["? cannot undo" if answer == "resign" else "= "]


@pytest.mark.parametrize(
    ("game", "option", "value", "visits", "resigns"),
    [
        (Go(9), None, -0.95, 100, True),
        (Go(9), None, -0.95, 10, False),
        (Go(9), None, -0.85, 100, False),
        (Go(9), "0", -0.95, 100, False),
        (Hex(7), None, -0.95, 100, True),
        (ConnectFour(), None, -1.0, 100, False),
    ],
)
def test_games_of_go_and_hex_are_resigned_by_default(
    game: Any, option: str | None, value: float, visits: int, resigns: bool
) -> None:
    send = Controller(game)
    if option is not None:
        send(f"playout-set_option Resign {option}")
    send("genmove b")
    move = game.action_to_text(game.initial_state(), game.legal_actions(game.initial_state())[0])
    (answer,) = send.finish(move, info=info([move_info(move, value, visits=visits)]))
    assert (answer == "= resign") == resigns


def test_an_option_reads_as_it_is_set() -> None:
    send = Controller()
    assert send("playout-get_option Ponder") == ["= false"]
    assert "Ponder = false" in "\n".join(send("playout-list_options")).splitlines()
    assert send("playout-set_option Ponder true", "playout-get_option ponder")[-1] == "= true"


def test_options_have_katagos_names_too() -> None:
    send = Controller()
    names = send("kata-list-params")[0].removeprefix("= ").split()
    assert {"BookFile", "MoveOverhead", "maxPlayouts", "numSearchThreads"} <= set(names)
    assert send("kata-set-param maxPlayouts 400", "playout-get_option MaxNodes")[-1] == "= 400"
    assert send("kata-set-param bookdepth 7", "kata-get-param BookDepth")[-1] == "= 7"
    assert send("kata-set-param MoveOverhead 80", "playout-get_option Move Overhead")[-1] == "= 80"
    assert send("kata-set-param BookFile a b.book", "kata-get-param BookFile")[-1] == "= a b.book"
    assert send("kata-get-param chosenMoveTemperature") == [
        "? no parameter 'chosenMoveTemperature': did you mean 'Temperature'?"
    ]
    assert send("kata-get-param xyzzy") == ["? no parameter 'xyzzy': see kata-list-params"]
    assert send("kata-set-param Hash 0")[0].startswith("? option Hash")


@pytest.mark.parametrize(("result", "value"), [("B+3.5", 1), ("w+Resign", -1), ("0", 0), ("Draw", 0)])
def test_a_server_says_how_the_game_ended(result: str, value: int) -> None:
    send = Controller()
    assert send(f"cgos-gameover {result}") == ["= "]
    assert send.session.calls == [f"ended {value}"]
    assert send("cgos-gameover black")[0].startswith("? syntax error")


def test_a_fault_without_a_move_is_a_failure() -> None:
    send = Controller()
    send("1 genmove b")
    send.session.searching = False
    send.session.post(SearchResult(None, None, info(), "fault", fault="Traceback\nValueError: oops"))
    assert send.deliver() == ["?1 search failed: ValueError: oops"]
    assert send("name") == ["= playout"]


def test_rolls_are_played_by_either_colour() -> None:
    send = Controller(load("backgammon"))
    assert send("genmove b") == ["? the dice come first: play COLOUR ROLL"]
    assert send("play w 31") == ["= "]
    assert send("genmove b") == []
    assert send.finish("8/5,6/5") == ["= 8/5,6/5"]
    assert send("play w 8/5 6/5", "play w 52", "play w 13/8 24/22") == ["? illegal move", "= ", "= "]
    assert send("gg-undo 4", "undo") == ["= ", "? cannot undo"]


def test_a_defect_is_one_failure(caplog: pytest.LogCaptureFixture) -> None:
    send = Controller()

    def fail(*_: Any) -> None:
        raise ZeroDivisionError("1/0\n\n2/0")

    send.session.play = fail  # type: ignore[method-assign]
    assert send("8 play b c3", "name") == ["?8 internal error: ZeroDivisionError: 1/0 2/0", "= playout"]
    assert "Traceback" in caplog.text


def test_absolute_time() -> None:
    send = Controller()
    send("genmove b")
    assert send.clock is None
    send.finish()
    send("time_settings 300 0 0", "genmove w")
    assert send.clock == Clock(300.0)
    send.time += 20
    send.finish()
    send("time_left w 250.5 0", "genmove w")
    assert send.clock == Clock(250.5)
    send.finish()
    send("time_left w -3 0", "genmove w")
    assert send.clock == Clock(0.0)
    send.finish()
    send("clear_board", "genmove b")
    assert send.clock == Clock(300.0)


@pytest.mark.parametrize("command", ["time_settings 300 30 0", "time_settings 0 0 0", "kgs-time_settings none"])
def test_no_limit(command: str) -> None:
    send = Controller()
    send("time_settings 10 0 0", command, "genmove b")
    assert send.clock is None


def test_canadian_overtime() -> None:
    send = Controller()
    assert send("kgs-time_settings canadian 10 30 3", "genmove b") == ["= "]
    assert send.clock == Clock(10.0, period=30.0, period_moves=3)
    for left, stones, spent in [(25.0, 2, 15.0), (20.0, 1, 5.0), (30.0, 3, 20.0)]:
        send.time += spent
        send.finish()
        send("genmove b")
        assert send.clock == Clock(left, moves_to_go=stones, period=30.0, period_moves=3, in_overtime=True)
    send.finish()
    send("time_left w 12 2", "genmove w")
    assert send.clock == Clock(12.0, moves_to_go=2, period=30.0, period_moves=3, in_overtime=True)


def test_byo_yomi() -> None:
    send = Controller()
    send("kgs-time_settings byoyomi 10 30 5", "genmove b")
    assert send.clock == Clock(10.0, period=30.0, periods=5)
    for spent, periods in [(15.0, 5), (29.0, 5), (65.0, 3), (500.0, 1)]:
        send.time += spent
        send.finish()
        send("genmove b")
        assert send.clock == Clock(30.0, period=30.0, periods=periods, in_overtime=True)
    send.finish()
    send("time_left b 7 2", "genmove b")
    assert send.clock == Clock(7.0, period=30.0, periods=2, in_overtime=True)


@pytest.mark.parametrize(
    "line",
    [
        "time_settings -1 0 0",
        "time_settings 1 inf 0",
        "kgs-time_settings",
        "kgs-time_settings absolute",
        "kgs-time_settings fischer 1 2",
        "time_left b 10 -1",
        "time_left b",
    ],
)
def test_bad_times_are_failures(line: str) -> None:
    assert Controller()(line)[0].startswith("? syntax error")


GAME = "(;GM[1]SZ[5]KM[3.5]C[a \\] bracket](;B[cc];W[bb];B[];W[dd](;B[aa])(;B[ee]))(;B[ab]))"


def test_a_record_whose_first_mover_is_not_the_one_of_its_first_move_is_kept() -> None:
    game = load("go:5")
    record = sgf.load("(;GM[1]SZ[5]PL[B];W[aa];B[bb])", game)
    assert record.first == 0 and record.moves[0][0] == 1
    assert sgf.load(sgf.save(record), game) == record


def test_loadsgf_and_printsgf(tmp_path: Path) -> None:
    path = tmp_path / "a game.sgf"
    path.write_text(GAME)
    send = Controller()
    assert send(f"loadsgf {path}", "query_boardsize", "get_komi") == ["= ", "= 5", "= 3.5"]
    assert send.session.move_texts == ("C3", "B4", "pass", "D2", "A5")
    assert send(f"loadsgf {path} 3", "undo") == ["= ", "= "]
    assert send.session.move_texts == ("C3",)
    assert send(f"printsgf {tmp_path}/out.sgf", f"loadsgf {tmp_path}/out.sgf") == ["= ", "= "]
    assert send.session.move_texts == ("C3",)
    (text,) = send("printsgf")
    assert text.endswith("SZ[5]KM[3.5]\n;B[cc])")


def test_loadsgf_places_setup_stones(tmp_path: Path) -> None:
    (tmp_path / "setup.sgf").write_text("(;SZ[5]AB[aa:bb]AW[ee]PL[W];W[cc])")
    send = Controller()
    assert send(f"loadsgf {tmp_path}/setup.sgf") == ["= "]
    board = send.session.state.board
    assert (board.count("X"), board.count("O")) == (4, 2)
    assert send("undo", "undo") == ["= ", "? cannot undo"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "(",
        "(;SZ[5]B[cc",
        "(;SZ[99])",
        "(;SZ[5:1])",
        "(;SZ[x])",
        "(;GM[2]SZ[5])",
        "(;SZ[5]KM[much])",
        "(;SZ[5];B[zz])",
        "(;SZ[5];B[cc];W[cc])",
        "(;SZ[5]AB[];W[cc])",
        "(;SZ[5];B[cc];AE[cc])",
        "(;[cc])",
        "(B[cc])",
        "[" * 100_000,
        "(;",
        "(;SZ[5];B[cc];W",
        "(;SZ[5];B[cc][dd])",
        "(;SZ[5]AB[cc]AW[cc])",
        f"(;SZ[5]C[{'x' * sgf.LARGEST_FILE}])",
    ],
)
def test_a_bad_file_changes_nothing(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.sgf").write_text(text)
    send = Controller()
    send("fixed_handicap 2", "play w D4", "play w D5")
    before = send.session.state, send.session.game
    assert send(f"loadsgf {tmp_path}/bad.sgf") == ["? cannot load file"]
    assert (send.session.state, send.session.game) == before


def test_the_reason_for_which_a_record_is_refused_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    send = Controller()
    os.mkfifo(tmp_path / "pipe")
    assert send("loadsgf (;SZ[5];B[cc];AE[cc])", f"loadsgf {tmp_path}/pipe") == ["? cannot load file"] * 2
    assert "stones are changed in the middle of the game" in caplog.text
    assert "pipe: not a regular file" in caplog.text


def test_properties_without_a_value_say_nothing() -> None:
    send = Controller()
    assert send("loadsgf (;GM SZ[5]KM PL AB;B;W[cc])", "query_boardsize", "get_komi") == ["= ", "= 5", "= 7.5"]


def test_a_users_game_has_no_handicap() -> None:
    send = Controller(load(MNK))
    assert send("gogui-play_sequence b a1 w a1") == ["? illegal move"]
    assert send("gogui-play_sequence b 0 w 1") == ["= "]


def test_no_file_is_touched_where_files_are_not_allowed(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text(GAME)
    send = Controller(files=False)
    assert send(f"loadsgf {tmp_path}/a.sgf", f"printsgf {tmp_path}/b.sgf") == [
        "? cannot load file",
        "? cannot write file",
    ]
    assert not (tmp_path / "b.sgf").exists()
