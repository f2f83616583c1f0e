"""The contract of a form of events, and what the forms share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two players who meet in a round, by their numbers in the event's list; ``first`` begins the first game."""

    first: int
    second: int
    pairs: int
    """Number of pairs of games."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A meeting that is over."""

    meeting: Meeting
    points: tuple[float, float]
    """Points of the first and of the second: 1 for a game won, 0.5 for a draw."""
    pairs: tuple[float, ...]
    """Points of the first in each pair, from 0 to 2, in the order in which the pairs were finished."""


Round = Sequence[Outcome]


@dataclass(frozen=True, slots=True)
class Places:
    """The places of the players in a form in which not their shares of the points decide. Lists are by player."""

    ranks: Sequence[float]
    """The leader has the least; the shares of the points decide between equals."""
    rests: Sequence[float]
    """Points for rounds without an opponent, which no game brought."""
    winner: int | None = None
    """The player who has won the event, in a form that names one, once it is over."""


class Form(Protocol):
    """A form of events. It keeps no state: everything follows from the rounds so far."""

    waits: ClassVar[bool]
    """Whether a round can be drawn only after all games of the rounds before it."""

    decides: ClassVar[bool]
    """Whether results can end the event before all its pairs are complete."""

    def draw(self, rounds: Sequence[Round], drawn: int) -> Sequence[Meeting] | None:
        """Returns the meetings of round ``drawn`` (from 0); None if the event has no such round.

        ``rounds`` are the outcomes so far: those of all earlier rounds if the form waits, and otherwise those that are
        there.
        """

    def decided(self, tally: Mapping[float, int]) -> str | None:
        """Returns the decision if the event is over although pairs are not complete, as with SPRT; otherwise None.

        ``tally`` has the numbers of whole pairs by the points, from 0 to 2, of their first player.
        """

    def places(self, rounds: Sequence[Round]) -> Places | None:
        """Returns the places after ``rounds``, which are over; None where the shares of the points decide."""


def schedule(players: int) -> list[list[tuple[int, int]]]:
    """Returns the rounds in which each of ``players`` meets each other once, by the circle method of Berger's tables.

    In a round of an odd number of players one rests.
    """
    seats: list[int | None] = list(range(players))
    if players % 2:
        seats.append(None)
    rounds = []
    for number in range(len(seats) - 1):
        half = len(seats) // 2
        pairs = list(zip(seats[:half], reversed(seats[half:]), strict=True))
        meetings = [(a, b) for a, b in pairs if a is not None and b is not None]
        # The first seat never moves; it changes colours from round to round.
        if number % 2 and meetings and meetings[0][0] == 0:
            meetings[0] = meetings[0][::-1]
        rounds.append(meetings)
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return rounds
