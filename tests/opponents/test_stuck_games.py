"""A user's game whose methods do not return, or are slow: the move is reported, and the process ends, all the same."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..patience import PATIENCE, eventually
from .pipe import Pipe, forked

GAMES = """
import time
from pathlib import Path

HERE = Path(__file__)


class Counting:
    free = 50
    moves = 0

    def initial_state(self):
        return 0

    def current_player(self, state):
        return state % 2

    def legal_actions(self, state):
        return [0, 1] if state < 9 else []

    def next_state(self, state, action):
        Counting.moves += 1
        if Counting.moves > self.free:
            HERE.with_suffix(".stuck").touch()
            self.stick()
        return state + 1

    def returns(self, state):
        return (0, 0) if state == 9 else None


class Looping(Counting):
    def stick(self):
        while True:
            pass


class LoopingAtOnce(Looping):
    free = 0


class LoopingOnce(Looping):
    def stick(self):
        if Counting.moves == self.free + 1:
            super().stick()


class Stubborn(Counting):
    def stick(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass


class StubbornAtOnce(Stubborn):
    free = 0


class Sleeping(Counting):
    def stick(self):
        time.sleep(10_000)


class Holding(Counting):
    def stick(self):
        sum(range(10**12))


class HoldingAtOnce(Holding):
    free = 0


class Slow(Counting):
    free = 0

    def stick(self):
        time.sleep(0.6)
        with HERE.with_suffix(".steps").open("a") as file:
            file.write("step\\n")
"""

HASTY = """
from playout.cli import stuck
from playout.engine import running
running.PATIENCE, running.LAST_PATIENCE = 0.1, 0.2
stuck.LONGEST_CALL, stuck.BEAT, stuck.HELD = 0.2, 0.1, 1.5
"""
"""Waits less for a method that takes the processor meanwhile."""
PATIENT = f"""{HASTY}
running.LAST_PATIENCE = stuck.PATIENCE = {PATIENCE}
stuck.INTERRUPTIONS = 10**6
"""
"""Gives a method as long to end after its interruption as a busy machine may need."""

INTERRUPTIBLE = ["Looping", "LoopingOnce"]
NOT_INTERRUPTIBLE = ["Stubborn", "Sleeping"]

pytestmark = pytest.mark.long


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Callable[[str], Pipe]]:
    """Starts the engine with one of the games. It is patient where an interruption is to help, and hasty where not."""
    (tmp_path / "stuck.py").write_text(GAMES)
    engines: list[Pipe] = []

    def start(name: str) -> Pipe:
        first = PATIENT if name.startswith("Looping") else "" if name == "Slow" else HASTY
        engines.append(Pipe(forked("uci", "--game", f"{tmp_path}/stuck.py:{name}", first=first)))
        return engines[-1]

    yield start
    for engine in engines:
        engine.__exit__()


def is_stuck(folder: Path) -> bool:
    return eventually((folder / "stuck.stuck").exists)


@pytest.mark.parametrize("name", [*INTERRUPTIBLE, *NOT_INTERRUPTIBLE, "Slow"])
def test_a_deadline_brings_a_legal_move(name: str, game: Callable[[str], Pipe], tmp_path: Path) -> None:
    engine = game(name)
    engine.send("go ponder movetime 300")
    assert is_stuck(tmp_path)
    engine.send("ponderhit")
    *said, move = engine.until("bestmove")
    assert move in ("bestmove 0", "bestmove 1")
    remark = [line for line in said if "the move is the best that was known" in line]
    assert len(remark) == 1 and "next_state (" in remark[0] and "stuck.py, line" in remark[0]
    if name == "Slow":
        steps = tmp_path / "stuck.steps"
        assert not steps.exists() or len(steps.read_text().splitlines()) < 9


@pytest.mark.parametrize("name", [*INTERRUPTIBLE, *NOT_INTERRUPTIBLE])
def test_stop_brings_a_legal_move_and_the_engine_goes_on(
    name: str, game: Callable[[str], Pipe], tmp_path: Path
) -> None:
    engine = game(name)
    engine.send("go infinite")
    assert is_stuck(tmp_path)
    engine.send("stop")
    assert engine.until("bestmove")[-1] in ("bestmove 0", "bestmove 1")
    engine.send("isready", "go nodes 10" if name == "LoopingOnce" else "go movetime 100")
    assert engine.until("readyok")
    said = engine.until("bestmove")
    assert said[-1].startswith(("bestmove 0", "bestmove 1"))
    if name == "LoopingOnce":
        assert not [line for line in said if "info string" in line]


ENDS = [
    pytest.param(lambda engine: engine.send("quit"), id="quit"),
    pytest.param(lambda engine: engine.close_input(), id="end of the input"),
    pytest.param(lambda engine: engine.interrupt(signal.SIGTERM), id="SIGTERM"),
]


@pytest.mark.parametrize("name", ["Looping", *NOT_INTERRUPTIBLE])
@pytest.mark.parametrize("end", ENDS)
def test_a_search_that_is_stuck_does_not_keep_the_process(
    name: str, end: Callable[[Pipe], None], game: Callable[[str], Pipe], tmp_path: Path
) -> None:
    engine = game(name)
    engine.send("go nodes 1000000", "isready")
    engine.until("readyok")
    assert is_stuck(tmp_path)
    end(engine)
    assert engine.until("bestmove")[-1] in ("bestmove 0", "bestmove 1")
    assert engine.exit_status() == (0 if name == "Looping" else 1)
    engine._join()
    assert "next_state (" in engine.errors()
    assert ("playout: the process ends, because next_state (" in engine.errors()) == (name != "Looping")


@pytest.mark.parametrize("name", ["LoopingAtOnce", "StubbornAtOnce"])
@pytest.mark.parametrize("end", ENDS)
def test_a_command_that_is_stuck_does_not_keep_the_process(
    name: str, end: Callable[[Pipe], None], game: Callable[[str], Pipe], tmp_path: Path
) -> None:
    engine = game(name)
    engine.send("position startpos moves 0")
    assert is_stuck(tmp_path)
    end(engine)
    assert engine.exit_status() == (0 if name == "LoopingAtOnce" else 1)
    engine._join()
    assert "next_state (" in engine.errors()


def test_a_command_that_is_stuck_is_refused_when_a_stop_comes(game: Callable[[str], Pipe], tmp_path: Path) -> None:
    engine = game("LoopingAtOnce")
    engine.send("position startpos moves 0")
    assert is_stuck(tmp_path)
    engine.send("stop", "isready")
    said = engine.until("readyok")
    assert [line for line in said if "a method of the game did not return in time" in line]


@pytest.mark.parametrize(("name", "line"), [("Holding", "go infinite"), ("HoldingAtOnce", "position startpos moves 0")])
def test_a_method_that_holds_the_gil_does_not_keep_the_process(
    name: str, line: str, game: Callable[[str], Pipe], tmp_path: Path
) -> None:
    engine = game(name)
    engine.send(line)
    assert is_stuck(tmp_path)
    assert engine.exit_status() == -signal.SIGABRT
    engine._join()
    said = engine.errors()
    assert "playout: the process ends, because a method of the game has held the GIL for 1.5 s" in said
    assert 'stuck.py", line' in said and "in stick" in said
