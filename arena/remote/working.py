"""A worker: desks, each with a thread of this process, and their hand on a broker."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from playout.arena.play.apart import ApartDesk, desk_among
from playout.arena.play.cores import Cores, shares
from playout.arena.play.desk import Desk
from playout.arena.play.witness import Witness
from playout.arena.remote.guests import Door
from playout.arena.remote.hand import Hand
from playout.arena.remote.messages import Give, Here, Topics, pack
from playout.arena.remote.spool import Spool
from playout.arena.remote.wire import Wire
from playout.arena.terms.job import Played
from playout.arena.terms.live import Stage
from playout.games.errors import PlayoutError
from playout.protocols.transport.address import is_name
from playout.protocols.transport.mqtt.client import Broker

if TYPE_CHECKING:
    import ssl

TICK = 0.1
"""Seconds between two looks at what is due."""
FAREWELL = 5.0

logger = logging.getLogger(__name__)


class Dropped(Exception):
    """Ends a game whose pair the coordinator took back."""


class Worker:
    """Plays pairs of a tournament that a coordinator gives out. One thread calls ``run``."""

    def __init__(
        self,
        broker: Broker,
        name: str,
        desks: int,
        spool: Spool,
        *,
        key: bytes | None = None,
        tls: ssl.SSLContext | None = None,
        files: tuple[str, ...] = (),
        ended: Callable[[Played], None] = lambda _: None,
        affinity: bool = False,
    ) -> None:
        """``ended`` gets each game that this worker has played, on a desk's thread. ``files`` are the arguments of
        ``playout connect`` for the broker's password and certificates; engines that enter are reached with them. With
        ``affinity`` each desk has processors of its own.

        Raises:
            PlayoutError: if the name has a character that topics do not allow, the spool cannot be read, or there are
                not enough processors.
        """
        if not is_name(name):
            raise PlayoutError(f"worker {name!r}: a name without blanks and / + # $ expected")
        self._broker, self._name, self._desks, self._key, self._tls = broker, name, desks, key, tls
        self._cores = shares(desks, affinity=affinity)
        self._topics = Topics(broker.base)
        self._boot = secrets.token_hex(8)
        self._hand = Hand(name, self._boot, desks, self._topics, spool, time.monotonic, key)
        self._ended = ended
        self._door = Door(broker, files)
        self._lock = threading.Lock()
        """Guards the hand, which desks and the event loop share."""
        self._stopping = threading.Event()
        self._faults: list[BaseException] = []

    def stop(self) -> None:
        """Ends the worker after the games under way. Any thread."""
        self._stopping.set()

    def run(self) -> None:
        """Plays until the tournament is over, or ``stop``. Blocks.

        Raises:
            PlayoutError: if the broker cannot be reached, or the coordinator refuses this worker.
        """
        asyncio.run(self._run())
        if self._faults:
            raise self._faults[0]
        if self._hand.refusal is not None:
            raise PlayoutError(f"{self._broker}: {self._hand.refusal}")

    async def _run(self) -> None:
        here = self._topics.here + self._name
        wire = Wire(
            self._broker,
            [self._topics.to_worker + self._name],
            self._take,
            lambda: self._announce(wire, here),
            will=(here, pack(here, Here(boot=self._boot, here=False), self._key)),
            tls=self._tls,
        )
        witness = Witness()
        desks = [threading.Thread(target=self._sit, args=(witness, cores), daemon=True) for cores in self._cores]
        connection = asyncio.create_task(wire.run())
        try:
            for desk in desks:
                desk.start()
            while not connection.done() and not self._over(desks):
                with self._lock:
                    due = self._hand.tick() if wire.there else []
                for topic, payload in due:
                    wire.say(topic, payload)
                await asyncio.sleep(TICK)
            if connection.done():
                await connection
            wire.say(here, pack(here, Here(boot=self._boot, here=False), self._key), retain=True)
            await wire.drain(FAREWELL)
        finally:
            self._stopping.set()
            connection.cancel()
            with contextlib.suppress(asyncio.CancelledError, PlayoutError):
                await connection
            witness.close()

    def _over(self, desks: list[threading.Thread]) -> bool:
        """Whether nothing is left to do: every desk has ended, and every game is acknowledged or will not be."""
        with self._lock:
            if self._hand.over or self._hand.refusal is not None:
                self._stopping.set()
            if self._stopping.is_set():
                self._hand.leave()
            if any(desk.is_alive() for desk in desks):
                return False
            return self._hand.idle or self._hand.over or self._hand.refusal is not None or bool(self._faults)

    def _announce(self, wire: Wire, topic: str) -> None:
        with self._lock:
            self._hand.reconnected()
        here = Here(boot=self._boot, here=True, desks=self._desks, host=socket.gethostname())
        wire.say(topic, pack(topic, here, self._key), retain=True)

    def _take(self, topic: str, payload: bytes) -> None:
        with self._lock:
            self._hand.take(topic, payload)

    def _sit(self, witness: Witness, cores: Cores) -> None:
        job = ""

        def moved(count: int, stage: Stage) -> None:
            with self._lock:
                self._hand.moved(job, count, stage)
                if not self._hand.wanted(job):
                    raise Dropped

        desk = desk_among(self._desks, witness, moved, cores)
        try:
            while not self._stopping.is_set():
                with self._lock:
                    give = self._hand.next_job()
                if give is None:
                    self._stopping.wait(TICK)
                    continue
                job = give.job.id
                whole = False
                with contextlib.suppress(Dropped):
                    whole = self._play(desk, give)
                with self._lock:
                    self._hand.end(job, whole=whole)
        except BaseException as error:
            self._faults.append(error)
            self._stopping.set()
        finally:
            desk.close()

    def _play(self, desk: Desk | ApartDesk, give: Give) -> bool:
        """Plays a pair; returns whether all its games were played."""
        left = give.job.games - len(give.played)
        for number, played in desk.play(self._door.invite(give.job), give.played):
            self._deliver(give, number, played)
            left -= 1
            with self._lock:
                if played.result is None or not self._hand.wanted(give.job.id) or self._stopping.is_set():
                    break
        return left == 0

    def _deliver(self, give: Give, number: int, played: Played) -> None:
        with self._lock:
            try:
                self._hand.deliver(give, number, played)
            except PlayoutError as error:
                logger.warning("%s", error)
        self._ended(played)
