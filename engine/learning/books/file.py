"""The file of a growing book: its graph is read from a store and written to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from playout.books.base.book import BookMove
from playout.books.store.file import Weighting
from playout.books.store.reader import StoreBook
from playout.books.store.writer import StoreWriter
from playout.engine.learning.books.evaluation import storable
from playout.engine.learning.books.graph import BookNode, Graph
from playout.engine.learning.books.positions import Positions
from playout.games.errors import BookError

LEARNED, PROVEN, BEST = "learned", "proven", "proven best"
"""Sources of a value: a search; a search that found the exact result; and an exact result that no other move
exceeds.
"""
EXACT = (PROVEN, BEST, "solved")


class BookFile:
    """The store of a growing book. Counts of games in it are kept."""

    def __init__(self, positions: Positions, writer: StoreWriter, book: StoreBook, margin: float) -> None:
        """Moves that are worse than the best by ``margin`` or more are written with weight 0.

        Raises:
            BookError: if the store's weights are computed from counts.
        """
        if writer.rules.weighting is not Weighting.given:
            raise BookError(
                f"{writer.path}: this book is built from games; playout book convert makes a copy that learn accepts"
            )
        self._positions, self._writer, self._book, self._margin = positions, writer, book, margin
        self._changed: dict[int, BookNode] = {}

    def read(self, graph: Graph, state: Any) -> None:
        """Reads the store by a traversal from ``state``."""
        nodes = list(self._nodes(state))
        for node in nodes:
            graph.add(node)
        told = {node.key: _facts(node) for node in nodes}
        _restore(nodes)
        graph.spread(reversed(nodes))
        # In a book merged from several, or with another start, values may not be backed up yet.
        self.note(node for node in nodes if _facts(node) != told[node.key])

    def note(self, nodes: Iterable[BookNode]) -> None:
        """Marks nodes whose records have changed."""
        self._changed.update((node.key, node) for node in nodes)

    def write(self) -> None:
        """Commits the changes."""
        for node in self._changed.values():
            self._writer.put(node.state, self._moves(node))
        self._writer.commit()
        self._changed.clear()

    def _nodes(self, start: Any) -> Iterable[BookNode]:
        game, places = self._positions.game, self._positions.places
        seen: set[int] = set()
        waiting = [start]
        while waiting:
            for state, _, _ in self._positions.decisions(waiting.pop()):
                place = places.of(state)
                if place.key in seen:
                    continue
                seen.add(place.key)
                known = [(move, move.value) for move in self._book.lookup(state) if move.value is not None]
                if not known:
                    continue
                # Superko forbids moves on some lines; the file keeps them.
                legal = set(game.legal_actions(state))
                known = [(move, value) for move, value in known if move.action in legal]
                edges = [
                    self._positions.edge(
                        state, place, move.action, storable(value), move.depth or 0, move.source in EXACT
                    )
                    for move, value in known
                ]
                if edges:
                    node = self._positions.node(state, place, edges)
                    node.proven = next((value for move, value in known if move.source == BEST), None)
                    yield node
                waiting += [game.next_state(state, move.action) for move, _ in known]

    def _moves(self, node: BookNode) -> list[BookMove]:
        own = self._positions.places.of(node.state)
        known = {own.to_book(move.action): move for move in self._book.lookup(node.state)}
        best = max(edge.value for edge in node.edges)
        moves = []
        for edge in sorted(node.edges, key=lambda edge: -edge.value):
            source = LEARNED if not edge.exact else BEST if node.exact and edge.value == best else PROVEN
            weight = max(0.0, 1.0 - (best - edge.value) / self._margin)
            before = known.pop(edge.action, BookMove(edge.action, 0.0))
            moves.append(replace(before, weight=weight, value=edge.value, depth=edge.depth, source=source))
        return [*moves, *known.values()]


def _facts(node: BookNode) -> Sequence[tuple[float, int, bool]]:
    return [(storable(edge.value), edge.depth, edge.exact) for edge in node.edges]


def _restore(nodes: Sequence[BookNode]) -> None:
    """Restores what the store implies: which positions are proven, and the simulations of each move's own search, which
    are its depth less that of the line after it.
    """
    for node in nodes:
        node.depth = node.best().depth
    for node in nodes:
        for edge in node.edges:
            if edge.proven:
                for reply in edge.replies if len(edge.replies) == 1 else ():
                    if reply.node is not None:
                        reply.node.proven = reply.sign * edge.searched + 0.0
            elif edge.replies and edge.followed:
                edge.simulations = max(0, edge.simulations - edge.depth_behind())
