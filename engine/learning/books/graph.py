"""The graph of a book in growth: its positions with their moves, values backed up by negamax, and which to expand next.

Drop-out expansion (Lincke, "Strategies for the Automatic Construction of Opening Books", Computers and Games 2000): a
move that has not been followed has expansion priority 0; a position has

    1 + min over its moves (priority of the move + alpha (value of the best move - value of the move)),

so that a line is followed the further the less its moves give away. The least priority is expanded first.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

WIDENING_PLIES = 3.0
"""A position gets one more move each time the lines behind it have grown by so many plies."""
NEVER = math.inf
MOST_UNPROVEN = 1023 / 1024
"""A value that is not exact is never taken for a sure win or loss."""


@dataclass(slots=True, eq=False)
class Reply:
    """A position in which a player decides, after a move and, where there are dice, after one of their outcomes."""

    outcomes: tuple[Any, ...]
    """Of the dice, between the move and the position."""
    probability: float
    key: int | None
    """The position's, in books; None if the game is over."""
    sign: float
    """1 if who moves there is who made the move, else -1: the position's value times this is for who made it."""
    result: float = 0.0
    """Of a game that is over, for who made the move."""
    delay: float = 0.0
    """Plies by which it is followed later than the likeliest outcome."""
    node: Node | None = None
    """The position, once the book has it and does not lead from there back to the move."""

    @property
    def waits(self) -> bool:
        """Whether nothing is known but what the search of the move found."""
        return self.key is not None and self.node is None


@dataclass(slots=True, eq=False)
class Edge:
    """A move of a position."""

    action: Any
    """As the book writes it: at its image of the position."""
    searched: float
    """What the search after the move found it worth, for who makes it."""
    simulations: int
    """Of that search."""
    proven: bool
    """Whether that value is exact."""
    replies: tuple[Reply, ...] = ()
    blocked: bool = False
    """Whether it is not to be followed: it closes a cycle, or the line that led here forbids what comes after."""
    value: float = 0.0
    """For who makes it, from all that is known."""
    depth: int = 0
    """Simulations behind the value: those of the searches of the line that it comes from."""
    exact: bool = False
    priority: float = 0.0

    def __post_init__(self) -> None:
        self.update()

    @property
    def followed(self) -> bool:
        """Whether the book has all positions behind the move."""
        return not any(reply.waits for reply in self.replies)

    def update(self) -> None:
        """Takes over what is known of the replies."""
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
        """Simulations of the lines behind the move; with dice their mean."""
        return int(sum(reply.probability * reply.node.depth for reply in self.replies if reply.node is not None))

    def next_reply(self) -> Reply:
        """The one to follow: one that waits, else that of the least priority."""
        return next((reply for reply in self.replies if reply.waits), None) or min(self.replies, key=_priority)


def _priority(reply: Reply) -> float:
    return NEVER if reply.node is None else reply.node.priority + reply.delay


@dataclass(slots=True, eq=False)
class Node:
    """A position of the book."""

    key: int
    state: Any
    """The image of which the book writes the moves."""
    alternatives: int
    """Its legal moves, those that are images of each other counted once."""
    edges: list[Edge]
    """By their actions' texts, so that they do not hang on the order in which they came."""
    proven: float | None = None
    """The exact value, where a search of the position itself found it."""
    parents: list[Node] = field(default_factory=list)
    value: float = 0.0
    """For the player to move."""
    depth: int = 0
    exact: bool = False
    priority: float = 1.0

    def best(self) -> Edge:
        """The move with the greatest value; of moves alike the first."""
        return max(self.edges, key=lambda edge: edge.value)

    def candidates(self, alpha: float, width: int) -> Iterator[tuple[float, Edge | None]]:
        """What may be done here, with its priority: a move be followed, or one more be added (None)."""
        values = [edge.value for edge in self.edges]
        best = max(values)
        for edge in self.edges:
            yield edge.priority + alpha * (best - edge.value), edge
        if len(values) < self.alternatives:
            # The next move is reckoned as good as the worst one known. Moves that are settled leave room for others.
            beyond = 1 - width + sum(not edge.exact for edge in self.edges)
            yield max(0, beyond) * WIDENING_PLIES + alpha * (best - min(values)), None


class Graph:
    """The positions by their keys, without cycles: a move that would close one is not followed."""

    def __init__(self, root: Edge, alpha: float, width: int) -> None:
        """``root`` is as a move that leads to the start of the book."""
        self.root = root
        self.nodes: dict[int, Node] = {}
        self._alpha, self._width = alpha, width
        self._waiting: dict[int, list[tuple[Node | None, Reply]]] = {}
        self._link(None, root)

    def add(self, node: Node) -> None:
        """Links a position with those that lead to it and those to which it leads; ``spread`` is to follow."""
        node.edges.sort(key=_text)
        self.nodes[node.key] = node
        for parent, reply in self._waiting.pop(node.key, ()):
            reply.node = node
            if parent is not None:
                node.parents.append(parent)
        for edge in node.edges:
            self._link(node, edge)

    def add_edge(self, node: Node, edge: Edge) -> None:
        """One more move of a position; ``spread`` is to follow."""
        node.edges.append(edge)
        node.edges.sort(key=_text)
        self._link(node, edge)

    def spread(self, changed: Iterable[Node]) -> Iterable[Node]:
        """Backs values and priorities up from these positions to the root; all that were updated."""
        touched: dict[int, Node] = {}
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

    def choose(self, node: Node) -> Edge | None:
        """The move to follow on the way to the next expansion, or None if the position is to get another move."""
        return min(node.candidates(self._alpha, self._width), key=lambda candidate: candidate[0])[1]

    def _update(self, node: Node) -> bool:
        """Whether anything changed that those before it take over."""
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

    def _link(self, node: Node | None, edge: Edge) -> None:
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
    """A value that is not exact."""
    return max(-MOST_UNPROVEN, min(MOST_UNPROVEN, value))


def _leads(ancestor: Node, node: Node) -> bool:
    """Whether ``ancestor`` is ``node``, or comes before it."""
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
