"""A tournament on one machine: desks, each with a thread of this process, beside the coordinator."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playout.arena.coordinator import Coordinator, Grant
from playout.arena.play.apart import ApartDesk, desk_among
from playout.arena.play.cores import shares
from playout.arena.play.desk import Desk
from playout.arena.play.witness import Witness
from playout.arena.store.store import Receipt, StoreError
from playout.arena.terms.job import Played
from playout.arena.terms.live import Stage

TICK = 0.25
"""Seconds between two looks at the desks."""
AGAIN = 2.0
"""Seconds after which what could not be written is tried again."""
NAME = "here"
"""Name of this process among workers: its desks share a machine and what is missing on it."""


@dataclass(slots=True)
class Progress:
    """A desk's pair."""

    grant: Grant | None = None
    plies: int = 0
    """Plies played so far, of all games of the pair."""
    stage: Stage | None = None
    desk: Desk | ApartDesk | None = None


class LocalRun:
    """Plays what a coordinator gives out, at a number of desks. One thread calls ``run``."""

    def __init__(
        self,
        coordinator: Coordinator,
        desks: int,
        ended: Callable[[Played], None] = lambda _: None,
        troubled: Callable[[str], None] = lambda _: None,
        *,
        affinity: bool = False,
    ) -> None:
        """``ended`` gets each game that is over, ``troubled`` a line where one cannot be recorded.

        Both are called on the desks' threads, one at a time. With ``affinity`` each desk has processors of its own.

        Raises:
            PlayoutError: if there are not enough of them.
        """
        self._cores = shares(desks, affinity=affinity)
        self._coordinator, self._ended, self._troubled = coordinator, ended, troubled
        self._boot = secrets.token_hex(8)
        self._progress = [Progress() for _ in range(desks)]
        self._stopping = threading.Event()
        self._telling = threading.Lock()
        self._handing = threading.Lock()
        """Held while a game is handed in and while the desks' signs of life are: a desk has no pair that is over."""
        self._faults: list[BaseException] = []

    def run(self, tick: Callable[[], None] = lambda: None) -> None:
        """Plays until the tournament is over, or ``stop``. ``tick`` is called now and then. Blocks.

        What the store cannot write is tried again until it can.

        Raises:
            PlayoutError: if a round cannot be drawn, because an opening cannot be played.
        """
        witness = Witness()
        threads = [
            threading.Thread(target=self._sit, args=(number, witness), daemon=True, name=f"desk {number + 1}")
            for number in range(len(self._progress))
        ]
        try:
            for thread in threads:
                thread.start()
            while any(thread.is_alive() for thread in threads):
                self._beat()
                tick()
                threads[0].join(TICK) if threads[0].is_alive() else time.sleep(TICK)
        finally:
            self._stopping.set()
            witness.close()
        if self._faults:
            raise self._faults[0]

    def stop(self) -> None:
        """Ends the run after the games under way. Any thread."""
        self._stopping.set()

    def _beat(self) -> None:
        with self._handing:
            self._hand_signs()

    def _hand_signs(self) -> None:
        """The lock is held."""
        held = {
            grant.job.id: (grant.attempt, progress.plies)
            for progress in self._progress
            if (grant := progress.grant) is not None
        }
        stages = {
            grant.job.id: Stage(stage.number, list(stage.moves))
            for progress in self._progress
            if (grant := progress.grant) is not None and (stage := progress.stage) is not None
        }
        dropped = set[str]()
        with self._watched():
            dropped = self._coordinator.beat(NAME, self._boot, held, stages)
        for progress in self._progress:
            grant, desk = progress.grant, progress.desk
            if grant is not None and grant.job.id in dropped and isinstance(desk, ApartDesk):
                desk.abandon()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Tells of a store that cannot be written; what was to be done is done later."""
        try:
            yield
        except StoreError as error:
            with self._telling:
                self._troubled(str(error))

    def _claim(self) -> Grant | None:
        """Returns a pair; waits a while if there is none now."""
        wait = AGAIN
        with self._watched():
            grant = self._coordinator.claim(NAME, self._boot)
            if grant is not None:
                return grant
            wait = TICK
        self._stopping.wait(wait)
        return None

    def _sit(self, number: int, witness: Witness) -> None:
        progress = self._progress[number]

        def moved(count: int, stage: Stage) -> None:
            progress.plies += count
            progress.stage = stage

        desk = progress.desk = desk_among(len(self._progress), witness, moved, self._cores[number])
        try:
            while not self._stopping.is_set() and not self._coordinator.finished:
                grant = self._claim()
                if grant is None:
                    continue
                progress.grant, progress.plies, progress.stage = grant, 0, None
                for game, played in desk.play(grant.job, grant.played):
                    if not self._deliver(progress, grant, game, played):
                        break
                progress.grant = None
        except BaseException as error:
            self._faults.append(error)
            self._stopping.set()
        finally:
            desk.close()

    def _deliver(self, progress: Progress, grant: Grant, number: int, played: Played) -> bool:
        """Hands a game in until it is written; returns whether the pair goes on."""
        last = number == max(set(range(grant.job.games)) - grant.played)
        receipt, failed = None, False
        while receipt is None:
            with self._watched(), self._handing:
                receipt = self._coordinator.deliver(NAME, grant.job.id, number, grant.attempt, played)
                if last or played.result is None or receipt is not Receipt.RECORDED:
                    progress.grant = None
            if receipt is None:
                failed = True
                if self._stopping.wait(AGAIN):
                    return False
        if receipt is Receipt.RECORDED or (receipt is Receipt.REPEAT and failed):
            with self._telling:
                self._ended(played)
        return receipt is Receipt.RECORDED and played.result is not None and not self._stopping.is_set()
