"""A worker's side of the broker: claims pairs, tells of their progress, delivers games until they are acknowledged.

It does no input or output itself but to the spool.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import msgspec

from playout.arena.remote.hub import Outgoing
from playout.arena.remote.messages import (
    BEAT,
    DIGEST,
    ELSEWHERE,
    LARGEST,
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
from playout.arena.remote.spool import Spool
from playout.arena.terms.end import End
from playout.arena.terms.job import Move, Played
from playout.arena.terms.live import Stage
from playout.games.errors import ProtocolError

CLAIM = 2.0
"""Seconds after which a claim without an answer is repeated; up to half as many more, by chance."""
TOLD = 100_000
"""Letters of games in progress in a message."""
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
    stage: Stage | None = None
    dropped: bool = False
    """Whether the coordinator took it back."""
    started: bool = False
    """Whether a desk plays it."""


@dataclass(slots=True)
class _Times:
    claim: float = 0.0
    beat: float = 0.0
    parcels: dict[tuple[str, str], Parcel] = field(default_factory=dict)
    """By tournament and game."""


class Hand:
    """Speaks for a worker. One thread uses it."""

    def __init__(
        self,
        name: str,
        boot: str,
        desks: int,
        topics: Topics,
        spool: Spool,
        clock: Callable[[], float],
        key: bytes | None = None,
        rng: random.Random | None = None,
    ) -> None:
        """Takes up the games that wait in ``spool``.

        Raises:
            PlayoutError: if the spool cannot be read.
        """
        self._name, self._boot, self._desks, self._key = name, boot, desks, key
        self._topic, self._from = topics.to_coordinator + name, topics.to_worker + name
        self._spool, self._clock, self._rng = spool, clock, rng or random.Random()
        self._held: dict[str, Held] = {}
        self._times = _Times()
        self._back: list[tuple[str, int]] = []
        """Pairs to be given back, with the attempts."""
        self._leaving = False
        self.over = False
        """Whether the coordinator said that the tournament is over."""
        self.refusal: str | None = None
        """Reason for which the coordinator does not take this worker."""
        self.bad = 0
        """Number of messages that were none."""
        for message in spool.games():
            self._post(message)

    @property
    def idle(self) -> bool:
        """Whether nothing is to be played or delivered."""
        return not self._held and not self._times.parcels and not self._back

    def next_job(self) -> Give | None:
        """Returns a pair for a desk that is free, None if there is none."""
        for held in self._held.values():
            if not held.started and not held.dropped:
                held.started = True
                return held.give
        return None

    def moved(self, job: str, count: int = 1, stage: Stage | None = None) -> None:
        """Notes that a number of moves of a pair were made, and how far it is."""
        if job in self._held:
            self._held[job].plies += count
            self._held[job].stage = stage

    def wanted(self, job: str) -> bool:
        """Whether the coordinator still wants a pair."""
        return job in self._held and not self._held[job].dropped

    def deliver(self, give: Give, number: int, played: Played) -> None:
        """Delivers a game. It is on the disk before it is sent.

        Raises:
            PlayoutError: if it cannot be written; it is sent all the same.
        """
        message = Done(
            boot=self._boot, cup=give.cup, job=give.job.id, number=number, attempt=give.attempt, played=played
        )
        message = _short(message)
        self._post(message)
        self._spool.put(message)

    def end(self, job: str, *, whole: bool = True) -> None:
        """Notes that a desk is done with a pair; one that is not ``whole`` is given back."""
        held = self._held.pop(job, None)
        if held is not None and not whole and not held.dropped:
            self._back.append((job, held.give.attempt))
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
                held = self._held.get(message.job.id)
                if held is not None and held.give.attempt == message.attempt:
                    return
                if held is None and len(self._held) < self._desks and not self._leaving:
                    self._held[message.job.id] = Held(message)
                    self._times.beat = 0.0
                else:  # the answer to a claim that was repeated, or a pair that is still being dropped
                    self._back.append((message.job.id, message.attempt))
            case Ack():
                self._times.parcels.pop((message.cup, message.game), None)
                if message.receipt != ELSEWHERE:
                    self._spool.drop(message.cup, message.game)
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
            self.end(job, whole=False)

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
            job, attempt = self._back.pop()
            yield Back(boot=self._boot, job=job, attempt=attempt)
        if self._held and times.beat <= now:
            times.beat = now + BEAT
            held = {job: (held.give.attempt, held.plies) for job, held in self._held.items() if not held.dropped}
            yield Beat(boot=self._boot, jobs=held, stages=self._stages())
        for parcel in times.parcels.values():
            if parcel.due <= now:
                parcel.due, parcel.wait = now + parcel.wait, min(2 * parcel.wait, SLOWEST)
                yield msgspec.structs.replace(parcel.message, boot=self._boot)

    def _stages(self) -> dict[str, tuple[int, list[str]]]:
        """Returns how far the pairs are, as far as there is room in a message."""
        found, room = dict[str, tuple[int, list[str]]](), TOLD
        for job, held in self._held.items():
            if held.dropped or held.stage is None:
                continue
            moves = list(held.stage.moves)
            room -= sum(map(len, moves))
            if room >= 0:
                found[job] = held.stage.number, moves
        return found

    def _post(self, message: Done) -> None:
        self._times.parcels[message.cup, message.played.id] = Parcel(message, 0.0)


def _short(message: Done) -> Done:
    """Returns a game that fits into a message: of a very long one the moves alone, and void if they are too long."""
    if _fits(message):
        return message
    played = message.played
    bare = tuple(Move(move.text, player=move.player) for move in played.moves)
    message = msgspec.structs.replace(message, played=msgspec.structs.replace(played, moves=bare))
    if _fits(message):
        return message
    said = f"a game of {len(bare)} plies is too long for a message"
    empty = msgspec.structs.replace(played, moves=(), result=None, end=End.VOID, at_fault=None, detail=said)
    return msgspec.structs.replace(message, played=empty)


def _fits(message: Done) -> bool:
    return len(msgspec.json.encode(message)) + DIGEST <= LARGEST
