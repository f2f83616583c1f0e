"""Who holds what: points and chains judged by playouts, for the end of a game of territory."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from playout.engine import _core
from playout.engine.judge.stone_playouts import StonePosition
from playout.engine.options.config import kernel_of
from playout.engine.search.searcher import kernel_params
from playout.engine.terms.info import SearchInfo
from playout.engine.terms.line import PLAYER_TOKENS, Line
from playout.games.board_hooks import HasTerritory
from playout.games.game import Game, is_over

PLAYOUTS = 1000
AHEAD = 256
"""Playouts of a report of a running search, which waits for them."""
MOVES_AHEAD = 8
SHARE = 0.2
"""Of the time of a search that these playouts may take, but for the last report."""
DEAD = -0.4
"""A chain is dead if its own side's mean hold of its points is below this: lost in seven playouts of ten."""


def ownership(game: Game[Any, Any], text: str | None, words: Sequence[str], *, seed: int = 0) -> list[float]:
    """How surely each point is player 0's at the end, in [-1, 1]: the mean of ``PLAYOUTS`` playouts.

    The position is that after ``words`` (moves and ``PLAYER_TOKENS``) from ``text``. Empty for a game without
    territory. Games without a kernel have fewer playouts (``stone_playouts.MOST``).
    """
    position = playout_position(game, text, words)
    return position.ownership(PLAYOUTS, seed) if position is not None else []


def kernel_position(game: Game[Any, Any], text: str | None, words: Sequence[str]) -> _core.Position | None:
    """The kernel's position after ``words`` (moves and ``PLAYER_TOKENS``) from ``text``; None without a kernel."""
    kernel = kernel_of(game)
    if kernel is None:
        return None
    position = _core.Position(kernel, kernel_params(game), text)
    for word in words:
        if word in PLAYER_TOKENS:
            position.set_player(PLAYER_TOKENS.index(word))
            continue
        action = position.parse_action(word)
        assert action is not None, word
        position.play(action)
    return position


def playout_position(
    game: Game[Any, Any], text: str | None, words: Sequence[str]
) -> _core.Position | StonePosition | None:
    """The position after ``words`` from ``text``, for playouts; None if the game has neither kernel nor territory."""
    position = kernel_position(game, text, words)
    if position is None and isinstance(game, HasTerritory):
        line = Line.start(game, text)
        for word in words:
            changes = word in PLAYER_TOKENS
            line = line.with_player(game, PLAYER_TOKENS.index(word)) if changes else line.played(game, word)
        return StonePosition(game, line.state, 0 if is_over(game, line.state) else game.current_player(line.state))
    return position


def ahead(
    game: Game[Any, Any], text: str | None, words: Sequence[str], info: SearchInfo, *, seed: int = 0
) -> SearchInfo:
    """``info`` with the ownership that its search foresees: ``AHEAD`` playouts from where the variations of its best
    moves end, shared out by visits. Unchanged for a game without territory."""
    start = playout_position(game, text, words)
    best = info.moves[:MOVES_AHEAD]
    visits = sum(move.visits for move in best)
    points = len(start.ownership(1, seed)) if start is not None else 0
    if start is None or not points or not visits:
        return info
    moves, total, weight = list(info.moves), [0.0] * points, 0
    for place, move in enumerate(best):
        count = round(AHEAD * move.visits / visits)
        if count == 0:
            continue
        position = playout_position(game, text, (*words, *(move.pv or (move.move,))))
        assert position is not None
        owners = position.ownership(count, seed + place)
        moves[place] = replace(move, ownership=tuple(owners))
        total = [one + count * other for one, other in zip(total, owners, strict=True)]
        weight += count
    return replace(info, moves=tuple(moves), ownership=tuple(one / weight for one in total))


class Foresight:
    """Ownership for the reports of one search: worked out anew, or that of an earlier report while time is short."""

    def __init__(self, game: Game[Any, Any], text: str | None, words: Sequence[str], seed: int) -> None:
        self._position = (game, text, words)
        self._seed = seed
        self._due = 0.0
        self._held: dict[str, tuple[float, ...]] = {}
        self._ownership: tuple[float, ...] = ()

    def report(self, info: SearchInfo) -> SearchInfo:
        """A report of the running search, with ownership."""
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
        """The last report, with ownership of its own."""
        return ahead(*self._position, info, seed=self._seed)


def lead(game: Game[Any, Any], state: Any, owners: Sequence[float]) -> float | None:
    """By how many points player 0 leads at the end of playouts with these ``owners``, which went on from ``state``: the
    mean result in points. None for a game that is not decided by points, or without ``owners``.

    Where territory is counted, what each side has played on its own area is taken off again; a difference of a point or
    two between the ways of counting is left out, as playouts do not tell who passed.
    """
    if not isinstance(game, HasTerritory) or not owners:
        return None
    area = sum(owners) - game.komi
    if game.scoring == "area":
        return float(area)
    (own, other), (taken, lost) = map(len, game.stones(state)), game.captures(state)
    return float(area - (own + lost) + (other + taken))


def is_dead(chain: Iterable[int], player: int, owners: Sequence[float]) -> bool:
    """Whether a chain of ``player``'s is dead, by ``ownership``. Its stones live and die together."""
    holds = [owners[point] if player == 0 else -owners[point] for point in chain]
    return sum(holds) / len(holds) < DEAD
