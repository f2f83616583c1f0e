"""The rules for void games and vanished workers: who gets a pair again, and when it is given up.

A machine on which a program is missing makes every game void that it is given, at once. It must not use up the attempts
of pairs that other machines can play.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from playout.arena.terms.job import Job

ATTEMPTS = 3
"""Number of void games of a pair after which it is void."""
WITNESSES = 10
"""Number of workers for which a pair was void after which it is void, although others have not tried it."""
LOSSES = 20
"""Number of workers that may vanish with a pair before it is void: it may be the pair that ends them."""
PAUSE, LONGEST = 5.0, 300.0
"""Seconds without a pair for a worker whose games are void while others play them: at first, and at most."""

Players = frozenset[str]


class Faults:
    """Void games and lost workers since the coordinator began. Times are seconds of the coordinator's clock."""

    def __init__(self, lease: float) -> None:
        """``lease`` is the time after which a silent worker is no longer counted on."""
        self._lease = lease
        self._voids: defaultdict[str, list[str]] = defaultdict(list)
        """Workers for which a pair was void, once for each time, by the pair."""
        self._losses = Counter[str]()
        self._able: defaultdict[Players, set[str]] = defaultdict(set)
        """Workers that have played a game of these players to its end."""
        self._in_a_row = Counter[str]()
        """Void games of a worker since its last good one."""
        self._until: dict[str, float] = {}
        """End of a worker's pause."""
        self._seen: dict[str, float] = {}

    def seen(self, worker: str, now: float) -> None:
        """Notes a sign of life."""
        self._seen[worker] = now

    def gone(self, worker: str) -> None:
        """Notes that a worker has left."""
        self._seen.pop(worker, None)

    def played(self, worker: str, job: Job) -> None:
        """Notes a game that a worker has played to its end."""
        self._able[_players(job)].add(worker)
        self._in_a_row[worker] = 0
        self._until.pop(worker, None)

    def void(self, worker: str, job: Job, now: float) -> bool:
        """Notes a void game. Returns whether the pair is void with it."""
        voids, able = self._voids[job.id], self._able[_players(job)]
        voids.append(worker)
        self._in_a_row[worker] += 1
        if able - {worker}:
            self._until[worker] = now + min(PAUSE * 2 ** (self._in_a_row[worker] - 1), LONGEST)
        counted = [one for one in voids if not able or one in able]
        return len(counted) >= ATTEMPTS and (len(set(voids)) >= WITNESSES or not any(self._untried(job, now)))

    def lost(self, job: Job) -> bool:
        """Notes that a worker vanished with a pair. Returns whether the pair is void with it."""
        self._losses[job.id] += 1
        return self._losses[job.id] >= LOSSES

    def pauses(self, worker: str, now: float) -> bool:
        """Whether a worker is given no pair for a while."""
        return self._until.get(worker, now) > now

    def may_play(self, worker: str, job: Job, now: float) -> bool:
        """Whether a worker may be given a pair: one for which it was void waits for a worker that has not tried it."""
        return worker not in self._voids[job.id] or not any(self._untried(job, now))

    def _untried(self, job: Job, now: float) -> Iterator[str]:
        """Yields the workers that are there, play, and have not had a void game of the pair."""
        voids = self._voids[job.id]
        for worker, seen in self._seen.items():
            if worker not in voids and now - seen <= self._lease and not self.pauses(worker, now):
                yield worker


def _players(job: Job) -> Players:
    return frozenset(player.name for player in job.players)
