"""The pairs of a tournament that wait for a worker."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable

from playout.arena.store.store import OpenJob


class Waiting:
    """Pairs in the order in which they are given out."""

    def __init__(self, pairs: Iterable[OpenJob] = ()) -> None:
        self._pairs = OrderedDict((pair.job.id, pair) for pair in pairs)
        self._events = Counter(pair.event for pair in self._pairs.values())

    def __len__(self) -> int:
        return len(self._pairs)

    def get(self, name: str) -> OpenJob | None:
        """Returns the pair called ``name``; None if it does not wait."""
        return self._pairs.get(name)

    def first(self, fits: Callable[[OpenJob], bool]) -> OpenJob | None:
        """Returns the first pair that fits, and leaves it where it is; None if there is none."""
        return next((pair for pair in self._pairs.values() if fits(pair)), None)

    def of(self, event: str) -> list[str]:
        """Returns the names of the pairs of an event."""
        return [name for name, pair in self._pairs.items() if pair.event == event] if self.any_of(event) else []

    def any_of(self, event: str) -> bool:
        """Whether a pair of the event waits."""
        return self._events[event] > 0

    def add(self, pair: OpenJob, *, first: bool = False) -> None:
        """Adds a pair at the end, or before all others; one of the same name is replaced where it is."""
        if pair.job.id not in self._pairs:
            self._events[pair.event] += 1
        self._pairs[pair.job.id] = pair
        if first:
            self._pairs.move_to_end(pair.job.id, last=False)

    def remove(self, name: str) -> OpenJob:
        """Removes a pair and returns it."""
        pair = self._pairs.pop(name)
        self._events[pair.event] -= 1
        return pair
