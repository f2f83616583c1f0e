"""Lines of one word many times are answered as quickly as they are read: no costly step is done for each of the words.

Without that some of these take minutes at the length that the transport allows.
"""

from __future__ import annotations

import pytest

from playout.games.catalogue import load
from playout.protocols.base.lines import MAX_LINE
from playout.protocols.registry import PROTOCOLS

from .fake_session import FakeSession, send

LINES = [
    ("gtp", "go:9", "set_free_handicap*", " a1", "? bad vertex list"),
    ("gtp", "go:9", "gogui-setup*", " b a1", "? cannot set up: each stone needs a point of its own"),
    ("gtp", "go:9", "gogui-play_sequence*", " b a1 w a2", "? illegal move"),
    ("gtp", "go:9", "loadsgf (;SZ[19]*", "AB[aa:ss]", "? cannot load file"),
    ("gtp", "go:9", "loadsgf (;SZ[19]AB*)", "[aa:ss]", "? cannot load file"),
    ("gtp", "go:9", "lz-analyze avoid b a1* 1", ",a1", "="),
    ("ubgi", "backgammon", "go*", " nodes 5", "error missing_context dice"),
    ("uci", "chess", "position startpos moves*", " e2e4", "info string move 2: illegal move: 'e2e4'"),
]


@pytest.mark.parametrize(("protocol", "game", "line", "part", "reply"), LINES)
def test_a_line_of_one_word_many_times(protocol: str, game: str, line: str, part: str, reply: str) -> None:
    opened = PROTOCOLS[protocol].open(FakeSession(load(game)))  # type: ignore[arg-type]
    first, *_ = send(opened, line.replace("*", part * (MAX_LINE // 16 // len(part))))
    assert first.startswith(reply)
