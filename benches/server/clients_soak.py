"""A long run of a server with mixed clients: memory, threads, files and latency must not grow.

    python benches/server/clients_soak.py soak.csv --minutes 60
    python benches/server/clients_soak.py soak.csv --minutes 60 --resume --plot docs/server-soak.svg
    python benches/server/clients_soak.py soak.csv --minutes 0 --resume --plot docs/server-soak.svg     # only the plot

Starts ``playout serve`` with five protocols over TCP and with MQTT, the broker in the process, and lets the clients of
``mixed_clients`` visit it at random, with all that these cost held to ``--share`` of one core. Every few seconds it
appends memory, threads and files of the server, and the time of an ``isready`` of a client that stays, to a CSV file.
With ``--resume`` a further piece, of another server, is appended; without it an existing file is refused. Lines of the
server's log go to a file beside it.

At the end it prints maxima, percentiles, and the growth of memory an hour after the warm-up: the median of the slopes
between all medians of five minutes (Theil and Sen) with Sen's 95 % interval. Exit status 1 if the server broke a
promise, logged an error, or did not return to its threads and files after all clients had left.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import random
import resource
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from mixed_clients import PROTOCOLS, VISITS, Visit
from served import Client, Served

WARM_UP = 600.0
"""Seconds that do not count for the growth of memory: caches fill, and each protocol is loaded at its first client."""
BLOCK = 300.0
"""Seconds in one median of memory."""
SETTLE = 120.0
"""Seconds for the server to notice that all clients have left: over MQTT a silent one is lost after 30."""
WORKERS = 6
POINTS = 120
"""Maximum points of a curve in the plot."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A line of the CSV file."""

    piece: int
    """Number of the run, from 1."""
    seconds: float
    """Since its start."""
    memory: float
    """MiB."""
    threads: int
    files: int
    isready: float
    """Milliseconds."""
    visits: int
    """Number in this run so far."""


