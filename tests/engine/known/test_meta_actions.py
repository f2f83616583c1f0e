"""Meta-actions: macros as choices that span plies find a fork and a chain of bridges in fewer simulations."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

import pytest

import playout
from playout.books.macros.macro import read_macros
from playout.engine.known.compiled_macros import drawn_macros, exact_hints
from playout.engine.options.config import search_config
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.game import Game

SEEDS = range(1, 4)

DECOY = """
game: chess
macros:
  - name: decoy and fork
    position: 6k1/pq3ppp/8/3N4/8/8/P4PPP/2R3K1 w - - 0 1
    play: c1c8
    replies:
      b7c8:
        play: d5e7
        replies: {g8f8: e7c8, g8h8: e7c8}
"""
"""The rook is given for a fork of king and queen: until the last move the material says that White is lost."""

CHAIN = """
game: hex
macros:
  - name: two bridges
    pattern: |
      X b ?
      c a d
      ? e X
    play: a
    replies:
      b: {play: c, replies: {d: e, e: d, else: d}}
      c: {play: b, replies: {d: e, e: d, else: d}}
      d: {play: e, replies: {b: c, c: b, else: b}}
      e: {play: d, replies: {b: c, c: b, else: b}}
      else: {play: b, replies: {d: e, e: d, else: d}}
"""
"""A stone that is connected to two others by bridges. Whatever the replies, the tree ends with a chain."""

BRIDGES = "f1 d4 f2 f4 d6 b3 d7 g5"
"""Hex 7x7: e4 connects the two groups of the first player, which reach from edge to edge."""


def searcher(game: Game[Any, Any], file: Path | None, seed: int, **options: Any) -> Searcher:
    """A searcher with the macros of a file."""
    made = Searcher(game, search_config(game, {"Hash": 16, "Seed": seed, **options}))
    if file is not None:
        macros = read_macros(file, game)
        made.set_macros(*drawn_macros(game, macros))
        made.guide(exact_hints(game, macros), lasting=True)
    return made


def found(search: Searcher, move: str, value: float, limit: int) -> int:
    """The number of simulations from which on ``move`` is the best one, and is known to be worth ``value``; at most
    ``limit``. One search goes on, by a twentieth more at a time."""
    nodes, since = 0, 0
    while nodes < limit:
        more = max(1, nodes // 20)
        nodes += more
        best = search.run(nodes=more).info.moves[0]
        since = (since or nodes) if best.move == move and best.value >= value else 0
    return since or limit


def effort(
    game: Game[Any, Any], file: Path | None, start: tuple[str | None, list[str]], *found_by: Any, **options: Any
) -> float:
    """The median over seeds of ``found``."""
    efforts = list[int]()
    for seed in SEEDS:
        search = searcher(game, file, seed, **options)
        search.set_position(*start)
        efforts.append(found(search, *found_by))
    return median(efforts)


@pytest.mark.parametrize("weight", [0, 1])
def test_a_fork_in_chess_is_found_in_fewer_simulations(tmp_path: Path, weight: int) -> None:
    """With the macro as a meta-action, as a hint, and without it. With weight 0 it is no hint."""
    file = tmp_path / "own.yaml"
    file.write_text(f"{DECOY}    weight: {weight}\n")
    game: Any = catalogue.load("chess")
    start = ("6k1/pq3ppp/8/3N4/8/8/P4PPP/2R3K1 w - - 0 1", list[str]())
    taken, hinted, alone = (
        effort(game, path, start, "c1c8", 0.4, 2000, MetaActions=meta)
        for path, meta in ((file, True), (file, False), (None, False))
    )
    assert 5 * taken <= hinted
    assert alone == 2000


@pytest.mark.parametrize("weight", [0, 1])
def test_a_chain_of_bridges_in_hex_is_found_in_fewer_simulations(tmp_path: Path, weight: int) -> None:
    """The win is proven, under UCB1 with uniform playouts, which know nothing of bridges. As a hint the same macro
    leads to the move, but to no proof."""
    file = tmp_path / "own.yaml"
    file.write_text(f"{CHAIN}    weight: {weight}\n")
    game: Any = catalogue.load("hex:7")
    efforts = dict[bool, list[int]]()
    for meta in (True, False):
        efforts[meta] = []
        for seed in SEEDS:
            search = searcher(
                game, file, seed, MetaActions=meta, TreePolicy="ucb1", PlayoutPolicy="uniform", ProofVisits=0
            )
            search.set_position(None, BRIDGES.split())
            result = search.run(nodes=10_000)
            assert result.reason == ("proven" if meta else "nodes")
            efforts[meta].append(result.info.simulations)
            assert not meta or (result.info.moves[0].move, result.info.value) == ("e4", 1.0)
    assert median(efforts[True]) < 8_000


def test_a_rule_is_followed_as_one_choice() -> None:
    """The first simulation goes down a whole ladder, of six moves or more and the replies."""
    game: Any = catalogue.load("go:9")
    position = ["D5", "E5", "E4", "C8", "F4", "C9", "D6", "pass"]
    lengths = dict[bool, int]()
    for meta in (True, False):
        options: Any = {"hash": 16, "seed": 1, "own_book": False, "macros": True, "meta_actions": meta}
        with playout.Engine(game, **options) as engine:
            engine.set_position(None, position)
            lengths[meta] = engine.think(nodes=1).seldepth
    assert lengths[True] >= 9 and lengths[False] == 1


def test_a_graph_that_was_searched_with_meta_actions_is_known_without(tmp_path: Path) -> None:
    file, path = tmp_path / "own.yaml", tmp_path / "graph"
    file.write_text(CHAIN)
    visits = 0
    for meta in (True, False, True):
        with playout.Engine(
            "hex:7",
            hash=16,
            seed=1,
            own_book=False,
            macro_file=str(file),
            meta_actions=meta,
            graph_file=path,
            proof_visits=0,
        ) as engine:
            engine.set_position(None, BRIDGES.split())
            result = engine.think(nodes=500)
            assert result.visits == visits + 500 and not result.remarks
            visits = result.visits


def test_the_root_reports_ordinary_moves(tmp_path: Path) -> None:
    """A meta-edge is expanded in place: its simulations are those of its first move."""
    file = tmp_path / "own.yaml"
    file.write_text(DECOY)
    game: Any = catalogue.load("chess")
    search = searcher(game, file, 1, MetaActions=True)
    search.set_position("6k1/pq3ppp/8/3N4/8/8/P4PPP/2R3K1 w - - 0 1", [])
    info = search.run(nodes=50, lines=1).info
    assert len({move.move for move in info.moves}) == len(info.moves)
    assert sum(move.visits for move in info.moves) == info.visits == 50
    assert list(info.moves[0].pv[:3]) == ["c1c8", "b7c8", "d5e7"]
