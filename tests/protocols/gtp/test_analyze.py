"""GTP's analysis: transcripts of the clients that use it, and the exact form of the stream."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.engine.terms.info import SearchResult
from playout.engine.terms.limits import Restriction
from playout.games.catalogue import load
from playout.games.connect_four import ConnectFour
from playout.games.go import Go
from playout.games.hex import Hex
from playout.protocols.gtp.info_lines import ShownPosition, cgos, katago, leela, lower_bound, sabaki, win_rate
from playout.protocols.gtp.protocol import Gtp

from ..fake_session import FakeSession, info, move_info
from ..transcript import check


class Controller:
    """Sends lines and gives the lines that come back, blank ones too."""

    def __init__(self, game: Any = None) -> None:
        self.session = FakeSession(game or Go(9))
        self.gtp = Gtp(self.session)

    def __call__(self, *lines: str) -> list[str]:
        return [reply for line in lines for reply in self.gtp.handle_line(line, 0.0)]

    def report(self, *moves: str) -> list[str]:
        return list(self.gtp.handle_event(info([move_info(move) for move in moves])))

    def finish(self, move: str | None = None, **changes: Any) -> list[str]:
        self.session.finish(move, **changes)
        return list(self.gtp.handle_event(self.session.events.pop()))


@pytest.mark.parametrize(
    ("name", "game"),
    [
        ("gtp_analyze_sabaki.txt", Go(9)),
        ("gtp_analyze_lizzie.txt", Go(9)),
        ("gtp_analyze_lizzie_katago.txt", Go(9)),
        ("gtp_analyze_cgos.txt", Go(9)),
        ("gtp_gogui.txt", Go(5)),
        ("gtp_gogui_rules.txt", ConnectFour()),
        ("gtp_hexgui_menu.txt", Hex(5)),
    ],
)
def test_transcript(name: str, game: Any) -> None:
    session = FakeSession(game)
    check(name, Gtp(session), session)


def test_the_response_begins_at_once_and_ends_with_a_blank_line_before_the_next() -> None:
    send = Controller()
    assert send("5 lz-analyze 10") == ["=5"]
    assert len(send.report("D4", "E5", "C3")) == 1
    assert send.session.calls == ["go"]
    assert send("6 name") == []
    assert send.session.calls == ["go", "stop"]
    assert send.report("D4") != []
    assert send.finish("D4") == ["", "=6 playout", ""]


@pytest.mark.parametrize("line", ["", "   ", "# only a comment", "\t", "foo"])
def test_any_line_of_input_ends_an_analysis(line: str) -> None:
    send = Controller()
    send("kata-analyze 10")
    send(line)
    assert send.session.calls == ["go", "stop"]
    replies = send.finish("D4")
    assert replies[0] == ""
    assert replies[1:] == (["? unknown command", ""] if line == "foo" else [])


def test_what_waits_ends_each_analysis_that_begins_before_it() -> None:
    """The last one of three analyses in a row runs on."""
    send = Controller()
    send("1 lz-analyze", "2 lz-analyze", "3 lz-analyze")
    assert send.finish("D4") == ["", "=2"]
    assert send.session.calls == ["go", "stop", "stop", "go", "stop"]
    assert send.finish("D4") == ["", "=3"]
    assert send.session.calls[5:] == ["go"]


def test_a_blank_line_may_be_meant_for_an_analysis_that_waits() -> None:
    send = Controller()
    send("lz-analyze", "lz-analyze", "")
    assert send.finish("D4") == ["", "="]
    assert send.session.calls[-2:] == ["go", "stop"]
    assert send.finish("D4") == [""]


@pytest.mark.parametrize("name", ["lz", "kata"])
def test_a_move_under_way_is_ended_by_nothing_but_the_interrupt(name: str) -> None:
    send = Controller()
    assert send(f"{name}-genmove_analyze b 10") == ["="]
    assert send("", "name", "# a comment") == []
    assert send.session.calls == ["go"]
    send("# interrupt")
    assert send.session.calls == ["go", "stop"]
    *_, played, blank, answer, end = send.finish("D4")
    assert (played, blank, answer, end) == ("play D4", "", "= playout", "")
    assert send.session.move_texts == ("D4",)


def test_the_end_of_input_and_a_refused_line_end_an_analysis() -> None:
    send = Controller()
    send("lz-analyze")
    assert list(send.gtp.handle_refusal("line too long: xxx")) == []
    assert send.finish("D4") == ["", "? line too long: xxx", ""]
    send("lz-analyze")
    assert list(send.gtp.handle_eof()) == []
    assert send.session.calls[-1] == "stop"
    assert send.finish("D4") == [""]
    assert send.gtp.closed


def test_an_analysis_leaves_the_board_as_it_was() -> None:
    send = Controller()
    send("play b D4")
    before = send.session.state
    send("lz-analyze b 10", "")
    assert send.session.state.player == 0
    send.finish("E5")
    assert send.session.state == before
    assert send.session.move_texts == ("D4",)


def test_the_search_is_told_what_was_asked_for() -> None:
    send = Controller()
    send("kata-analyze w interval 25 maxmoves 7 ownership true avoid w D4,e5 30 avoid b C3 1", "")
    limits = send.session.limits[-1]
    assert limits.infinite
    assert (limits.reports.interval, limits.reports.lines, limits.reports.ownership) == (0.25, 7, True)
    avoided = Restriction(1, frozenset({"D4", "E5"}), plies=30), Restriction(0, frozenset({"C3"}))
    assert (limits.search_moves, limits.restrictions) == ((), avoided)
    send.finish()
    send("kata-analyze w avoid w D4,e5 1 avoid b C3 1", "")
    limits = send.session.limits[-1]
    assert len(limits.search_moves) == 80
    assert not {"D4", "E5"} & set(limits.search_moves)
    assert not limits.restrictions
    send.finish()
    send("lz-analyze allow b D4 1 allow b C3,pass 1 black 50", "")
    assert sorted(send.session.limits[-1].search_moves) == ["C3", "D4", "pass"]
    assert send.session.limits[-1].reports.interval == 0.5


def test_an_interval_of_nothing_reports_nothing_before_the_end() -> None:
    send = Controller()
    send("lz-genmove_analyze b 0")
    assert send.report("D4") == []
    assert send.finish("D4")[0].startswith("info move D4 ")


def test_the_last_line_is_not_said_twice() -> None:
    send = Controller()
    send("lz-genmove_analyze b 10")
    said = send.report("D4")
    assert send.finish("D4", info=info([move_info("D4")])) == ["play D4", ""]
    assert len(said) == 1


def test_a_books_move_has_a_line_too() -> None:
    send = Controller()
    send("lz-genmove_analyze b 100000")
    assert send.finish("D4", info=info(), reason="book", book="9x9: D4 weight 2") == [
        "info move D4 visits 0 winrate 6250 prior 122 lcb 0 order 0 pv D4",
        "play D4",
        "",
    ]
    assert send("explain")[0] == "= Black played D4. It is a book's: 9x9: D4 weight 2."


def test_a_fault_ends_the_response_and_nothing_else() -> None:
    send = Controller()
    send("1 kata-genmove_analyze b")
    send.session.searching = False
    replies = list(send.gtp.handle_event(SearchResult(None, None, info(), "fault", fault="ValueError: oops")))
    assert replies == [""]
    assert send("2 name") == ["=2 playout", ""]


def test_after_the_end_there_is_nothing_to_analyse() -> None:
    send = Controller()
    send("play b pass", "play w pass")
    assert send("1 lz-analyze") == ["=1 ", ""]
    assert send("2 lz-genmove_analyze b") == ["=2 ", "play pass", ""]


def test_dice_come_first() -> None:
    send = Controller(load("backgammon"))
    assert send("lz-analyze 10") == ["? the dice come first: play COLOUR ROLL", ""]


@pytest.mark.parametrize("name", ["hex:5", "tic_tac_toe", "connect_four", "chess"])
def test_every_game_is_analysed(name: str) -> None:
    send = Controller(load(name))
    assert send("kata-analyze 10") == ["="]
    (line,) = send.report(*[move.move for move in [move_info("x")]])
    assert line.startswith("info move x visits 80 ")
    send("")
    assert send.finish() == [""]
    (first, *_) = send("explain")
    assert first.startswith("= Black to move: best is ")


def fields(line: str) -> list[dict[str, str]]:
    """The entries of a line, as clients take it apart."""
    entries = []
    for part in line.split("info ")[1:]:
        words, _, pv = part.partition(" pv ")
        values = words.split()
        entries.append(dict(zip(values[::2], values[1::2], strict=True)) | {"pv": pv.strip()})
    return entries


VALUES = st.floats(-1, 1)
VISITS = st.integers(0, 10**7)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(VALUES, VISITS)
def test_numbers_are_in_their_ranges(value: float, visits: int) -> None:
    move = move_info("D4", value, visits=visits)
    assert 0 <= lower_bound(move) <= win_rate(value) + 1e-9
    report, shown = info([move], value=value), ShownPosition(priors={"D4": 0.5})
    (leela_entry,) = fields(leela(report, shown))
    assert all(0 <= int(leela_entry[name]) <= 10000 for name in ("winrate", "lcb", "prior"))
    (kata,), (floats,) = fields(katago(report, shown)), fields(sabaki(report, shown))
    for name in ("winrate", "lcb", "prior"):
        assert 0 <= float(kata[name]) <= 1
        assert "." in floats[name]
        assert abs(float(kata[name]) - float(floats[name])) < 1e-5
        assert abs(int(leela_entry[name]) / 10000 - float(kata[name])) < 1e-4


@settings(max_examples=25, deadline=None, derandomize=True)
@given(VALUES, st.integers(1, 1000))
def test_the_lower_bound_rises_with_the_visits_and_meets_a_proof(value: float, visits: int) -> None:
    few, many = (lower_bound(move_info("D4", value, visits=n)) for n in (visits, 4 * visits))
    assert few <= many + 1e-9
    assert lower_bound(move_info("D4", 1.0, lower=1.0, upper=1.0)) == 1.0


def test_the_lower_bound_is_wilsons() -> None:
    """100 games, half of them won: 40.4 % (Wilson 1927; z = 1.96)."""
    assert lower_bound(move_info("D4", 0.0, visits=100)) == pytest.approx(0.4038, abs=1e-4)


@pytest.mark.parametrize(("size", "order"), [(3, (6, 7, 8, 3, 4, 5, 0, 1, 2)), ("2x4", (6, 7, 4, 5, 2, 3, 0, 1))])
def test_ownership_is_row_by_row_from_the_top_left_for_the_player_to_move(size: Any, order: tuple[int, ...]) -> None:
    game = Go(size)
    owners = tuple(point / 10 for point in range(game.area))
    report = replace(info([move_info("B2", ownership=owners)], ownership=owners), lead=(2.25, 4.5))
    for player, sign in ((0, 1), (1, -1)):
        shown = ShownPosition(
            player,
            points=[point for row in game.board_rows() for point in row],
            ownership=True,
            moves_ownership=True,
            root=True,
        )
        line = katago(report, shown)
        wanted = [sign * point / 10 for point in order]
        head, _, tail = line.partition(" ownership ")
        assert [float(word) for word in tail.split()] == pytest.approx(wanted)
        words = head.partition("movesOwnership ")[2].split()
        assert [float(word) for word in words[: game.area]] == pytest.approx(wanted)
        assert "rootInfo" in head and "scoreMean 2.25 scoreStdev 4.5 scoreLead 2.25 scoreSelfplay 2.25" in head
        told = json.loads(cgos(report, shown))
        assert told["score"] == pytest.approx(2.2)
        assert len(told["ownership"]) == game.area
    assert cgos_digit(told["ownership"][-1]) == pytest.approx(-owners[order[-1]], abs=0.02)


def cgos_digit(letter: str) -> float:
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return digits.index(letter) / 62 * 2 - 1


ANALYSES = ("lz-analyze", "kata-analyze", "analyze", "lz-genmove_analyze", "kata-search_analyze_cancellable")
WORDS: Sequence[str] = [
    *("b", "w", "B", "10", "0", "-1", "1e9", "nan", "3", "999999999999"),
    *("interval", "minmoves", "maxmoves", "avoid", "allow", "ownership", "rootInfo", "movesOwnership", "true", "false"),
    *("D4", "d4,E5", "pass", "resign", "i5"),
]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(ANALYSES), st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=4)), max_size=7))
def test_whatever_the_arguments_there_is_one_response_and_the_board_stands(name: str, words: list[str]) -> None:
    send = Controller(Go(5))
    send("play b C3")
    before = send.session.state
    replies = send(" ".join(["7", name, *words]).replace("\n", " "))
    assert replies
    assert replies[0][:2] in ("=7", "?7")
    if send.gtp.busy:
        replies += send.report("D4")
        send("")
        replies += send.finish("D4")
    assert replies[-1] == ""
    assert replies.count("") == 1
    assert "internal error" not in "".join(replies)
    if name != "lz-genmove_analyze":
        assert send.session.state == before


def test_live_graphics_go_where_the_gui_reads_them(capsys: pytest.CaptureFixture[str]) -> None:
    """GoGui: standard error, taken away in the end. HexGui: standard output, and nothing to take away."""
    send = Controller(Go(5))
    send("genmove b")
    assert send.report("C3") == []
    assert send.finish("C3") == ["= C3", ""]
    assert capsys.readouterr().err == ""
    send("playout-set_option LiveGraphics true", "genmove w")
    assert send.report("D4", "pass") == []
    drawn = "gogui-gfx:\nVAR w D4\nLABEL D4 62\nTEXT D4 62% 100 simulations 200/s\n\n"
    assert capsys.readouterr() == ("", drawn)
    assert send.report("pass") == []
    assert capsys.readouterr().err == "gogui-gfx:\nTEXT pass 62% 100 simulations 200/s\n\n"
    assert send.finish("D4") == ["= D4", ""]
    assert capsys.readouterr().err == "gogui-gfx:\nCLEAR\n\n"
    send("lz-analyze b 10")
    assert len(send.report("C4")) == 1
    assert capsys.readouterr().err == ""

    send = Controller(Hex(5))
    send("playout-set_option LiveGraphics true", "genmove b")
    assert send.report("c3")[:2] == ["gogui-gfx:", "uct"]
    assert send.report("swap-pieces") == []
    assert send.finish("c3") == ["= c3", ""]
    assert capsys.readouterr().err == ""


def test_a_player_put_first_stays_first() -> None:
    """Also through what loads the game anew, as a command that failed half-way."""
    send = Controller(Go(5))
    assert send("gogui-setup_player w") == ["= ", ""]
    assert send.session.state.player == 1
    assert send("gogui-play_sequence w C3 b C3")[0].startswith("? ")
    assert send.session.state.player == 1
    assert "PL[W]" in "".join(send("printsgf"))


def test_explain_names_the_place_of_the_move_that_was_played() -> None:
    send = Controller(Go(9))
    send("reg_genmove b")
    send.finish("D4", info=info([move_info("D4", visits=60), move_info("E5", -0.5, visits=40)]))
    assert send("explain")[0].startswith(
        "= Black to move: best is D4. It was searched most: 60 visits at 62.5%, against 40"
    )
    send("play b E5")
    assert send("explain 1")[0] == ("= Black played E5. The search put it in place 2, at 25.0%, behind D4 at 62.5%.")
    send("undo", "play b C3")
    assert send("explain")[0] == "= Black played C3. The search did not look at it."
    assert send("explain 0")[0].startswith("? syntax error")


def test_explain_says_what_is_proven() -> None:
    send = Controller(Go(9))
    send("genmove b")
    won = move_info("D4", 1.0, lower=1.0, upper=1.0, plies=3)
    send.finish("D4", info=info([won, move_info("E5")]), reason="proven")
    text = send("explain")
    assert text[0] == "= Black played D4. It is won in 3 plies, proven."
    assert any(line.endswith("(won in 3 plies, proven)") for line in text)
