"""Playing a position out many times by the game's own knowledge: how often each result comes."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any

from playout.engine import _core
from playout.engine.options.config import kernel_of
from playout.engine.search.searcher import kernel_params
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.line import Line
from playout.games.errors import GameError
from playout.games.game import Game, HasStateText

ENOUGH = 1296
"""Playouts, where no other number is asked for: as many as there are pairs of rolls of two dice. In backgammon the
standard error of the mean is then about 0.04 points."""


class Rollout:
    """The playouts of one position, on one thread. ``stop``: any thread."""

    def __init__(self, game: Game[Any, Any], line: Line, seed: int) -> None:
        """Raises GameError if the game has no kernel, whose knowledge plays, or no texts of positions."""
        kernel = kernel_of(game)
        if kernel is None or not isinstance(game, HasStateText):
            raise GameError(f"{game.name}: positions of this game cannot be played out by knowledge")
        self._position = _core.Position(kernel, kernel_params(game), game.state_to_text(line.state))
        self._seed = seed
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Ends the rollout after the playout under way. Any thread. Must not block."""
        self._stopped.set()

    def run(self, most: int, seconds: float | None) -> SearchResult:
        """At least one playout, ``most`` or as many as end within ``seconds``; ``outcomes`` has their results. The
        same seed and number give the same. Blocks."""
        began = time.monotonic()
        results: Counter[float] = Counter()
        plies, longest, reason = 0, 0, "nodes"
        for number in range(most):
            elapsed = time.monotonic() - began
            if number and (self._stopped.is_set() or (seconds is not None and elapsed >= seconds)):
                reason = "stop" if self._stopped.is_set() else "deadline"
                break
            # Seeds of neighbouring rollouts must not overlap.
            result, played = self._position.playout((self._seed << 32) + number, True)
            results[result] += 1
            plies, longest = plies + len(played), max(longest, len(played))
        count = results.total()
        mean = sum(result * times for result, times in results.items()) / count
        info = SearchInfo(time.monotonic() - began, count, plies / count, longest, mean, count, 0, ())
        return SearchResult(None, None, info, reason, outcomes=tuple(sorted(results.items())))
