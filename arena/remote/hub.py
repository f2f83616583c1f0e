"""The coordinator's side of the broker: answers the messages of workers. It does no input or output itself."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from playout.arena.coordinator import Coordinator, lenient
from playout.arena.lease import LEASE
from playout.arena.remote.messages import (
    BEAT,
    ELSEWHERE,
    VERSION,
    Ack,
    Back,
    Beat,
    Claim,
    Drop,
    FromCoordinator,
    FromWorker,
    Give,
    Over,
    Refused,
    Topics,
    Wait,
    from_worker,
    pack,
    presence,
)
from playout.arena.store.store import Receipt
from playout.arena.terms.job import Played
from playout.arena.terms.live import Stage
from playout.games.errors import ProtocolError

WILL = 2 * BEAT
"""Seconds for a worker to come back after the broker said that it is gone."""
IDLE = 50
"""Claims a second of all workers that have nothing to do."""
BURST, RATE = 500.0, 200.0
"""Messages of a worker at once, and a second on the average; more are dropped."""

Outgoing = tuple[str, bytes]
"""Topic and payload."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Guest:
    """A worker, as far as it is known."""

    boot: str
    room: float
    """Messages that it may send at once."""
    seen: float
    """Time of the last message."""
    gone: float | None = None
    """Time at which the broker said that it is gone."""
    rival: Guest | None = None
    """Another process of the same name."""
    came: float = 0.0
    """Time of its first message."""

    def admit(self, now: float) -> None:
        """Counts a message (a token bucket).

        Raises:
            ProtocolError: if there are too many.
        """
        self.room = min(BURST, self.room + RATE * (now - self.seen))
        self.seen = now
        if self.room < 1:
            raise ProtocolError("too many messages")
        self.room -= 1


class Hub:
    """Answers messages. One thread uses it."""

    def __init__(
        self,
        coordinator: Coordinator,
        topics: Topics,
        clock: Callable[[], float],
        key: bytes | None = None,
        ended: Callable[[str, Played], None] = lambda *_: None,
    ) -> None:
        """``ended`` gets the name of a worker and each game that it delivered and that was recorded, or was void."""
        self._coordinator, self._topics, self._clock, self._key = coordinator, topics, clock, key
        self._ended = ended
        self._guests: dict[str, Guest] = {}
        self.refused = 0
        """Number of messages that were none, too long, too many, or not signed."""

    @property
    def workers(self) -> int:
        """Number of workers that are there."""
        return sum(guest.gone is None for guest in self._guests.values())

    def guests(self) -> list[tuple[str, str]]:
        """Returns name and boot of each worker that is there."""
        return [(name, guest.boot) for name, guest in self._guests.items() if guest.gone is None]

    def take(self, topic: str, payload: bytes) -> list[Outgoing]:
        """Takes a message and returns those that answer it. Bad messages are counted and left unanswered."""
        name = self._topics.worker(topic)
        try:
            if topic.startswith(self._topics.here):
                self._meet(name, topic, payload)
                return []
            message = from_worker(topic, payload, self._key)
            replies = list[FromCoordinator]()
            with lenient():
                replies = self._heard(name, message)
        except ProtocolError as error:
            self.refused += 1
            logger.debug("%s: %s", name, error)
            return []
        where = self._topics.to_worker + name
        return [(where, pack(where, reply, self._key)) for reply in replies]

    def tick(self) -> None:
        """Takes back what silent workers have. Called now and then."""
        now = self._clock()
        with lenient():
            for name, guest in list(self._guests.items()):
                if guest.gone is not None and now - guest.gone > WILL:
                    self._coordinator.lost(name, None)
                    del self._guests[name]
            self._coordinator.expire()

    def _meet(self, name: str, topic: str, payload: bytes) -> None:
        if not payload:
            return  # cleared by the worker itself
        here = presence(topic, payload, self._key)
        guest = self._guests.get(name)
        if here.here:
            self._admitted(name, here.boot)
        elif guest is not None and guest.boot == here.boot:
            guest.gone = self._clock()

    def _heard(self, name: str, message: FromWorker) -> list[FromCoordinator]:
        """Takes a message, and returns the answers.

        Raises:
            ProtocolError: if the worker has sent too many.
        """
        guest = self._admitted(name, message.boot)
        if guest.boot == message.boot:
            return self._answer(name, message)
        if guest.seen > guest.came:  # both are alive
            why = f"another worker is called {name}; --name gives this one another name"
            return [Refused(boot=message.boot, why=why)]
        return [Wait(boot=message.boot, seconds=BEAT)] if isinstance(message, Claim) else []

    def _admitted(self, name: str, boot: str) -> Guest:
        """Counts a message, and returns the worker of the name: the sender, or another process that it is a rival of.

        Raises:
            ProtocolError: if the sender has sent too many.
        """
        guest, now = self._known(name, boot), self._clock()
        if guest.boot == boot:
            guest.admit(now)
            guest.gone = None
            return guest
        if guest.rival is None or guest.rival.boot != boot:
            guest.rival, guest.came = Guest(boot, BURST, now), now
        guest.rival.admit(now)
        return guest

    def _known(self, name: str, boot: str) -> Guest:
        """Returns the worker of a name: another process takes its place only when it is gone, or silent."""
        guest, now = self._guests.get(name), self._clock()
        if guest is not None and guest.boot != boot and (guest.gone is not None or now - guest.seen > LEASE):
            self._coordinator.lost(name, boot)
            guest = None
        if guest is None:
            guest = self._guests[name] = Guest(boot, BURST, now)
        return guest

    def _answer(self, name: str, message: FromWorker) -> list[FromCoordinator]:
        boot = message.boot
        if isinstance(message, Claim):
            if message.v != VERSION:
                return [Refused(boot=boot, why=f"the coordinator speaks version {VERSION}, not {message.v}")]
            return self._give(name, boot, message.free)
        if isinstance(message, Beat):
            stages = {job: Stage(*stage) for job, stage in message.stages.items()}
            dropped = self._coordinator.beat(name, boot, message.jobs, stages)
            return [Drop(boot=boot, jobs=tuple(sorted(dropped)))] if dropped else []
        if isinstance(message, Back):
            self._coordinator.release(name, boot, message.job, message.attempt)
            return []
        if message.cup != self._coordinator.id:
            return [Ack(boot=boot, cup=message.cup, game=message.played.id, receipt=ELSEWHERE)]
        receipt = self._coordinator.deliver(name, message.job, message.number, message.attempt, message.played)
        if receipt is Receipt.RECORDED:
            self._ended(name, message.played)
        return [Ack(boot=boot, cup=message.cup, game=message.played.id, receipt=receipt.value)]

    def _give(self, name: str, boot: str, free: int) -> list[FromCoordinator]:
        given: list[FromCoordinator] = []
        with lenient():
            while len(given) < free and (grant := self._coordinator.claim(name, boot)) is not None:
                played = tuple(sorted(grant.played))
                given.append(
                    Give(boot=boot, cup=self._coordinator.id, job=grant.job, attempt=grant.attempt, played=played)
                )
        if given:
            return given
        if self._coordinator.finished:
            return [Over(boot=boot)]
        return [Wait(boot=boot, seconds=max(1.0, self.workers / IDLE))]
