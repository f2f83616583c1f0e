"""An engine that misbehaves, for tests of the drivers: ``bad_engine.py PROTOCOL MODE TOKEN``.

PROTOCOL is uci, gtp or xboard; MODE is a key of ``STARTS`` or of ``THOUGHTS``; TOKEN marks its processes in ``/proc``.
It introduces itself as an engine of chess or of any game of GTP, and misbehaves at the start, or when it is to move.
"""

from __future__ import annotations

import _signal as signal
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # some hundred of these are started
    from collections.abc import Callable

CHESS = ("e2e4", "d2d4", "g1f3", "b1c3")
MOVES = {"uci": CHESS, "gtp": ("A1", "B2", "C3", "D4"), "xboard": CHESS}
"""Answers of the good engine to one question after another, in whatever game."""
ANSWERS = {"uci": "bestmove {}\n", "gtp": "= {}\n\n", "xboard": "move {}\n"}
INFO = {"uci": "info depth 3 score cp 12 nodes 40 pv e2e4", "gtp": "thinking", "xboard": "3 12 0 40 e2e4"}
FLOOD = 8 * 2**20
"""Bytes of a flood, more than reading it may take."""


class Engine:
    """One engine, in one game."""

    def __init__(self, protocol: str, mode: str) -> None:
        self.protocol, self.mode = protocol, mode
        self.moves = iter(MOVES[protocol])
        self.thinking = False

    def run(self) -> None:
        """Reads commands until the end of the input or ``quit``."""
        STARTS.get(self.mode, lambda _: None)(self)
        for line in sys.stdin:
            words = line.split()
            if not words:
                continue
            if words[0] == "quit":
                return
            getattr(self, self.protocol)(words)

    def uci(self, words: list[str]) -> None:
        if words[0] == "uci":
            say("id name Bad\noption name Move Overhead type spin default 10 min 0 max 100\nuciok\n")
        elif words[0] == "isready":
            say("readyok\n")
        elif words[0] == "go":
            self.think()
        elif words[0] == "stop":
            self.stop()

    def gtp(self, words: list[str]) -> None:
        if words[0] == "genmove":
            self.think()
        elif words[0] == "list_commands":
            say("= name\nversion\ngenmove\n\n")
        elif words[0] == "play" and self.mode == "refuses":
            say("? illegal move\n\n")
        else:
            say("= Bad\n\n" if words[0] == "name" else "=\n\n")

    def xboard(self, words: list[str]) -> None:
        if words[0] == "protover":
            say('feature ping=1 usermove=1 setboard=1 colors=0 myname="Bad" option="Move Overhead -spin 10 0 100"\n')
            say("feature done=1\n")
        elif words[0] == "ping":
            say(f"pong {words[1]}\n")
        elif words[0] in ("go", "usermove"):
            self.think()
        elif words[0] == "?":
            self.stop()

    def think(self) -> None:
        self.thinking = True
        THOUGHTS.get(self.mode, answer)(self)

    def stop(self) -> None:
        if self.thinking and self.mode == "after_stop":
            answer(self)


def say(text: str, number: int = 1) -> None:
    """Writes to a descriptor at once."""
    data = text.encode()
    while data:
        data = data[os.write(number, data) :]


def spawn() -> None:
    """Leaves a child in a session of its own that ends by no signal but SIGKILL, and keeps the pipes open."""
    if os.fork() == 0:
        os.setsid()
        defy()
        if os.fork() == 0:
            os.setsid()
        while True:
            time.sleep(3600)


