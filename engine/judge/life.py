"""Life and death in games with territory: which chains are dead or live in seki, for the count at the end of a game.

A chain on whose fate the playouts by knowledge agree is settled. These playouts fill no eye of their own, capture where
they can, and do not put their own chains in atari, so that they leave a seki alone. Where they disagree, searches play
the position on, once with each side first, until the playouts agree or both sides pass. The komi of these searches is
set to the best result that the side to move can reach, because a search that wins or loses anyway would not care about
one chain.

A game without a kernel is judged by playouts alone, because searches of it take seconds each.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from playout.engine.judge.ownership import DEAD, kernel_position
from playout.engine.judge.stone_playouts import StonePosition
from playout.engine.options.config import SearchConfig, kernel_of, search_config
from playout.engine.search.searcher import Searcher
from playout.engine.terms.line import PLAYER_TOKENS
from playout.engine.terms.task import SearchTask
from playout.games.support.go.board import EMPTY, Stones

PLAYOUTS = 100
"""Playouts of one look at a position, half of them with each side to move."""
FEWEST = 5
"""Least playouts with each side to move, after a stop too."""
SETTLED = 0.5
"""Least mean ownership, by either side, of a chain on whose fate the playouts agree."""
SHARED = 0.5
"""Share of the playouts in which a chain must live in seki to count as such."""
PASS = "pass"
CLEAR = 0.5
"""Least value of a pass, for the player who passes, that is taken for a win."""
FEW = 2
"""Most liberties of a chain that may be in a race."""
TWO_EYES = 3
"""Least points of a region in which a chain makes two eyes."""
NODES = 200
"""Simulations of each search."""
MOST_SECONDS = 10.0
"""Seconds after which a judgement ends."""
LONGEST = 40
"""Most plies for which a position is played on."""

_Stones = tuple[int, list[int]]
"""A player and the points of a chain."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain on the board, and its fate."""

    player: int
    points: tuple[int, ...]
    fate: str
    """``alive``, ``dead`` or ``seki``."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """All chains on the board, Black's first."""

    chains: tuple[Chain, ...]

    def of(self, fate: str) -> list[Chain]:
        """The chains of one fate."""
        return [chain for chain in self.chains if chain.fate == fate]

    @property
    def dead(self) -> frozenset[int]:
        """The points of all dead chains."""
        return frozenset(point for chain in self.of("dead") for point in chain.points)


class _View:
    """Result of the playouts of one position: the ownership of each point at the end, and how often its chain then has
    fewer than two eyes and lives by a liberty that belongs to nobody."""

    def __init__(self, area: int) -> None:
        self.owners = [0.0] * area
        self.shared = [0.0] * area

    def look(self, board: Stones, share: float) -> None:
        """Adds the final board of a playout, with the weight ``share``."""
        for point, what in enumerate(board.points):
            if what != EMPTY:
                self.owners[point] += share if what == 0 else -share
        neutral: list[set[int]] = []
        eyes: dict[int, int] = {}
        chain_of: dict[int, frozenset[int]] = {}
        for region, around in board.regions():
            sides = {board.points[point] for point in around}
            if len(sides) == 1:
                hold = share if sides == {0} else -share
                for point in region:
                    self.owners[point] += hold
            for point in around:
                if point not in chain_of:
                    chain = frozenset(board.chain(point))
                    chain_of.update(dict.fromkeys(chain, chain))
            heads = {min(chain_of[point]) for point in around}
            if len(sides) == 1:
                for head in heads:
                    eyes[head] = eyes.get(head, 0) + (1 if len(region) < TWO_EYES else 2)
            elif sides:
                neutral.append(heads)
        for head in set().union(*neutral):
            if eyes.get(head, 0) < 2:
                for point in chain_of[head]:
                    self.shared[point] += share

    def scale(self, factor: float) -> None:
        """Multiplies all sums by ``factor``."""
        self.owners = [factor * owner for owner in self.owners]
        self.shared = [factor * share for share in self.shared]

    def hold(self, points: Sequence[int], player: int) -> float:
        """Returns the mean ownership of the points, in [-1, 1]; 1 is ``player``."""
        mean = sum(self.owners[point] for point in points) / len(points)
        return mean if player == 0 else -mean


