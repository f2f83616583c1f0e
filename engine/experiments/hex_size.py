"""The size of Hex: positions, games, their lengths; how deep 10^10 nodes and this engine reach.

An empty n x n board has n^2 moves, the next position one fewer. Boards of k stones are C(n^2, k) C(k, ceil(k/2)), since
the players move in turn; their sum bounds the number of positions from above, and so does 3^(n^2), which also counts
boards that have too many stones of one colour. Fewer of them arise in play, because a game ends with the first complete
chain. The same holds for the (n^2)! orders in which the cells can be filled: a game that ends earlier stands for all
orders that begin with it. The shortest game has 2 n - 1 plies, n of the winner and n - 1 of the loser; the longest
fills the board. A search of all lines to depth d has 1 + n^2 + n^2 (n^2 - 1) + ... nodes; a search of all positions
has 1 + the sum of the boards with up to d stones.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from playout.engine.experiments.base.experiment import Column, ExperimentResult, ResultTable, counted
from playout.engine.experiments.base.hex_counts import Counts, boards, counts
from playout.engine.experiments.base.plain import plain
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.errors import GameError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = {"simulations": 20_000, "runs": 20}
SIZES = (4, 5, 6, 7, 8, 9, 10, 11, 19)
MEASURED = (6, 8, 11, 19)
NODES = 10**10
GIB = 2**30


def lines(cells: int) -> Iterator[int]:
    """Yields the numbers of lines of 0, 1, ... moves, where games continue to a full board."""
    return (math.perm(cells, depth) for depth in range(cells + 1))


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
    """Numbers about a board of Hex."""

    size: int
    counts: Counts
    lines_depth: int
    """Depth at which a tree of all lines has at most ``NODES`` nodes."""
    boards_depth: int
    """Depth at which a graph of all boards has at most ``NODES`` nodes."""

    @property
    def cells(self) -> int:
        """Number of cells, of moves of the empty board, and of plies of the longest game."""
        return self.size * self.size

    @property
    def boards(self) -> int:
        """Number of boards with the stones of players who move in turn."""
        return sum(boards(self.cells, stones) for stones in range(self.cells + 1))

    @property
    def shortest(self) -> int:
        """Number of plies of the shortest game."""
        return 2 * self.size - 1


@dataclass(frozen=True, slots=True)
class Measured:
    """The engine's search of an empty board."""

    size: int
    nodes: int
    """Nodes that the search made."""
    bytes: int
    """Memory that they and their edges take."""
    seconds: float
    """Processor time."""
    depth: int
    """Length in plies of the longest path."""


@dataclass(frozen=True, slots=True)
class HexSize(ExperimentResult):
    """The numbers of several boards."""

    sizes: tuple[Size, ...]
    measured: tuple[Measured, ...]

    def tables(self) -> Sequence[ResultTable]:
        return self._positions(), self._games(), self._engine()

    def _positions(self) -> ResultTable:
        names = "board", "3^cells", "boards", "positions", "positions / boards", "", "10^10 nodes: plies"
        return ResultTable(
            "Positions of Hex",
            tuple(Column(name, ".1%" if "/" in name else "") for name in names),
            tuple(
                (
                    f"{one.size}x{one.size}",
                    _number(3**one.cells),
                    _number(one.boards),
                    _number(one.counts.positions),
                    one.counts.positions / one.boards,
                    "counted" if one.counts.exact else "sampled",
                    one.boards_depth,
                )
                for one in self.sizes
            ),
        )

    def _games(self) -> ResultTable:
        names = "board", "first moves", "cells!", "games", "shortest", "random", "longest", "10^10 nodes: plies"
        return ResultTable(
            "Games of Hex, and their lengths in plies",
            tuple(Column(name, ".1f" if name == "random" else "") for name in names),
            tuple(
                (
                    f"{one.size}x{one.size}",
                    one.cells,
                    _number(math.factorial(one.cells)),
                    _number(one.counts.games),
                    one.shortest,
                    one.counts.length,
                    one.cells,
                    one.lines_depth,
                )
                for one in self.sizes
            ),
        )

    def _engine(self) -> ResultTable:
        return ResultTable(
            "What this engine holds and searches, one thread, from the empty board",
            (
                Column("board"),
                Column("nodes", ","),
                Column("longest path, plies"),
                Column("nodes per GiB", ",.0f", measured=True),
                Column("nodes per CPU-second", ",.0f", measured=True),
                Column("seconds to 1 GiB", ",.0f", measured=True),
                Column("GiB for 10^10", ",.0f", measured=True),
                Column("hours for 10^10", ",.0f", measured=True),
            ),
            tuple(
                (
                    f"{one.size}x{one.size}",
                    one.nodes,
                    one.depth,
                    one.nodes * GIB / one.bytes,
                    one.nodes / one.seconds,
                    one.seconds * GIB / one.bytes,
                    NODES / one.nodes * one.bytes / GIB,
                    NODES / one.nodes * one.seconds / 3600,
                )
                for one in self.measured
            ),
        )

    def notes(self) -> Sequence[str]:
        return (
            "10^10 nodes: the depth to which that many suffice, for all positions and for all lines.",
            "A node is a position with its statistics and its edge, in a search that merges no positions.",
        )

    def plot(self, figure: Figure) -> None:
        axes = figure.add_subplot()
        for one in self.sizes:
            total, grown = 0, []
            for level in lines(one.cells):
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


def _number(value: int) -> str:
    """Returns a number in two digits and a power of 10, or all its digits if they are few."""
    if value < 10**10:
        return f"{value:,}"
    return f"{Decimal(value):.1e}".replace("+", "")


def run(*, seed: int = 0, simulations: int = 500_000, runs: int = 300) -> HexSize:
    """Runs the experiment. ``simulations`` is the number of each measured search; ``runs`` is the number of random
    games from which positions and games of the larger boards are estimated.
    """
    rng = random.Random(seed)
    sizes = tuple(
        Size(
            size=size,
            counts=counts(size, runs, rng),
            lines_depth=depth_reached(lines(size * size), NODES),
            boards_depth=depth_reached((boards(size * size, stones) for stones in range(size * size + 1)), NODES),
        )
        for size in counted("sizes", SIZES)
    )
    return HexSize(sizes, tuple(_measured(size, seed, simulations) for size in counted("searches", MEASURED)))


def _measured(size: int, seed: int, simulations: int) -> Measured:
    """Returns a search's nodes, memory, time and depth.

    Raises:
        GameError: if the search is so deep that a simulation may have made no node.
    """
    # Without merging, a simulation makes one node, unless it meets one where the game is over.
    config = plain(seed=seed, hash_mib=1024, transpositions=False, symmetries=False)
    searcher = Searcher(catalogue.load(f"hex:{size}"), config)
    searcher.set_position(None, [])
    searcher.prepare()
    searcher.run(nodes=1)
    empty, begun = searcher.used, time.process_time()
    searcher.prepare()
    info = searcher.run(nodes=simulations, interval=3600.0).info
    spent = time.process_time() - begun
    if info.seldepth >= 2 * size - 1:
        raise GameError(f"hex:{size}: {simulations} simulations reach the end of games: fewer can be counted as nodes")
    return Measured(size, simulations, searcher.used - empty, spent, info.seldepth)
