"""The doubling cube of backgammon: the equity of a position with the cube, from the results of playouts without it.

R. Janowski, Take-Points in Money Games (1993). Let the player on roll win with probability p, W points on average where
he wins and lose L where he loses, on a cube of 1. Were the cube dead, the position would be worth p W - (1 - p) L.
Were it perfectly live, equity would be linear in p between the points at which somebody doubles the other out, where it
is 1 or -1:

    T = (L - 1/2) / (W + L + 1/2)    the least p at which the player could take a double
    C = (L + 1) / (W + L + 1/2)      the least p at which the opponent has to drop

The equity is a mean of the two: the live value with the weight ``EFFICIENCY``, the dead value with the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from playout.games.support.backgammon.setup import HIGHEST_CUBE, Match

EFFICIENCY = 0.68
"""Cube efficiency in [0, 1]; GNU Backgammon uses this value for contact positions."""
GAMMONS = 0.26
"""Share of gammons among all wins that match equity tables assume."""

Access = Literal["centred", "own", "other"]
"""The side that may double next: both, only the player on roll, only the opponent."""


@dataclass(frozen=True, slots=True)
class Chances:
    """Probabilities of the results of a game, for the player on roll. A backgammon counts as a gammon too."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float

    @staticmethod
    def of(outcomes: Iterable[tuple[float, int]]) -> Chances:
        """Returns the chances from pairs of a result, in points for the player on roll, and its number of playouts."""
        counts = [(round(points), times) for points, times in outcomes]
        total = sum(times for _, times in counts)

        def share(sign: int, least: int) -> float:
            return sum(times for points, times in counts if sign * points >= least) / total

        return Chances(share(1, 1), share(1, 2), share(1, 3), share(-1, 2), share(-1, 3))

    def for_other(self) -> Chances:
        """The same chances from the point of view of the opponent."""
        return Chances(1.0 - self.win, self.lose_gammon, self.lose_backgammon, self.win_gammon, self.win_backgammon)

    @property
    def equity(self) -> float:
        """Expected points of the player on roll with a dead cube of 1."""
        gammons = self.win_gammon + self.win_backgammon - self.lose_gammon - self.lose_backgammon
        return 2.0 * self.win - 1.0 + gammons


def money_equity(chances: Chances, access: Access, *, jacoby: bool = False) -> float:
    """Returns the expected points of the player on roll with the cube in play, on a cube of 1.

    With ``jacoby``, gammons do not count while the cube is in the middle.
    """
    p = chances.win
    count = 0.0 if jacoby and access == "centred" else 1.0
    won = 1.0 + count * _share(chances.win_gammon + chances.win_backgammon, p)
    lost = 1.0 + count * _share(chances.lose_gammon + chances.lose_backgammon, 1.0 - p)
    # The take and cash points depend on gammons even under Jacoby: these count once the double is taken.
    full_won = 1.0 + _share(chances.win_gammon + chances.win_backgammon, p)
    full_lost = 1.0 + _share(chances.lose_gammon + chances.lose_backgammon, 1.0 - p)
    take = (full_lost - 0.5) / (full_won + full_lost + 0.5)
    cash = (full_lost + 1.0) / (full_won + full_lost + 0.5)
    corners = [(0.0, -lost), (1.0, won)]
    if access != "own":
        corners.append((take, -1.0))
    if access != "other":
        corners.append((cash, 1.0))
    dead = p * won - (1.0 - p) * lost
    return EFFICIENCY * _interpolate(sorted(corners), p) + (1.0 - EFFICIENCY) * dead


def may_double(match: Match) -> bool:
    """Whether the player on roll may double and could gain by it: not if the game without a double wins the match."""
    away = match.length - match.scores[match.player]
    return (
        match.dice is None
        and not match.doubled
        and not match.crawford
        and match.owner in (None, match.player)
        and match.cube < 2**HIGHEST_CUBE
        and (match.length == 0 or away > match.cube)
    )


def doubles(chances: Chances, match: Match) -> bool:
    """Whether the player on roll should double.

    For money: if doubling is worth at least as much as waiting, after the opponent's best answer. In a match the money
    rule is applied only where a gammon on the doubled cube would end the match for neither side.
    """
    far = all(match.length - score > 4 * match.cube for score in match.scores)
    if not may_double(match) or (match.length and not far):
        return False
    access: Access = "centred" if match.owner is None else "own"
    taken = 2.0 * money_equity(chances, "other")
    return min(taken, 1.0) >= money_equity(chances, access, jacoby=match.jacoby)


def takes(chances: Chances, match: Match) -> bool:
    """Whether the opponent should take a double of the player on roll, who has these ``chances``.

    In a match the opponent takes if playing on with a dead cube wins the match at least as often as dropping. The value
    of owning the cube is left out.
    """
    if match.length == 0:
        return 2.0 * money_equity(chances, "other") <= 1.0
    return match_equity(chances, match, 2 * match.cube) <= _wins_match(match, match.cube)


def match_equity(chances: Chances, match: Match, cube: int) -> float:
    """Returns the probability that the player on roll wins the match if the game is played out with a dead cube."""
    win, gammon, backgammon = chances.win, chances.win_gammon, chances.win_backgammon
    other = chances.for_other()
    ends = (
        (win - gammon, 1),
        (gammon - backgammon, 2),
        (backgammon, 3),
        (other.win - other.win_gammon, -1),
        (other.win_gammon - other.win_backgammon, -2),
        (other.win_backgammon, -3),
    )
    return sum(share * _wins_match(match, points * cube) for share, points in ends)


def _wins_match(match: Match, points: int) -> float:
    """Returns the probability that the player on roll wins the match after winning ``points`` (negative: losing them).

    Janowski's formula is 1/2 + 0.85 D / (T + 6), where D is the lead and T the points that the trailer needs. Where the
    leader needs one point, the probability follows from ``GAMMONS``: one game without doubling, after which the trailer
    doubles at once.
    """
    before = [match.length - match.scores[player] for player in (match.player, 1 - match.player)]
    own, other = before[0] - max(points, 0), before[1] - max(-points, 0)
    if own <= 0 or other <= 0:
        return float(own <= 0)
    behind = max(own, other)
    if min(own, other) == 1 < behind:
        trails = _after_crawford(behind) if 1 in before else _crawford(behind)
        return trails if own > other else 1.0 - trails
    return 0.5 + 0.85 * (other - own) / (behind + 6)


def _crawford(away: int) -> float:
    """Returns the probability that the trailer, who needs ``away`` points, wins the match from the Crawford game on."""
    return 0.5 * ((1.0 - GAMMONS) * _after_crawford(away - 1) + GAMMONS * _after_crawford(away - 2))


def _after_crawford(away: int) -> float:
    """The same after the Crawford game: on a cube of 2 half as many wins are needed, and a gammon counts for two."""
    one_back, two_back = 1.0, 1.0
    for _ in range((away + 1) // 2):
        one_back, two_back = 0.5 * ((1.0 - GAMMONS) * one_back + GAMMONS * two_back), one_back
    return one_back


def _share(extra: float, probability: float) -> float:
    return extra / probability if probability > 0.0 else 0.0


def _interpolate(corners: Sequence[tuple[float, float]], p: float) -> float:
    for (left, low), (right, high) in pairwise(corners):
        if p <= right:
            return low + (high - low) * (p - left) / (right - left) if right > left else high
    return corners[-1][1]
