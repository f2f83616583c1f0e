"""The coordinator of a tournament: gives pairs to workers, records what they played, and draws the next rounds.

It does no input or output but to the store, and knows nothing of how workers reach it: threads of this process call it,
and so does the side of a broker. Time is given to it, so that tests have their own.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from playout.arena.file.plan import Plan
from playout.arena.forms.form import Meeting, Outcome
from playout.arena.play.check import refusal
from playout.arena.play.clock import Clock
from playout.arena.report.standings import PairScore
from playout.arena.store.store import OpenJob, PairRow, Receipt, Store
from playout.arena.terms.end import End
from playout.arena.terms.job import Job, Played
from playout.games.errors import PlayoutError

ATTEMPTS = 3
"""Number of void games of a pair after which it is void."""
LOSSES = 20
"""Number of workers that may vanish with a pair before it is void: it may be the pair that ends them."""
BARREN = 5
"""Number of pairs that may be void one after another; then the event is given up."""
START = 120.0
"""Seconds for two engines to start and to get ready."""
LEASE = 30.0
"""Seconds for which a worker has a pair without a sign of life."""


@dataclass(slots=True)
class Lease:
    """A pair that a worker has."""

    open_job: OpenJob
    worker: str
    boot: str
    """Mark of the worker's process: a worker that was started anew has another one."""
    attempt: int
    silent: float
    """Time at which the lease ends unless the worker gives a sign of life."""
    stalled: float
    """Time at which it ends unless a move is made."""
    progress: object = None
    """The worker's last word on it; another one is progress."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A pair that a worker is to play."""

    job: Job
    attempt: int
    played: frozenset[int]
    """Numbers of its games that are recorded already."""


@dataclass(slots=True)
class _Course:
    """State of one event."""

    plan: Plan
    meetings: list[Sequence[Meeting]] = field(default_factory=list)
    """Those of each round drawn."""
    pairs: list[list[_Pair]] = field(default_factory=list)
    """Those of each round drawn."""
    openings: int = 0
    """Number of openings used."""
    over: bool = False
    decision: str | None = None
    barren: int = 0
    """Number of pairs that were given up since a game was recorded."""


@dataclass(slots=True)
class _Pair:
    """A pair of games."""

    games: int
    results: dict[int, float] = field(default_factory=dict)
    """Result of player 0 in each game recorded, by the game's number."""

    @property
    def points(self) -> float | None:
        """Points of the pair's first player: 1 for each game won, 0.5 for each draw; None while a game is missing."""
        if len(self.results) < self.games:
            return None
        return sum(0.5 + 0.5 * _sign(result if number == 0 else -result) for number, result in self.results.items())


