"""playout beside OpenSpiel's C++ search: simulations and playouts per CPU-second, memory, proofs and start-up.

    python benches/compare.py              # all tables, as in docs/performance.md: about five minutes
    python benches/compare.py --only go:9

Both programs search the start position from an empty tree, on one thread, with the solver off, the same exploration
constant, one random playout for each leaf and the same number of simulations. The time is processor time and includes
making and freeing the graph. Peer and playout take turns, round by round; each ratio is that of one round. The answers
are asserted, the times never.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyspiel  # type: ignore[import-not-found,unused-ignore]

from playout.engine import _core
from playout.engine.options.config import SearchConfig, kernel_of
from playout.engine.search.searcher import Searcher
from playout.engine.terms.kernel import kernel_params
from playout.games import catalogue
from playout.games.game import Game
from playout.games.tic_tac_toe import TicTacToe

EXPLORATION = 2.0
"""C of UCB1, whose formula is the same on both sides."""
PEER_MIB = 8000
"""Memory bound of the peer: more than it takes here, so that it never collects garbage."""
PROOF_SEEDS = range(11)
PROOF_MARK = 1500
START_UP_MARK = 0.4
HEAD = ("game", "simulations", "OpenSpiel sims/s", "playout sims/s", "ratio median [min-max]", "mark")
TREE = SearchConfig(exploration=EXPLORATION, solver=False, transpositions=False, symmetries=False)
GRAPH = SearchConfig(exploration=EXPLORATION, solver=False)


@dataclass(frozen=True, slots=True)
class Case:
    """A game on both sides."""

    name: str
    """Name of the game in playout."""
    spiel: str
    """Name of the game in OpenSpiel."""
    simulations: int
    """Simulations of one search: half a CPU-second to two of the peer's."""
    mark: float
    """Required ratio of simulations per second."""
    grown: int
    """Simulations after which memory is measured."""
    peer_grown: int
    bytes_mark: int | None = None
    roll: tuple[str, int] | None = None
    """The opening roll, in playout's notation and as OpenSpiel's action."""
    same_playouts: bool = False
    """Whether random playouts follow the same rules on both sides, so that their mean results must agree."""


CASES = (
    Case("tic_tac_toe", "tic_tac_toe", 300_000, 3, 300_000, 300_000, same_playouts=True),
    Case("connect_four", "connect_four", 30_000, 10, 300_000, 100_000, same_playouts=True),
    Case("hex:11", "hex(board_size=11)", 10_000, 10, 300_000, 30_000, same_playouts=True),
    Case("go:9", "go(board_size=9)", 3_000, 8, 300_000, 10_000),
    Case("go:19", "go(board_size=19)", 1_000, 8, 200_000, 3_000, bytes_mark=500),
    Case("chess", "chess", 1_000, 15, 100_000, 3_000),
    Case("backgammon", "backgammon", 1_000, 10, 100_000, 3_000, roll=("31", 2)),
)

NOTES = (
    "playout merges transpositions and symmetric positions (graph); the rows 'tree' have both switched off.",
    "Go: OpenSpiel's playouts fill eyes, pass at random, stop at 2 N^2 moves and end in a draw at any repetition; "
    "playout's fill no eye of one point and pass only when nothing else is left.",
    "Chess: OpenSpiel's playouts end at the third repetition; playout's only by mate, stalemate, the fifty-move rule "
    "and insufficient material.",
    "Backgammon: both start after the opening roll 3-1. In OpenSpiel a double is two turns, both orders of a play are "
    "different actions and a game is a draw after 500 turns; in playout a play is one action whatever its order.",
    "Hex: playout fills the whole board and determines the winner, which gives the same results; OpenSpiel plays "
    "to the winning move.",
)


class PlainTicTacToe(TicTacToe):
    """The Python definition without its kernel."""

    kernel = None  # type: ignore[assignment]


# Measurements: each returns the CPU-seconds of a piece of work, and asserts its answers.


