"""The graph of a search, read as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from playout.engine.search.searcher import Searcher
from playout.engine.session import Session
from playout.engine.terms.info import MoveInfo, SearchInfo
from playout.games.game import CHANCE, HasSymmetries, is_over, text_to_action


@dataclass(frozen=True, slots=True)
class Node:
    """A position of the graph and how it was reached.

    All values of a tree are from the point of view of the player to move at its root (of player 0 if dice are to be
    rolled there), in [-1, 1].
    """

    move: str | None
    """The move or roll that leads here, in the game's notation; None at the root. Moves that are equal by symmetry are
    one."""
    visits: int
    """Simulations that took this move from the position before; at the root, all simulations from there."""
    value: float
    """The value of the position."""
    lower: float
    upper: float
    """Proven bounds of ``value``: -1 and 1 while nothing is proven."""
    plies: int | None
    """Plies from the position to the end of the game along the proven line; None while nothing is proven, at the root
    too."""
    children: tuple[Node, ...] = field(default=(), repr=False)
    """The positions after the moves that were tried, best first; empty below the depth that was read."""

    @property
    def proven(self) -> bool:
        """Whether the exact value of the position is known."""
        return self.lower == self.upper

    def __iter__(self) -> Iterator[Node]:
        """Yields this node and all nodes below it, each before its children."""
        yield self
        for child in self.children:
            yield from child

    def __str__(self) -> str:
        return "\n".join(self._lines(0))

    def _lines(self, level: int) -> Iterator[str]:
        proof = " proven" if self.proven else ""
        yield f"{'  ' * level}{self.move or 'root'}  {self.visits} visits  {self.value:+.3f}{proof}"
        for child in self.children:
            yield from child._lines(level + 1)


class TreeReader:
    """Reads the graph below the position of ``session``, whose search has ended."""

    def __init__(self, session: Session, visits: int) -> None:
        """``visits`` is the least number of visits of a move that is read."""
        self._game = session.game
        self._least = visits
        self._searcher: Searcher = session.searcher()
        line = session.line.taken_up(self._game)
        self._state = line.state
        self._text, self._words = line.path(self._game)
        self._root = 0 if is_over(self._game, self._state) else max(0, self._game.current_player(self._state))

    def read(self, depth: int) -> Node:
        """Returns the root with ``depth`` generations of children."""
        self._searcher.set_position(self._text, self._words)
        info, sign = self._searcher.report(), self._sign(self._state)
        lower, upper = self._root_bounds(info)
        children = self._children(info, self._state, (), depth)
        return Node(None, info.visits, sign * info.value + 0.0, lower, upper, None, children)

    def _root_bounds(self, info: SearchInfo) -> tuple[float, float]:
        """The bounds that the root's moves prove; no report has them."""
        game, state = self._game, self._state
        if not info.moves or game.current_player(state) == CHANCE:
            return -1.0, 1.0
        tried = {text_to_action(game, state, move.move) for move in info.moves}
        if isinstance(game, HasSymmetries):
            own = [one for one in game.symmetries() if one.state(state) == state]
            tried |= {one.action(action) for one in own for action in tried}
        untried = set(game.legal_actions(state)) - tried
        upper = 1.0 if untried else max(move.upper for move in info.moves)
        return max(move.lower for move in info.moves), upper

    def _children(self, info: SearchInfo, state: object, path: tuple[str, ...], depth: int) -> tuple[Node, ...]:
        if depth == 0:
            return ()
        sign = self._sign(state)
        return tuple(
            self._node(move, sign, state, (*path, move.move), depth)
            for move in info.moves
            if move.visits >= self._least
        )

    def _node(self, move: MoveInfo, sign: int, state: object, path: tuple[str, ...], depth: int) -> Node:
        lower, upper = sorted((sign * move.lower + 0.0, sign * move.upper + 0.0))
        children: tuple[Node, ...] = ()
        if depth > 1:
            after = self._game.next_state(state, text_to_action(self._game, state, move.move))
            if not is_over(self._game, after):
                self._searcher.set_position(self._text, (*self._words, *path))
                children = self._children(self._searcher.report(), after, path, depth - 1)
        plies = None if move.plies is None else move.plies - 1
        return Node(move.move, move.visits, sign * move.value + 0.0, lower, upper, plies, children)

    def _sign(self, state: object) -> int:
        """1 where the numbers of the graph are those of the tree, -1 where they are the other player's.

        At a chance position the graph's are player 0's.
        """
        player = self._game.current_player(state)
        return 1 if (0 if player == CHANCE else player) == self._root else -1
