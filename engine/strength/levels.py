"""Playing below full strength: fewer simulations, and at the lower levels a draw among the moves that they liked.

A search that sees less errs as a weaker player does: it overlooks what lies deeper. It still takes what it sees, so no
move is thrown away on purpose. Levels are even steps of simulations, because strength goes with their logarithm. Where
the priors alone are already strong (backgammon), they are less sure of themselves at the lower levels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playout.engine.options.config import kernel_of, preset
from playout.engine.options.table import Options
from playout.engine.terms.policies import WITH_KNOWLEDGE
from playout.engine.terms.ratings import FULL, level_of
from playout.games.game import Game

FEWEST, MOST = 4, 131072
"""Simulations at level 0, beside one for each move where the tree policy has no priors; and what the last would get."""
STEADY = 12
"""From this level on the best move is played."""
HOTTEST = 0.6
"""Temperature at level 0: moves are drawn by visits ** (1 / temperature)."""


@dataclass(frozen=True, slots=True)
class Handicap:
    """What a player below full strength is given."""

    simulations: int
    """For a move, at most."""
    temperature: float
    prior_heat: float
    """What the temperature of priors is multiplied by."""


def handicap(game: Game[Any, Any], state: Any, options: Options) -> Handicap | None:
    """What the options UCI_LimitStrength, UCI_Elo and Level ask for at ``state``; None at full strength."""
    level = float(options.integer("Level"))
    if "UCI_Elo" in options and options.flag("UCI_LimitStrength"):
        level = min(level, level_of(options.integer("UCI_Elo")))
    if level >= FULL:
        return None
    confusion = preset(kernel_of(game)).confusion
    all_tried = confusion or options.text("TreePolicy") not in WITH_KNOWLEDGE
    least = FEWEST + len(game.legal_actions(state)) if all_tried else FEWEST
    simulations = least * (MOST / least) ** (level / FULL)
    unsteady = max(0.0, 1 - level / STEADY)
    return Handicap(round(simulations), HOTTEST * unsteady, 1 + confusion * unsteady)
