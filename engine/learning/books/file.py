"""A book in growth on the disk: its graph read from a store and written to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from playout.books.base.book import BookMove
from playout.books.store.file import Weighting
from playout.books.store.reader import StoreBook
from playout.books.store.writer import StoreWriter
from playout.engine.learning.books.evaluation import storable
from playout.engine.learning.books.graph import Graph, Node
from playout.engine.learning.books.positions import Positions
from playout.games.errors import BookError

LEARNED, PROVEN, BEST = "learned", "proven", "proven best"
"""The sources of values: searches; one that found the exact result; and such a one than which no move is better."""
EXACT = (PROVEN, BEST, "solved")


class BookFile:
    """The store of a book in growth. Counts of games that stand in it stay."""

    def __init__(self, positions: Positions, writer: StoreWriter, book: StoreBook, margin: float) -> None:
        """Moves that are worse than the best by ``margin`` or more are written with weight 0.

        Raises:
            BookError: if the store's weights follow from counts.
        """
        if writer.rules.weighting is not Weighting.given:
            raise BookError(f"{writer.path}: a book built of games; playout book convert makes one that can be learned")
        self._positions, self._writer, self._book, self._margin = positions, writer, book, margin
        self._changed: dict[int, Node] = {}

    def read(self, graph: Graph, state: Any) -> None:
        """Takes over what the store has, found by walking from ``state``."""
        nodes = list(self._nodes(state))
        for node in nodes:
            graph.add(node)
        told = {node.key: _facts(node) for node in nodes}
        _restore(nodes)
        graph.spread(reversed(nodes))
        # A book that was put together of several, or whose start lies elsewhere, may not be backed up.
        self.note(node for node in nodes if _facts(node) != told[node.key])

    def note(self, nodes: Iterable[Node]) -> None:
        """What of these is to be said has changed."""
        self._changed.update((node.key, node) for node in nodes)

    def write(self) -> None:
        """Commits what has changed."""
        for node in self._changed.values():
            self._writer.put(node.state, self._moves(node))
        self._writer.commit()
        self._changed.clear()

    def _nodes(self, start: Any) -> Iterable[Node]:
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
                # Superko forbids moves where the line does; the file keeps them.
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

    def _moves(self, node: Node) -> list[BookMove]:
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


def _facts(node: Node) -> Sequence[tuple[float, int, bool]]:
    return [(storable(edge.value), edge.depth, edge.exact) for edge in node.edges]


def _restore(nodes: Sequence[Node]) -> None:
    """Finds what follows from what the store has: which positions are proven, and the simulations of each move's own
    search, which are its depth less that of the line behind it."""
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
