"""The command-line interface that OpenBench (github.com/AndyGrant/OpenBench) requires of a chess engine.

``playout bench`` ends with a number of nodes that is the same on every machine and run, and changes when the search
does. ``playout "genfens N seed S book FILE"`` generates openings.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playout.games.errors import GameError, PlayoutError

if TYPE_CHECKING:
    from playout.engine.search.searcher import Searcher

POSITIONS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3",
    "rnbqk2r/pp2ppbp/3p1np1/8/3NP3/2N5/PPP1BPPP/R1BQK2R w KQkq - 2 7",
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 2 8",
    "r2q1rk1/1b2bppp/p1nppn2/1p6/3NPP2/1BN1B3/PPP3PP/R2Q1RK1 b - - 1 11",
    "4rrk1/pp1q1pp1/2p4p/3nP3/3P4/2N2Q1P/PP3PP1/3RR1K1 w - - 3 21",
    "2r3k1/pp3ppp/4p3/3pP3/3P4/2r1BP2/P5PP/R5K1 w - - 0 24",
    "r4rk1/2q2ppp/p2bpn2/1p6/3B4/P2B4/1P2QPPP/R4RK1 b - - 0 19",
    "6k1/1r3pp1/p2Rp2p/2n1P3/1p3P2/1P2N1P1/P6P/6K1 w - - 2 31",
    "8/5pk1/4p1p1/3pP2p/3P3P/1p3PP1/1P4K1/8 w - - 0 40",
    "8/8/4kp2/3b3p/3P1K1P/5BP1/8/8 b - - 4 52",
    "8/8/1p2k3/p1p2p2/P1P2P2/1P2K3/8/8 b - - 5 50",
)
SIMULATIONS = 8_000
HASH_MIB = 64
"""More than those simulations need, because a graph at its limit reclaims nodes."""

PLIES = (8, 9)
"""Number of random moves of an opening from the start position."""
PLIES_AFTER_BOOK = (2, 3)
BALANCED = 0.3
"""Maximum absolute value, by a short search, of an accepted opening: about half a pawn."""
NODES_A_LOOK = 500
ATTEMPTS = 1000
USAGE = "genfens N seed S book FILE|None"


def signature(positions: Sequence[str], simulations: int, begun: Callable[[int], None] | None = None) -> int:
    """Returns the number of nodes below the root visited by the given number of simulations of each position, with one
    thread and an empty graph. It is reproducible, and most changes of the search change it. Blocks for a second or two.
    ``begun`` is told how many positions are done whenever the next one begins.
    """
    nodes = 0
    for number, text in enumerate(positions):
        if begun is not None:
            begun(number)
        searcher = _searcher()
        searcher.set_position(text, ())
        searcher.prepare()
        info = searcher.run(nodes=simulations, interval=3600.0).info
        nodes += round(info.depth * info.simulations)
    return nodes


def report(begun: Callable[[int], None]) -> str:
    """Returns the line that OpenBench reads: the signature, and nodes per second of wall-clock time. ``begun`` is
    that of ``signature``.
    """
    start = time.perf_counter()
    nodes = signature(POSITIONS, SIMULATIONS, begun)
    return f"{nodes} nodes {round(nodes / (time.perf_counter() - start))} nps"


def run_genfens(words: Sequence[str]) -> int:
    """Prints openings as ``info string genfens FEN``, each as soon as it is found; returns the exit status.

    Raises:
        PlayoutError: one line, if the arguments are wrong or no openings can be made from the book.
    """
    asked = re.fullmatch(r"genfens (\d{1,9}) seed (\d{1,20}) book (\S+)( .*)?", " ".join(" ".join(words).split()))
    if asked is None:
        raise PlayoutError(f"genfens: expected {USAGE}")
    book = None if asked[3].lower() == "none" else Path(asked[3])
    for fen in openings(int(asked[1]), int(asked[2]), book):
        sys.stdout.write(f"info string genfens {fen}\n")
        sys.stdout.flush()
    return 0


def openings(count: int, seed: int, book: Path | None) -> Iterator[str]:
    """Yields different balanced chess positions, a few random moves after the start or after positions of ``book``, a
    file with one FEN or EPD on each line. The same seed gives the same positions.

    Raises:
        PlayoutError: one line, if the book cannot be read or does not give enough positions.
    """
    from playout.games.catalogue import load
    from playout.games.game import is_over

    game: Any = load("chess")
    rng, searcher, seen = random.Random(seed), _searcher(), set()
    starts = _positions(book) if book is not None else []
    for number in range(count):
        for _ in range(ATTEMPTS):
            state = _start(game, rng.choice(starts), book) if starts else game.initial_state()
            for _ in range(rng.choice(PLIES_AFTER_BOOK if starts else PLIES)):
                if is_over(game, state):
                    break
                state = game.next_state(state, rng.choice(game.legal_actions(state)))
            fen = game.state_to_text(state)
            if fen not in seen and not is_over(game, state) and _balanced(searcher, fen):
                seen.add(fen)
                yield fen
                break
        else:
            raise PlayoutError(f"genfens: no opening number {number + 1} in {ATTEMPTS} attempts")


def _searcher() -> Searcher:
    from playout.engine.options.config import options_for, search_config
    from playout.engine.search.searcher import Searcher
    from playout.games.catalogue import load

    game = load("chess")
    return Searcher(game, replace(search_config(game, options_for(game, {})), threads=1, hash_mib=HASH_MIB))


def _balanced(searcher: Searcher, fen: str) -> bool:
    searcher.clear()
    searcher.set_position(fen, ())
    searcher.prepare()
    return abs(searcher.run(nodes=NODES_A_LOOK, interval=3600.0).info.value) <= BALANCED


def _positions(book: Path) -> list[str]:
    try:
        lines = book.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise PlayoutError(f"genfens: {book}: {getattr(error, 'strerror', None) or error}") from error
    found = [line for line in lines if line.strip()]
    if not found:
        raise PlayoutError(f"genfens: {book}: no positions")
    return found


def _start(game: Any, line: str, book: Path | None) -> Any:
    """Returns the position on a line of a book: four or six FEN fields, or four EPD fields with the counters as
    operations.
    """
    fields = line.replace(";", " ").split()
    counters = dict(pairwise(fields[4:]))
    counts = fields[4:6] if all(field.isdigit() for field in fields[4:6]) else []
    counts = counts or [counters.get("hmvc", "0"), counters.get("fmvn", "1")]
    try:
        return game.state_from_text(" ".join([*fields[:4], *counts]))
    except GameError as error:
        raise PlayoutError(f"genfens: {book}: {error}") from None
