"""The graph of a book in growth: its positions with their moves, values backed up by negamax, and which to expand next.

Drop-out expansion (Lincke, "Strategies for the Automatic Construction of Opening Books", Computers and Games 2000): a
move that is not yet followed has expansion priority 0; a position has

    1 + min over its moves ( priority of the move + alpha * (value of the best move - value of the move) ),

so that a line is followed the further the fewer of its moves are mistakes. The least priority is expanded first.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

WIDENING_PLIES = 3.0
"""A position gets one more move each time the lines behind it have grown by so many plies."""
DICE_PLIES = 1.0
"""Plies by which an outcome e times as rare as the likeliest one is followed later."""
NEVER = math.inf


@dataclass(slots=True, eq=False)
class Reply:
    """A position in which a player decides, after a move and, where there are dice, after one of their outcomes."""

    outcomes: tuple[Any, ...]
    """Of the dice, between the move and the position."""
    probability: float
    key: int | None
    """The position's, in books; None if the game is over."""
    sign: float
    """1 if who moves there is who made the move, else -1; its value times this is the move's."""
    result: float = 0.0
    """Of a game that is over, for who made the move."""
    node: Node | None = None
    blocked: bool = False
    """Whether the position leads back to the move."""

    @property
    def open(self) -> bool:
        """Whether the position waits to be expanded."""
        return self.key is not None and self.node is None


@dataclass(slots=True, eq=False)
class Edge:
    """A move of a position."""

    action: Any
    """As the book writes it: at its image of the position."""
    searched: float
    """What the search after the move found it worth, for who makes it."""
    simulations: int
    proven: bool
    """Whether that is exact."""
    replies: tuple[Reply, ...]
    blocked: bool = False
    """Whether it is not to be followed."""
    value: float = 0.0
    """For who makes it, from all that is known."""
    depth: int = 0
    """Simulations behind the value: those of the searches on the line that it comes from."""
    exact: bool = False
    priority: float = 0.0

    def update(self) -> None:
        """Takes over what is known of the replies."""
        self.value, self.depth, self.exact = self.searched, self.simulations, self.proven
        self.priority = NEVER if self.proven or self.blocked else 0.0
        if self.proven or any(reply.open for reply in self.replies) or not self.replies:
            if any(reply.blocked for reply in self.replies):
                self.priority = NEVER
            return
        nodes = [(reply, reply.node) for reply in self.replies]
        self.value = math.fsum(
            reply.probability * (reply.result if node is None else reply.sign * node.value) for reply, node in nodes
        )
        self.depth += int(sum(reply.probability * node.depth for reply, node in nodes if node is not None))
        self.exact = all(node is None or node.exact for _, node in nodes)
        if self.exact:
            self.priority = NEVER
        elif not self.blocked:
            self.priority = min(map(self.delay, self.replies))

    def delay(self, reply: Reply) -> float:
        """The priority of a reply as this move sees it: rare outcomes come later."""
        if reply.node is None:
            return NEVER
        likeliest = max(other.probability for other in self.replies)
        return reply.node.priority + DICE_PLIES * math.log(likeliest / reply.probability)


@dataclass(slots=True, eq=False)
class Node:
    """A position of the book."""

    key: int
    state: Any
    """The image of which the book writes the moves."""
    alternatives: int
    """Legal moves, of those that are images of each other one."""
    edges: list[Edge]
    proven: float | None = None
    """The exact value, where a search of the position found it."""
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
        """What may be done here, each with its share of the priority: a move followed, or one more added (None)."""
        best = max(edge.value for edge in self.edges)
        for edge in self.edges:
            yield edge.priority + alpha * (best - edge.value), edge
        if len(self.edges) < self.alternatives:
            # The next move is reckoned as good as the worst one known.
            worst = min(edge.value for edge in self.edges)
            beyond = max(0, len(self.edges) + 1 - width)
            yield beyond * WIDENING_PLIES + alpha * (best - worst), None


class Graph:
    """The positions by their keys, without cycles: a move that would close one is not followed."""

    def __init__(self, root: Edge, alpha: float, width: int) -> None:
        self.root = root
        self.nodes: dict[int, Node] = {}
        self._alpha, self._width = alpha, width
        self._waiting: dict[int, list[tuple[Node | None, Reply]]] = {}
        self._await(None, root)

    def add(self, node: Node) -> None:
        """Links a position with those that lead to it and those to which it leads; ``spread`` is to follow."""
        node.edges.sort(key=lambda edge: repr(edge.action))
        self.nodes[node.key] = node
        for parent, reply in self._waiting.pop(node.key, ()):
            reply.node = node
            if parent is not None:
                node.parents.append(parent)
        for edge in node.edges:
            self._await(node, edge)

    def add_edge(self, node: Node, edge: Edge) -> None:
        """One more move of a position; ``spread`` is to follow."""
        node.edges.append(edge)
        node.edges.sort(key=lambda edge: repr(edge.action))
        self._await(node, edge)

    def spread(self, changed: Iterable[Node]) -> Iterable[Node]:
        """Backs values and priorities up from these positions to the root; all that were updated."""
        touched: dict[int, Node] = {}
        waiting = deque(changed)
        queued = {node.key for node in waiting}
        while waiting:
            node = waiting.popleft()
            queued.discard(node.key)
            before = (node.value, node.depth, node.exact, node.priority)
            self._update(node)
            touched[node.key] = node
            if (node.value, node.depth, node.exact, node.priority) != before:
                for parent in node.parents:
                    if parent.key not in queued:
                        queued.add(parent.key)
                        waiting.append(parent)
        self.root.update()
        return touched.values()

    def choose(self, node: Node) -> Edge | None:
        """The move to follow on the way to the next expansion, or None if the position is to get another move."""
        return min(node.candidates(self._alpha, self._width), key=lambda candidate: candidate[0])[1]

    def choose_reply(self, edge: Edge) -> Reply:
        """The reply to follow: one that waits, or else that of the least priority."""
        return next((reply for reply in edge.replies if reply.open), None) or min(edge.replies, key=edge.delay)

    def _update(self, node: Node) -> None:
        for edge in node.edges:
            edge.update()
        best = node.best()
        node.value, node.depth = best.value, best.depth
        node.exact = best.exact and (
            best.value >= 1.0 or (len(node.edges) >= node.alternatives and all(edge.exact for edge in node.edges))
        )
        if node.proven is not None:
            node.value, node.exact = node.proven, True
        if node.exact:
            node.priority = NEVER
        else:
            node.priority = 1.0 + min(priority for priority, _ in node.candidates(self._alpha, self._width))

    def _await(self, node: Node | None, edge: Edge) -> None:
        for reply in edge.replies:
            if reply.key is None:
                continue
            known = self.nodes.get(reply.key)
            if known is None:
                self._waiting.setdefault(reply.key, []).append((node, reply))
            elif node is not None and self._leads(known, node):
                reply.blocked = True
            else:
                reply.node = known
                if node is not None:
                    known.parents.append(node)

    def _leads(self, ancestor: Node, node: Node) -> bool:
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