def read(path: Path) -> list[Sample]:
    """Returns the samples in a file, none if there is no such file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [Sample(int(a), float(b), float(c), int(d), int(e), float(f), int(g)) for a, b, c, d, e, f, g in rows]


class Crowd:
    """Threads that visit the server at random, and take no more processor time than their share."""

    def __init__(self, server: Served, share: float, seed: int) -> None:
        """``share`` is of one core, for the server and the clients together."""
        self.visits: Counter[str] = Counter()
        self.faults: list[str] = []
        self._server = server
        self._share = share
        self._start = time.monotonic()
        self._used = self._total()
        self._leaving = threading.Event()
        self._threads = [
            threading.Thread(target=self._visit, args=(random.Random(1000 * seed + number),))
            for number in range(WORKERS)
        ]
        for thread in self._threads:
            thread.start()

    def leave(self) -> None:
        """Ends the last visits. Blocks."""
        self._leaving.set()
        for thread in self._threads:
            thread.join()

    @property
    def used(self) -> float:
        """Seconds of processor time so far."""
        return self._total() - self._used

    def _total(self) -> float:
        own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return self._server.used + sum(usage.ru_utime + usage.ru_stime for usage in own)

    def _visit(self, rng: random.Random) -> None:
        visits: list[Visit] = list(VISITS)
        while not self._leaving.wait(rng.random()):
            if self.used > self._share * (time.monotonic() - self._start) + 1.0:
                continue
            [visit] = rng.choices(visits, list(VISITS.values()))
            try:
                visit(self._server, rng)
            except Exception as error:
                self.faults.append(f"{visit.__name__}: {error!r}")
            self.visits[visit.__name__] += 1


def soak(path: Path, piece: int, minutes: float, every: float, share: float) -> list[str]:
    """Runs one piece; returns what was wrong."""
    listen = [word for name in PROTOCOLS for word in ("--listen", f"{name}=127.0.0.1:0")]
    log = path.with_suffix(f".{piece}.log")
    with (
        log.open("wb") as errors,
        path.open("a", newline="") as file,
        Served(*listen, "--broker", "127.0.0.1:0", "--memory", "1600", places=len(PROTOCOLS) + 1, log=errors) as server,
    ):
        rows = csv.writer(file)
        if not path.stat().st_size:
            rows.writerow(field.name for field in fields(Sample))
        with Client(server.ports["uci"]) as honest:
            honest.send("isready")
            honest.until("readyok")
            base = server.threads, server.files
            first = server.opened()
            start = time.monotonic()
            crowd = Crowd(server, share, piece)
            try:
                for number in itertools.count():
                    at = time.monotonic()
                    honest.send("isready")
                    honest.until("readyok")
                    delay = 1000 * (time.monotonic() - at)
                    count = crowd.visits.total()
                    measured = (round(server.memory, 2), server.threads, server.files, round(delay, 3), count)
                    rows.writerow(astuple(Sample(piece, round(at - start, 1), *measured)))
                    file.flush()
                    if at - start > 60 * minutes:
                        break
                    time.sleep(max(0.0, start + every * (number + 1) - time.monotonic()))
            finally:
                crowd.leave()
            _say(f"piece {piece}: {crowd.used / (60 * minutes):.1%} of a core; {_listed(crowd.visits)}")
            faults = crowd.faults + _not_returned(server, base, first)
        if server.end():
            faults.append("the server ended with an error")
    faults += [line for line in log.read_text("utf-8", "replace").splitlines() if line.startswith(("ERROR", "Trace"))]
    return faults


def _not_returned(server: Served, base: tuple[int, int], first: list[str]) -> list[str]:
    """Waits for the threads and files that the server had at first; returns what did not come true.

    Prints the files that are new since ``first``, if they stay.
    """
    deadline = time.monotonic() + SETTLE
    while (now := (server.threads, server.files)) and (now[0] > base[0] or now[1] > base[1]):
        if time.monotonic() > deadline:
            for name in sorted(set(server.opened()) - set(first)):
                _say(f"open: {name}")
            return [f"after {SETTLE:g} s without clients {now[0]} threads and {now[1]} files, {base} at first"]
        time.sleep(0.5)
    return []


def growth(samples: Sequence[Sample]) -> str:
    """Describes the growth of memory in one piece after the warm-up."""
    blocks: dict[int, list[Sample]] = {}
    for sample in samples:
        if sample.seconds >= WARM_UP:
            blocks.setdefault(int(sample.seconds // BLOCK), []).append(sample)
    points = [
        (statistics.fmean(s.seconds for s in block) / 3600, statistics.median(s.memory for s in block))
        for block in blocks.values()
    ]
    slopes = sorted((b[1] - a[1]) / (b[0] - a[0]) for a, b in itertools.combinations(points, 2))
    n = len(points)
    if n < 4:
        return "too short for its growth"
    reach = 1.96 * (n * (n - 1) * (2 * n + 5) / 18) ** 0.5
    low = slopes[max(0, round((len(slopes) - reach) / 2))]
    high = slopes[min(len(slopes) - 1, round((len(slopes) + reach) / 2))]
    return f"{statistics.median(slopes):+.2f} MiB an hour (95 %: {low:+.2f} to {high:+.2f})"


def report(samples: Sequence[Sample]) -> None:
    """Prints the figures of each piece, and of all together."""
    for piece, group in itertools.groupby(samples, lambda sample: sample.piece):
        own = list(group)
        _say(f"piece {piece}: {own[-1].seconds / 3600:.2f} h, {own[-1].visits:,} visits; memory {growth(own)}")
    for name in ("memory", "threads", "files", "isready"):
        values = sorted(getattr(sample, name) for sample in samples)
        marks = [values[min(len(values) - 1, int(len(values) * part))] for part in (0.5, 0.95, 0.99)]
        _say(f"{name:8} median {marks[0]:g}, 95 % {marks[1]:g}, 99 % {marks[2]:g}, at most {values[-1]:g}")


def plot(path: Path, samples: Sequence[Sample]) -> None:
    """Draws the four curves: the median, and the range, of each interval. The pieces stand one behind the other."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "playout"
    from matplotlib import pyplot

    hours, starts, before = [], [], 0.0
    for last, sample in zip([None, *samples], samples, strict=False):
        if last is not None and last.piece != sample.piece:
            before += last.seconds / 3600
            starts.append(before)
        hours.append(before + sample.seconds / 3600)
    size = -(-len(samples) // POINTS)
    groups = [range(first, min(first + size, len(samples))) for first in range(0, len(samples), size)]
    figure, rows = pyplot.subplots(4, 1, figsize=(7, 8), sharex=True)
    names = {"memory": "memory, MiB", "threads": "threads", "files": "open files", "isready": "isready, ms"}
    for axes, (name, label) in zip(rows, names.items(), strict=True):
        values = [[getattr(samples[n], name) for n in group] for group in groups]
        middle = [statistics.fmean(hours[n] for n in group) for group in groups]
        axes.fill_between(middle, [min(v) for v in values], [max(v) for v in values], alpha=0.3, linewidth=0)
        axes.plot(middle, [statistics.median(v) for v in values], linewidth=1)
        axes.set(ylabel=label)
        for start in starts:
            axes.axvline(start, color="grey", linewidth=0.5)
    for axes in rows[:3]:
        axes.set_ylim(0, None)
    rows[3].set(xlabel="hours", yscale="log")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Runs a piece, if any minutes are asked for, and reports on all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", type=Path, metavar="FILE.csv")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--every", type=float, default=5, help="seconds between samples")
    parser.add_argument("--share", type=float, default=0.12, help="processor time of server and clients, in cores")
    parser.add_argument("--resume", action="store_true", help="append to the samples that are there")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg")
    words = parser.parse_args()
    before = read(words.samples)
    if before and not words.resume:
        raise SystemExit(f"{words.samples} exists: --resume appends to it")
    faults: list[str] = []
    if words.minutes:
        piece = before[-1].piece + 1 if before else 1
        faults = soak(words.samples, piece, words.minutes, words.every, words.share)
    samples = read(words.samples)
    report(samples)
    if words.plot:
        plot(words.plot, samples)
    for fault, count in Counter(faults).most_common():
        _say(f"FAILED: {fault}" + (f" ({count} times)" if count > 1 else ""))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
