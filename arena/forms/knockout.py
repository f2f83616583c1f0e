"""Knock-out tournaments: the loser of a meeting is out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from playout.arena.forms.form import Meeting, Outcome, Places, Round


@dataclass(frozen=True, slots=True)
class Knockout:
    """A knock-out tournament. See ``Form``.

    The list is the order of the seeds: the best two can meet only in the final, and the best have a bye where the
    number of players is no power of two. A meeting that ends level is repeated with one pair at a time, at most
    ``extra`` times; after that the better seed goes on.
    """

    players: int
    pairs: int
    extra: int = 8
    waits: ClassVar[bool] = True
    decides: ClassVar[bool] = False

    def draw(self, rounds: Sequence[Round], drawn: int) -> Sequence[Meeting] | None:
        return self._progress(rounds)[1]

    def decided(self, tally: Mapping[float, int]) -> str | None:
        return None

    def places(self, rounds: Sequence[Round]) -> Places:
        out, following = self._progress(rounds)
        ranks = [-float(len(out))] * self.players
        for number, players in enumerate(out):
            for player in players:
                ranks[player] = -float(number)
        winner = None if following is not None else ranks.index(min(ranks))
        return Places(ranks, [0.0] * self.players, winner)

    def _progress(self, rounds: Sequence[Round]) -> tuple[list[set[int]], Sequence[Meeting] | None]:
        """Returns the players who are out, stage by stage, and the meetings that follow; None after the final."""
        bracket, out = self._bracket(), list[set[int]]()
        played = list(rounds)
        while len(bracket) > 1:
            meetings = [(bracket[n], bracket[n + 1]) for n in range(0, len(bracket), 2)]
            real = [(a, b) for a, b in meetings if a is not None and b is not None]
            score = dict.fromkeys(real, 0.0)
            if not played and real:
                return out, [Meeting(a, b, self.pairs) for a, b in real]
            for outcome in played.pop(0) if real else ():
                score[_key(outcome)] += _lead(outcome)
            for _ in range(self.extra):
                level = [pair for pair in real if score[pair] == 0]
                if not level:
                    break
                if not played:
                    return out, [Meeting(a, b, 1) for a, b in level]
                for outcome in played.pop(0):
                    score[_key(outcome)] += _lead(outcome)
            bracket = [self._winner(a, b, score) for a, b in meetings]
            out.append({player for pair in real for player in pair} - set(bracket))
        return out, None

    def _bracket(self) -> list[int | None]:
        """Returns the seeds in the order of the bracket, None for a bye."""
        order = [0]
        while len(order) < self.players:
            size = 2 * len(order)
            order = [seed for one in order for seed in (one, size - 1 - one)]
        return [seed if seed < self.players else None for seed in order]

    @staticmethod
    def _winner(a: int | None, b: int | None, score: dict[tuple[int, int], float]) -> int | None:
        if a is None or b is None:
            return b if a is None else a
        lead = score[a, b]
        return min(a, b) if lead == 0 else a if lead > 0 else b


def _key(outcome: Outcome) -> tuple[int, int]:
    return outcome.meeting.first, outcome.meeting.second


def _lead(outcome: Outcome) -> float:
    return outcome.points[0] - outcome.points[1]