def search_playout(game: Game[Any, Any], case: Case, config: SearchConfig) -> float:
    """Searches from an empty graph; returns the processor time."""
    moves = [case.roll[0]] if case.roll else []
    begun = time.process_time()
    searcher = Searcher(game, config)
    searcher.set_position(None, moves)
    searcher.prepare()
    result = searcher.run(nodes=case.simulations)
    del searcher
    spent = time.process_time() - begun
    assert result.fault is None, result.fault
    assert result.info.simulations == case.simulations, result
    assert result.move in legal_moves(game, moves), result.move
    return spent


def search_peer(case: Case, seed: int) -> float:
    """Runs the same search in OpenSpiel."""
    game, state = peer_start(case)
    begun = time.process_time()
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, case.simulations, PEER_MIB, False, seed, False)
    root = bot.mcts_search(state)
    visits, best = root.explore_count, root.best_child().action
    del root
    spent = time.process_time() - begun
    assert visits == case.simulations, visits
    assert best in state.legal_actions(), best
    return spent


def play_out_playout(game: Game[Any, Any], case: Case, count: int, seed: int) -> tuple[float, float]:
    """Plays random games; returns the processor time and the first player's mean result."""
    position = _core.Position(kernel_of(game) or "", kernel_params(game))
    if case.roll is not None:
        roll = position.parse_action(case.roll[0])
        assert roll is not None
        position.play(roll)
    begun = time.process_time()
    mean = position.playouts(count, seed)
    return time.process_time() - begun, mean


def play_out_peer(case: Case, count: int, seed: int) -> tuple[float, float]:
    """Runs playouts in OpenSpiel by a search of one simulation with ``count`` playouts, because its evaluator is not
    bound.
    """
    game, state = peer_start(case)
    evaluator = pyspiel.RandomRolloutEvaluator(count, seed)
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, 1, PEER_MIB, False, seed, False)
    begun = time.process_time()
    root = bot.mcts_search(state)
    spent = time.process_time() - begun
    assert root.explore_count == 1
    return spent, root.total_reward


def peer_start(case: Case) -> tuple[Any, Any]:
    game = pyspiel.load_game(case.spiel)
    state = game.new_initial_state()
    if case.roll is not None:
        state.apply_action(case.roll[1])
    return game, state


def legal_moves(game: Game[Any, Any], moves: Sequence[str]) -> set[str]:
    from playout.games.game import action_to_text, text_to_action

    state = game.initial_state()
    for move in moves:
        state = game.next_state(state, text_to_action(game, state, move))
    return {action_to_text(game, state, action) for action in game.legal_actions(state)}


# Rounds.


@dataclass(frozen=True, slots=True)
class Rates:
    """Units of work per CPU-second, one number for each round."""

    peer: tuple[float, ...]
    own: tuple[float, ...]

    def cells(self) -> list[str]:
        ratios = [own / peer for own, peer in zip(self.own, self.peer, strict=True)]
        span = f"{statistics.median(ratios):.1f} [{min(ratios):.1f}-{max(ratios):.1f}]"
        return [f"{statistics.median(self.peer):,.0f}", f"{statistics.median(self.own):,.0f}", span]

    @property
    def ratio(self) -> float:
        return statistics.median(own / peer for own, peer in zip(self.own, self.peer, strict=True))


def rate(work: Callable[[int], float], units: int, seconds: float) -> float:
    """Repeats ``work`` of ``units`` units with different seeds for ``seconds`` CPU-seconds."""
    spent, times = 0.0, 0
    while spent < seconds:
        spent += work(times)
        times += 1
    return units * times / spent


