"""Overhead of match runners: games a second, time and CPU a move, with engines that answer at once.

    python benches/runners.py [--fastchess PROGRAM] [--cutechess PROGRAM] [--work 0] [--concurrency 1 2] [--affinity]

The engines are one Python script that plays the same 200 plies in each game, after ``--work`` microseconds of work a
move. A figure is the difference of a long and a short match, so that the start of the programs does not count; runners
take turns. ``CPU`` is that of runner and engines together. Run it with playout installed.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import chess

PLIES = 200
ENGINE = """#!{python} -ISB
import sys, time
moves, work = {moves!r}.split(), {work} / 1e6
write, flush = sys.stdout.write, sys.stdout.flush
played = 0
for line in sys.stdin:
    word = line[:2]
    if word == "po":
        played = line.count(" ") - 2 if " moves " in line else 0
    elif word == "go":
        end = time.perf_counter() + work
        while time.perf_counter() < end:
            pass
        write("info depth 1 score cp 0 nodes 1\\nbestmove " + moves[played] + "\\n")
        flush()
    elif word == "uc" and line.strip() == "uci":
        write("id name instant\\nid author playout\\nuciok\\n")
        flush()
    elif word == "is":
        write("readyok\\n")
        flush()
    elif word == "qu":
        break
"""
Runner = Callable[[Path, str, int, int], Sequence[str]]
"""Command of a match in a folder, of an engine, of a number of games, with a concurrency."""


def say(text: str) -> None:
    """Prints a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def long_game(seed: int = 1) -> list[str]:
    """Returns the moves of a game of PLIES plies that no rule ends before."""
    rng = random.Random(seed)
    while True:
        board = chess.Board()
        while len(board.move_stack) < PLIES and not board.is_game_over(claim_draw=True):
            quiet = [move for move in board.legal_moves if not board.is_capture(move)]
            board.push(rng.choice(quiet or list(board.legal_moves)))
        if len(board.move_stack) == PLIES:
            return [move.uci() for move in board.move_stack]


def playout(folder: Path, engine: str, games: int, concurrency: int) -> Sequence[str]:
    """playout's arena."""
    return [
        *(sys.executable, "-m", "playout", "match", engine, f"{engine} ", "--time", "1000", "--plies", "0"),
        *("--max-plies", str(PLIES), "--games", str(games), "--concurrency", str(concurrency)),
        *("--out", str(folder / "playout.pgn")),
    ]


def fastchess(program: str) -> Runner:
    """Returns fastchess's command."""

    def command(folder: Path, engine: str, games: int, concurrency: int) -> Sequence[str]:
        return [
            *(program, "-engine", f"cmd={engine}", "name=a", "-engine", f"cmd={engine}", "name=b"),
            *("-each", "tc=1000", "-rounds", str(games // 2), "-games", "2", "-repeat", "-force-concurrency"),
            *(
                "-concurrency",
                str(concurrency),
                "-maxmoves",
                str(PLIES // 2),
                "-pgnout",
                f"file={folder}/fastchess.pgn",
            ),
        ]

    return command


def cutechess(program: str) -> Runner:
    """Returns cutechess's command."""

    def command(folder: Path, engine: str, games: int, concurrency: int) -> Sequence[str]:
        return [
            *(program, "-engine", f"cmd={engine}", "name=a", "-engine", f"cmd={engine}", "name=b"),
            *("-each", "tc=1000", "proto=uci", "-rounds", str(games // 2), "-games", "2", "-repeat"),
            *("-concurrency", str(concurrency), "-maxmoves", str(PLIES // 2), "-pgnout", str(folder / "cutechess.pgn")),
        ]

    return command


def bound(runner: Runner, switch: str) -> Runner:
    """Returns a runner that binds games to processors."""
    return lambda *what: [*runner(*what), switch]


def measure(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Returns seconds and CPU seconds of a match, its engines included."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stdout[-500:]}{done.stderr[-500:]}")
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fastchess", metavar="PROGRAM")
    parser.add_argument("--cutechess", metavar="PROGRAM")
    parser.add_argument("--work", type=int, default=0, help="microseconds of an engine's work for a move")
    parser.add_argument("--concurrency", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--affinity", action="store_true", help="playout and fastchess bound to processors too")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--games", type=int, default=100, help="games of the long match; the short one has 20")
    words = parser.parse_args()
    runners: dict[str, Runner] = {"playout": playout}
    if words.fastchess:
        runners["fastchess"] = fastchess(words.fastchess)
    if words.affinity:
        runners["playout -a"] = bound(playout, "--affinity")
        if words.fastchess:
            runners["fastchess -a"] = bound(fastchess(words.fastchess), "-use-affinity")
    if words.cutechess:
        runners["cutechess"] = cutechess(words.cutechess)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engine = folder / "engine"
        engine.write_text(ENGINE.format(python=sys.executable, moves=" ".join(long_game()), work=words.work))
        engine.chmod(0o755)
        say(f"engines work {words.work} us a move, {PLIES} plies a game, {words.repeats} repeats")
        say("runner        c   games/s (median, range)    us a move   CPU us a move")
        for concurrency in words.concurrency:
            found: dict[str, list[tuple[float, float]]] = {runner: [] for runner in runners}
            for _ in range(words.repeats):
                for runner, command in runners.items():
                    short = measure(command(folder, str(engine), 20, concurrency), folder)
                    long = measure(command(folder, str(engine), words.games, concurrency), folder)
                    count = words.games - 20
                    found[runner].append(((long[0] - short[0]) / count, (long[1] - short[1]) / count))
            for runner, values in found.items():
                rates = sorted(1 / seconds for seconds, _ in values)
                move = 1e6 / statistics.median(rates) / PLIES * concurrency
                cpu = 1e6 * statistics.median(used for _, used in values) / PLIES
                span = f"{statistics.median(rates):7.1f} ({rates[0]:.1f} to {rates[-1]:.1f})"
                say(f"{runner:<12} {concurrency:>2}   {span:<26} {move:8.0f}   {cpu:8.0f}")


if __name__ == "__main__":
    main()
