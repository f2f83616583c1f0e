"""A queue of positions to analyse: those of higher priority come first, and a number of them at the same time."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

J = TypeVar("J", bound=Hashable)


class AnalysisQueue(Generic[J]):
    """Jobs in the order in which they are to be begun. One thread uses it; the user begins and ends them."""

    def __init__(self, parallel: int) -> None:
        """``parallel`` is the number of jobs that may be under way at the same time."""
        self._parallel = parallel
        self._waiting: list[tuple[int, int, J]] = []
        self._owed: dict[J, None] = {}
        self._under_way: set[J] = set()
        self._count = itertools.count()

    def __len__(self) -> int:
        """Number of jobs that wait or are under way."""
        return len(self._owed)

    def __iter__(self) -> Iterator[J]:
        """Yields the jobs that wait or are under way, in the order in which they came."""
        return iter(list(self._owed))

    @property
    def running(self) -> int:
        """Number of jobs under way."""
        return len(self._under_way)

    def put(self, job: J, priority: int = 0) -> None:
        """Adds a job. Of equal priorities the one that came first is begun first."""
        self._owed[job] = None
        heapq.heappush(self._waiting, (-priority, next(self._count), job))

    def take(self) -> J | None:
        """Returns the job that is to be begun now, and is under way from then on; None if there is none, or no room."""
        while self._waiting and len(self._under_way) < self._parallel:
            *_, job = heapq.heappop(self._waiting)
            if job in self._owed:
                self._under_way.add(job)
                return job
        return None

    def end(self, job: J) -> None:
        """Removes a job, whether it is under way or waits."""
        del self._owed[job]
        self._under_way.discard(job)