def defy() -> None:
    """Ignores every signal that asks to end."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)


def sleep(_: Engine) -> None:
    while True:
        time.sleep(3600)


def answer(engine: Engine) -> None:
    engine.thinking = False
    say(ANSWERS[engine.protocol].format(next(engine.moves)))


def twice(engine: Engine) -> None:
    form, move = ANSWERS[engine.protocol], next(engine.moves)
    say(form.format(move) + form.format(next(engine.moves)))


def says(*texts: str) -> Callable[[Engine], None]:
    """Writes the text of the protocol in place of an answer."""
    table = dict(zip(("uci", "gtp", "xboard"), texts, strict=True))
    return lambda engine: say(table[engine.protocol])


def slow(engine: Engine) -> None:
    time.sleep(1.0)
    answer(engine)


def in_pieces(engine: Engine) -> None:
    """Answers in three writes, with carriage returns, after a line that is none of the protocol."""
    say("mumble\r\n")
    text = ANSWERS[engine.protocol].format(next(engine.moves)).replace("\n", "\r\n")
    for start in range(0, len(text), 4):
        say(text[start : start + 4])
        time.sleep(0.02)


def dies(_: Engine) -> None:
    say("no file of weights\n", 2)
    sys.exit(3)


def leaves(_: Engine) -> None:
    os._exit(0)


def departs(engine: Engine) -> None:
    """Answers, and is gone before the next game."""
    answer(engine)
    os._exit(0)


def crashes(_: Engine) -> None:
    say("about to crash\n", 2)
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(3600)


def closes(_: Engine) -> None:
    os.close(1)
    time.sleep(3600)


def closes_input(engine: Engine) -> None:
    answer(engine)
    os.close(0)
    time.sleep(3600)


def floods(engine: Engine) -> None:
    line = INFO[engine.protocol] + " e7e5" * 20 + "\n"
    block = line * (2**16 // len(line))
    for _ in range(FLOOD // len(block)):
        say(block)
    answer(engine)


def babbles(engine: Engine) -> None:
    block = (INFO[engine.protocol] + "\n") * 100
    while True:
        say(block)


def drones(_: Engine) -> None:
    """Begins what could be an answer, and never ends it."""
    say("= ")
    while True:
        say("x" * 2**16)


def tells(_: Engine) -> None:
    """Begins a response, and never ends it."""
    say("= A1\n")
    while True:
        say("and so on\n" * 1000)


def shouts(engine: Engine) -> None:
    block = "x" * 2**16
    for _ in range(FLOOD // len(block)):
        say(block, 2)
    say("\nso much for that\n", 2)
    answer(engine)


def forks(engine: Engine) -> None:
    spawn()
    answer(engine)


def broods(engine: Engine) -> None:
    """Has a child, and does not answer."""
    spawn()
    sleep(engine)


def stays(engine: Engine) -> None:
    """Ignores signals, ``quit`` and the end of its input from now on."""
    defy()
    answer(engine)
    while True:
        time.sleep(3600)


def spills(engine: Engine) -> None:
    answer(engine)
    while True:
        say("unasked\n" * 1000)


STARTS: dict[str, Callable[[Engine], None]] = {
    "dies_at_once": dies,
    "leaves_at_once": leaves,
    "mute_at_once": sleep,
    "babbles_at_once": babbles,
    "drones_at_once": drones,
}
THOUGHTS: dict[str, Callable[[Engine], None]] = {
    "good": answer,
    "mute": lambda _: None,
    "deaf": sleep,
    "garbage": says("blah blah\n", "blah blah\n", "blah blah\n"),
    "illegal": says("bestmove e2e5\n", "= Z99\n\n", "move e2e5\n"),
    "empty": says("bestmove\n", "=\n\n", "move\n"),
    "none": says("bestmove (none)\n", "= NONE\n\n", "move 0000\n"),
    "refuses": says("bestmove e2e4\n", "? cannot think\n\n", "Illegal move: e7e5\n"),
    "resigns": says("bestmove resign\n", "= Resign\n\n", "resign\n"),
    "in_pieces": in_pieces,
    "slow": slow,
    "after_stop": lambda _: None,
    "twice": twice,
    "dies": dies,
    "leaves": leaves,
    "departs": departs,
    "crashes": crashes,
    "closes": closes,
    "closes_input": closes_input,
    "floods": floods,
    "babbles": babbles,
    "drones": drones,
    "tells": tells,
    "shouts": shouts,
    "forks": forks,
    "broods": broods,
    "stays": stays,
    "spills": spills,
}

if __name__ == "__main__":
    Engine(sys.argv[1], sys.argv[2]).run()
