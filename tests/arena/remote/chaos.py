"""A tournament whose workers, broker and coordinator are killed again and again.

    python -m tests.arena.remote.chaos --games 10000 --broker mosquitto

Every part is a process of its own. A part is chosen by chance, ended by SIGKILL or stopped for some seconds, and
started anew, each time after games have been recorded since the last fault. At the end each game must be recorded once.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from playout.arena.store.store import Store

from ...needs import program
from ...patience import PATIENCE

CUP = """\
name: chaos
seed: {seed}
engines: {{one: {{}}, two: {{options: {{Exploration: 2.0}}}}}}
game: hex:3
nodes: 300
openings: {{random: 1}}
games: {games}
"""
RUN = """
import sys
from pathlib import Path
from playout.cli.arena.run import command
file, url, records = sys.argv[1:]
sys.exit(command(Path(file), url=url, records=Path(records)))
"""
"""``playout arena run`` without the other commands, whose imports would take half of the time of a start."""
WORK = """
import sys
from pathlib import Path
from playout.cli.arena.work import command
url, name, spool = sys.argv[1:]
sys.exit(command(url, name, spool=Path(spool)))
"""
STOPPED = 2.0
"""Seconds for which a process is stopped."""


class Chaos:
    """One run."""

    def __init__(
        self, folder: Path, games: int, *, broker: str, workers: int, seed: int, say: Callable[[str], None]
    ) -> None:
        """``broker`` is ``embedded`` or ``mosquitto``."""
        self.faults: Counter[str] = Counter()
        self._folder, self._games, self._say = folder, games, say
        self._rng = random.Random(seed)
        self._own = broker == "embedded"
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self._port = listener.getsockname()[1]
        (folder / "cup.yaml").write_text(CUP.format(seed=seed, games=games))
        self._parts: dict[str, subprocess.Popen[bytes]] = {}
        names = ["coordinator", *(f"worker {number}" for number in range(workers))]
        if not self._own:
            names.insert(0, "broker")
        for name in names:
            self._start(name)

    def run(self, faults: int | None = None) -> None:
        """Plays to the end, with at most ``faults`` faults.

        Raises:
            AssertionError: if nothing is recorded for ``PATIENCE`` seconds, or the coordinator fails.
        """
        try:
            while not self._over() and (faults is None or self.faults.total() < faults):
                self._await_games()
                if not self._over():
                    self._harm(self._rng.choice(sorted(self._parts)))
            end = time.monotonic() + PATIENCE
            before = self._recorded()
            while not self._over():
                if self._recorded() != before:
                    before, end = self._recorded(), time.monotonic() + PATIENCE
                assert time.monotonic() < end, f"nothing recorded after {before} games"
                time.sleep(0.1)
        finally:
            for part in self._parts.values():
                part.kill()
            for part in self._parts.values():
                part.wait()

    def check(self) -> None:
        """Checks that each game is recorded exactly once, and none is invented."""
        with Store(self._folder / "cup.arena") as store:
            games = Counter(played.id for played in store.games())
            pairs = self._games // 2
            assert set(games) == {f"hex/{pair + 1}/1/{number}" for pair in range(pairs) for number in (0, 1)}
            assert set(games.values()) == {1}
            assert {row.state for row in store.pairs("hex")} == {"done"}
            kinds = Counter(kind for kind, _, _ in store.mishaps())
        self._say(f"{sum(games.values())} games, each once; faults {dict(self.faults)}; mishaps {dict(kinds)}")

    def _command(self, name: str) -> Sequence[str]:
        url = f"embedded:127.0.0.1:{self._port}" if self._own else f"mqtt://127.0.0.1:{self._port}/cup"
        if name == "broker":
            found = program("mosquitto")
            assert found is not None
            return [found, "-p", str(self._port)]
        if name == "coordinator":
            records = str(self._folder / "cup.games")
            return [sys.executable, "-c", RUN, str(self._folder / "cup.yaml"), url, records]
        url = f"mqtt://127.0.0.1:{self._port}/cup"
        spool = str(self._folder / name.replace(" ", "-"))
        return [sys.executable, "-c", WORK, url, name.replace(" ", "-"), spool]

    def _start(self, name: str) -> None:
        log = (self._folder / f"{name.replace(' ', '-')}.log").open("ab")
        with log:
            self._parts[name] = subprocess.Popen(
                self._command(name), stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=self._folder
            )

    def _harm(self, name: str) -> None:
        part = self._parts[name]
        if self._rng.random() < 0.2:
            self.faults[f"{name.split()[0]} stopped"] += 1
            os.kill(part.pid, signal.SIGSTOP)
            time.sleep(STOPPED)
            os.kill(part.pid, signal.SIGCONT)
        else:
            self.faults[f"{name.split()[0]} killed"] += 1
            part.kill()
            part.wait()
            self._start(name)
        self._say(f"{self._recorded()} games: {name}, {self.faults.total()} faults")

    def _await_games(self) -> None:
        """Waits until a game more is recorded; starts anew what ended by itself, such as a worker without a broker."""
        before, end = self._recorded(), time.monotonic() + PATIENCE
        while self._recorded() <= before and not self._over():
            assert time.monotonic() < end, f"nothing recorded after {before} games"
            time.sleep(0.05)

    def _recorded(self) -> int:
        """Number of games in the records, which the coordinator writes anew at each start."""
        try:
            return (self._folder / "cup.games").read_bytes().count(b"\n") - 1
        except OSError:
            return 0

    def _over(self) -> bool:
        """Whether the coordinator has ended because the tournament is over. Other parts that ended start anew."""
        for name, part in list(self._parts.items()):
            status = part.poll()
            if status is None:
                continue
            if name == "coordinator" and status == 0:
                return True
            self._start(name)
        return False


def main() -> None:
    """Runs the tournament that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--broker", choices=("embedded", "mosquitto"), default="embedded")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, help="at most")
    words = parser.parse_args()

    def say(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory() as name:
        chaos = Chaos(Path(name), words.games, broker=words.broker, workers=words.workers, seed=words.seed, say=say)
        chaos.run(words.faults)
        chaos.check()


if __name__ == "__main__":
    main()
