"""Round-robin tournaments and gauntlets, whose meetings do not depend on results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from playout.arena.forms.form import Meeting, Places, Round, schedule


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Everyone meets everyone. See ``Form``.

    A cycle of rounds has one pair of each two players; there are ``pairs`` cycles.
    """

    players: int
    pairs: int
    waits: ClassVar[bool] = False
    decides: ClassVar[bool] = False

    def draw(self, rounds: Sequence[Round], drawn: int) -> Sequence[Meeting] | None:
        cycle = schedule(self.players)
        if drawn >= len(cycle) * self.pairs:
            return None
        return [Meeting(first, second, 1) for first, second in cycle[drawn % len(cycle)]]

    def decided(self, tally: Mapping[float, int]) -> str | None:
        return None

    def places(self, rounds: Sequence[Round]) -> Places | None:
        return None


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """The first ``seeds`` players meet all others. See ``Form``. Each round has one pair of each meeting."""

    players: int
    pairs: int
    seeds: int = 1
    waits: ClassVar[bool] = False
    decides: ClassVar[bool] = False

    def draw(self, rounds: Sequence[Round], drawn: int) -> Sequence[Meeting] | None:
        if drawn >= self.pairs:
            return None
        return [Meeting(seed, other, 1) for other in range(self.seeds, self.players) for seed in range(self.seeds)]

    def decided(self, tally: Mapping[float, int]) -> str | None:
        return None

    def places(self, rounds: Sequence[Round]) -> Places | None:
        return None
