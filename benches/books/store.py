"""Benchmark of the book store: size of a book of a million positions, and the time to open it and to look positions up.

    python benches/books/store.py [--positions 1000000] [--games chess go:9 go:19 hex:11]

Each book holds the positions of random games, which are looked up, and fills up to the number with random keys: 1 to 4
moves each, with counts. Prints the medians of many look-ups; the computation of the canonical key is timed separately.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from playout.books.base.book import BookMove
from playout.books.base.canonical import Places
from playout.books.store import reader
from playout.books.store.file import row_number
from playout.books.store.packing import PackedMove, pack
from playout.books.store.writer import StoreWriter
from playout.games import catalogue
from playout.games.game import is_over

DEPTHS = {"chess": 24, "go:9": 20, "go:19": 40, "hex:11": 20, "connect_four": 16}
BATCH = 100_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=1_000_000)
    parser.add_argument("--games", nargs="+", default=list(DEPTHS))
    parser.add_argument("--asked", type=int, default=2000, help="positions of real games, asked for")
    arguments = parser.parse_args()
    sys.stdout.write(
        "game          positions  bytes/position  open ms  first ms  answer us  unknown us  canonical us\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.games:
            measure(Path(folder) / "bench.book", name, arguments.positions, arguments.asked)
    return 0


def measure(path: Path, name: str, positions: int, asked: int) -> None:
    """Builds a book and prints its measurements."""
    game: Any = catalogue.load(name)
    rng = random.Random(1)
    states = played(game, asked, DEPTHS.get(name, 20), rng)
    path.unlink(missing_ok=True)
    held = build(path, game, states[::2], positions, rng)

    opened = []
    for _ in range(20):
        begun = time.perf_counter()
        book = reader.open_book(path, game)
        opened.append(time.perf_counter() - begun)
        book.close()
    book = reader.open_book(path, game)
    first = seconds(lambda: book.lookup(states[0]))
    known = [seconds(partial(check, book, state, True)) for state in states[::2]]
    unknown = [seconds(partial(book.lookup, state)) for state in states[1::2]]
    places = Places(game)
    canonical = [seconds(partial(places.of, state)) for state in states]
    book.close()
    sys.stdout.write(
        f"{name:12} {held:>10,}  {path.stat().st_size / held:>14.1f}  {statistics.median(opened) * 1e3:>7.2f}"
        f"  {first * 1e3:>8.2f}  {statistics.median(known) * 1e6:>9.1f}  {statistics.median(unknown) * 1e6:>10.1f}"
        f"  {statistics.median(canonical) * 1e6:>12.1f}\n"
    )
    sys.stdout.flush()


def played(game: Any, number: int, depth: int, rng: random.Random) -> list[Any]:
    """Different positions of random games."""
    states: dict[int, Any] = {}
    places = Places(game)
    while len(states) < number:
        state = game.initial_state()
        for _ in range(rng.randrange(2, depth)):
            state = game.next_state(state, rng.choice(list(game.legal_actions(state))))
            if is_over(game, state):
                break
        else:
            states[places.of(state).key] = state
    return list(states.values())


def build(path: Path, game: Any, states: list[Any], positions: int, rng: random.Random) -> int:
    """Writes the book, as a build in batches would leave it; returns its number of positions."""
    with StoreWriter(path, game) as writer:
        for state in states:
            actions = rng.sample(list(game.legal_actions(state)), 1)
            writer.add(state, [BookMove(action, 0.0, rng.randrange(1, 300), rng.randrange(300)) for action in actions])
        writer.commit()
        for start in range(0, positions - len(states), BATCH):
            count = min(BATCH, positions - len(states) - start)
            rows = []
            for key in sorted(rng.getrandbits(64) - (1 << 63) for _ in range(count)):
                moves = [
                    PackedMove(rng.randrange(4096), None, rng.randrange(300), rng.randrange(9), rng.randrange(300))
                    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 4)))
                ]
                rows.append((row_number(key & (1 << 64) - 1), pack(key & (1 << 64) - 1, moves)))
            with sqlite3.connect(path) as database:
                database.executemany("INSERT OR IGNORE INTO position VALUES (?, ?)", rows)
    return positions


def check(book: reader.StoreBook, state: Any, known: bool) -> None:
    """Looks positions up, and asserts that they are found."""
    assert bool(book.lookup(state)) is known


def seconds(work: Callable[[], object]) -> float:
    """Returns the duration of ``work``."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
