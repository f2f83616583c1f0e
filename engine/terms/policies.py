"""The tree policies that tell moves apart before the first visit; the others try each move once."""

WITH_PRIORS = ("puct",)
"""Policies that score a move by its prior."""
WITH_KNOWLEDGE = (*WITH_PRIORS, "rave")
"""Policies whose first few simulations go to good moves, by priors or by statistics of other lines."""
