"""Rollouts: N playouts of one position by the game's own knowledge, and how often each result comes."""

from __future__ import annotations

import threading
import time
from collections import Counter

from playout.engine import _core
from playout.engine.options.config import kernel_of
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.kernel import kernel_params
from playout.engine.terms.task import SearchTask
from playout.games.errors import GameError
from playout.games.game import HasStateText

ENOUGH = 1296
"""Playouts where the task gives no number: the number of pairs of rolls of two dice. In backgammon the standard error
of the mean is then about 0.04 points."""


class Rollout:
    """Playouts from the root of one task.

    Thread contract: ``run`` on one thread, ``stop`` on any.
    """

    def __init__(self, task: SearchTask) -> None:
        """Reads the root and the option Seed; ``limits.nodes`` bounds the playouts, by default ``ENOUGH``.

        Raises:
            GameError: if the game has no kernel, whose knowledge chooses the moves, or no texts of positions.
        """
        game = task.game
        kernel = kernel_of(game)
        if kernel is None or not isinstance(game, HasStateText):
            raise GameError(f"{game.name}: rollouts need a kernel and position texts, which this game lacks")
        self._position = _core.Position(kernel, kernel_params(game), game.state_to_text(task.state))
        self._most = task.limits.nodes or ENOUGH
        self._seed = task.options.integer("Seed") or task.variation >> 32
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Ends the rollout after the playout under way. Any thread. Must not block."""
        self._stopped.set()

    def run(self, seconds: float | None) -> SearchResult:
        """Plays until the bound of playouts, ``seconds`` or ``stop``, at least once.

        Returns a result whose ``outcomes`` has the results for player 0. The same seed and number of playouts give the
        same outcomes. Blocks.
        """
        began = time.monotonic()
        results: Counter[float] = Counter()
        plies, longest, reason = 0, 0, "nodes"
        for number in range(self._most):
            elapsed = time.monotonic() - began
            if number and (self._stopped.is_set() or (seconds is not None and elapsed >= seconds)):
                reason = "stop" if self._stopped.is_set() else "deadline"
                break
            # Rollouts with neighbouring seeds must not share playouts.
            result, played = self._position.playout((self._seed << 32) + number, True)
            results[result] += 1
            plies, longest = plies + len(played), max(longest, len(played))
        count = results.total()
        mean = sum(result * times for result, times in results.items()) / count
        info = SearchInfo(time.monotonic() - began, count, plies / count, longest, mean, count, 0, ())
        return SearchResult(None, None, info, reason, outcomes=tuple(sorted(results.items())))
