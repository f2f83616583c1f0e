"""Ownership of points and chains at the end of a game of territory, estimated by playouts."""

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


def ownership(game: Game[Any, Any], text: str | None, words: Sequence[str], *, seed: int = 0) -> list[float]:
    """Returns the expected ownership of each point at the end of the game, in [-1, 1]; 1 is player 0.

    It is the mean of ``PLAYOUTS`` playouts from the position after ``words`` (moves and ``PLAYER_TOKENS``) from
    ``text``. Empty for a game without territory. Games without a kernel have fewer playouts (``stone_playouts.MOST``).
    """
    position = playout_position(game, text, words)
    return position.ownership(PLAYOUTS, seed) if position is not None else []


def kernel_position(game: Game[Any, Any], text: str | None, words: Sequence[str]) -> _core.Position | None:
    """Returns the kernel's position after ``words`` (moves, ``PLAYER_TOKENS``) from ``text``; None without a kernel."""
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
    """Returns ``info`` with the ownership that its search expects.

    The estimate comes from ``AHEAD`` playouts from the ends of the variations of the best moves, divided among them by
    visits. Unchanged for a game without territory.
    """
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
    """Ownership for the reports of one search. While time is short, a report repeats that of an earlier one."""

    def __init__(self, task: SearchTask) -> None:
        self._position = (task.game, *task.line.path(task.game))
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
        return ahead(*self._position, info, seed=self._seed)


def lead(game: Game[Any, Any], state: Any, owners: Sequence[float]) -> float | None:
    """Returns the mean result in points, for player 0, of the playouts from ``state`` that gave ``owners``.

    None for a game that is not decided by points, or without ``owners``. Under territory scoring, the stones that each
    side has played on its own area are subtracted; area and territory counts may still differ by a point or two, since
    playouts do not tell who passed.
    """
    if not isinstance(game, HasTerritory) or not owners:
        return None
    area = sum(owners) - game.komi
    if game.scoring == "area":
        return float(area)
    (own, other), (taken, lost) = map(len, game.stones(state)), game.captures(state)
    return float(area - (own + lost) + (other + taken))


def is_dead(chain: Iterable[int], player: int, owners: Sequence[float]) -> bool:
    """Whether a chain of ``player`` is dead by the ownership ``owners``. Its stones live and die together."""
    holds = [owners[point] if player == 0 else -owners[point] for point in chain]
    return sum(holds) / len(holds) < DEAD
