"""Swiss tournaments: in each round those meet who have the same points and have not met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from playout.arena.forms.form import Meeting, Places, Round
from playout.arena.forms.matching import most_pairs


@dataclass(frozen=True, slots=True)
class Swiss:
    """A Swiss tournament of a number of rounds. See ``Form``.

    Each round has as few repeated meetings as can be. Within that those meet who have the same points, the upper half
    of a score group the lower half, by the order of the list. With an odd number of players one rests, for the points
    of a meeting won: of those who have rested least the lowest without whom no more meetings are repeated.
    """

    players: int
    rounds: int
    pairs: int
    games: int = 2
    """Games of a pair."""
    waits: ClassVar[bool] = True
    decides: ClassVar[bool] = False

    def draw(self, rounds: Sequence[Round], drawn: int) -> Sequence[Meeting] | None:
        if drawn >= self.rounds or self.players < 2:
            return None
        past = _Past(self, rounds)
        order = past.order
        if self.players % 2:
            fewest = min(past.rested)
            resting = [player for player in reversed(order) if past.rested[player] == fewest]
            order.remove(min(resting, key=lambda player: past.repeated(one for one in order if one != player)))
        meetings = []
        while order:
            first = order.pop(0)
            second = past.opponent(first, order)
            order.remove(second)
            if past.begun[first] > past.begun[second]:
                first, second = second, first
            meetings.append(Meeting(first, second, self.pairs))
        return meetings

    def decided(self, tally: Mapping[float, int]) -> str | None:
        return None

    def places(self, rounds: Sequence[Round]) -> Places:
        past = _Past(self, rounds)
        return Places([-points for points in past.points], [past.rest * rested for rested in past.rested])


class _Past:
    """The state of the players after some rounds."""

    def __init__(self, form: Swiss, rounds: Sequence[Round]) -> None:
        count = form.players
        self.rest = float(form.games * form.pairs)
        """Points of a rest."""
        self.points = [0.0] * count
        self.met = [[0] * count for _ in range(count)]
        """Number of meetings of each two players."""
        self.begun, self.rested = [0] * count, [0] * count
        """Number of meetings whose first game each player began, and number of its rests."""
        for outcomes in rounds:
            self._add(outcomes)
        self._least = min(self.met[one][two] for one, two in combinations(range(count), 2))

    def _add(self, outcomes: Round) -> None:
        resting = set(range(len(self.points)))
        for outcome in outcomes:
            one, two = outcome.meeting.first, outcome.meeting.second
            self.points[one] += outcome.points[0]
            self.points[two] += outcome.points[1]
            self.met[one][two] += 1
            self.met[two][one] += 1
            self.begun[one] += 1
            resting -= {one, two}
        for player in resting:
            self.points[player] += self.rest
            self.rested[player] += 1

    @property
    def order(self) -> list[int]:
        """The players, those with the most points first."""
        return sorted(range(len(self.points)), key=lambda player: (-self.points[player], player))

    def repeated(self, players: Iterable[int]) -> int:
        """Returns the least number of repeated meetings if ``players``, an even number, meet each other."""
        among = list(players)
        return len(among) // 2 - most_pairs(among, self._new)

    def opponent(self, first: int, others: Sequence[int]) -> int:
        """Returns the opponent of the best of those who are left; ``others`` are the rest, best first."""
        group = [player for player in others if self.points[player] == self.points[first]]
        middle = len(group) // 2
        wanted = [*group[middle:], *reversed(group[:middle]), *(one for one in others if one not in group)]
        everyone = [first, *others]
        ideal = (self.repeated(everyone), -most_pairs(everyone, self._level), False)

        def cost(second: int) -> tuple[int, int, bool]:
            left, old = [one for one in others if one != second], not self._new(first, second)
            level = most_pairs(left, self._level) + self._level(first, second)
            return self.repeated(left) + old, -level, old

        costs = dict[int, tuple[int, int, bool]]()
        for second in wanted:
            costs[second] = cost(second)
            if costs[second] == ideal:
                break
        return min(costs, key=lambda second: costs[second])

    def _level(self, one: int, two: int) -> bool:
        """Whether a meeting would be new, and of two players with the same points."""
        return self.points[one] == self.points[two] and self._new(one, two)

    def _new(self, one: int, two: int) -> bool:
        """Whether no two players have met less often."""
        return self.met[one][two] == self._least
