"""Targets for files: books of every format, macros, solved positions, graphs."""

from __future__ import annotations

import random
import tempfile
import zlib
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

from playout.books import formats
from playout.books.macros.macro import read_macros
from playout.books.tables.solved import SolvedPosition, add_solved, read_solved
from playout.engine import _core
from playout.engine.options.config import options_for, search_config
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.backgammon import State
from playout.games.errors import PlayoutError

from ..books.random_books import random_entries
from .target import Target, one_line

ROOT = Path(__file__).parents[2]
PGN = (
    '[Event "one"]\n[Result "1-0"]\n[White "a"]\n\n1. e4 e5 2. Nf3 (2. Bc4 {x} Nc6) Nc6 $1 3. Bb5 ; y\n a6 1-0\n\n'
    '[Event "two"]\n[FEN "8/8/8/8/8/2k5/8/R3K3 w - - 0 1"]\n[SetUp "1"]\n\n1. Ra3+ Kb4 *\n'
)
HEAD, CHECKSUM = 44, 4
"""Bytes of the head of a bear-off database, and of the checksum at its end."""
FEW = 40
"""Positions of a book that are looked at."""


def book(name: str, suffix: str, game_name: str, seeds: Callable[[], Iterable[bytes]], longest: int = 4096) -> Target:
    """A book's file, opened, asked, listed and checked; errors name the file."""
    game = catalogue.load(game_name)

    def run(data: bytes) -> None:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            path = Path(folder) / f"book{suffix}"
            path.write_bytes(data)
            for use in (_ask, _list, _check, _name):
                try:
                    use(path, game)
                except PlayoutError as error:
                    one_line(error)
                    assert "book" in str(error), f"names no file: {error}"

    return Target(name, run, seeds, longest=longest)


def _ask(path: Path, game: Any) -> None:
    opened = formats.open_book(path, game)
    try:
        state = game.initial_state()
        for _ in range(6):
            moves = opened.lookup(state)
            legal = game.legal_actions(state)
            assert all(move.action in legal and move.weight >= 0 for move in moves)
            if not legal:
                break
            state = game.next_state(state, moves[0].action if moves else legal[0])
    finally:
        opened.close()


def _list(path: Path, game: Any) -> None:
    for entry in islice(formats.entries(path, game), FEW):
        assert {move.action for move in entry.moves} <= set(game.legal_actions(entry.state))


def _check(path: Path, game: Any) -> None:
    for problem in formats.problems(path, game):
        assert problem and len(problem.splitlines()) == 1


def _name(path: Path, _: Any) -> None:
    formats.book_game(path)


def _written(suffix: str, game_name: str) -> Callable[[], Iterable[bytes]]:
    """A small book of that format, by playout's own writer."""

    def seeds() -> Iterable[bytes]:
        game = catalogue.load(game_name)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"book{suffix}"
            formats.write_book(path, game, random_entries(game, random.Random(1), 1, 4, gaps=False))
            yield path.read_bytes()

    return seeds


def _golden(pattern: str) -> Callable[[], Iterable[bytes]]:
    return lambda: (path.read_bytes() for path in sorted(ROOT.glob(pattern)))


def _bearoff(data: bytes) -> None:
    """The shipped file with bytes changed. Each four bytes of ``data`` are a place (three bytes) and a value. If the
    number of bytes is odd, the checksum is corrected."""
    shipped = bytearray((ROOT / "books/data/backgammon.bearoff").read_bytes())
    for start in range(0, len(data) - 3, 4):
        shipped[int.from_bytes(data[start : start + 3], "little") % len(shipped)] = data[start + 3]
    if len(data) // 4 % 2:
        head = memoryview(shipped)[: HEAD - CHECKSUM]
        checksum = zlib.crc32(memoryview(shipped)[HEAD:], zlib.crc32(head))
        shipped[HEAD - CHECKSUM : HEAD] = checksum.to_bytes(CHECKSUM, "little")
    game: Any = catalogue.load("backgammon")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "book.bearoff"
        path.write_bytes(shipped)
        try:
            opened = formats.open_book(path, game)
        except PlayoutError as error:
            one_line(error)
            assert "book.bearoff" in str(error)
            return
        for own, other in ((1, 2), (15, 1), (9, 15), (2, 2)):
            sides = (15 - own, own, *[0] * 24), (15 - other, 0, other, *[0] * 23)
            opened.lookup(State(sides, 0, (2, 1)))
        opened.close()


