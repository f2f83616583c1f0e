"""Games of the engine against itself on a clock: losses on time, time used by move, and comparisons of time settings.

    python benches/clock_games.py chess --games 100 --time 1 --increment 0.01 --plot docs/clock.svg
    python benches/clock_games.py chess --games 100 --time 2 --increment 0.02 --first AdaptiveTime=true \
        --second AdaptiveTime=false
    python benches/clock_games.py chess --games 100 --time 4 --increment 0 --second-movetime 0.06

Two processes on pipes under UGI; this program keeps their clocks, from writing ``go`` to reading ``bestmove``. Both
play both sides of each random opening. Prints the first one's score with its standard error, the mean time of each, the
least time left, and each loss on time with the part of that move in which the machine ran no program at all
(``playout.arena.play.witness``). With ``--second-movetime`` the second engine has no clock but the same
time for every move: choose it so that both use the same total.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playout.arena.play.witness import Witness
from playout.engine.experiments.base.match import random_opening
from playout.games import catalogue
from playout.games.game import CHANCE, is_over, text_to_action

COMMAND = (sys.executable, "-c", "import sys; from playout.cli.main import main; sys.exit(main())", "ugi")


@dataclass
class Side:
    """An engine and the results of its games."""

    process: subprocess.Popen[str]
    fixed: float | None = None
    """Seconds for each move, without a clock."""
    used: list[list[float]] = field(default_factory=list)
    """Seconds of each move, by game."""
    least: float = math.inf
    """Least time left after any move."""

    def send(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def until(self, word: str) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(word):
                return line.rstrip()
        raise SystemExit("an engine ended")


def start(game: str, options: Sequence[str], fixed: float | None) -> Side:
    words = [word for option in ("OwnBook=false", *options) for word in ("--option", option)]
    process = subprocess.Popen(
        [*COMMAND, "--game", game, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    side = Side(process, fixed)
    side.send("ugi", "isready")
    side.until("readyok")
    return side


def play(
    game: Any, sides: Sequence[Side], opening: Sequence[str], seconds: float, increment: float, witness: Witness
) -> float:
    """Plays one game; returns the result for player 0. ``sides`` are in the order of the players."""
    state, words = game.initial_state(), list(opening)
    for word in words:
        state = game.next_state(state, text_to_action(game, state, word))
    clocks = [seconds, seconds]
    for side in sides:
        side.used.append([])
        side.send("uginewgame", "isready")
        side.until("readyok")
    while not is_over(game, state):
        player = game.current_player(state)
        if player == CHANCE:
            raise SystemExit("games with dice are not played here")
        side = sides[player]
        shown = [max(1, round(1000 * clock)) for clock in clocks]
        limits = (
            f"movetime {round(1000 * side.fixed)}"
            if side.fixed
            else f"p1time {shown[0]} p2time {shown[1]} p1inc {round(1000 * increment)} p2inc {round(1000 * increment)}"
        )
        side.send(f"position startpos moves {' '.join(words)}".removesuffix(" moves "))
        began = time.monotonic()
        side.send(f"go {limits}")
        word = side.until("bestmove").split()[1]
        spent = time.monotonic() - began
        side.used[-1].append(spent)
        if side.fixed is None:
            clocks[player] -= spent
            side.least = min(side.least, clocks[player])
            if clocks[player] < 0:
                left = clocks[player] + spent
                still = witness.stood_still(began, began + spent)
                sys.stdout.write(
                    f"lost on time: {spent:.3f} s with {left:.3f} s left, {still:.3f} s of it the machine stood still, "
                    f"after {' '.join(words)}\n"
                )
                sys.stdout.flush()
                return -1.0 if player == 0 else 1.0
            clocks[player] += increment
        words.append(word)
        state = game.next_state(state, text_to_action(game, state, word))
        if len(words) > 400:
            return 0.0
    result: float = game.returns(state)[0]
    return result


def plot(path: Path, side: Side, title: str) -> None:
    """Plots the mean and the middle half of the time used, by move."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "playout"
    from matplotlib import pyplot

    longest = max(map(len, side.used))
    columns = [[moves[n] for moves in side.used if len(moves) > n] for n in range(longest)]
    columns = [column for column in columns if len(column) >= max(4, len(side.used) // 20)]
    numbers = range(1, len(columns) + 1)
    quarters = [statistics.quantiles(column, n=4) for column in columns]
    figure, axes = pyplot.subplots(figsize=(7, 3.5))
    axes.fill_between(numbers, [q[0] for q in quarters], [q[2] for q in quarters], alpha=0.3, label="middle half")
    axes.plot(numbers, [statistics.fmean(column) for column in columns], label="mean")
    axes.set(xlabel="move", ylabel="seconds", title=title, ylim=(0, None))
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Plays the games that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--time", type=float, default=1.0, help="seconds for the game")
    parser.add_argument("--increment", type=float, default=0.01, help="seconds a move")
    parser.add_argument("--first", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--second", nargs="*", default=[], metavar="NAME=VALUE")
    parser.add_argument("--second-movetime", type=float, metavar="SECONDS", help="the second side's, for every move")
    parser.add_argument("--plies", type=int, default=4, help="random plies of the opening")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plot", type=Path, metavar="FILE")
    words = parser.parse_args()
    game, rng = catalogue.load(words.game), random.Random(words.seed)
    first, second = start(words.game, words.first, None), start(words.game, words.second, words.second_movetime)
    scores: list[float] = []
    witness = Witness()
    for number in range(words.games):
        if number % 2 == 0:
            moves = random_opening(game, words.plies, rng)
        sides = (first, second) if number % 2 == 0 else (second, first)
        result = play(game, sides, moves, words.time, words.increment, witness)
        scores.append((1 + (result if number % 2 == 0 else -result)) / 2)
    mean = statistics.fmean(scores)
    error = statistics.stdev(scores) / math.sqrt(len(scores)) if len(scores) > 1 else math.nan
    sys.stdout.write(f"{words.game}: first {mean:.1%} +- {error:.1%} of {len(scores)} games\n")
    for name, side in (("first", first), ("second", second)):
        total = statistics.fmean(sum(moves) for moves in side.used)
        count = statistics.fmean(map(len, side.used))
        left = f", least left {side.least:.3f} s" if side.fixed is None else ""
        sys.stdout.write(f"{name}: {total:.2f} s a game, {count:.1f} moves{left}\n")
    if words.plot:
        plot(words.plot, first, f"{words.game}, {words.time:g} s + {words.increment:g} s, {len(scores)} games")
    witness.close()
    for side in (first, second):
        side.send("quit")
        side.process.wait()


if __name__ == "__main__":
    main()
