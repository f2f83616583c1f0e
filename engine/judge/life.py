"""Life and death in games with territory: the chains that are dead or live in seki, for the count at the end of a game.

What playouts by knowledge agree on is settled: they fill no eye of their own, take what can be taken, and do not put
their own chains in atari, so that they leave a seki alone. Where they disagree the position is played on by searches,
once by each side first, until they agree or both pass. The komi of these searches is the most that the side to move
can reach, for a search that wins or loses anyway would not care for a chain.

A game without a kernel is judged by playouts alone: searches of it take seconds each.
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
from playout.engine.options.config import SearchConfig, kernel_of
from playout.engine.search.searcher import Searcher
from playout.engine.terms.line import PLAYER_TOKENS, Line
from playout.games.support.go_board import EMPTY, Stones

PLAYOUTS = 100
"""Of each look at a position, half of them with each side to move."""
FEWEST = 5
"""Playouts with each side to move that are made even where an answer is wanted at once."""
SETTLED = 0.5
"""The least mean hold, by either side, of a chain whose fate playouts agree on."""
SHARED = 0.5
"""A chain is in seki if it lives so in more than this part of the playouts."""
PASS = "pass"
CLEAR = 0.5
"""The least value of a pass, for who passes, that is taken for a win."""
FEW = 2
"""Liberties of a chain that may be in a race."""
TWO_EYES = 3
"""The least room in which a chain makes two eyes."""
NODES = 200
"""Simulations of each search."""
MOST_SECONDS = 10.0
LONGEST = 40
"""Plies for which a position is played on."""

_Stones = tuple[int, list[int]]
"""A player and the points of a chain."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain on the board and what becomes of it."""

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
    """What playouts say of a position: who holds each point at the end, and how often its chain then has fewer than two
    eyes and lives by a liberty that is nobody's."""

    def __init__(self, area: int) -> None:
        self.owners = [0.0] * area
        self.shared = [0.0] * area

    def look(self, board: Stones, share: float) -> None:
        """Takes in the end of a playout, which counts as ``share``."""
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
        """Has what was seen count as more."""
        self.owners = [factor * owner for owner in self.owners]
        self.shared = [factor * share for share in self.shared]

    def hold(self, points: Sequence[int], player: int) -> float:
        """How surely ``player`` holds the points, in [-1, 1]."""
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
        """What playouts say once searches have played on; after two passes, what the board says."""
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
        """The lead of Black's that the player to move can just reach, sought from ``lead`` on, and a move that does it:
        a pass, where that is good enough."""
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
        """A move after which a lead of Black's larger, or for White smaller, than ``lead`` is still to be had."""
        game = dataclasses.replace(self._game, komi=lead, scoring="area")
        searcher = Searcher(game, self._config)
        if (game.score(state) > 0) == (state.player == 0):
            # It is what two passes give.
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

    ``nodes`` are the simulations of each search; with 0 playouts alone decide, which takes some hundredths of a second
    on small boards. Blocks; once ``stopped`` says so it answers with what it knows.
    """
    return _Judge(game, text, config, nodes, stopped).judge(state, words)


def _fate(glance: _View, views: Sequence[_View], player: int, points: Sequence[int]) -> str:
    """What becomes of a chain. ``views`` are there if it was played on. What the playouts of the position itself settle
    stands even then, unless it is found in seki whoever moves first."""
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
    """Those of the chains, by what they were, whose fate ``view`` does not settle."""
    return [
        (player, points)
        for player, points in chains
        if abs(view.hold(points, player)) < SETTLED or (board.points[points[0]] == player and _races(board, points[0]))
    ]


def _races(board: Stones, stone: int) -> bool:
    """Whether a chain and one of the opponent's share a liberty and have few: playouts may throw away what is in seki,
    where it looks like a nakade."""
    liberties = board.liberties(board.chain(stone))
    rivals = {beside for liberty in liberties for beside in board.beside(liberty)} if len(liberties) <= FEW else ()
    return any(
        board.points[rival] == 1 - board.points[stone] and len(board.liberties(board.chain(rival))) <= FEW
        for rival in rivals
    )


class Verdicts:
    """Judges positions of a line and remembers the last judgement."""

    def __init__(self) -> None:
        self.last: Judgement | None = None
        self.enough = threading.Event()
        """Set to have the judgement under way come to its end. Any thread."""
        self._key: object = None

    def find(self, game: Any, line: Line, config: SearchConfig, quick: bool = False) -> None:
        """Judges, within ``MOST_SECONDS``, into ``last``; if ``quick`` by playouts alone. Blocks."""
        key = (game, line.text, line.words, quick)
        if self._key == key:
            return
        until = time.monotonic() + MOST_SECONDS

        def stopped() -> bool:
            return self.enough.is_set() or time.monotonic() > until

        self.last = judge(
            game,
            line.text,
            line.words,
            line.states[-1],
            config=_plain(config),
            nodes=0 if quick else NODES,
            stopped=stopped,
        )
        self._key = None if self.enough.is_set() else key


def _plain(config: SearchConfig) -> SearchConfig:
    """The same search, repeatable and without noise."""
    return dataclasses.replace(config, threads=1, root_noise=0.0, temperature=0.0)
