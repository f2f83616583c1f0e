"""The coordinator of a tournament: gives pairs to workers, records what they played, and draws the next rounds.

It does no input or output but to the store, and knows nothing of how workers reach it: threads of this process call it,
and so does the side of a broker. Time is given to it, so that tests have their own.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from playout.arena.course import Course, PairState
from playout.arena.faults import Faults
from playout.arena.file.plan import Plan
from playout.arena.forms.form import Outcome
from playout.arena.lease import LEASE, Lease, longest_move
from playout.arena.play.check import refusal
from playout.arena.report.standings import PairScore
from playout.arena.store.store import OpenJob, PairRow, Receipt, Store, StoreError
from playout.arena.terms.end import End
from playout.arena.terms.job import Job, Played
from playout.arena.terms.live import InProgress, Stage
from playout.arena.waiting import Waiting
from playout.games.errors import PlayoutError

BARREN = 5
"""Number of pairs that may be void one after another; then the event is given up."""
GIVEN_UP = f"given up: {BARREN} pairs in a row were void"
STILL = 5.0
"""Seconds without a call after which the coordinator's own machine is taken to have stood still."""

NO_STAGES: Mapping[str, Stage] = {}

logger = logging.getLogger(__name__)


@contextlib.contextmanager
def lenient() -> Iterator[None]:
    """Lets a tournament go on where the store cannot be written, and what was to be done is done at a later call."""
    try:
        yield
    except StoreError as error:
        logger.warning("%s", error)


@dataclass(frozen=True, slots=True)
class Grant:
    """A pair that a worker is to play."""

    job: Job
    attempt: int
    played: frozenset[int]
    """Numbers of its games that are recorded already."""


