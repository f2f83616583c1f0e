"""The player at a CGOS server: lines in, actions out, with times that the test gives."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from playout.arena.drivers.driver import RESIGN
from playout.arena.enter.cgos import (
    Action,
    CgosPlayer,
    Halt,
    Leave,
    Over,
    Prepare,
    Reconnect,
    Send,
    Think,
    planned,
)
from playout.games.errors import PlayoutError

SETUP = "setup 17 9 7.0 300000 owner(1800?) bot(1500)"


def entered(analyses: bool = False, games: int | None = None, margin: float = 0.5) -> CgosPlayer:
    """A player who has logged in."""
    player = CgosPlayer("bot", "secret", analyses=analyses, games=games, margin=margin)
    log_in(player)
    return player


def log_in(player: CgosPlayer) -> None:
    """A connection with a login."""
    player.connected()
    for line in ("protocol genmove_analyze", "username", "password"):
        player.receive(line, 0.0)


def feed(player: CgosPlayer, *lines: str, now: float = 0.0) -> list[Action]:
    """The actions of several lines that come together."""
    return [action for line in lines for action in player.receive(line, now)]


def thought(actions: list[Action]) -> Think:
    """The one order to think among ``actions``."""
    [found] = [action for action in actions if isinstance(action, Think)]
    return found


def test_a_login_says_what_the_server_asks() -> None:
    player = CgosPlayer("bot", "secret", analyses=True)
    player.connected()
    [hello] = player.receive("protocol genmove_analyze", 0.0)
    assert isinstance(hello, Send)
    assert hello.line.split()[:2] == ["e1", "playout"]
    assert hello.line.endswith(" genmove_analyze")
    assert player.receive("username", 0.0) == [Send("bot")]
    assert not player.entered
    assert player.receive("password", 0.0) == [Send("secret", secret=True)]
    assert player.entered


@pytest.mark.parametrize(("line", "analyses"), [("protocol", True), ("protocol genmove_analyze", False)])
def test_analyses_are_announced_only_if_both_sides_have_them(line: str, analyses: bool) -> None:
    player = CgosPlayer("bot", "secret", analyses=analyses)
    [hello] = player.receive(line, 0.0)
    assert isinstance(hello, Send)
    assert "genmove_analyze" not in hello.line


@pytest.mark.parametrize("name", ["ab", "9lives", "a b c", "über", "a" * 19, "", "bot\n"])
def test_names_that_no_server_takes_are_refused_at_once(name: str) -> None:
    with pytest.raises(PlayoutError, match="3 to 18 letters"):
        CgosPlayer(name, "secret")


@pytest.mark.parametrize("password", ["", "ab", "old new", "pässword"])
def test_passwords_that_no_server_takes_are_refused_at_once(password: str) -> None:
    with pytest.raises(PlayoutError, match="the password") as refused:
        CgosPlayer("bot", password)
    assert not password or password not in str(refused.value)


@pytest.mark.parametrize(
    "line", ["Error: Sorry, password doesn't match", "Error: invalid response", "Error: You have bad\x07 manners"]
)
def test_an_error_of_the_server_ends_the_stay(line: str) -> None:
    with pytest.raises(PlayoutError, match=r"^the server says: Error: [A-Z]?[ -~]+$"):
        entered().receive(line, 0.0)


def test_another_login_ends_the_stay() -> None:
    with pytest.raises(PlayoutError, match="another program has logged in as bot"):
        entered().receive("info another login is being attempted using this user name", 0.0)


def test_a_game_as_black() -> None:
    player = entered()
    actions = feed(player, SETUP, "genmove b 300000", now=1.0)
    assert isinstance(actions[0], Prepare)
    match = actions[0].match
    assert (match.game, match.seconds, match.player) == ("go:9,komi=7", 300.0, 0)
    assert match.names == ("bot(1500)", "owner(1800?)")
    first = thought(actions)
    assert (first.match, first.moves, first.player, first.left, first.opponent) == (match, (), 0, 300.0, None)
    assert first.received == 1.0
    assert player.answer(first, "C3", 2.0) == [Send("C3")]
    assert player.receive("play w D4 290000", 3.0) == []
    second = thought(player.receive("genmove b 299250", 3.0))
    assert (second.moves, second.left, second.opponent) == (("C3", "D4"), 299.25, 290.0)
    assert player.answer(second, RESIGN, 4.0, '{"winrate":0.1}') == [Send("resign")]
    assert feed(player, "gameover 2026-11-02 W+Resign Resignation") == [Over(match, "W+Resign"), Send("ready")]
    assert player.match is None


def test_a_game_as_white() -> None:
    player = entered()
    actions = feed(player, "setup 3 19 7.5 900000 bot(1500?) owner(10)", "play b Q16 880000", "genmove w 900000")
    asked = thought(actions)
    assert (asked.match.game, asked.match.player, asked.player) == ("go:19,komi=7.5", 1, 1)
    assert (asked.moves, asked.opponent) == (("Q16",), 880.0)


def test_a_setup_in_mid_game_has_moves_from_black_on_and_both_clocks() -> None:
    player = entered()
    asked = thought(feed(player, f"{SETUP}  C3 290000 D4 280000 pass 270000 E5 260000", "genmove b 250000"))
    assert asked.moves == ("C3", "D4", "pass", "E5")
    assert (asked.left, asked.opponent) == (250.0, 260.0)


def test_analyses_follow_moves_where_they_were_announced() -> None:
    talker, mute = entered(analyses=True), entered()
    for player, sent in ((talker, 'C3 {"winrate":0.5}'), (mute, "C3")):
        asked = thought(feed(player, SETUP, "genmove b 300000"))
        assert asked.analysis is (player is talker)
        assert player.answer(asked, "C3", 1.0, '{"winrate":0.5}') == [Send(sent)]


def test_the_engine_is_told_less_than_the_clock_shows() -> None:
    assert planned(10.0, 0.5) == 9.5
    assert planned(0.4, 0.5) == 0.1
    assert planned(-3.0, 0.5) == 0.0
    player = entered(margin=2.0)
    assert thought(feed(player, SETUP, "genmove b 100000")).planned == 98.0


def test_the_worst_of_the_measured_delays_is_kept_too() -> None:
    player = entered()
    asked = thought(feed(player, SETUP, "genmove b 100000", now=0.0))
    # 5 s here and 5.75 s there: the way took a second, and a quarter of one is given.
    player.answer(asked, "C3", 5.0)
    asked = thought(feed(player, "play w D4 1000", "genmove b 94250", now=9.0))
    assert asked.planned == pytest.approx(94.25 - 0.5 - 0.75)
    player.answer(asked, "E3", 10.0)
    assert thought(feed(player, "play w D5 1000", "genmove b 93500", now=11.0)).planned == pytest.approx(93.5 - 1.25)


def test_time_without_a_connection_is_no_delay_of_the_network() -> None:
    player = entered()
    player.answer(thought(feed(player, SETUP, "genmove b 100000")), "C3", 1.0)
    player.lost()
    log_in(player)
    asked = thought(feed(player, f"{SETUP} C3 99000 D4 99000", "genmove b 60000", now=40.0))
    assert asked.planned == 59.5


def test_a_game_over_in_mid_thought_drops_the_answer_and_waits_for_the_engine() -> None:
    player = entered()
    asked = thought(feed(player, SETUP, "genmove b 1000"))
    over = feed(player, "gameover 2026-11-02 W+Time ")
    assert over == [Over(asked.match, "W+Time"), Halt()]
    assert player.answer(asked, "C3", 9.0) == [Send("ready")]


def test_an_engine_that_still_thinks_keeps_the_next_game_waiting() -> None:
    player = entered()
    stale = thought(feed(player, SETUP, "genmove b 1000"))
    feed(player, "gameover 2026-11-02 W+Time")
    player.lost()
    log_in(player)
    actions = feed(player, SETUP.replace("17", "18"), "genmove b 300000")
    assert [type(action) for action in actions] == [Prepare]
    fresh = thought(player.answer(stale, "C3", 9.0))
    assert fresh.match.number == "18"
    assert player.answer(fresh, "D4", 10.0) == [Send("D4")]


def test_a_move_that_was_found_without_a_connection_is_sent_after_the_login() -> None:
    player = entered()
    asked = thought(feed(player, SETUP, "genmove b 100000"))
    player.lost()
    assert player.answer(asked, "C3", 5.0) == []
    log_in(player)
    assert feed(player, SETUP, "genmove b 90000", now=11.0) == [Send("C3")]
    assert thought(feed(player, "play w D4 1", "genmove b 89000", now=12.0)).moves == ("C3", "D4")


def test_a_search_goes_on_through_a_lost_connection() -> None:
    player = entered()
    asked = thought(feed(player, SETUP, "genmove b 100000"))
    player.lost()
    log_in(player)
    assert feed(player, SETUP, "genmove b 90000") == []
    assert player.answer(asked, "C3", 20.0) == [Send("C3")]


def test_a_search_of_another_position_is_ended() -> None:
    player = entered()
    asked = thought(feed(player, SETUP, "genmove b 100000"))
    player.lost()
    log_in(player)
    # The move that arrived was another one, and the game went on without this program.
    assert feed(player, f"{SETUP} E5 99000 D4 99000", "genmove b 90000") == [Halt()]
    fresh = thought(player.answer(asked, "C3", 20.0))
    assert fresh.moves == ("E5", "D4")


def test_the_answer_of_a_search_that_was_halted_is_never_kept() -> None:
    player = entered()
    asked = thought(feed(player, SETUP, "genmove b 100000"))
    player.lost()
    log_in(player)
    player.settled()
    assert player.answer(asked, RESIGN, 20.0) == []
    assert thought(feed(player, SETUP, "genmove b 90000")).moves == ()


def test_the_answer_of_a_search_that_was_halted_is_never_sent() -> None:
    player = entered()
    asked = thought(feed(player, SETUP, "genmove b 100000"))
    player.lost()
    log_in(player)
    assert player.uncertain
    assert player.settled() == [Over(asked.match, "ended while there was no connection"), Halt()]
    assert [type(action) for action in feed(player, SETUP, "genmove b 90000")] == [Prepare]
    again = thought(player.answer(asked, RESIGN, 20.0))
    assert replace(again, received=asked.received, left=asked.left, planned=asked.planned) == asked
    assert player.answer(again, "C3", 21.0) == [Send("C3")]


def test_a_move_that_never_arrived_is_asked_for_again() -> None:
    player = entered()
    player.answer(thought(feed(player, SETUP, "genmove b 100000")), "C3", 5.0)
    player.lost()
    log_in(player)
    assert thought(feed(player, SETUP, "genmove b 90000")).moves == ()


def test_a_game_that_ended_unseen_counts() -> None:
    player = entered(games=1)
    [prepare] = feed(player, SETUP)
    assert isinstance(prepare, Prepare)
    player.lost()
    assert not player.uncertain
    log_in(player)
    over = Over(prepare.match, "ended while there was no connection")
    assert over.value is None
    assert player.settled() == [over, Send("quit"), Leave()]


def test_a_new_game_after_a_login_says_that_the_old_one_is_over() -> None:
    player = entered(games=1)
    [prepare] = feed(player, SETUP)
    assert isinstance(prepare, Prepare)
    player.lost()
    log_in(player)
    actions = feed(player, SETUP.replace("17", "18"))
    assert [type(action) for action in actions] == [Over, Prepare]
    assert not player.uncertain
    assert feed(player, "gameover 2026-11-02 B+2.5")[-1] == Leave()


def test_a_game_that_is_set_up_again_is_certain() -> None:
    player = entered()
    feed(player, SETUP)
    player.lost()
    log_in(player)
    assert player.uncertain
    assert feed(player, f"{SETUP} C3 100") == []
    assert not player.uncertain


def test_the_player_leaves_after_its_games() -> None:
    player = entered(games=2)
    assert feed(player, SETUP, "gameover 2026-11-02 B+2.5")[-1] == Send("ready")
    assert feed(player, SETUP, "gameover 2026-11-02 Draw")[-2:] == [Send("quit"), Leave()]


def test_a_stop_between_games_is_at_once() -> None:
    assert entered().stop() == [Send("quit"), Leave()]


def test_a_stop_in_a_game_waits_for_its_end() -> None:
    player = entered()
    asked = thought(feed(player, SETUP, "genmove b 1000"))
    assert player.stop() == []
    assert player.answer(asked, "C3", 1.0) == [Send("C3")]
    assert feed(player, "gameover 2026-11-02 B+Time") == [Over(asked.match, "B+Time"), Send("quit"), Leave()]


def test_a_stop_while_the_game_goes_on_elsewhere_waits_for_the_login() -> None:
    player = entered()
    feed(player, SETUP)
    assert player.stop() == []
    assert player.lost() == []
    log_in(player)
    assert player.settled()[-2:] == [Send("quit"), Leave()]


@pytest.mark.parametrize("line", ["play b D4 1000", "genmove w 1000"])
def test_a_line_out_of_turn_calls_for_a_login(line: str) -> None:
    player = entered()
    feed(player, f"{SETUP} C3 1 D4 1 E5 1" if line.startswith("play") else SETUP)
    [action] = feed(player, line)
    assert isinstance(action, Reconnect)
    assert "turn" in action.reason


@pytest.mark.parametrize(
    "line",
    [
        "", "   ", "\x00\x1b", "hello", "SSH-2.0-OpenSSH_9.2", "\ufffd" * 1000,
        "genmove", "genmove b", "genmove x 1000", "genmove b soon", "genmove b 1000", f"genmove b {'9' * 400}",
        "play b C3", "play b C3 1000", "gameover", "gameover 2026-11-02",
        "setup", "setup 1 9 7 1000 a(1)", "setup 1 nine 7 1000 a(1) b(1)", "setup 1 9 7 1000 a(1) b(1) C3",
        "setup 1 9 7 1e3 a(1) b(1)",
    ],
)  # fmt: skip
def test_lines_that_cannot_be_read_change_nothing(line: str, caplog: pytest.LogCaptureFixture) -> None:
    player = entered()
    with caplog.at_level(logging.WARNING):
        assert player.receive(line, 0.0) == []
    assert bool(caplog.messages) is bool(line.strip(" \x00\x1b"))
    assert all(len(message) < 200 for message in caplog.messages)
    assert thought(feed(player, SETUP, "genmove b 1000")).moves == ()


def test_what_the_server_tells_people_goes_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    player = entered()
    with caplog.at_level(logging.INFO):
        assert player.receive("info Maximum time until next round: 05:00", 0.0) == []
        feed(player, SETUP, "gameover 2026-11-02 W+Illegal Illegal move error:huh move:Z9")
    assert caplog.messages[0] == "the server says: Maximum time until next round: 05:00"
    assert "the server says: Illegal move error:huh move:Z9" in caplog.messages


@pytest.mark.parametrize(
    ("result", "value", "said"),
    [("B+3.5", 1.0, "won"), ("W+Resign", -1.0, "lost"), ("Draw", 0.0, "drawn"), ("Abort", None, "Abort")],
)
def test_the_end_of_a_game_is_told_in_a_line(result: str, value: float | None, said: str) -> None:
    over = feed(entered(), SETUP, f"gameover 2026-11-02 {result}")[1]
    assert isinstance(over, Over)
    assert over.value == value
    assert str(over).startswith("game 17: go:9,komi=7, bot(1500) (Black) against owner(1800?) (White): ")
    assert str(over).endswith(said)


def test_a_game_over_without_a_game_is_answered() -> None:
    assert feed(entered(games=1), "gameover 2026-11-02 Abort") == [Send("ready")]
