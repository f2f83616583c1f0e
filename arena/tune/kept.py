"""The store of a tuning, which has its pairs in memory too: each step reads them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from playout.arena.store.store import PairRow, Receipt, Store
from playout.arena.terms.job import Job, Played

EVENT = "tuning"
"""Name of the only event."""
GAMES = 2
"""Games of each pair."""


class TuningStore(Store):
    """A store whose pairs are read from the file once, and then follow what is written.

    A row that has not changed is the same object at each call of ``rows``.
    """

    def __init__(self, path: Path | str) -> None:
        """Opens or makes the file. See ``Store``."""
        self._rows: list[PairRow] | None = None
        """The pairs as the file has them; None if they have to be read."""
        self._places: dict[str, int] = {}
        super().__init__(path)

    def rows(self) -> list[PairRow]:
        """Returns what ``pairs`` returns for the tuning."""
        with self._lock:
            if self._rows is None:
                self._rows = self.pairs(EVENT)
                self._places = {row.id: place for place, row in enumerate(self._rows)}
            return self._rows[:]

    def add(self, event: str, round_: int, jobs: list[Job]) -> None:
        """Adds pairs. See ``Store``."""
        with self._lock:
            super().add(event, round_, jobs)
            if self._rows is None:
                return
            if event != EVENT or (self._rows and self._rows[-1].round >= round_):
                self._rows = None  # the order of the rows is not that of the calls
                return
            for job in jobs:
                self._places[job.id] = len(self._rows)
                self._rows.append(PairRow(job.id, round_, "open", {}))

    def record(self, job: str, number: int, played: Played, attempt: int, worker: str) -> Receipt:
        """Records a game. See ``Store``."""
        with self._lock:
            receipt = super().record(job, number, played, attempt, worker)
            if receipt is Receipt.RECORDED and self._rows is not None and played.result is not None:
                place = self._places[job]
                row = self._rows[place]
                results = {**row.results, number: played.result}
                state = "done" if len(results) == GAMES else row.state
                self._rows[place] = replace(row, results=results, state=state)
            return receipt

    def give_up(self, jobs: Iterable[str], state: Literal["void", "spare"]) -> None:
        """Declares pairs void or spare. See ``Store``."""
        with self._lock:
            super().give_up(jobs, state)
            self._rows = None

    def put_off(self, event: str, round_: int) -> None:
        """Puts void pairs off. See ``Store``."""
        with self._lock:
            super().put_off(event, round_)
            self._rows = None

    def reopen(self) -> None:
        """Opens pairs that were put off. See ``Store``."""
        with self._lock:
            super().reopen()
            self._rows = None
