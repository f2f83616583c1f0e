"""The program of a desk's own process. ``apart.py`` starts it and speaks with it."""

from __future__ import annotations

import os
import queue
import signal
import socket
import sys
import threading
import time
from typing import BinaryIO

import msgspec

from playout.arena.drivers.guardian import PR_SET_PDEATHSIG, prctl
from playout.arena.play.apart import Ask, Ended, FromDesk, Moves, Still, ToDesk, Wanted
from playout.arena.play.board import Board
from playout.arena.play.desk import Desk

TELL = 0.25
"""Seconds between two messages about moves."""


class Room:
    """The desk, and its socket. ``run`` plays on the calling thread; a thread of its own reads."""

    def __init__(self, own: socket.socket) -> None:
        self._socket, self._lines = own, own.makefile("rb")
        self._orders = queue.SimpleQueue[Wanted | None]()
        self._answers = queue.SimpleQueue[float]()
        self._busy = False
        self._moves, self._told = 0, 0.0

    def run(self) -> None:
        """Plays what is ordered, until the arena closes the socket."""
        threading.Thread(target=self._read, args=(self._lines,), daemon=True).start()
        desk = Desk(self, self._watch)
        while (order := self._orders.get()) is not None:
            self._busy = True
            others = set(range(order.job.games)) - {order.number}
            for _, played in desk.play(order.job, others):
                self._say(Ended(played))
            self._busy = False
        desk.close()

    def stood_still(self, begin: float, end: float) -> float:
        """Asks the arena's witness."""
        self._say(Ask(begin, end))
        return self._answers.get()

    def _watch(self, number: int, board: Board) -> None:
        self._moves += 1
        now = time.monotonic()
        if now - self._told >= TELL:
            self._say(Moves(self._moves, number, board.moves))
            self._moves, self._told = 0, now

    def _say(self, message: FromDesk) -> None:
        self._socket.sendall(msgspec.json.encode(message) + b"\n")

    def _read(self, lines: BinaryIO) -> None:
        decoder: msgspec.json.Decoder[ToDesk] = msgspec.json.Decoder(ToDesk)
        for line in lines:
            match decoder.decode(line):
                case Wanted() as order:
                    self._orders.put(order)
                case Still(seconds):
                    self._answers.put(seconds)
        if self._busy:
            os._exit(1)  # the arena is gone; the guardians end the engines
        self._orders.put(None)


def main() -> None:
    """Plays at the socket whose descriptor is the program's first argument, on the processors that follow."""
    if cores := [int(word) for word in sys.argv[2:]]:
        os.sched_setaffinity(0, cores)  # engines inherit it
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # a game in Python may hold the interpreter's lock for ever
    with socket.socket(fileno=int(sys.argv[1])) as own:
        Room(own).run()
