"""The course of one event: the rounds that were drawn, what their pairs have brought, and whether it is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar

from playout.arena.file.plan import Plan
from playout.arena.forms.form import Meeting, Outcome
from playout.arena.report.standings import PairScore

T = TypeVar("T")


@dataclass(slots=True)
class PairState:
    """A pair of games."""

    games: int
    results: dict[int, float] = field(default_factory=dict)
    """Result of player 0 in each game recorded, by the game's number."""
    counts: bool = True
    """Whether its games count; not if the pair is void, or the event was decided without it."""

    @property
    def whole(self) -> bool:
        """Whether all its games are recorded."""
        return len(self.results) == self.games

    @property
    def points(self) -> float | None:
        """Points of the pair's first player: 1 for each game won, 0.5 for each draw; None while a game is missing."""
        if not self.whole:
            return None
        return sum(0.5 + 0.5 * _sign(result if number == 0 else -result) for number, result in self.results.items())


@dataclass(slots=True)
class Course:
    """State of one event."""

    plan: Plan
    meetings: list[Sequence[Meeting]] = field(default_factory=list)
    """Those of each round drawn."""
    pairs: list[list[PairState]] = field(default_factory=list)
    """Those of each round drawn."""
    openings: int = 0
    """Number of openings used."""
    over: bool = False
    decision: str | None = None
    """Decision by which it is over before all its pairs were played."""
    given_up: bool = False
    """Whether it is over because its games cannot be played."""
    barren: int = 0
    """Number of pairs that were given up since a game was recorded."""
    changed: bool = True
    """Whether a pair became whole since the form was asked for a decision."""
    tally: Counter[float] = field(default_factory=Counter)
    """Number of whole pairs by the points of their first player."""

    def add(self, meetings: Sequence[Meeting], pairs: int) -> list[PairState]:
        """Adds a round of ``pairs`` pairs and returns them."""
        added = [PairState(self.plan.games) for _ in range(pairs)]
        self.meetings.append(meetings)
        self.pairs.append(added)
        self.openings += max((meeting.pairs for meeting in meetings), default=0)
        return added

    def record(self, pair: PairState, number: int, result: float) -> None:
        """Notes the result of a game of one of its pairs."""
        pair.results[number] = result
        self.barren = 0
        if pair.counts and (points := pair.points) is not None:
            self.tally[points] += 1
            self.changed = True

    def outcomes(self) -> list[list[Outcome]]:
        """Returns the outcomes of each round, of the pairs that are complete."""
        return self._rounds(self._outcome)

    def rounds(self) -> list[list[Outcome]]:
        """Returns the outcomes of the rounds that are over."""
        outcomes = self.outcomes()
        return outcomes if self.over and self.decision is None else outcomes[:-1]

    def scores(self) -> list[PairScore]:
        """Returns the pairs that have results which count, in the order in which they were drawn."""
        return [score for scores in self._rounds(self._scores) for found in scores for score in found]

    def _rounds(self, of: Callable[[Meeting, Sequence[PairState]], T]) -> list[list[T]]:
        """Returns what ``of`` makes of each meeting and its pairs, by rounds."""
        found = []
        for meetings, pairs in zip(self.meetings, self.pairs, strict=True):
            left = iter(pairs)
            found.append([of(meeting, list(islice(left, meeting.pairs))) for meeting in meetings])
        return found

    def _outcome(self, meeting: Meeting, pairs: Sequence[PairState]) -> Outcome:
        done = tuple(points for pair in pairs if pair.counts and (points := pair.points) is not None)
        total = sum(done)
        return Outcome(meeting, (total, self.plan.games * len(done) - total), done)

    @staticmethod
    def _scores(meeting: Meeting, pairs: Sequence[PairState]) -> list[PairScore]:
        return [
            PairScore(
                meeting.first,
                meeting.second,
                tuple(one if number == 0 else -one for number, one in sorted(pair.results.items())),
                pair.whole,
                pair.games,
            )
            for pair in pairs
            if pair.results and pair.counts
        ]


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)
