"""Sequential probability ratio test: whether a match shows one difference in strength rather than another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import mul
from typing import Literal, get_args

from playout.engine.statistics.elo import NORMALIZED, PER_LOGIT, expected
from playout.engine.statistics.pairs import Results, Trinomial
from playout.games.errors import PlayoutError

Model = Literal["normalized", "logistic", "bayesian"]
"""Unit of the two differences: normalised Elo, Elo, or Elo whose likelihood is BayesElo's."""
MOST_ELO = {"normalized": 200, "logistic": 1000, "bayesian": 1000}
"""Greatest size of a difference under each model. The iteration of normalised Elo has no solution from about 230."""
NONE_SEEN = 1e-3
"""Count of a score that no result has: with a count of 0 the likelihood of some differences would be 0 (fishtest)."""
ROUNDS = 100
"""Most rounds of the iteration for normalised Elo. It ends after three or four, with hardly any variance after some
twenty; fishtest stops after ten, where the likelihood may still be far from its greatest."""


class Verdict(StrEnum):
    """The hypothesis that a test accepts."""

    H0 = "H0"
    """The difference is ``elo0``: it is not shown that the first side is stronger."""
    H1 = "H1"
    """The difference is ``elo1``."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """A generalised sequential probability ratio test, as fishtest and fastchess run it.

    The test is made after each result. It ends when the logarithm of the likelihood ratio reaches one of two bounds
    (Wald 1945). The likelihoods are the greatest under each hypothesis: of all distributions of the scores with that
    difference in Elo the one that makes the results likeliest is found (Van den Bergh, "Comments on Normalized Elo").

    Raises:
        PlayoutError: one line that names the value and what is allowed.
    """

    elo0: float
    """Difference in Elo under H0, from the first side's point of view; below ``elo1``."""
    elo1: float
    """Difference in Elo under H1."""
    alpha: float = 0.05
    """Chance to accept H1 where H0 is true, above 0 and below 0.5."""
    beta: float = 0.05
    """Chance to accept H0 where H1 is true, above 0 and below 0.5."""
    model: Model = "normalized"

    def __post_init__(self) -> None:
        if self.model not in get_args(Model):
            raise PlayoutError(f"SPRT: the model {self.model!r} is none of {', '.join(get_args(Model))}")
        most = MOST_ELO[self.model]
        for name, value in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not -most <= value <= most:
                raise PlayoutError(f"SPRT: {name} is {value:g}: allowed is {-most} to {most} with {self.model} Elo")
        if not self.elo0 < self.elo1:
            raise PlayoutError(f"SPRT: elo0 is {self.elo0:g}: allowed is less than elo1, {self.elo1:g}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise PlayoutError(f"SPRT: {name} is {value:g}: allowed is more than 0 and less than 0.5")

    @property
    def bounds(self) -> tuple[float, float]:
        """Values of ``llr`` at which H0 and H1 are accepted (Wald 1945)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, results: Results) -> float:
        """Returns the logarithm of the ratio of the likelihood under H1 to that under H0; 0 without any result.

        Raises:
            PlayoutError: one line for pairs under the bayesian model, which counts single games.
        """
        if self.model == "bayesian":
            if not isinstance(results, Trinomial):
                raise PlayoutError("SPRT: the bayesian model is for wins, draws and losses, not for pairs")
            return _bayesian(results, self.elo0, self.elo1) if results.number else 0.0
        if not results.number:
            return 0.0
        counts = [count or NONE_SEEN for count in results.by_score()]
        shares = [count / sum(counts) for count in counts]
        scores = [place / (len(counts) - 1) for place in range(len(counts))]
        likeliest = []
        for difference in (self.elo0, self.elo1):
            if self.model == "logistic":
                likeliest.append(_with_mean(scores, shares, expected(difference)))
            else:
                deviations = difference * math.sqrt(results.together) / NORMALIZED
                likeliest.append(_with_deviations(scores, shares, deviations))
        return math.fsum(
            count * math.log(under1 / under0) for count, under0, under1 in zip(counts, *likeliest, strict=True)
        )

    def verdict(self, results: Results) -> Verdict | None:
        """Returns the hypothesis that the results accept; None while the test has to go on.

        Raises:
            PlayoutError: one line for pairs under the bayesian model, which counts single games.
        """
        ratio, (lower, upper) = self.llr(results), self.bounds
        if lower < ratio < upper:
            return None
        return Verdict.H1 if ratio > 0 else Verdict.H0


def _with_mean(scores: Sequence[float], shares: Sequence[float], mean: float) -> list[float]:
    """Returns the distribution with that mean which makes the observed shares likeliest (Van den Bergh,
    "Comments on Normalized Elo", proposition 1.1)."""
    return _tilted(shares, [score - mean for score in scores])


def _with_deviations(scores: Sequence[float], shares: Sequence[float], deviations: float) -> list[float]:
    """Returns the likeliest distribution whose mean is ``deviations`` standard deviations above 1/2 (there,
    section 4.1)."""
    found = [1 / len(scores)] * len(scores)
    for _ in range(ROUNDS):
        last = found
        mean = sum(map(mul, scores, last))
        spread = math.sqrt(sum(share * (score - mean) ** 2 for score, share in zip(scores, last, strict=True)))
        found = _tilted(
            shares, [score - 0.5 - deviations * spread / 2 * (1 + ((score - mean) / spread) ** 2) for score in scores]
        )
        if max(abs(new - old) for new, old in zip(found, last, strict=True)) < 1e-9:
            break
    return found


def _tilted(shares: Sequence[float], values: Sequence[float]) -> list[float]:
    """Returns the distribution with mean value 0 that makes the observed shares likeliest.

    It is share / (1 + x value), where x is the root of sum share value / (1 + x value). The sum decreases from infinity
    to minus infinity between the poles, so Newton's steps are kept between the signs seen.
    """
    lowest, highest = -1 / max(values), -1 / min(values)
    tolerance = 1e-13 * (highest - lowest)
    root, step = 0.0, math.inf
    while abs(step) > tolerance:
        terms = [value / (1 + root * value) for value in values]
        parts = list(map(mul, shares, terms))
        total = sum(parts)
        if total > 0:
            lowest = root
        else:
            highest = root
        step = total / sum(map(mul, parts, terms))
        if not lowest < root + step < highest:
            step = (lowest + highest) / 2 - root
        root += step
    return [share / (1 + root * value) for share, value in zip(shares, values, strict=True)]


def _bayesian(results: Trinomial, elo0: float, elo1: float) -> float:
    """Returns the logarithm of the ratio of likelihoods of BayesElo's model of draws, as cutechess computes it.

    Half a game is added to each count. The draw parameter is that of the observed shares, and the differences are
    scaled by the slope of the expected score at equal strength, so that they are Elo.
    """
    wins, draws, losses = results.wins + 0.5, results.draws + 0.5, results.losses + 0.5
    number = wins + draws + losses
    # Logits: a side that is stronger by d wins with the probability 1 / (1 + exp(draw - d)).
    draw = (math.log((number - losses) / losses) + math.log((number - wins) / wins)) / 2
    scale = 4 * math.exp(-draw) / (1 + math.exp(-draw)) ** 2

    def likelihood(elo: float) -> float:
        difference = elo / scale / PER_LOGIT
        no_win, no_loss = _softplus(draw - difference), _softplus(draw + difference)
        drawn = math.log(math.expm1(2 * draw)) - no_win - no_loss
        return -wins * no_win + draws * drawn - losses * no_loss

    return likelihood(elo1) - likelihood(elo0)


def _softplus(value: float) -> float:
    """Returns ln(1 + e ** value) without overflow."""
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))
