"""A worker's side of the broker: claims pairs, tells of their progress, delivers games until they are acknowledged.

It does no input or output itself but to the spool, a folder in which games wait that are not acknowledged.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from playout.arena.remote.hub import Outgoing
from playout.arena.remote.messages import (
    Ack,
    Back,
    Beat,
    Claim,
    Done,
    Drop,
    FromWorker,
    Give,
    Over,
    Refused,
    Topics,
    Wait,
    from_coordinator,
    pack,
)
from playout.arena.terms.job import Played
from playout.games.errors import PlayoutError, ProtocolError
from playout.games.support.whole_file import write_whole

BEAT = 5.0
"""Seconds between two signs of life."""
CLAIM = 2.0
"""Seconds after which a claim without an answer is repeated; up to half as many more, by chance."""
AGAIN, SLOWEST = 2.0, 30.0
"""Seconds after which a game that is not acknowledged is delivered again: at first, and at last."""


@dataclass(slots=True)
class Parcel:
    """A game that is not acknowledged."""

    message: Done
    due: float
    """Time of the next delivery."""
    wait: float = AGAIN


@dataclass(slots=True)
class Held:
    """A pair that this worker has."""

    give: Give
    plies: int = 0
    dropped: bool = False
    """Whether the coordinator took it back."""
    started: bool = False
    """Whether a desk plays it."""


@dataclass(slots=True)
class _Times:
    claim: float = 0.0
    beat: float = 0.0
    parcels: dict[str, Parcel] = field(default_factory=dict)


class Hand:
    """Speaks for a worker. One thread uses it."""

    def __init__(
        self,
        name: str,
        boot: str,
        desks: int,
        topics: Topics,
        spool: Path,
        clock: Callable[[], float],
        key: bytes | None = None,
        rng: random.Random | None = None,
    ) -> None:
        """Takes up the games that wait in ``spool``.

        Raises:
            PlayoutError: if the spool cannot be read or made.
        """
        self._name, self._boot, self._desks, self._key = name, boot, desks, key
        self._topic, self._from = topics.to_coordinator + name, topics.to_worker + name
        self._spool, self._clock, self._rng = spool, clock, rng or random.Random()
        self._held: dict[str, Held] = {}
        self._times = _Times()
        self._back: list[str] = []
        """Pairs to be given back."""
        self._leaving = False
        self.over = False
        """Whether the coordinator said that the tournament is over."""
        self.refusal: str | None = None
        """Reason for which the coordinator does not take this worker."""
        self.bad = 0
        """Number of messages that were none."""
        try:
            spool.mkdir(parents=True, exist_ok=True)
            for path in sorted(spool.glob("*.json")):
                self._post(msgspec.json.decode(path.read_bytes(), type=Done))
        except (OSError, msgspec.DecodeError) as error:
            raise PlayoutError(f"{spool}: {error}") from error

    @property
    def idle(self) -> bool:
        """Whether nothing is to be played or delivered."""
        return not self._held and not self._times.parcels

    def next_job(self) -> Give | None:
        """Returns a pair for a desk that is free, None if there is none."""
        for held in self._held.values():
            if not held.started and not held.dropped:
                held.started = True
                return held.give
        return None

    def moved(self, job: str) -> None:
        """Notes that a move of a pair was made."""
        if job in self._held:
            self._held[job].plies += 1

    def wanted(self, job: str) -> bool:
        """Whether the coordinator still wants a pair."""
        return job in self._held and not self._held[job].dropped

    def deliver(self, give: Give, number: int, played: Played) -> None:
        """Delivers a game. It is on the disk before it is sent.

        Raises:
            PlayoutError: if it cannot be written; it is sent all the same.
        """
        message = Done(boot=self._boot, job=give.job.id, number=number, attempt=give.attempt, played=played)
        self._post(message)
        try:
            write_whole(self._path(played.id), msgspec.json.encode(message))
        except OSError as error:
            raise PlayoutError(f"{self._spool}: {error.strerror or error}") from error

    def end(self, job: str) -> None:
        """Notes that a desk is done with a pair."""
        self._held.pop(job, None)
        self._times.claim = 0.0

    def take(self, topic: str, payload: bytes) -> None:
        """Takes a message of the coordinator; those that are none, or for another process, are ignored."""
        try:
            if topic != self._from:
                raise ProtocolError("another worker's message")
            message = from_coordinator(topic, payload, self._key)
        except ProtocolError:
            self.bad += 1
            return
        if message.boot != self._boot:
            return
        match message:
            case Give():
                if message.job.id in self._held:
                    return
                if len(self._held) < self._desks and not self._leaving:
                    self._held[message.job.id] = Held(message)
                    self._times.beat = 0.0
                else:  # the answer to a claim that was repeated
                    self._back.append(message.job.id)
            case Ack():
                self._times.parcels.pop(message.game, None)
                self._path(message.game).unlink(missing_ok=True)
            case Drop():
                for job in message.jobs:
                    if job in self._held:
                        self._held[job].dropped = True
                        if not self._held[job].started:
                            self.end(job)
            case Wait():
                self._times.claim = self._clock() + min(max(message.seconds, 0.1), 60.0)
            case Over():
                self.over = True
            case Refused():
                self.refusal = message.why

    def tick(self) -> list[Outgoing]:
        """Returns the messages that are due. Called several times a second."""
        return [(self._topic, pack(self._topic, message, self._key)) for message in self._due()]

    def leave(self) -> None:
        """Claims no more, and gives back what no desk has begun."""
        self._leaving = True
        for job in [job for job, held in self._held.items() if not held.started]:
            self._back.append(job)
            self.end(job)

    def reconnected(self) -> None:
        """Notes that the broker was lost and is there again: everything is said anew."""
        self._times.claim = self._times.beat = 0.0
        for parcel in self._times.parcels.values():
            parcel.due, parcel.wait = 0.0, AGAIN

    def _due(self) -> Iterator[FromWorker]:
        now, times = self._clock(), self._times
        free = self._desks - len(self._held)
        if free > 0 and not self.over and not self._leaving and times.claim <= now:
            times.claim = now + CLAIM * (1 + self._rng.random() / 2)
            yield Claim(boot=self._boot, free=free)
        while self._back:
            yield Back(boot=self._boot, job=self._back.pop())
        if self._held and times.beat <= now:
            times.beat = now + BEAT
            yield Beat(boot=self._boot, jobs={job: held.plies for job, held in self._held.items() if not held.dropped})
        for parcel in times.parcels.values():
            if parcel.due <= now:
                parcel.due, parcel.wait = now + parcel.wait, min(2 * parcel.wait, SLOWEST)
                yield msgspec.structs.replace(parcel.message, boot=self._boot)

    def _post(self, message: Done) -> None:
        self._times.parcels[message.played.id] = Parcel(message, 0.0)

    def _path(self, game: str) -> Path:
        return self._spool / f"{hashlib.sha256(game.encode()).hexdigest()[:24]}.json"