class _Judge:
    def __init__(
        self, game: Any, text: str | None, config: SearchConfig, nodes: int, stopped: Callable[[], bool]
    ) -> None:
        self._game, self._text, self._config = game, text, config
        self._nodes, self._stopped = nodes if kernel_of(game) is not None else 0, stopped
        self._area: int = game.columns * game.rows

    def judge(self, state: Any, words: Sequence[str]) -> Judgement:
        board = self._stones(state)
        chains = [(player, chain) for player in (0, 1) for chain in board.chains(player)]
        glance = self._view(state, words)
        doubtful = _doubtful(board, glance, chains)
        tokens = PLAYER_TOKENS if doubtful and self._nodes else ()
        views = [self._played_on(state, [*words, token], doubtful) for token in tokens]
        found = []
        for player, points in chains:
            ends = views if (player, points) in doubtful else []
            found.append(Chain(player, tuple(points), _fate(glance, ends, player, points)))
        return Judgement(tuple(found))

    def _played_on(self, state: Any, words: list[str], chains: list[_Stones]) -> _View:
        """Returns the view of playouts after searches have played on; after two passes, that of the board itself."""
        game = self._game
        state = game.with_player(state, PLAYER_TOKENS.index(words[-1]))
        view = self._view(state, words)
        lead = round(sum(view.owners)) + 0.5
        passes = plies = 0
        while plies < LONGEST and game.returns(state) is None and _doubtful(self._stones(state), view, chains):
            lead, move = self._best(state, words, lead)
            if self._stopped():
                break
            state = game.next_state(state, game.text_to_action(state, move))
            words, plies = [*words, move], plies + 1
            passes = passes + 1 if move == PASS else 0
            if passes == 2:
                view = _View(self._area)
                view.look(self._stones(state), 1.0)
                break
            if passes == 0:
                view = self._view(state, words)
        return view

    def _best(self, state: Any, words: Sequence[str], lead: float) -> tuple[float, str]:
        """Returns the best lead of Black for the player to move, searched from ``lead`` on, and a move that reaches it:
        a pass, if that does."""
        sign, most = 1 if state.player == 0 else -1, self._area + 0.5
        reached: tuple[float, str] | None = None
        failed: float | None = None
        step = 2.0
        while abs(lead) <= most and not self._stopped():
            move = self._winning(state, words, lead)
            if move is not None:
                reached = (lead, move)
            else:
                failed = lead
            if reached is not None and failed is not None:
                if abs(reached[0] - failed) <= 1:
                    break
                lead = (reached[0] + failed) // 2 + 0.5
            else:
                lead += sign * step if move is not None else -sign * step
                step *= 2
        return reached or (lead, PASS)

    def _winning(self, state: Any, words: Sequence[str], lead: float) -> str | None:
        """Returns a move that keeps a lead of Black greater (for White: smaller) than ``lead``; None without one."""
        game = dataclasses.replace(self._game, komi=lead, scoring="area")
        searcher = Searcher(game, self._config)
        if (game.score(state) > 0) == (state.player == 0):
            # Two passes give exactly this lead.
            searcher.set_position(self._text, words)
            searcher.restrict([PASS])
            if searcher.run(nodes=self._nodes).info.value > CLEAR:
                return PASS
        searcher.set_position(self._text, words)
        result = searcher.run(nodes=self._nodes)
        return result.move if result.info.value > 0 else None

    def _view(self, state: Any, words: Sequence[str]) -> _View:
        view, looks = _View(self._area), 0
        for player in (0, 1):
            playout = self._playouts(state, words, player)
            for number in range(PLAYOUTS // 2):
                if number >= FEWEST and self._stopped():
                    break
                view.look(playout(self._config.seed + number), 1 / PLAYOUTS)
                looks += 1
        if looks < PLAYOUTS:
            view.scale(PLAYOUTS / looks)
        return view

    def _playouts(self, state: Any, words: Sequence[str], player: int) -> Callable[[int], Stones]:
        """Gives the stones at the end of the playout with a seed; ``player`` moves first."""
        position = kernel_position(self._game, self._text, words)
        if position is None:
            return StonePosition(self._game, state, player).end
        position.set_player(player)
        board = self._stones(state)

        def end(seed: int) -> Stones:
            stones = board.copy()
            for action, second in position.playout(seed, True)[1]:
                if action < len(stones.points):
                    stones.play(action, 1 if second else 0)
            return stones

        return end

    def _stones(self, state: Any) -> Stones:
        return Stones.of(self._game.columns, self._game.rows, self._game.stones(state))


def judge(
    game: Any,
    text: str | None,
    words: Sequence[str],
    state: Any,
    *,
    config: SearchConfig,
    nodes: int = NODES,
    stopped: Callable[[], bool] = lambda: False,
) -> Judgement:
    """Judges ``state``, the position of Go after ``words`` (moves and ``PLAYER_TOKENS``) from ``text``.

    ``nodes`` bounds each search; with 0 only playouts decide, in some hundredths of a second on small boards. Blocks
    until all chains are judged or ``stopped`` returns True, after which the estimates so far decide.
    """
    return _Judge(game, text, config, nodes, stopped).judge(state, words)


def _fate(glance: _View, views: Sequence[_View], player: int, points: Sequence[int]) -> str:
    """Returns the fate of a chain. ``views`` are those after play has gone on, or none.

    A fate that the playouts of the position itself settle stands even then, unless both views show a seki.
    """
    shared = [sum(view.shared[point] for point in points) / len(points) for view in views or [glance]]
    hold = glance.hold(points, player)
    if views and abs(hold) >= SETTLED:
        if min(shared) > SHARED:
            return "seki"
    elif views:
        hold = sum(view.hold(points, player) for view in views) / len(views)
    if hold < DEAD:
        return "dead"
    return "seki" if sum(shared) / len(shared) > SHARED else "alive"


def _doubtful(board: Stones, view: _View, chains: Sequence[_Stones]) -> list[_Stones]:
    """Returns those of the original chains whose fate ``view`` does not settle."""
    return [
        (player, points)
        for player, points in chains
        if abs(view.hold(points, player)) < SETTLED or (board.points[points[0]] == player and _races(board, points[0]))
    ]


def _races(board: Stones, stone: int) -> bool:
    """Whether a chain and one of the opponent share a liberty and both have few. There playouts may throw away a seki
    that looks like a nakade."""
    liberties = board.liberties(board.chain(stone))
    rivals = {beside for liberty in liberties for beside in board.beside(liberty)} if len(liberties) <= FEW else ()
    return any(
        board.points[rival] == 1 - board.points[stone] and len(board.liberties(board.chain(rival))) <= FEW
        for rival in rivals
    )


class Verdicts:
    """Judges the roots of tasks, and remembers the last judgement.

    Thread contract: ``find`` runs on the search thread; ``enough`` may be set on any thread.
    """

    def __init__(self) -> None:
        self.last: Judgement | None = None
        self.enough = threading.Event()
        """Set it to end the judgement under way early."""
        self._key: object = None

    def find(self, task: SearchTask, quick: bool = False) -> None:
        """Judges the root of ``task`` into ``last``, by playouts alone if ``quick``. Blocks."""
        game = task.game
        line = task.line.taken_up(game)
        text, words = line.path(game)
        key = (game, text, words, quick)
        if self._key == key:
            return
        until = time.monotonic() + MOST_SECONDS

        def stopped() -> bool:
            return self.enough.is_set() or time.monotonic() > until

        self.last = judge(
            game,
            text,
            words,
            line.state,
            config=_plain(search_config(game, task.options)),
            nodes=0 if quick else NODES,
            stopped=stopped,
        )
        self._key = None if self.enough.is_set() else key


def _plain(config: SearchConfig) -> SearchConfig:
    """Returns the configuration of the same search, repeatable and without noise."""
    return dataclasses.replace(config, threads=1, root_noise=0.0, temperature=0.0)
