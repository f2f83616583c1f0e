"""The match between two nets: its test, and its result in words."""

from __future__ import annotations

from playout.engine.statistics.pairs import Pentanomial
from playout.engine.statistics.sprt import Sprt


def gate_test(elo: tuple[float, float]) -> Sprt:
    """Returns the sequential test between two differences in Elo, wrong with a chance of 5 % at most."""
    return Sprt(*elo, model="logistic")


def pair_score(one: float, two: float) -> float:
    """Returns the mean score, in [0, 1], of a pair of games with these results in [-1, 1]; only their signs count."""
    return 0.5 + 0.25 * sum((result > 0) - (result < 0) for result in (one, two))


def described(counts: Pentanomial) -> str:
    """Returns a match in words: score, difference in Elo, 95 % intervals."""
    score, elo = counts.score, counts.elo
    return (
        f"{100 * score.value:.1f} % +- {100 * score.error:.1f} of {counts.number} pairs, "
        f"{elo.value:+.0f} Elo ({elo.low:+.0f} to {elo.high:+.0f})"
    )
