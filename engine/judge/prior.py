"""Priors P(a): probabilities of the moves by H(s, a), before any search."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import Any

from playout.engine.options.config import SearchConfig, search_config
from playout.engine.search.searcher import Searcher
from playout.engine.search.weights import Weights
from playout.engine.terms.line import Line
from playout.engine.terms.option_values import OptionValues
from playout.games.game import CHANCE, Game, is_over

log = logging.getLogger(__name__)

HASH_MIB = 1
"""Memory of a searcher that does not search."""


class Priors:
    """Finds the priors that searches use, by the weights that they play with. One thread at a time."""

    def __init__(self) -> None:
        self._searcher: Searcher | None = None
        self._game: Game[Any, Any] | None = None
        self._weights = Weights()

    def at(self, game: Game[Any, Any], line: Line, options: OptionValues) -> dict[str, float]:
        """Returns the prior of each legal move at the end of ``line``: the softmax of H(s, a) at PriorTemperature.

        They add up to 1. Empty if there is no H(s, a), at the end of the game and at a chance position, and if the game
        fails. Never raises.
        """
        try:
            line = line.taken_up(game)
            if is_over(game, line.state) or game.current_player(line.state) == CHANCE:
                return {}
            config = search_config(game, options)
            searcher = self._at(game, line, replace(config, hash_mib=HASH_MIB, threads=1), options)
            _, preferences = searcher.estimates()
            return {} if preferences is None else _softmax(preferences, config.prior_temperature)
        except Exception:
            log.exception("the game failed")
            return {}

    def _at(self, game: Game[Any, Any], line: Line, config: SearchConfig, options: OptionValues) -> Searcher:
        if self._searcher is None or self._game != game:
            self._searcher, self._game = Searcher(game, config), game
            self._weights.reset()
        self._weights.lend(game, options, self._searcher)  # its remarks are those of the search
        text, words = line.path(game)
        self._searcher.set_position(text, words)
        return self._searcher


def _softmax(logits: dict[str, float], temperature: float) -> dict[str, float]:
    most = max(logits.values())
    weights = {name: math.exp((logit - most) / temperature) for name, logit in logits.items()}
    whole = math.fsum(weights.values())
    return {name: weight / whole for name, weight in weights.items()}
