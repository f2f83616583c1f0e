"""Swiss tournaments: in each round those meet who have the same points and have not met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from playout.arena.forms.form import Meeting, Round


@dataclass(frozen=True, slots=True)
class Swiss:
    """A Swiss tournament of a number of rounds. See ``Form``.

    In each score group the upper half meets the lower half, by the order of the list. A player never meets another
    twice unless nothing else is left. With an odd number of players the lowest without a bye rests, for the points of
    a meeting won.
    """

    players: int
    rounds: int
    pairs: int
    waits: ClassVar[bool] = True
    decides: ClassVar[bool] = False

    def draw(self, rounds: Sequence[Round], drawn: int) -> Sequence[Meeting] | None:
        if drawn >= self.rounds or self.players < 2:
            return None
        points, met, begun, rested = self._so_far(rounds)
        order = sorted(range(self.players), key=lambda player: (-points[player], player))
        if self.players % 2:
            fewest = min(rested)
            order.remove(next(player for player in reversed(order) if rested[player] == fewest))
        meetings = []
        while order:
            first = order.pop(0)
            second = self._opponent(first, order, points, met)
            order.remove(second)
            if begun[first] > begun[second]:
                first, second = second, first
            meetings.append(Meeting(first, second, self.pairs))
        return meetings

    def decided(self, rounds: Sequence[Round]) -> str | None:
        return None

    def _so_far(self, rounds: Sequence[Round]) -> tuple[list[float], list[list[int]], list[int], list[int]]:
        """Returns points, how often each two met, how often each began, and how often each rested."""
        points = [0.0] * self.players
        met = [[0] * self.players for _ in range(self.players)]
        begun, rested = [0] * self.players, [0] * self.players
        for outcomes in rounds:
            seen = set[int]()
            for outcome in outcomes:
                one, two = outcome.meeting.first, outcome.meeting.second
                points[one] += outcome.points[0]
                points[two] += outcome.points[1]
                met[one][two] += 1
                met[two][one] += 1
                begun[one] += 1
                seen |= {one, two}
            for player in set(range(self.players)) - seen:
                points[player] += 2.0 * self.pairs
                rested[player] += 1
        return points, met, begun, rested

    def _opponent(
        self, first: int, others: Sequence[int], points: Sequence[float], met: Sequence[Sequence[int]]
    ) -> int:
        """Returns the opponent of the best of those who are left; ``others`` are the rest, best first."""
        group = [player for player in others if points[player] == points[first]]
        middle = len(group) // 2
        wanted = [*group[middle:], *reversed(group[:middle]), *(one for one in others if one not in group)]
        return min(wanted, key=lambda player: (met[first][player], wanted.index(player)))