class Coordinator:
    """Runs the events of one store. Methods are for any thread."""

    def __init__(self, store: Store, plans: Sequence[Plan], clock: Callable[[], float], lease: float = LEASE) -> None:
        """Takes up the tournament where the store has it. ``clock`` gives seconds that never run backwards."""
        self._store, self._clock, self._lease = store, clock, lease
        self._lock = threading.RLock()
        self._courses = {plan.name: _Course(plan) for plan in plans}
        self._queue: list[OpenJob] = []
        self._leases: dict[str, Lease] = {}
        self._voids, self._losses = Counter[str](), Counter[str]()
        """Void games and vanished workers of each pair, since this coordinator began."""
        self._pairs: dict[str, _Pair] = {}
        """Every pair that was drawn, by its id."""
        self._take_up()
        for course in self._courses.values():
            self._decide(course)
        self._draw()

    @property
    def finished(self) -> bool:
        """Whether every event is over."""
        with self._lock:
            return all(course.over for course in self._courses.values()) and not self._queue and not self._leases

    @property
    def decisions(self) -> Mapping[str, str]:
        """Decisions of events that are over before all their pairs were played, by event."""
        with self._lock:
            return {name: course.decision for name, course in self._courses.items() if course.decision is not None}

    def pairs(self, event: str) -> list[PairScore]:
        """Returns the pairs of an event that have results, in the order in which they were drawn."""
        with self._lock:
            course = self._courses[event]
            found = []
            for meetings, pairs in zip(course.meetings, course.pairs, strict=True):
                left = iter(pairs)
                for meeting in meetings:
                    for pair in islice(left, meeting.pairs):
                        if pair.results:
                            results = tuple(
                                one if number == 0 else -one for number, one in sorted(pair.results.items())
                            )
                            whole = len(results) == pair.games
                            found.append(PairScore(meeting.first, meeting.second, results, whole, pair.games))
            return found

    def rounds(self, event: str) -> list[list[Outcome]]:
        """Returns the outcomes of the rounds of an event that are over."""
        with self._lock:
            course = self._courses[event]
            outcomes = self._outcomes(course)
            return outcomes if course.over and course.decision is None else outcomes[:-1]

    def claim(self, worker: str, boot: str) -> Grant | None:
        """Returns a pair for the worker; None if there is none now."""
        with self._lock:
            self.expire()
            self._draw()
            if not self._queue:
                return None
            open_job = self._queue.pop(0)
            attempt = self._store.begin(open_job.job.id)
            now = self._clock()
            self._leases[open_job.job.id] = Lease(
                open_job, worker, boot, attempt, now + self._lease, now + self._lease + longest_move(open_job.job)
            )
            return Grant(open_job.job, attempt, open_job.played)

    def beat(self, worker: str, boot: str, progress: Mapping[str, object]) -> set[str]:
        """Takes a worker's sign of life: for each of its pairs something that changes with every move. Returns those
        that it is to give up."""
        with self._lock:
            self.expire()
            now = self._clock()
            given_up = set()
            for name, seen in progress.items():
                lease = self._leases.get(name)
                if lease is None or (lease.worker, lease.boot) != (worker, boot):
                    given_up.add(name)
                    continue
                lease.silent = now + self._lease
                if lease.progress != seen:
                    lease.progress, lease.stalled = seen, lease.silent + longest_move(lease.open_job.job)
            return given_up

    def deliver(self, worker: str, job: str, number: int, attempt: int, played: Played) -> Receipt:
        """Takes a game that a worker has played. When this returns, it is on the disk, or refused for good.

        Raises:
            PlayoutError: if the store cannot be written; the worker delivers it again.
        """
        with self._lock:
            lease = self._leases.get(job)
            if played.end is End.VOID:
                if lease is None or lease.attempt != attempt or lease.worker != worker:
                    return Receipt.REPEAT
                self._store.mishap("void", played.id, attempt, worker, played.detail, played)
                self._again(lease, self._voids, ATTEMPTS)
                return Receipt.RECORDED
            known = self._job(job)
            if known is not None and (reason := refusal(known, number, played)) is not None:
                self._store.mishap("refused", played.id, attempt, worker, reason, played)
                if lease is not None and lease.attempt == attempt and lease.worker == worker:
                    self._again(lease, self._voids, ATTEMPTS)
                return Receipt.UNKNOWN
            receipt = self._store.record(job, number, played, attempt, worker)
            if receipt is Receipt.RECORDED:
                assert played.result is not None
                self._pairs[job].results[number] = played.result
                self._courses[job.partition("/")[0]].barren = 0
                self._recorded(job, number, lease)
            return receipt

    def lost(self, worker: str, boot: str | None = None) -> None:
        """Takes the pairs of a worker back: it is gone, or has another ``boot`` now."""
        with self._lock:
            for lease in list(self._leases.values()):
                if lease.worker == worker and lease.boot != boot:
                    self._store.mishap("lost", lease.open_job.job.id, lease.attempt, worker, "the worker is gone")
                    self._again(lease, self._losses, LOSSES)

    def expire(self) -> None:
        """Takes back the pairs whose lease is over."""
        with self._lock:
            now = self._clock()
            for lease in list(self._leases.values()):
                if min(lease.silent, lease.stalled) < now:
                    said = "no sign of life" if lease.silent < now else "no move was made"
                    self._store.mishap("expired", lease.open_job.job.id, lease.attempt, lease.worker, said)
                    self._again(lease, self._losses, LOSSES)

    def release(self, worker: str, job: str) -> None:
        """Takes back a pair that the worker gives up of its own will; the attempt does not count against it."""
        with self._lock:
            lease = self._leases.get(job)
            if lease is not None and lease.worker == worker:
                self._requeue(self._leases.pop(job).open_job)

    def _job(self, name: str) -> Job | None:
        lease = self._leases.get(name)
        if lease is not None:
            return lease.open_job.job
        return next((one.job for one in self._queue if one.job.id == name), None)

    def _recorded(self, job: str, number: int, lease: Lease | None) -> None:
        if lease is not None:
            lease.open_job = _with_game(lease.open_job, number)
            if len(lease.open_job.played) == lease.open_job.job.games:
                del self._leases[job]
        else:  # from a worker whose lease had expired
            for place, one in enumerate(self._queue):
                if one.job.id == job:
                    self._queue[place] = changed = _with_game(one, number)
                    if len(changed.played) == changed.job.games:
                        del self._queue[place]
                    break
        if len(self._pairs[job].results) == self._pairs[job].games:
            self._decide(self._courses[job.partition("/")[0]])
        self._draw()

    def _again(self, lease: Lease, counts: Counter[str], most: int) -> None:
        """Puts a pair back into the queue, or gives it up when ``most`` faults of this kind are counted."""
        open_job = self._leases.pop(lease.open_job.job.id).open_job
        counts[open_job.job.id] += 1
        if counts[open_job.job.id] >= most:
            self._store.give_up([open_job.job.id], "void")
            course = self._courses[open_job.event]
            course.barren += 1
            if course.barren >= BARREN:
                self._end(course, f"given up: {BARREN} pairs in a row were void", "void")
            self._draw()
        else:
            self._requeue(open_job)

    def _requeue(self, open_job: OpenJob) -> None:
        self._queue.insert(0, open_job)

    def _take_up(self) -> None:
        """Finds out how far the events in the store are."""
        for course in self._courses.values():
            rounds: dict[int, list[PairRow]] = {}
            for row in self._store.pairs(course.plan.name):
                rounds.setdefault(row.round, []).append(row)
            form = course.plan.form
            for number in range(len(rounds)):
                meetings = form.draw(self._outcomes(course) if form.waits else [], number)
                if meetings is None or sum(one.pairs for one in meetings) != len(rounds[number]):
                    raise PlayoutError(f"event {course.plan.name}: the store has another form of it")
                self._drawn(course, meetings, [row.id for row in rounds[number]])
                for row in rounds[number]:
                    self._pairs[row.id].results.update(row.results)
        self._queue = [one for one in self._store.open_jobs() if one.event in self._courses]

    def _drawn(self, course: _Course, meetings: Sequence[Meeting], names: Sequence[str]) -> None:
        course.meetings.append(meetings)
        course.pairs.append([_Pair(course.plan.games) for _ in names])
        course.openings += max((meeting.pairs for meeting in meetings), default=0)
        self._pairs.update(zip(names, course.pairs[-1], strict=True))

    def _draw(self) -> None:
        """Draws rounds until there is something to play, or nothing more can be drawn now."""
        for course in self._courses.values():
            while not course.over and not any(one.event == course.plan.name for one in self._queue):
                if not self._draw_round(course):
                    break

    def _decide(self, course: _Course) -> None:
        """Ends an event whose form is content with the results so far."""
        if course.over or not course.plan.form.decides:
            return
        decision = course.plan.form.decided(self._outcomes(course))
        if decision is not None:
            self._end(course, decision, "spare")

    def _end(self, course: _Course, decision: str, state: Literal["void", "spare"]) -> None:
        """Ends an event although pairs are not complete; those get the ``state``."""
        name = course.plan.name
        course.over, course.decision = True, decision
        waiting = [one.job.id for one in self._queue if one.event == name]
        held = [job for job, lease in self._leases.items() if lease.open_job.event == name]
        self._queue = [one for one in self._queue if one.event != name]
        for job in held:
            del self._leases[job]
        self._store.give_up([*waiting, *held], state)

    def _draw_round(self, course: _Course) -> bool:
        """Draws the next round of an event; returns whether there was one to draw."""
        plan = course.plan
        if plan.form.waits and any(one.open_job.event == plan.name for one in self._leases.values()):
            return False
        meetings = plan.form.draw(self._outcomes(course) if plan.form.waits else [], len(course.meetings))
        if meetings is None:
            course.over = True
            return False
        jobs = plan.jobs(len(course.meetings), meetings, course.openings)
        self._store.add(plan.name, len(course.meetings), jobs)
        self._drawn(course, meetings, [job.id for job in jobs])
        self._queue += [OpenJob(job, plan.name, 0, frozenset()) for job in jobs]
        return True

    @staticmethod
    def _outcomes(course: _Course) -> list[list[Outcome]]:
        """Returns the outcomes of each round, of the pairs that are complete."""
        rounds = []
        for meetings, pairs in zip(course.meetings, course.pairs, strict=True):
            left, outcomes = iter(pairs), []
            for meeting in meetings:
                points = [pair.points for pair in islice(left, meeting.pairs)]
                done = tuple(one for one in points if one is not None)
                total = sum(done)
                outcomes.append(Outcome(meeting, (total, course.plan.games * len(done) - total), done))
            rounds.append(outcomes)
        return rounds


def longest_move(job: Job) -> float:
    """Returns the seconds that one move of a pair may take, with the start of an engine and the grace after it."""
    longest = 0.0
    for player in job.players:
        clock = Clock(player.pace, player.allowance)
        # A clock never shows more than its start and what is added before each further control.
        saved = 0.0 if player.pace.time is None else player.pace.time
        longest = max(longest, job.patience if clock.limit is None else clock.limit + saved)
    return longest + job.grace + START


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _with_game(open_job: OpenJob, number: int) -> OpenJob:
    return OpenJob(open_job.job, open_job.event, open_job.attempt, open_job.played | {number})
