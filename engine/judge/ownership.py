"""Ownership of points and chains at the end of a game, estimated by playouts."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from playout.engine import _core
from playout.engine.judge.stone_playouts import StonePosition
from playout.engine.options.config import kernel_of
from playout.engine.terms.info import SearchInfo
from playout.engine.terms.kernel import kernel_params
from playout.engine.terms.line import PLAYER_TOKENS, Line
from playout.engine.terms.task import SearchTask
from playout.games.board_hooks import HasTerritory
from playout.games.game import Game, is_over

PLAYOUTS = 1000
"""Playouts of one estimate of a position."""
AHEAD = 256
"""Playouts of one report of a running search, which waits for them."""
MOVES_AHEAD = 8
"""Root moves among which these playouts are divided."""
SHARE = 0.2
"""Share of the time of a search that these playouts may take, except for the last report."""
DEAD = -0.4
"""Mean ownership of a chain's points, for its own side, below which it is dead: it is lost in 7 playouts of 10."""


def kernel_position(game: Game[Any, Any], text: str | None, words: Sequence[str]) -> _core.Position | None:
    """Returns the kernel's position after ``words`` (moves, ``PLAYER_TOKENS``) from ``text``; None without a kernel."""
    kernel = kernel_of(game)
    if kernel is None:
        return None
    position = _core.Position(kernel, kernel_params(game), text)
    _play(position, words)
    return position


class OwnershipPlayouts:
    """Playouts from the end of a line, and from the positions that lie a few moves beyond it.

    The line is replayed once, because that takes longer than the playouts of one root move.
    """

    def __init__(self, game: Game[Any, Any], line: Line) -> None:
        self._game, self._line = game, line.taken_up(game)
        self.kernel_position = kernel_position(game, *self._line.path(game))
        """The kernel's position at the end of the line; None without a kernel. Callers must not change it."""

    def owners(self, count: int, seed: int, moves: Sequence[str] = ()) -> list[float]:
        """Returns the expected ownership of each point at the end of the game, in [-1, 1]; 1 is player 0.

        It is the mean of ``count`` playouts from the position after ``moves``, which are legal. Empty for a game
        whose points have no owners. Games without a kernel have fewer playouts (``stone_playouts.MOST``).
        """
        if self.kernel_position is not None:
            position = self.kernel_position.copy() if moves else self.kernel_position
            _play(position, moves)
            return position.ownership(count, seed)
        game = self._game
        if not isinstance(game, HasTerritory):
            return []
        state = self._line.extended(game, moves).state
        return StonePosition(game, state, 0 if is_over(game, state) else game.current_player(state)).ownership(
            count, seed
        )

    def ahead(self, info: SearchInfo, *, seed: int = 0) -> SearchInfo:
        """Returns ``info``, a report of a search of the line's end, with the ownership that this search expects.

        The estimate comes from ``AHEAD`` playouts from the ends of the variations of the best moves, divided among them
        by visits. Unchanged where points have no owners.
        """
        best = info.moves[:MOVES_AHEAD]
        visits = sum(move.visits for move in best)
        if not visits:
            return info
        moves, total, weight = list(info.moves), list[float](), 0
        for place, move in enumerate(best):
            count = round(AHEAD * move.visits / visits)
            if count == 0:
                continue
            owners = self.owners(count, seed + place, move.pv or (move.move,))
            moves[place] = replace(move, ownership=tuple(owners))
            total = [one + count * other for one, other in zip(total or [0.0] * len(owners), owners, strict=True)]
            weight += count
        return replace(info, moves=tuple(moves), ownership=tuple(one / weight for one in total))


def _play(position: _core.Position, words: Sequence[str]) -> None:
    """Plays ``words``, which are legal moves and ``PLAYER_TOKENS``."""
    for word in words:
        if word in PLAYER_TOKENS:
            position.set_player(PLAYER_TOKENS.index(word))
            continue
        action = position.parse_action(word)
        assert action is not None, word
        position.play(action)


class Foresight:
    """Ownership for the reports of one search. While time is short, a report repeats that of an earlier one."""

    def __init__(self, task: SearchTask) -> None:
        self._playouts = OwnershipPlayouts(task.game, task.line)
        self._seed = task.options.integer("Seed")
        self._due = 0.0
        self._held: dict[str, tuple[float, ...]] = {}
        self._ownership: tuple[float, ...] = ()

    def report(self, info: SearchInfo) -> SearchInfo:
        """Returns a report of the running search with ownership."""
        began = time.monotonic()
        if began < self._due:
            moves = tuple(replace(move, ownership=self._held.get(move.move, ())) for move in info.moves)
            return replace(info, moves=moves, ownership=self._ownership)
        seen = self.last(info)
        self._held, self._ownership = {move.move: move.ownership for move in seen.moves}, seen.ownership
        ended = time.monotonic()
        self._due = ended + (ended - began) * (1 / SHARE - 1)
        return seen

    def last(self, info: SearchInfo) -> SearchInfo:
        """Returns the last report with an ownership of its own."""
        return self._playouts.ahead(info, seed=self._seed)


def is_dead(chain: Iterable[int], player: int, owners: Sequence[float]) -> bool:
    """Whether a chain of ``player`` is dead by the ownership ``owners``. Its stones live and die together."""
    holds = [owners[point] if player == 0 else -owners[point] for point in chain]
    return sum(holds) / len(holds) < DEAD
