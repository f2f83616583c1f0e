"""Levels below full strength: fewer simulations and, at the lower levels, a move drawn by visits.

A shorter search errs as a weaker player does: it overlooks deep lines, but never plays a bad move on purpose. Each
level multiplies the simulations by the same factor, because strength grows with their logarithm. Where the priors alone
are already strong (backgammon, Go), the lower levels flatten them; in backgammon and chess they mix noise into the
priors of the root's moves. Where a look-ahead finds the moves, it does so at the levels from ``SEEING`` on too, with
bounded positions: a tree of that strength would take seconds for a move.
"""

from __future__ import annotations

from dataclasses import dataclass

from playout.engine.options.config import kernel_of, preset
from playout.engine.terms.policies import WITH_KNOWLEDGE, WITH_PRIORS
from playout.engine.terms.ratings import FULL, level_of
from playout.engine.terms.task import SearchTask

FEWEST, MOST = 4, 131072
"""Simulations at level 0, plus one for each legal move where the tree policy has no priors; and at the last level, if
it were bounded."""
MOST_TRIED = 32
"""Most legal moves for which level 0 has a simulation more where it flattens the priors."""
STEADY = 12
"""Lowest level at which the best move is always played."""
SEEING = 13
"""Lowest level at which the look-ahead finds the move, in a game that has one."""
FEWEST_SEEN, MOST_SEEN = 16384, 2097152
"""Positions of the look-ahead at the level ``SEEING``, and at the last level, if it were bounded."""
HOTTEST = 0.6
"""Temperature at level 0: moves are drawn in proportion to visits ** (1 / temperature)."""


@dataclass(frozen=True, slots=True)
class Handicap:
    """Weakening of a search below full strength."""

    simulations: int
    """Bound of the simulations for a move."""
    positions: int | None
    """Bound of the positions of a look-ahead, which then finds the move; None at levels that do without."""
    temperature: float
    """Least temperature at which the move is drawn."""
    prior_heat: float
    """Factor of the temperature of the priors, at least 1."""
    noise: float
    """Least share of noise in the priors of the root's moves, from 0 to 1."""


def handicap(task: SearchTask) -> Handicap | None:
    """Returns the weakening that the options Level, Skill Level, UCI_LimitStrength and UCI_Elo ask for.

    None at full strength, and for an endless search, which analyses.
    """
    options = task.options
    if task.limits.infinite:
        return None
    level = float(options.integer("Level"))
    if "Skill Level" in options:
        level = min(level, options.integer("Skill Level"))
    if "UCI_Elo" in options and options.flag("UCI_LimitStrength"):
        level = min(level, level_of(options.integer("UCI_Elo")))
    if level >= FULL:
        return None
    given = preset(kernel_of(task.game))
    policy = options.text("TreePolicy")
    legal = len(task.game.legal_actions(task.state))
    tried = legal if policy not in WITH_KNOWLEDGE else min(legal, MOST_TRIED) if given.confusion else 0
    least = FEWEST + tried
    simulations = least * (MOST / least) ** (level / FULL)
    unsteady = max(0.0, 1 - level / STEADY)
    positions = None
    if level >= SEEING and "LookAhead" in options and options.integer("LookAhead"):
        positions = round(FEWEST_SEEN * (MOST_SEEN / FEWEST_SEEN) ** ((level - SEEING) / (FULL - SEEING)))
    return Handicap(
        round(simulations),
        positions,
        HOTTEST * unsteady,
        1 + given.confusion * unsteady,
        given.distraction * unsteady**2 if policy in WITH_PRIORS else 0.0,
    )