def searches(case: Case, configs: Sequence[SearchConfig], rounds: int, seconds: float) -> list[Rates]:
    """Compares searches: one row for each configuration, all beside the same searches of the peer."""
    game = catalogue.load(case.name)
    peer: list[float] = []
    own: list[list[float]] = [[] for _ in configs]
    for turn in range(rounds):
        peer.append(rate(lambda seed: search_peer(case, seed + 1000 * turn), case.simulations, seconds))  # noqa: B023
        for number, config in enumerate(configs):

            def work(seed: int, config: SearchConfig = config, turn: int = turn) -> float:
                return search_playout(game, case, replace(config, seed=seed + 1000 * turn))

            own[number].append(rate(work, case.simulations, seconds))
    return [Rates(tuple(peer), tuple(rates)) for rates in own]


def playouts(case: Case, rounds: int, seconds: float) -> Rates:
    """Compares playouts. If both sides have the same rules, their mean results must agree within five
    standard errors.
    """
    game = catalogue.load(case.name)
    count = max(1, case.simulations // 4)
    peer: list[float] = []
    own: list[float] = []
    peer_means: list[float] = []
    own_means: list[float] = []

    def play_peer(seed: int) -> float:
        spent, mean = play_out_peer(case, count, seed + 1000 * len(peer))
        peer_means.append(mean)
        return spent

    def play_own(seed: int) -> float:
        spent, mean = play_out_playout(game, case, count, seed + 1000 * len(own))
        own_means.append(mean)
        return spent

    for _ in range(rounds):
        peer.append(rate(play_peer, count, seconds))
        own.append(rate(play_own, count, seconds))
    error = math.sqrt(1 / (count * len(peer_means)) + 1 / (count * len(own_means)))
    difference = abs(statistics.mean(peer_means) - statistics.mean(own_means))
    assert not case.same_playouts or difference < 5 * error, (case.name, difference, error)
    return Rates(tuple(peer), tuple(own))


# Memory, each measurement in its own process.


def resident() -> int:
    """Resident memory of this process in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grow_playout(case: Case) -> tuple[float, float]:
    """Returns bytes per simulation: those counted by the graph, and the growth of the process."""
    game = catalogue.load(case.name)
    before = resident()
    searcher = Searcher(game, SearchConfig(exploration=EXPLORATION, solver=False))
    searcher.set_position(None, [case.roll[0]] if case.roll else [])
    searcher.prepare()
    result = searcher.run(nodes=case.grown)
    assert result.info.simulations == case.grown
    return searcher.used / case.grown, (resident() - before) / case.grown


def grow_peer(case: Case) -> float:
    game, state = peer_start(case)
    before = resident()
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, case.peer_grown, PEER_MIB, False, 1, False)
    root = bot.mcts_search(state)
    assert root.explore_count == case.peer_grown
    return (resident() - before) / case.peer_grown


def in_own_process(argument: str, name: str) -> list[float]:
    words = [sys.executable, __file__, argument, name]
    return [float(word) for word in subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()]


# Proofs and start-up.


def proofs() -> list[int]:
    """Returns the simulations that prove tic-tac-toe a draw, by seed, in steps of ten, because a search checks only
    sometimes.
    """
    found = []
    for seed in PROOF_SEEDS:
        searcher = Searcher(TicTacToe(), SearchConfig(seed=seed))
        searcher.set_position(None, [])
        reason, simulations = "", 0
        while reason != "proven":
            searcher.prepare()
            result = searcher.run(nodes=10)
            reason = result.reason
            simulations += result.info.simulations
            assert simulations < 100 * PROOF_MARK
        assert max(move.lower for move in result.info.moves) == 0.0
        found.append(simulations)
    return found


def start_up() -> float:
    """Returns the CPU-seconds of a process that answers ``uci`` and ends: the median of seven."""
    import resource

    command = [sys.executable, "-c", "import sys; from playout.cli.main import main; sys.exit(main())", "uci"]
    spent = []
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, input="uci\nquit\n", capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.stdout.rstrip().endswith("uciok")
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(spent)


def in_python(rounds: int, seconds: float) -> Rates:
    """A game written in Python, tic-tac-toe, under both C++ and Rust searches."""
    from open_spiel.python.games import tic_tac_toe  # type: ignore[import-untyped,unused-ignore]  # noqa: F401

    case = Case("tic_tac_toe", "python_tic_tac_toe", 1500, 0, 0, 0)
    game = PlainTicTacToe()
    peer, own = [], []
    for turn in range(rounds):
        peer.append(rate(lambda seed: search_peer(case, seed + 1000 * turn), case.simulations, seconds))  # noqa: B023
        own.append(rate(lambda seed: search_playout(game, case, GRAPH), case.simulations, seconds))  # noqa: ARG005
    return Rates(tuple(peer), tuple(own))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", metavar="GAME", action="append", help="one of " + ", ".join(c.name for c in CASES))
    parser.add_argument("--simulations", type=int, help="of one search, in place of each game's own number")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU-seconds of a side's turn, at the least")
    parser.add_argument("--grow", metavar="GAME", help=argparse.SUPPRESS)
    parser.add_argument("--grow-peer", metavar="GAME", help=argparse.SUPPRESS)
    words = parser.parse_args()
    by_name = {case.name: case for case in CASES}
    if words.grow:
        say(*map(str, grow_playout(by_name[words.grow])))
    elif words.grow_peer:
        say(str(grow_peer(by_name[words.grow_peer])))
    else:
        chosen = [case for case in CASES if not words.only or case.name in words.only]
        if words.simulations is not None:
            chosen = [replace(case, simulations=words.simulations) for case in chosen]
        compare(chosen, words.rounds, words.seconds)


def compare(cases: Sequence[Case], rounds: int, seconds: float) -> None:
    say(f"{rounds} rounds, at least {seconds:g} CPU-seconds a turn\n")
    table(*HEAD)
    for case in cases:
        graph, tree = searches(case, (GRAPH, TREE), rounds, seconds)
        verdict = f">= {case.mark:g}x: {'yes' if graph.ratio >= case.mark else 'NO'}"
        row(case.name, f"{case.simulations:,}", *graph.cells(), verdict)
        row("  tree", f"{case.simulations:,}", *tree.cells(), "")
    python = in_python(rounds, seconds)
    row("tic_tac_toe in Python", "1,500", *python.cells(), "")
    say("")
    table("game", "OpenSpiel playouts/s", "playout playouts/s", "ratio median [min-max]")
    for case in cases:
        row(case.name, *playouts(case, rounds, seconds).cells())
    say("")
    table("game", "simulations", "bytes/sim: graph", "resident growth", "mark", "OpenSpiel resident growth", "after")
    for case in cases:
        used, grown = in_own_process("--grow", case.name)
        (peer,) = in_own_process("--grow-peer", case.name)
        mark = "" if case.bytes_mark is None else f"<= {case.bytes_mark}: {'yes' if grown <= case.bytes_mark else 'NO'}"
        row(case.name, f"{case.grown:,}", f"{used:.0f}", f"{grown:.0f}", mark, f"{peer:,.0f}", f"{case.peer_grown:,}")
    found = proofs()
    say(
        f"\ntic-tac-toe proven a draw after {statistics.median(found):,} simulations (median of {len(found)} seeds, "
        f"{min(found):,} to {max(found):,}); mark <= {PROOF_MARK:,}: {'yes' if max(found) <= PROOF_MARK else 'NO'}"
    )
    spent = start_up()
    met = "yes" if spent <= START_UP_MARK else "NO"
    say(f"`uci` is answered after {spent:.2f} CPU-s (median of 7 starts); mark <= {START_UP_MARK}: {met}\n")
    for note in NOTES:
        say(f"- {note}")


def table(*titles: str) -> None:
    row(*titles)
    row("---", *("---:" for _ in titles[1:]))


def row(*cells: str) -> None:
    say(f"| {' | '.join(cells)} |")


def say(*words: str) -> None:
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
