"""Options of playout that its handshake does not tell: drivers ask for all options, and set them all the same."""

from __future__ import annotations

from typing import Any

import pytest

from playout.arena.drivers import ubgi, universal, xboard
from playout.arena.drivers.table import start
from playout.arena.drivers.untold import has_more
from playout.engine.session import Session
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.protocols.registry import PROTOCOLS

from .playing import player
from .scripted import script

CASES = {
    "uci": (universal, "chess", "ExpandVisits", "setoption name ShowAllOptions value true"),
    "ugi": (universal, "hex:5", "ExpandVisits", "setoption name ShowAllOptions value true"),
    "ubgi": (ubgi, "backgammon", "ExpandVisits", "setoption name ShowAllOptions value true"),
    "ubgi key": (ubgi, "backgammon", "engine.expandvisits", "setoption name ShowAllOptions value true"),
    "xboard": (xboard, "chess", "ExpandVisits", "option ShowAllOptions=1"),
}
"""The module of the driver, the game, the name of a hidden option, and the line that asks for all options."""


@pytest.mark.parametrize("name", CASES)
def test_a_player_has_options_that_were_not_told(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The engine of this process answers the driver."""
    module, game_name, option, asking = CASES[name]
    protocol, game = name.split()[0], catalogue.load(game_name)
    sessions: list[Session] = []
    speakers: list[Any] = []

    def reply(line: str) -> list[str]:
        return list(speakers[-1].handle_line(line, 0.0))

    def begun(options: dict[str, Any]) -> list[str]:
        sessions.append(Session(game, post=lambda _: None))
        speakers.append(PROTOCOLS[protocol].open(sessions[-1]))
        start(player(["engine"], protocol, options=options), game)
        return list(started[-1].sent)

    started = script(monkeypatch, module, reply)
    assert asking not in begun({"Seed": 7} if name != "ubgi key" else {"engine.seed": 7})
    assert sessions[-1].options["Seed"] == 7
    sent = begun({option: 3})
    assert sent.count(asking) == 1
    assert sessions[-1].options["ExpandVisits"] == 3
    with pytest.raises(PlayoutError, match=r"no option 'ExpandVizits': did you mean 'ExpandVisits'"):
        begun({"ExpandVizits": 3})


def test_an_engine_without_the_option_is_not_asked() -> None:
    assert not has_more({"hash": "Hash"}, ["Contempt"])
    assert not has_more({"hash": "Hash", "showalloptions": "ShowAllOptions"}, ["HASH"])
    assert has_more({"hash": "Hash", "showalloptions": "ShowAllOptions"}, ["Contempt"])
