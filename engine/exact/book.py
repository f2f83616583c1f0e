"""Books of exact values: every position of a tree of play solved, into a store."""

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
from playout.engine.exact.solving import Memory, solve
from playout.games.errors import BookError
from playout.games.game import CHANCE, Game, HasStateText, action_to_text, is_over, text_to_action

SOURCE = "solved"
BATCH = 64
"""Positions from one commit to the next, at most."""
PAUSE = 5.0
"""Seconds from one commit to the next position at which there is another, at most."""


@dataclass(frozen=True, slots=True)
class SolvedTree:
    """What has been done."""

    solved: int
    """Positions solved by this run."""
    known: int
    """Positions that the book had."""
    whole: bool
    """Whether all of the tree is in the book."""


@dataclass(frozen=True, slots=True)
class _Stop:
    """A position of the tree."""

    state: Any
    words: tuple[str, ...]
    by_book: frozenset[int]
    """The players who have played the best moves only on the way."""
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
    """Solves the position after ``moves`` from ``start`` (None: the game's own) and those up to ``plies`` moves later
    (None: all) into the store at ``path``: each legal move has its exact value, and the best ones have weight 1.

    A book is for one of ``players`` who plays by it, whatever the other does: positions whose player to move has not,
    on the way, played moves of weight 1 only are left out, unless ``everything`` is asked for. With ``best_lines`` only
    positions that come of moves of weight 1, of both players, are in it. It may be stopped at any time
    (KeyboardInterrupt) and goes on where it was. ``on_progress`` is told how many positions are done and how many
    wait. Blocks.

    Raises:
        BookError: if the store cannot be read or written, or the game has chance.
        GameError, IllegalMove: as ``solve`` does.
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
            tree = _Tree(game, start, len(moves), writer, book, _Work(Memory(game), hash_mib, threads))
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
    """How positions are solved."""

    memory: Memory
    hash_mib: int
    threads: int


@dataclass(frozen=True, slots=True)
class _Extent:
    """Which positions are in the tree; see ``solve_book``."""

    plies: int | None
    everything: bool
    best_lines: bool


class _Tree:
    """The positions on the way into the store."""

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
        """Solves the positions, those nearest to the root first; False if it was interrupted."""
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
        """Those that the book has, or solved for it; None if that was interrupted."""
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
    """The moves of a position with their values, one of those that its own symmetries make equivalent; None if it was
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
    """The positions after a position, whose ``moves`` are None if it is not in the book."""
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