class Coordinator:
    """Runs the events of one store. Methods are for any thread.

    A method raises StoreError if the store cannot be written; it can be called again then.
    """

    def __init__(
        self,
        store: Store,
        plans: Sequence[Plan],
        clock: Callable[[], float],
        lease: float = LEASE,
        *,
        plays: bool = True,
    ) -> None:
        """Takes up the tournament where the store has it. ``clock`` gives seconds that never run backwards.

        One that ``plays`` tries events again that were given up; for a report they stay as they are.
        """
        self._store, self._clock, self._lease = store, clock, lease
        self._lock = threading.RLock()
        self.id = store.id
        """A text that no other tournament has."""
        self._courses = {plan.name: Course(plan) for plan in plans}
        self._leases: dict[str, Lease] = {}
        self._faults = Faults(lease)
        self._pairs: dict[str, PairState] = {}
        """Every pair that was drawn, by its id."""
        self._looked = clock()
        """Time of the last call that looked at leases."""
        if plays:
            store.reopen()
        self._take_up()
        self._waiting = Waiting(one for one in store.open_jobs() if one.event in self._courses)
        self._settle()

    @property
    def finished(self) -> bool:
        """Whether every event is over."""
        with self._lock:
            return all(course.over for course in self._courses.values()) and not self._waiting and not self._leases

    @property
    def decisions(self) -> Mapping[str, str]:
        """Decisions of events that are over before all their pairs were played, by event."""
        with self._lock:
            return {name: course.decision for name, course in self._courses.items() if course.decision is not None}

    @property
    def given_up(self) -> bool:
        """Whether an event was given up, because its games cannot be played."""
        with self._lock:
            return any(course.given_up for course in self._courses.values())

    def pairs(self, event: str) -> list[PairScore]:
        """Returns the pairs of an event that have results which count, in the order in which they were drawn."""
        with self._lock:
            return self._courses[event].scores()

    def rounds(self, event: str) -> list[list[Outcome]]:
        """Returns the outcomes of the rounds of an event that are over."""
        with self._lock:
            return self._courses[event].rounds()

    def claim(self, worker: str, boot: str) -> Grant | None:
        """Returns a pair for the worker; None if there is none now."""
        with self._lock:
            self.expire()
            self._settle()
            now = self._clock()
            self._faults.seen(worker, now)
            open_job = self._found(worker, now)
            if open_job is None:
                return None
            attempt = self._store.begin(open_job.job.id)
            self._grant(replace(open_job, attempt=attempt), worker, boot)
            return Grant(open_job.job, attempt, open_job.played)

    def live(self) -> list[InProgress]:
        """Returns the games in progress of which something is known, by their ids."""
        with self._lock:
            found = [live for lease in self._leases.values() if (live := lease.live()) is not None]
        return sorted(found, key=lambda live: live.id)

    def beat(
        self, worker: str, boot: str, held: Mapping[str, tuple[int, int]], stages: Mapping[str, Stage] = NO_STAGES
    ) -> set[str]:
        """Takes a worker's sign of life: for each of its pairs the number of the attempt, and the number of moves that
        it has made at it. ``stages`` say how far those are of which it is known. Returns those that it is to give up.

        A pair that nobody else has been given since is the worker's, even if its lease was over or is not known, as
        after a start of the coordinator.
        """
        with self._lock:
            now = self._clock()
            self._look(now)
            self._faults.seen(worker, now)
            given_up = set()
            for name, (attempt, plies) in held.items():
                waiting = self._waiting.get(name)
                if waiting is not None and waiting.attempt == attempt:
                    self._grant(waiting, worker, boot)
                lease = self._leases.get(name)
                if lease is None or (lease.worker, lease.boot, lease.attempt) != (worker, boot, attempt):
                    given_up.add(name)
                else:
                    lease.beat(plies, now, self._lease)
                    lease.stage = stages.get(name, lease.stage)
            self._expire(now)
            return given_up

    def deliver(self, worker: str, job: str, number: int, attempt: int, played: Played) -> Receipt:
        """Takes a game that a worker has played. When this returns, it is on the disk, or refused for good."""
        with self._lock:
            lease = self._leases.get(job)
            own = lease is not None and (lease.worker, lease.attempt) == (worker, attempt)
            self._faults.seen(worker, self._clock())
            if played.end is End.VOID:
                if lease is None or not own:
                    return Receipt.REPEAT
                self._void(lease, played, "void", played.detail)
                return Receipt.RECORDED
            known = self._job(job)
            if known is not None and (reason := refusal(known, number, played)) is not None:
                if lease is not None and own:
                    self._void(lease, played, "refused", reason)
                else:
                    self._mishap("refused", played.id, attempt, worker, reason, played)
                return Receipt.UNKNOWN
            receipt = self._store.record(job, number, played, attempt, worker)
            if receipt is Receipt.RECORDED:
                assert played.result is not None
                assert known is not None
                self._faults.played(worker, known)
                self._recorded(job, number, played.result)
            return receipt

    def lost(self, worker: str, boot: str | None = None) -> None:
        """Takes the pairs of a worker back: it is gone, or has another ``boot`` now."""
        with self._lock:
            self._faults.gone(worker)
            for lease in list(self._leases.values()):
                if lease.worker == worker and lease.boot != boot:
                    self._vanished(lease, "lost", "the worker is gone")

    def expire(self) -> None:
        """Takes back the pairs whose lease is over. Called now and then, at least every ``STILL`` seconds."""
        with self._lock:
            now = self._clock()
            self._look(now)
            self._expire(now)

    def release(self, worker: str, boot: str, job: str, attempt: int) -> None:
        """Takes back a pair that the worker gives up of its own will; the attempt does not count against it."""
        with self._lock:
            lease = self._leases.get(job)
            if lease is not None and (lease.worker, lease.boot, lease.attempt) == (worker, boot, attempt):
                self._requeue(lease)

    def _found(self, worker: str, now: float) -> OpenJob | None:
        """Returns the first pair that a worker may play. Rounds that need not wait are drawn until one has such a pair:
        those that are there may all be void for this worker."""
        if self._faults.pauses(worker, now):
            return None

        def fits(one: OpenJob) -> bool:
            return self._faults.may_play(worker, one.job, now)

        found = self._waiting.first(fits)
        for course in self._courses.values():
            while found is None and not course.over and not course.plan.form.waits and self._draw_round(course):
                found = self._waiting.first(fits)
        return found

    def _look(self, now: float) -> None:
        """Puts all leases off if this machine stood still: signs of life have not been read yet."""
        if now - self._looked > STILL:
            for lease in self._leases.values():
                lease.put_off(now - self._looked)
        self._looked = now

    def _expire(self, now: float) -> None:
        for lease in list(self._leases.values()):
            if min(lease.silent, lease.stalled) < now:
                self._vanished(lease, "expired", "no sign of life" if lease.silent < now else "no move was made")

    def _grant(self, open_job: OpenJob, worker: str, boot: str) -> None:
        """Gives a pair that waits to a worker."""
        self._waiting.remove(open_job.job.id)
        silent = self._clock() + self._lease
        stalled = silent + longest_move(open_job.job)
        self._leases[open_job.job.id] = Lease(open_job, worker, boot, open_job.attempt, silent, stalled)

    def _job(self, name: str) -> Job | None:
        if name in self._leases:
            return self._leases[name].open_job.job
        waiting = self._waiting.get(name)
        return None if waiting is None else waiting.job

    def _recorded(self, job: str, number: int, result: float) -> None:
        """Takes a game that is in the store; what follows from it is done at the next call if the store fails."""
        course, pair = self._courses[job.partition("/")[0]], self._pairs[job]
        course.record(pair, number, result)
        if job in self._leases:
            lease = self._leases[job]
            lease.open_job = _with_game(lease.open_job, number)
            if pair.whole:
                del self._leases[job]
        elif (waiting := self._waiting.get(job)) is not None:  # from a worker whose lease had expired
            self._waiting.add(_with_game(waiting, number))
            if pair.whole:
                self._waiting.remove(job)
        with lenient():
            self._settle()

    def _void(self, lease: Lease, played: Played, kind: str, reason: str) -> None:
        self._mishap(kind, played.id, lease.attempt, lease.worker, reason, played)
        self._again(lease, self._faults.void(lease.worker, lease.open_job.job, self._clock()))

    def _vanished(self, lease: Lease, kind: str, reason: str) -> None:
        self._mishap(kind, lease.open_job.job.id, lease.attempt, lease.worker, reason)
        self._again(lease, self._faults.lost(lease.open_job.job))

    def _again(self, lease: Lease, enough: bool) -> None:
        """Lets a pair wait again, or gives it up if it has had ``enough`` attempts."""
        if not enough:
            self._requeue(lease)
            return
        job, course = lease.open_job.job.id, self._courses[lease.open_job.event]
        self._store.give_up([job], "void")
        del self._leases[job]
        self._pairs[job].counts = False
        course.changed = True
        course.barren += 1
        if course.barren >= BARREN:
            self._give_up(course)
        with lenient():
            self._settle()

    def _requeue(self, lease: Lease) -> None:
        self._waiting.add(self._leases.pop(lease.open_job.job.id).open_job, first=True)

    def _mishap(self, kind: str, game: str, attempt: int, worker: str, said: str, played: Played | None = None) -> None:
        with lenient():
            self._store.mishap(kind, game, attempt, worker, said, played)

    def _take_up(self) -> None:
        """Finds out how far the events in the store are."""
        for course in self._courses.values():
            rounds: dict[int, list[PairRow]] = {}
            for row in self._store.pairs(course.plan.name):
                rounds.setdefault(row.round, []).append(row)
            form = course.plan.form
            for number in range(len(rounds)):
                meetings = form.draw(course.outcomes() if form.waits else [], number)
                if meetings is None or sum(one.pairs for one in meetings) != len(rounds[number]):
                    raise PlayoutError(f"event {course.plan.name}: the store has another form of it")
                for row, pair in zip(rounds[number], course.add(meetings, len(rounds[number])), strict=True):
                    self._pairs[row.id] = pair
                    pair.counts = row.counts
                    for game, result in row.results.items():
                        course.record(pair, game, result)

            if any(row.state == "later" for found in rounds.values() for row in found):
                course.over, course.given_up, course.decision = True, True, GIVEN_UP

    def _settle(self) -> None:
        """Ends events whose form is content, and draws rounds until there is something to play."""
        for course in self._courses.values():
            if course.changed:
                self._decide(course)
                course.changed = False
            while not course.over and not self._waiting.any_of(course.plan.name):
                if not self._draw_round(course):
                    break

    def _decide(self, course: Course) -> None:
        """Ends an event whose form is content with the results so far."""
        if not course.over and course.plan.form.decides:
            decision = course.plan.form.decided(course.tally)
            if decision is not None:
                self._end(course, decision, "spare")

    def _give_up(self, course: Course) -> None:
        """Ends an event whose games cannot be played. The next start of the tournament tries its pairs again."""
        self._end(course, GIVEN_UP, "void")
        course.given_up = True
        self._store.put_off(course.plan.name, len(course.meetings) - 1 if course.plan.form.waits else 0)

    def _end(self, course: Course, decision: str, state: Literal["void", "spare"]) -> None:
        """Ends an event although pairs are not complete; those get the ``state``."""
        name = course.plan.name
        waiting = self._waiting.of(name)
        held = [job for job, lease in self._leases.items() if lease.open_job.event == name]
        self._store.give_up([*waiting, *held], state)
        course.over, course.decision = True, decision
        for job in waiting:
            self._waiting.remove(job)
        for job in held:
            del self._leases[job]
        for job in (*waiting, *held):
            self._pairs[job].counts = False

    def _draw_round(self, course: Course) -> bool:
        """Draws the next round of an event; returns whether there was one to draw."""
        plan = course.plan
        if plan.form.waits and any(one.open_job.event == plan.name for one in self._leases.values()):
            return False
        meetings = plan.form.draw(course.outcomes() if plan.form.waits else [], len(course.meetings))
        if meetings is None:
            course.over = True
            return False
        number, opening = len(course.meetings), course.openings
        jobs = plan.jobs(number, meetings, opening)
        self._store.add(plan.name, number, jobs)
        self._pairs.update(zip((job.id for job in jobs), course.add(meetings, len(jobs)), strict=True))
        for job in jobs:
            self._waiting.add(OpenJob(job, plan.name, 0, frozenset()))
        return True


def _with_game(open_job: OpenJob, number: int) -> OpenJob:
    return replace(open_job, played=open_job.played | {number})
