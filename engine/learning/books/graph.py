"""The graph of a growing book: positions with their moves, values backed up by negamax, and the choice of the next
expansion.

Drop-out expansion (Lincke, "Strategies for the Automatic Construction of Opening Books", Computers and Games 2000): a
move that has not been followed has expansion priority 0; a position has

    1 + min over its moves (priority of the move + alpha (value of the best move - value of the move)),

so lines whose moves lose less are followed further. The least priority is expanded first.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

WIDENING_PLIES = 3.0
"""A position gets one more move each time the lines after it have grown by this many plies."""
NEVER = math.inf
MOST_UNPROVEN = 1023 / 1024
"""Greatest absolute value of a position that is not proven, so that it never counts as a certain win or loss."""


@dataclass(slots=True, eq=False)
class Reply:
    """A position where a player is to move, after a move and, in games with dice, after one of their outcomes."""

    outcomes: tuple[Any, ...]
    """Probability of the dice between the move and the position."""
    probability: float
    key: int | None
    """Key of the position in books; None if the game is over."""
    sign: float
    """1 if the player to move there made the move, else -1: converts the position's value to that of the player who
    moved.
    """
    result: float = 0.0
    """Result of a finished game, for the player who made the move."""
    delay: float = 0.0
    """Plies by which it is followed later than the most probable outcome."""
    node: BookNode | None = None
    """The position, if the book has it and no line leads from it back to the move."""

    @property
    def waits(self) -> bool:
        """Whether nothing is known except the result of the move's search."""
        return self.key is not None and self.node is None


@dataclass(slots=True, eq=False)
class Edge:
    """A move of a position."""

    action: Any
    """The action in the book's image of the position."""
    searched: float
    """Value found by the search after the move, for the player who makes it."""
    simulations: int
    """Simulations of that search."""
    proven: bool
    """Whether that value is exact."""
    replies: tuple[Reply, ...] = ()
    blocked: bool = False
    """Whether it is not followed, because it closes a cycle or because the line that led here forbids what
    comes after.
    """
    value: float = 0.0
    """Value for the player who makes it, from everything known."""
    depth: int = 0
    """Simulations behind the value: those of the searches of the line that it comes from."""
    exact: bool = False
    priority: float = 0.0

    def __post_init__(self) -> None:
        self.update()

    @property
    def followed(self) -> bool:
        """Whether the book has all positions after the move."""
        return not any(reply.waits for reply in self.replies)

    def update(self) -> None:
        """Updates the move from its replies."""
        self.value, self.depth, self.exact, self.priority = self.searched, self.simulations, self.proven, 0.0
        if self.replies and self.followed and not self.proven:
            self.value = math.fsum(
                reply.probability * (reply.result if reply.node is None else reply.sign * reply.node.value)
                for reply in self.replies
            )
            self.depth += self.depth_behind()
            self.exact = all(reply.node is None or reply.node.exact for reply in self.replies)
            self.priority = min(map(_priority, self.replies))
        if self.exact or self.blocked:
            self.priority = NEVER

    def depth_behind(self) -> int:
        """Simulations of the lines after the move; with dice, their mean."""
        return int(sum(reply.probability * reply.node.depth for reply in self.replies if reply.node is not None))

    def next_reply(self) -> Reply:
        """Returns the reply to follow: one that waits, else the one with the least priority."""
        return next((reply for reply in self.replies if reply.waits), None) or min(self.replies, key=_priority)


def _priority(reply: Reply) -> float:
    return NEVER if reply.node is None else reply.node.priority + reply.delay


@dataclass(slots=True, eq=False)
class BookNode:
    """A position of the book."""

    key: int
    state: Any
    """The image in whose frame the book writes the moves."""
    alternatives: int
    """Number of its legal moves, symmetry images counted as one."""
    edges: list[Edge]
    """Sorted by the text of the action, so that the result does not depend on the order of insertion."""
    proven: float | None = None
    """The exact value, if a search of the position itself found it."""
    parents: list[BookNode] = field(default_factory=list)
    value: float = 0.0
    """Value for the player to move."""
    depth: int = 0
    exact: bool = False
    priority: float = 1.0

    def best(self) -> Edge:
        """The move with the greatest value, the first among equals."""
        return max(self.edges, key=lambda edge: edge.value)

    def candidates(self, alpha: float, width: int) -> Iterator[tuple[float, Edge | None]]:
        """Yields the possible expansions with their priorities: a move to follow, or None to add one more move."""
        values = [edge.value for edge in self.edges]
        best = max(values)
        for edge in self.edges:
            yield edge.priority + alpha * (best - edge.value), edge
        if len(values) < self.alternatives:
            # The next move is assumed as good as the worst known one. Settled moves leave room for others.
            beyond = 1 - width + sum(not edge.exact for edge in self.edges)
            yield max(0, beyond) * WIDENING_PLIES + alpha * (best - min(values)), None


