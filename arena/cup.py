"""A tournament as a whole: its file, its store, its coordinator and the records that it writes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from playout.arena.coordinator import Coordinator
from playout.arena.file.plan import Plan, plans_of
from playout.arena.file.types import Tournament
from playout.arena.report.records import RecordFile
from playout.arena.report.standings import PairScore, Standings, standings
from playout.arena.store.begun import take_up
from playout.arena.store.store import MEMORY, Store
from playout.arena.terms.job import Played
from playout.games import catalogue

GROWING = frozenset({"round-robin", "gauntlet", "sprt"})
"""Forms whose number of games may grow while they are played."""
MAY_CHANGE = "concurrency, and more games of a round-robin, gauntlet or sprt,"


class Cup:
    """A tournament that is being played, or has been. A context manager: leaving it closes the store."""

    def __init__(
        self,
        tournament: Tournament,
        folder: Path,
        state: Path | None,
        records: Path | None = None,
        check: Callable[[Sequence[Plan]], None] = lambda _: None,
        *,
        plays: bool = True,
    ) -> None:
        """Opens the tournament, or takes it up where ``state`` has it.

        Args:
            tournament: what is to be played.
            folder: the folder from which its paths are seen.
            state: file of the store; None keeps the tournament in memory.
            records: file of the games, PGN, SGF or ``.games``; with several events each has its name in the file's.
            check: called with the events before there is a state, which would refuse a file with a mistake put right.
            plays: whether it is going to be played; otherwise it is a copy, of a tournament that another process may
                be playing.

        Raises:
            PlayoutError: if the tournament cannot be played, or ``state`` has another one.
        """
        self.tournament = tournament
        self.plans: Sequence[Plan] = plans_of(tournament, folder)
        self._files = {plan.name: self._record_file(plan, records) for plan in self.plans} if records else {}
        if state is None or not state.exists():
            check(self.plans)
        self.store = Store(MEMORY if state is None else state) if plays or state is None else Store.copy_of(state)
        try:
            take_up(self.store, "tournament", tournament, _lasting, MAY_CHANGE)
            self.coordinator = Coordinator(self.store, self.plans, time.monotonic, plays=plays)
            for name, file in self._files.items():
                file.rewrite(self.store.games(name))
        except BaseException:
            self.store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def write(self, played: Played) -> None:
        """Adds a game to the records.

        Raises:
            PlayoutError: if the file cannot be written. The game stands in the store.
        """
        file = self._files.get(played.id.partition("/")[0])
        if file is not None and played.result is not None:
            file.append(played)

    def standings(self, plan: Plan) -> Standings:
        """Returns the standings of an event."""
        places = plan.form.places(self.coordinator.rounds(plan.name))
        return standings([player.name for player in plan.players], self.pairs(plan), plan.points, places)

    def pairs(self, plan: Plan) -> list[PairScore]:
        """Returns the pairs of an event with what they have brought so far."""
        return self.coordinator.pairs(plan.name)

    def _record_file(self, plan: Plan, records: Path) -> RecordFile:
        path = records if len(self.plans) == 1 else records.with_stem(f"{records.stem}-{plan.name}")
        return RecordFile(path, catalogue.load(plan.game), plan.name)


def _lasting(tournament: Tournament) -> Any:
    """Returns what must not change between two starts, as plain data."""
    plain = msgspec.to_builtins(tournament)
    plain.pop("concurrency", None)
    for event in plain["events"]:
        if event.get("form", "round-robin") in GROWING:
            event.pop("games", None)
    return plain
