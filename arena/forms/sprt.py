"""A match of two players that ends as soon as a sequential probability ratio test decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from playout.arena.forms.form import Meeting, Places, Round
from playout.engine.statistics.pairs import Pentanomial
from playout.engine.statistics.sprt import Sprt


@dataclass(frozen=True, slots=True)
class SprtMatch:
    """A match with a test. See ``Form``. A round is one pair; ``pairs`` bounds their number."""

    test: Sprt
    pairs: int
    waits: ClassVar[bool] = False
    decides: ClassVar[bool] = True

    def draw(self, rounds: Sequence[Round], drawn: int) -> Sequence[Meeting] | None:
        return None if drawn >= self.pairs else [Meeting(0, 1, 1)]

    def decided(self, tally: Mapping[float, int]) -> str | None:
        return self.test.verdict(Pentanomial.of_counts(tuple(tally.get(half / 2, 0) for half in range(5))))

    def places(self, rounds: Sequence[Round]) -> Places | None:
        return None
