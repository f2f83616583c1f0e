"""A user's game whose method does not return: the process ends all the same."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from ..patience import eventually
from .pipe import Pipe, playout

GAME = """
from pathlib import Path

class Looping:
    moves = 0

    def initial_state(self):
        return 0

    def current_player(self, state):
        return state % 2

    def legal_actions(self, state):
        return [0, 1] if state < 9 else []

    def next_state(self, state, action):
        Looping.moves += 1
        if Looping.moves > 50:
            Path(__file__).with_suffix(".loops").touch()
            while True:
                pass
        return state + 1

    def returns(self, state):
        return (0, 0) if state == 9 else None
"""


@pytest.mark.long
@pytest.mark.parametrize(
    "end",
    [
        pytest.param(lambda engine: engine.send("quit"), id="quit"),
        pytest.param(lambda engine: engine.close_input(), id="end of the input"),
        pytest.param(lambda engine: engine.interrupt(signal.SIGTERM), id="SIGTERM"),
    ],
)
def test_a_search_that_does_not_end_does_not_keep_the_process(end: Callable[[Pipe], None], tmp_path: Path) -> None:
    (tmp_path / "looping.py").write_text(GAME)
    with Pipe(playout("uci", "--game", f"{tmp_path}/looping.py:Looping")) as engine:
        engine.send("go nodes 1000000", "isready")
        engine.until("readyok")
        assert eventually((tmp_path / "looping.loops").exists)
        end(engine)
        assert engine.exit_status() == 1
        engine._join()
        assert "playout: the search does not end: the method next_state does not return" in engine.errors()
