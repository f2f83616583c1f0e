"""Books of exact values: solves every position of a tree of play into a store."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playout.books.base.book import BookMove
from playout.books.base.canonical import Place, Places
from playout.books.store.reader import StoreBook, open_book
from playout.books.store.writer import StoreWriter
from playout.engine.exact.solving import SolverMemory, solve
from playout.games.errors import BookError
from playout.games.game import CHANCE, Game, HasStateText, action_to_text, is_over, text_to_action

SOURCE = "solved"
BATCH = 64
"""Most positions between two commits."""
PAUSE = 5.0
"""Most seconds from a commit to the next position, after which there is another commit."""


@dataclass(frozen=True, slots=True)
class SolvedTree:
    """Summary of a run."""

    solved: int
    """Positions that this run has solved."""
    known: int
    """Positions that the book had before."""
    whole: bool
    """Whether the whole tree is in the book."""


@dataclass(frozen=True, slots=True)
class _Stop:
    """A position of the tree."""

    state: Any
    words: tuple[str, ...]
    by_book: frozenset[int]
    """The players who have played only best moves on the way."""
    loose: bool = False
    """Whether the position before is not in the book."""


def solve_book(
    path: Path,
    game: Game[Any, Any],
    *,
    start: str | None = None,
    moves: Sequence[str] = (),
    plies: int | None = None,
    players: Iterable[int] = (0, 1),
    everything: bool = False,
    best_lines: bool = False,
    hash_mib: int = 256,
    threads: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> SolvedTree:
    """Solves a tree of positions into the store at ``path``: each legal move gets its exact value, the best weight 1.

    A book serves one of ``players``, who plays by it against any moves of the other. So a position is left out if its
    player to move has played a move of another weight on the way. A run may be interrupted at any time
    (KeyboardInterrupt); the next one continues it. Blocks.

    Args:
        path: the store, which may exist.
        game: a game without dice.
        start: text of the root's start position; None is the game's own.
        moves: moves from ``start`` to the root.
        plies: depth of the tree below the root; None is no bound.
        players: the players whom the book serves.
        everything: whether to keep the positions that would be left out.
        best_lines: whether to keep only positions that arise from moves of weight 1 by both players.
        hash_mib: bound of the solver's table, in MiB.
        threads: threads of the solver.
        on_progress: called with the numbers of positions that are done and that wait.

    Raises:
        BookError: if the store cannot be read or written, or the game has chance.
        GameError: as ``solve`` does.
        IllegalMove: as ``solve`` does.
    """
    state = game.initial_state()
    if start is not None:
        if not isinstance(game, HasStateText):
            raise BookError(f"{game.name}: the game has no position texts to start from")
        state = game.state_from_text(start)
    for word in moves:
        state = game.next_state(state, text_to_action(game, state, word))
    with StoreWriter(path, game) as writer:
        writer.add_root(state)
        writer.commit()
        with closing(open_book(path, game)) as book:
            tree = _Tree(game, start, len(moves), writer, book, _Work(SolverMemory(game), hash_mib, threads))
            wanted = _Extent(plies, everything, best_lines)
            root = _Stop(state, tuple(moves), frozenset((0, 1) if best_lines else players))
            try:
                whole = tree.grow(root, wanted, on_progress)
            except KeyboardInterrupt:
                whole = False
        writer.commit()
    return SolvedTree(tree.solved, tree.known, whole)


@dataclass(frozen=True, slots=True)
class _Work:
    """Resources of the solver."""

    memory: SolverMemory
    hash_mib: int
    threads: int


@dataclass(frozen=True, slots=True)
class _Extent:
    """The positions of the tree; see ``solve_book``."""

    plies: int | None
    everything: bool
    best_lines: bool


class _Tree:
    """The tree while it is solved into the store."""

    def __init__(
        self, game: Game[Any, Any], start: str | None, begun: int, writer: StoreWriter, book: StoreBook, work: _Work
    ) -> None:
        self._game, self._start, self._begun = game, start, begun
        self._writer, self._book, self._work = writer, book, work
        self._uncommitted: dict[int, Sequence[BookMove]] = {}
        self._next_commit = 0.0
        self._places = Places(game)
        self._seen: dict[int, frozenset[int]] = {}
        self.solved = self.known = 0

    def grow(self, root: _Stop, wanted: _Extent, on_progress: Callable[[int, int], None] | None) -> bool:
        """Solves the positions, those nearest to the root first. Returns False if it was interrupted."""
        game, seen = self._game, self._seen
        waiting = deque([root])
        while waiting:
            stop = waiting.popleft()
            place = self._places.of(stop.state)
            if is_over(game, stop.state) or (place.key in seen and stop.by_book <= seen[place.key]):
                continue
            mover = game.current_player(stop.state)
            if mover == CHANCE:
                raise BookError(f"{game.name}: books of exact values are for games without dice")
            moves: Sequence[BookMove] | None = None
            if wanted.everything or mover in stop.by_book:
                moves = self._moves(stop, place)
                if moves is None:
                    return False
                if stop.loose:
                    self._writer.add_root(stop.state)
            seen[place.key] = seen.get(place.key, frozenset()) | stop.by_book
            if wanted.plies is None or len(stop.words) - self._begun < wanted.plies:
                waiting.extend(_after(game, stop, place, moves, wanted))
            if on_progress is not None:
                on_progress(self.solved + self.known, len(waiting))
        return True

    def _moves(self, stop: _Stop, place: Place) -> Sequence[BookMove] | None:
        """Returns the moves that the book has, or solves them; None if that was interrupted."""
        if place.key in self._uncommitted:
            return [replace(m, action=place.from_book(m.action)) for m in self._uncommitted[place.key]]
        known = [m for m in self._book.lookup(stop.state) if m.source == SOURCE]
        if known:
            self.known += place.key not in self._seen
            return known
        moves = _solve(self._game, self._start, stop, place, self._work)
        if moves is not None:
            self._writer.put(stop.state, moves)
            self._uncommitted[place.key] = [replace(m, action=place.to_book(m.action)) for m in moves]
            self.solved += 1
            if self._writer.pending >= BATCH or time.monotonic() > self._next_commit:
                self._writer.commit()
                self._uncommitted.clear()
                self._next_commit = time.monotonic() + PAUSE
        return moves


def _solve(game: Game[Any, Any], start: str | None, stop: _Stop, place: Place, work: _Work) -> list[BookMove] | None:
    """Returns the moves of a position with their values, one for each set of symmetric moves; None if it was
    interrupted."""
    solution = solve(
        game,
        start,
        stop.words,
        all_moves=True,
        lengths=False,
        hash_mib=work.hash_mib,
        threads=work.threads,
        memory=work.memory,
    )
    if solution.value is None or not solution.moves:
        return None
    best = solution.moves[0]
    moves: dict[Any, BookMove] = {}
    for move in solution.moves:
        alike = move.value == best.value and move.plies == best.plies
        action = text_to_action(game, stop.state, move.move)
        known = BookMove(action, float(alike), value=move.value, depth=move.plies or 0, source=SOURCE)
        moves.setdefault(place.to_book(action), known)
    return list(moves.values())


def _after(
    game: Game[Any, Any], stop: _Stop, place: Place, moves: Sequence[BookMove] | None, wanted: _Extent
) -> list[_Stop]:
    """Returns the positions after ``stop``. ``moves`` is None if it is not in the book."""
    mover = game.current_player(stop.state)
    best = {place.to_book(move.action) for move in moves or () if move.weight > 0}
    stops = []
    for action in game.legal_actions(stop.state):
        by_book = stop.by_book if place.to_book(action) in best else stop.by_book - {mover}
        if wanted.everything or (by_book == stop.by_book if wanted.best_lines else by_book):
            after = game.next_state(stop.state, action)
            words = (*stop.words, action_to_text(game, stop.state, action))
            stops.append(_Stop(after, words, by_book, moves is None))
    return stops
