"""The size of Hex: branching, depth, tree and positions; how deep 10^10 nodes and this engine reach.

An empty n x n board has n^2 moves, the next position one fewer, and so on: a game that fills the board has a mean
branching factor of (n^2 + 1) / 2, and there are (n^2)! such games. Real games end earlier. Because their length depends
on the players, the length of uniformly random games is measured. In a position of k stones, ceil(k/2) belong to the
first player: there are C(n^2, k) C(k, ceil(k/2)) such boards. These include boards where play continued after the end
of the game, so the sum over k is an upper bound of the number of positions (for n = 11 it is the 10^56 of Browne, Hex
Strategy, 2000). A search of all lines to depth d has 1 + n^2 + n^2 (n^2 - 1) + ... nodes; a search of all positions has
1 + the sum of the boards with up to d stones.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from playout.engine import _core
from playout.engine.experiments.experiment import Column, ExperimentResult, ResultTable
from playout.engine.options.config import preset
from playout.engine.search.searcher import Searcher
from playout.engine.terms.kernel import kernel_params
from playout.games import catalogue
from playout.games.game import Game

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = {"seconds": 0.3}
SIZES = (6, 8, 11, 19)
NODES = 10**10
GIB = 2**30
KERNEL = "hex"
LEAST = 2000
"""Minimum number of simulations measured, whatever the time."""


def lines(cells: int) -> Iterator[int]:
    """Yields the numbers of lines of 0, 1, ... moves, where games continue to a full board."""
    return (math.perm(cells, depth) for depth in range(cells + 1))


def boards(cells: int) -> Iterator[int]:
    """Yields the numbers of boards with 0, 1, ... stones, with the players moving in turn."""
    return (math.comb(cells, depth) * math.comb(depth, depth // 2) for depth in range(cells + 1))


def depth_reached(levels: Iterator[int], nodes: int) -> int:
    """Returns the greatest depth at which the number of nodes is at most ``nodes``."""
    total, depth = 0, -1
    for level in levels:
        total += level
        if total > nodes:
            break
        depth += 1
    return depth


@dataclass(frozen=True, slots=True)
class Size:
    """Numbers about a board of Hex, and the engine's measurements on it."""

    size: int
    branching: float
    """Mean branching factor of a game that fills the board."""
    length: float
    """Mean length of uniformly random games in plies."""
    tree: float
    """log10 of the number of lines that fill the board."""
    positions: float
    """log10 of the number of boards."""
    lines_depth: int
    """Depth at which a tree of all lines has at most ``NODES`` nodes."""
    boards_depth: int
    """Depth at which a graph of all boards has at most ``NODES`` nodes."""
    nodes_per_gib: float
    nodes_per_second: float
    """New nodes of the search per second of processor time, on one thread."""
    engine_depth: int
    """Length in plies of the longest path in the measured search."""


@dataclass(frozen=True, slots=True)
class HexSize(ExperimentResult):
    """The numbers of several boards."""

    sizes: tuple[Size, ...]

    def tables(self) -> Sequence[ResultTable]:
        theory = ResultTable(
            "Hex in numbers",
            (
                Column("board"),
                Column("first moves", ","),
                Column("mean branching", ",.1f"),
                Column("random game", ".1f"),
                Column("log10 tree", ",.1f"),
                Column("log10 positions", ",.1f"),
                Column("10^10: lines"),
                Column("10^10: positions"),
            ),
            tuple(
                (
                    f"{one.size}x{one.size}",
                    one.size**2,
                    one.branching,
                    one.length,
                    one.tree,
                    one.positions,
                    one.lines_depth,
                    one.boards_depth,
                )
                for one in self.sizes
            ),
        )
        engine = ResultTable(
            "What this engine holds and searches, one thread, from the empty board",
            (
                Column("board"),
                Column("nodes per GiB", ",.0f"),
                Column("nodes per CPU-second", ",.0f"),
                Column("seconds to 1 GiB", ",.0f"),
                Column("GiB for 10^10", ",.0f"),
                Column("hours for 10^10", ",.0f"),
                Column("longest path, plies"),
            ),
            tuple(
                (
                    f"{one.size}x{one.size}",
                    one.nodes_per_gib,
                    one.nodes_per_second,
                    one.nodes_per_gib / one.nodes_per_second,
                    NODES / one.nodes_per_gib,
                    NODES / one.nodes_per_second / 3600,
                    one.engine_depth,
                )
                for one in self.sizes
            ),
        )
        return theory, engine

    def notes(self) -> Sequence[str]:
        return (
            "random game: its mean length in plies. 10^10: the depth to which that many nodes suffice.",
            "A node is a position with its statistics and edges. Nearly every simulation adds one.",
        )

    def plot(self, figure: Figure) -> None:
        axes = figure.add_subplot()
        for one in self.sizes:
            total, grown = 0, []
            for level in lines(one.size**2):
                total += level
                grown.append(math.log10(total))
            axes.plot(range(len(grown)), grown, label=f"{one.size}x{one.size}")
        axes.axhline(math.log10(NODES), color="black", linestyle="--", label="10^10 nodes")
        axes.set_xlim(0, 40)
        axes.set_ylim(0, 60)
        axes.set_xlabel("depth in plies")
        axes.set_ylabel("log10 of the nodes of all lines")
        axes.set_title("How deep Hex can be searched through")
        axes.legend()


def run(*, seed: int = 0, seconds: float = 2.0) -> HexSize:
    """Runs the measurement. ``seconds`` is the processor time of each board's search."""
    return HexSize(tuple(_size(size, seed, seconds) for size in SIZES))


def _size(size: int, seed: int, seconds: float) -> Size:
    cells = size * size
    game = catalogue.load(f"hex:{size}")
    held, speed, depth = _measured(game, seed, seconds)
    return Size(
        size=size,
        branching=(cells + 1) / 2,
        length=_random_length(game, seed, games=50),
        tree=math.log10(math.factorial(cells)),
        positions=math.log10(sum(boards(cells))),
        lines_depth=depth_reached(lines(cells), NODES),
        boards_depth=depth_reached(boards(cells), NODES),
        nodes_per_gib=held,
        nodes_per_second=speed,
        engine_depth=depth,
    )


def _random_length(game: Game[Any, Any], seed: int, games: int) -> float:
    rng = random.Random(seed)
    plies = 0
    for _ in range(games):
        position = _core.Position(KERNEL, kernel_params(game))
        while position.result() is None:
            position.play(rng.choice(position.actions()))
            plies += 1
    return plies / games


def _measured(game: Game[Any, Any], seed: int, seconds: float) -> tuple[float, float, int]:
    """Returns nodes per GiB, nodes per second of processor time, and the longest path."""
    config = replace(preset(KERNEL).search, seed=seed, threads=1, hash_mib=1024, solver=False)
    searcher = Searcher(game, config)
    searcher.set_position(None, [])
    searcher.prepare()
    searcher.run(nodes=1)
    empty = searcher.used
    begun = time.process_time()
    searcher.prepare()
    simulations = searcher.run(nodes=LEAST).info.simulations
    searcher.prepare()
    searcher.set_deadline(None, seconds)
    info = searcher.run(interval=3600.0).info
    simulations += info.simulations
    spent = time.process_time() - begun
    return simulations * GIB / (searcher.used - empty), simulations / spent, info.seldepth
