"""Games at a server, over sockets: the test is the server, and knows what comes when."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from playout.arena.drivers.driver import RESIGN, Driver, Scene
from playout.arena.drivers.fault import Fault
from playout.arena.terms.end import End
from playout.arena.terms.job import Player
from playout.games.errors import PlayoutError
from playout.games.game import Game

from ...needs import needs
from ...patience import PATIENCE
from ..players import Reply, ScriptedDriver
from .client import Enter, admitted, scripted
from .server import Server, Table


def play_on(server: Server, table: Table, house: Callable[[Table], str]) -> None:
    """Plays until the game is over. ``house`` moves for the opponent, each of whose moves takes a second."""
    while table.result is None:
        if table.users[table.player] == "bot":
            assert server.hear(table) is not None
        else:
            server.now += 1000
            server.play(table, house(table))


def wanderer(seed: int) -> Callable[[Table], str]:
    """An opponent that plays some random moves, then passes."""
    dice = random.Random(seed)

    def move(table: Table) -> str:
        legal = [table.game.action_to_text(table.state, one) for one in table.game.legal_actions(table.state)]
        return dice.choice(legal) if len(table.moves) < 12 else "pass"

    return move


@pytest.mark.parametrize(("size", "black", "komi"), [(5, True, 6.5), (7, False, 0.5)])
def test_a_whole_game(server: Server, enter: Enter, size: int, black: bool, komi: float) -> None:
    client = enter(games=1)
    login = admitted(server)
    assert login.analyses
    table = server.start(*(("bot", "house") if black else ("house", "bot")), size=size, komi=komi)
    play_on(server, table, wanderer(size))
    over = client.over()
    assert over.result == table.result
    assert over.match.player == (0 if black else 1)
    # A player that passes for most of the game loses to one that does not leave dead stones on the board.
    assert over.value == (1.0 if black else -1.0)
    assert [move for move, _ in table.moves[-2:]] == ["pass", "pass"]
    assert login.line() == "quit"
    assert login.line() is None
    assert client.wait() is None


def test_moves_come_with_json_that_is_well_formed(server: Server, enter: Enter) -> None:
    enter()
    admitted(server)
    table = server.start("bot", "house")
    assert server.hear(table) is not None
    said = json.loads(table.analyses[0])
    assert set(said) >= {"winrate", "score", "visits", "moves"}
    assert said["moves"][0]["move"] == table.moves[0][0]


def test_moves_come_without_json_where_nobody_asks_for_it(server: Server, enter: Enter) -> None:
    server.protocol = "protocol"
    enter()
    assert not admitted(server).analyses
    table = server.start("bot", "house")
    assert " " not in (server.hear(table) or " ")
    assert table.result is None


def test_a_resignation_ends_the_game_and_the_next_one_follows(server: Server, enter: Enter) -> None:
    client = enter(start=scripted(RESIGN, "C3"))
    login = admitted(server)
    table = server.start("bot", "house")
    assert server.hear(table) == "resign"
    assert client.over().result == "W+Resign"
    assert login.line() == "ready"
    assert server.hear(server.start("bot", "house")) == "C3"


def test_the_opponents_resignation_is_a_win(server: Server, enter: Enter) -> None:
    client = enter(games=1)
    admitted(server)
    server.play(server.start("house", "bot"), "resign")
    over = client.over()
    assert (over.result, over.value, over.match.player) == ("W+Resign", -1.0, 1)
    assert str(over).endswith("W+Resign, won")


def test_an_illegal_move_of_an_engine_is_a_pass(server: Server, enter: Enter) -> None:
    enter(start=scripted("C3", "C3"))
    admitted(server)
    table = server.start("bot", "house")
    assert server.hear(table) == "C3"
    server.play(table, "D4")
    assert server.hear(table) == "pass"


def test_a_game_over_in_mid_thought_drops_the_answer(server: Server, enter: Enter) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(scene: Scene) -> Reply:
        begun.set()
        assert go_on.wait(PATIENCE)
        return "C3"

    client = enter(start=lambda _player, _game: ScriptedDriver(slow))
    login = admitted(server)
    table = server.start("bot", "house")
    assert begun.wait(PATIENCE)
    server.end(table, "W+Time")
    assert client.over().result == "W+Time"
    go_on.set()
    assert login.line() == "ready"


def test_a_game_over_ends_the_search_of_playout_itself(server: Server, enter: Enter) -> None:
    """Without that, this search would last for months."""
    client = enter(Player(name="playout", protocol="inside", options={"AdaptiveTime": "false"}))
    login = admitted(server)
    table = server.start("bot", "house", size=7, milliseconds=10**12)
    server.end(table, "Abort")
    assert client.over().value is None
    assert login.line() == "ready"


def test_garbage_changes_nothing(server: Server, enter: Enter) -> None:
    enter(start=scripted("C3"))
    login = admitted(server)
    login.send("hello", "", "genmove", "setup 1", "\x00\x07", "play b", "info 100%", "genmove b 1000", "gameover")
    assert server.hear(server.start("bot", "house")) == "C3"


def test_a_stop_between_games(server: Server, enter: Enter) -> None:
    client = enter()
    login = admitted(server)
    client.session.stop()
    assert login.line() == "quit"
    assert login.line() is None
    assert client.wait() is None


def test_a_stop_in_a_game_waits_for_its_end(server: Server, enter: Enter) -> None:
    client = enter(start=scripted("C3", RESIGN))
    login = admitted(server)
    table = server.start("bot", "house")
    assert server.hear(table) == "C3"
    client.session.stop()
    server.play(table, "D4")
    assert server.hear(table) == "resign"
    assert client.over().result == "W+Resign"
    assert login.line() == "quit"
    assert login.line() is None
    assert client.wait() is None


def test_an_engine_that_does_not_start_again_ends_the_stay(server: Server, enter: Enter) -> None:
    engines: Iterator[Driver] = iter([ScriptedDriver([Fault(End.CRASH, "it ended with status 1")])])

    def start(_player: Player, _game: Game[Any, Any]) -> Driver:
        found = next(engines, None)
        if found is None:
            raise PlayoutError("no such program")
        return found

    client = enter(start=start)
    login = admitted(server)
    server.start("bot", "house")
    assert str(client.wait()) == "no such program"
    assert login.line() is None


@pytest.mark.opponents
@needs("gnugo")
def test_a_gtp_engine_plays_a_game(server: Server, enter: Enter) -> None:
    words = "gnugo --mode gtp --level 1 --chinese-rules --capture-all-dead --positional-superko"
    client = enter(Player(name="gnugo", command=tuple(words.split()), protocol="gtp"), games=1)
    login = admitted(server)
    assert not login.analyses
    table = server.start("house", "bot", komi=0.5)
    play_on(server, table, wanderer(3))
    assert client.over().result == table.result
    assert "Illegal" not in str(table.result)
    assert client.wait() is None
