"""The graph of a search, read as a tree."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from playout.engine.search.searcher import Searcher
from playout.engine.session import Session
from playout.engine.terms.info import MoveInfo, SearchInfo
from playout.games.game import CHANCE, HasKey, HasSymmetries, Symmetry, action_to_text, is_over, text_to_action


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
    images: tuple[str, ...] = ()
    """The other moves that lead to images of this position by a symmetry of the position before. The search has merged
    them in this one."""
    position: int = 0
    """Number of the position in this tree: 0 at the root. Positions that are reached by different orders of moves, or
    are images of each other, have the same one, and share a node of the graph."""

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
        self._symmetries: tuple[Symmetry[Any, Any], ...] = ()
        if isinstance(self._game, HasSymmetries) and session.options.flag("Symmetries"):
            self._symmetries = tuple(self._game.symmetries())
        self._numbers: dict[Hashable, int] = {}
        self._count = itertools.count()

    def read(self, depth: int) -> Node:
        """Returns the root with ``depth`` generations of children."""
        self._searcher.set_position(self._text, self._words)
        info, sign = self._searcher.report(), self._sign(self._state)
        self._number(self._state)
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
        own = [one for one in self._symmetries if one.state(state) == state]
        return tuple(
            self._node(move, sign, state, own, (*path, move.move), depth)
            for move in info.moves
            if move.visits >= self._least
        )

    def _node(
        self,
        move: MoveInfo,
        sign: int,
        state: object,
        own: Sequence[Symmetry[Any, Any]],
        path: tuple[str, ...],
        depth: int,
    ) -> Node:
        """Returns a child of ``state``, whose own symmetries are those that map it to itself."""
        game, action = self._game, text_to_action(self._game, state, move.move)
        after = game.next_state(state, action)
        number = self._number(after)
        lower, upper = sorted((sign * move.lower + 0.0, sign * move.upper + 0.0))
        children: tuple[Node, ...] = ()
        if depth > 1 and not is_over(game, after):
            self._searcher.set_position(self._text, (*self._words, *path))
            children = self._children(self._searcher.report(), after, path, depth - 1)
        plies = None if move.plies is None else move.plies - 1
        images = tuple(action_to_text(game, state, one) for one in dict.fromkeys(_images(own, action)))
        value = sign * move.value + 0.0
        return Node(move.move, move.visits, value, lower, upper, plies, children, images, number)

    def _number(self, state: object) -> int:
        """Returns the number of a position; a new one for a position that the tree has not had yet."""
        game = self._game
        if not isinstance(game, HasKey):
            return next(self._count)
        key = game.key(state)
        if (found := self._numbers.get(key)) is None:
            found = self._numbers[key] = next(self._count)
            for one in self._symmetries:
                self._numbers.setdefault(game.key(one.state(state)), found)
        return found

    def _sign(self, state: object) -> int:
        """1 where the numbers of the graph are those of the tree, -1 where they are the other player's.

        At a chance position the graph's are player 0's.
        """
        player = self._game.current_player(state)
        return 1 if (0 if player == CHANCE else player) == self._root else -1


def _images(own: Iterable[Symmetry[Any, Any]], action: object) -> Iterator[object]:
    return (image for one in own if (image := one.action(action)) != action)