def _macros(data: bytes) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "book.yaml"
        path.write_bytes(data)
        for name in ("tic_tac_toe", "hex:5", "go:5", "chess"):
            try:
                read_macros(path, catalogue.load(name))
            except PlayoutError as error:
                one_line(error)
                assert "book.yaml" in str(error)


def _solved(data: bytes) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "book.jsonl"
        path.write_bytes(data)
        try:
            read_solved(path)
        except PlayoutError as error:
            one_line(error)
            assert "book.jsonl" in str(error)


def _solved_seeds() -> Iterable[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "book.jsonl"
        add_solved(
            path, [SolvedPosition("tic_tac_toe", None, ("b2",), "3/1x1/3 o", 1, 0.0, None, ("a1",), {"a1": (0, 5)})]
        )
        yield path.read_bytes()


def _searcher() -> Searcher:
    game = catalogue.load("tic_tac_toe")
    options = options_for(game, {})
    options.set("Hash", "1")
    return Searcher(game, search_config(game, options))


def _graph(data: bytes) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "graph"
        path.write_bytes(data)
        try:
            _core.graph_game(path)
        except ValueError as error:
            assert "graph" in str(error)
        try:
            _searcher().load(str(path))
        except PlayoutError as error:
            one_line(error)
            assert "graph" in str(error)


def _graph_seeds() -> Iterable[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        searcher = _searcher()
        searcher.set_position(None, ())
        searcher.prepare()
        searcher.run(nodes=20, interval=60.0)
        searcher.save(str(Path(folder) / "graph"))
        yield (Path(folder) / "graph").read_bytes()


_SGF = (
    b"(;FF[4]GM[1]SZ[5]RE[B+1]PB[a];B[cc];W[dd](;B[bb])(;B[aa];W[]))(;GM[1]SZ[5];B[aa];W[tt];B[])",
    b"(;GM[1]SZ[5]HA[2]AB[aa][bb]PL[W];W[cc];B[dd])",
)
TARGETS = (
    book("pgn", ".pgn", "chess", lambda: [PGN.encode()]),
    book("sgf-go", ".sgf", "go:5", lambda: _SGF),
    book("sgf-hex", ".sgf", "hex:5,swap=true", lambda: [b"(;FF[4]GM[11]SZ[5]RE[W+];B[a2];W[swap-pieces];B[c3])"]),
    book(
        "games-hex",
        ".games",
        "hex:4,swap=true",
        lambda: [b"playout games of hex:4,swap=true\n#\n1\t\ta1\tswap-pieces\tb2\n"],
    ),
    book(
        "games-backgammon", ".games", "backgammon", lambda: [b"playout games of backgammon\n0.5\t\t31\t8/5,6/5\n*\t\t"]
    ),
    book("yaml-chess", ".yaml", "chess", _golden("tests/books/text/golden/*chess.yaml")),
    book("yaml-tic_tac_toe", ".yaml", "tic_tac_toe", _golden("tests/books/text/golden/*tic*.yaml")),
    book("yaml-backgammon", ".yaml", "backgammon", _golden("tests/books/text/golden/*backgammon.yaml")),
    book("store", ".book", "tic_tac_toe", _written(".book", "tic_tac_toe"), longest=65536),
    book("polyglot", ".bin", "chess", _written(".bin", "chess")),
    Target("bearoff", _bearoff, lambda: [b"\x00\x00\x00\x00", b"\x08\x00\x00\x01\x10\x00\x00\x00"], longest=64),
    Target("macros", _macros, _golden("books/data/macros/*.yaml")),
    Target("solved", _solved, _solved_seeds, lambda: ["null", "1e999", "NaN", "Infinity", "[[[[", "{}"]),
    Target("graph", _graph, _graph_seeds, longest=8192),
)