class Graph:
    """The positions by key, without cycles: a move that would close one is not followed."""

    def __init__(self, root: Edge, alpha: float, width: int) -> None:
        """``root`` acts as a move that leads to the start of the book."""
        self.root = root
        self.nodes: dict[int, BookNode] = {}
        self._alpha, self._width = alpha, width
        self._waiting: dict[int, list[tuple[BookNode | None, Reply]]] = {}
        self._link(None, root)

    def add(self, node: BookNode) -> None:
        """Links a position with its predecessors and successors. The caller must call ``spread`` afterwards."""
        node.edges.sort(key=_text)
        self.nodes[node.key] = node
        for parent, reply in self._waiting.pop(node.key, ()):
            reply.node = node
            if parent is not None:
                node.parents.append(parent)
        for edge in node.edges:
            self._link(node, edge)

    def add_edge(self, node: BookNode, edge: Edge) -> None:
        """Adds a move to a position. The caller must call ``spread`` afterwards."""
        node.edges.append(edge)
        node.edges.sort(key=_text)
        self._link(node, edge)

    def spread(self, changed: Iterable[BookNode]) -> Iterable[BookNode]:
        """Backs values and priorities up from these positions to the root, and returns all nodes that were updated."""
        touched: dict[int, BookNode] = {}
        waiting = deque(changed)
        queued = {node.key for node in waiting}
        while waiting:
            node = waiting.popleft()
            queued.discard(node.key)
            touched[node.key] = node
            if self._update(node):
                for parent in node.parents:
                    if parent.key not in queued:
                        queued.add(parent.key)
                        waiting.append(parent)
        self.root.update()
        return touched.values()

    def choose(self, node: BookNode) -> Edge | None:
        """Returns the move to follow towards the next expansion, or None if the position is to get another move."""
        return min(node.candidates(self._alpha, self._width), key=lambda candidate: candidate[0])[1]

    def _update(self, node: BookNode) -> bool:
        """Recomputes a node; returns whether anything changed that its predecessors depend on."""
        before = (node.value, node.depth, node.exact, node.priority)
        for edge in node.edges:
            edge.update()
        best = node.best()
        node.value, node.depth = best.value, best.depth
        everything = len(node.edges) >= node.alternatives and all(edge.exact for edge in node.edges)
        node.exact = everything or (best.exact and best.value >= 1)
        if node.proven is not None:
            node.value, node.exact = node.proven, True
        if not node.exact:
            node.value = cautious(node.value)
        node.priority = NEVER
        if not node.exact:
            node.priority = 1 + min(priority for priority, _ in node.candidates(self._alpha, self._width))
        return before != (node.value, node.depth, node.exact, node.priority)

    def _link(self, node: BookNode | None, edge: Edge) -> None:
        for reply in edge.replies:
            if reply.key is None:
                continue
            known = self.nodes.get(reply.key)
            if known is None:
                self._waiting.setdefault(reply.key, []).append((node, reply))
            elif node is not None and _leads(known, node):
                edge.blocked = True
            else:
                reply.node = known
                if node is not None:
                    known.parents.append(node)


def cautious(value: float) -> float:
    """Limits a value that is not exact."""
    return max(-MOST_UNPROVEN, min(MOST_UNPROVEN, value))


def _leads(ancestor: BookNode, node: BookNode) -> bool:
    """Whether ``ancestor`` is ``node`` or one of its predecessors."""
    seen, waiting = {node.key}, [node]
    while waiting:
        one = waiting.pop()
        if one is ancestor:
            return True
        for parent in one.parents:
            if parent.key not in seen:
                seen.add(parent.key)
                waiting.append(parent)
    return False


def _text(edge: Edge) -> str:
    return repr(edge.action)
