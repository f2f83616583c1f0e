"""Cost of simulated workers to a tournament's coordinator, in a process of its own beside mosquitto.

    python benches/arena_workers.py [--workers 500] [--seconds 60] [--game-seconds 60]

The workers speak as ``playout arena work`` does, each with a sign of life every five seconds, but their games take no
CPU: moves are drawn at random, and a game is delivered when its time has passed. Needs mosquitto. Run it with playout
installed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playout.arena.drivers.driver import Answer, ClockFace, Scene
from playout.arena.play.board import board_of
from playout.arena.play.referee import play
from playout.arena.remote.hand import Hand
from playout.arena.remote.messages import Give, Here, Topics, pack
from playout.arena.remote.spool import Spool
from playout.arena.remote.wire import Wire
from playout.arena.store.store import Store
from playout.arena.terms.pace import Pace
from playout.games import catalogue
from playout.games.game import Game
from playout.protocols.transport.mqtt.client import Broker

CUP = "engines: {{one: {{}}, two: {{options: {{Exploration: 2.0}}}}}}\ngame: connect_four\nnodes: 100\ngames: {games}\n"
TICK = 0.25
SECOND = os.sysconf("SC_CLK_TCK")


def say(text: str) -> None:
    """Prints a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Drawing:
    """A driver whose moves are drawn at random."""

    def __init__(self, rng: random.Random) -> None:
        self.name, self.remarks, self._rng = "random", list[str](), rng

    def begin(self, game: Game, start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        self._game = game

    def choose(self, scene: Scene, clocks: tuple[ClockFace, ClockFace], limit: float, grace: float) -> Answer:
        board = board_of(self._game, scene.start)
        for text in scene.moves:
            board.play(text)
        return Answer(self._rng.choice(board.legal()), 0.01, 0.0)

    def finish(self, result: float | None) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


class Crowd:
    """All workers, at one connection."""

    def __init__(self, broker: Broker, workers: int, spool: Spool, game_seconds: float) -> None:
        self._topics, self._length = Topics(broker.base), game_seconds
        self._rng = random.Random(1)
        self._hands = {
            f"w{number}": Hand(f"w{number}", f"b{number}", 1, self._topics, spool, time.monotonic)
            for number in range(workers)
        }
        self._playing: list[tuple[float, str, Give, int]] = []
        self._wire = Wire(broker, [f"{self._topics.to_worker}+"], self._take, lambda: None)

    async def run(self, seconds: float) -> None:
        """Works for some seconds."""
        connection = asyncio.create_task(self._wire.run())
        while not self._wire.there:
            await asyncio.sleep(TICK)
        for name in self._hands:
            topic = self._topics.here + name
            self._wire.say(topic, pack(topic, Here(boot=f"b{name[1:]}", here=True, desks=1), None), retain=True)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._step()
            await asyncio.sleep(TICK)
        connection.cancel()

    def _take(self, topic: str, payload: bytes) -> None:
        self._hands[self._topics.worker(topic)].take(topic, payload)

    def _step(self) -> None:
        now = time.monotonic()
        for name, hand in self._hands.items():
            if (give := hand.next_job()) is not None:
                first = min(set(range(give.job.games)) - set(give.played))
                self._playing.append((now + self._rng.uniform(0, self._length), name, give, first))
            for topic, payload in hand.tick():
                self._wire.say(topic, payload)
        for entry in list(self._playing):
            due, name, give, number = entry
            hand = self._hands[name]
            hand.moved(give.job.id)
            if due > now and hand.wanted(give.job.id):
                continue
            self._playing.remove(entry)
            if hand.wanted(give.job.id):
                drivers = Drawing(self._rng), Drawing(self._rng)
                hand.deliver(give, number, play(catalogue.load(give.job.game), give.job, number, drivers))
                if number == 0:
                    self._playing.append((now + self._length, name, give, 1))
                    continue
            hand.end(give.job.id)


def used(pid: int) -> float:
    """Returns the CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / SECOND


async def measure(words: argparse.Namespace, folder: Path, port: int, coordinator: int) -> None:
    """Prints the CPU of the coordinator with nobody there, and with all workers."""
    broker = Broker("127.0.0.1", port, name="cup")
    with Spool(folder / "spool") as spool:
        crowd = Crowd(broker, words.workers, spool, words.game_seconds)
        running = asyncio.create_task(crowd.run(words.warm + words.seconds + 5))
        await asyncio.sleep(words.warm)
        before, began, games = used(coordinator), time.monotonic(), recorded(folder)
        await asyncio.sleep(words.seconds)
        cpu, seconds = used(coordinator) - before, time.monotonic() - began
        if running.done():
            await running
        running.cancel()
    done = recorded(folder) - games
    resident = int(Path(f"/proc/{coordinator}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    say(
        f"{words.workers} workers: {100 * cpu / seconds:.1f} % of a core in {seconds:.0f} s, {done} games recorded"
        f" ({done / seconds:.1f} a second), {resident:.0f} MiB"
    )


def recorded(folder: Path) -> int:
    """Returns the number of games in the records."""
    try:
        return (folder / "cup.games").read_bytes().count(b"\n") - 1
    except OSError:
        return 0


def coordinate(words: argparse.Namespace, folder: Path, port: int, command: list[str]) -> None:
    """Runs the coordinator while it is measured."""
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as coordinator:
        try:
            asyncio.run(measure(words, folder, port, coordinator.pid))
        finally:
            coordinator.kill()


def main() -> None:
    """Starts broker and coordinator, measures, and ends them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--warm", type=float, default=30.0, help="seconds before the measurement")
    parser.add_argument("--game-seconds", type=float, default=60.0)
    words = parser.parse_args()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cup.yaml").write_text(CUP.format(games=100_000))
        (folder / "mosquitto.conf").write_text(
            f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nmax_queued_messages 0\n"
        )
        command = [sys.executable, "-P", "-m", "playout", "arena", "run", "cup.yaml"]
        command += ["--broker", f"mqtt://127.0.0.1:{port}/cup", "--out", "cup.games"]
        with subprocess.Popen(["mosquitto", "-c", str(folder / "mosquitto.conf")], stderr=subprocess.DEVNULL) as broker:
            try:
                coordinate(words, folder, port, command)
            finally:
                broker.kill()
        with Store(folder / "cup.arena") as store:
            games = [played.id for played in store.games()]
            say(f"{len(games)} games in the store, {len(set(games))} different; mishaps: {len(store.mishaps())}")


if __name__ == "__main__":
    main()
