"""A tournament as a whole: its file, its store, its coordinator and the records that it writes."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from playout.arena.coordinator import Coordinator
from playout.arena.file.plan import Plan, plans_of
from playout.arena.file.types import Tournament
from playout.arena.report.records import RecordFile
from playout.arena.report.standings import PairScore, Standings, standings
from playout.arena.store.begun import take_up
from playout.arena.store.live_file import LiveFile
from playout.arena.store.store import MEMORY, Store
from playout.arena.terms.job import Played
from playout.games import catalogue
from playout.games.errors import PlayoutError

GROWING = frozenset({"round-robin", "gauntlet", "sprt"})
"""Forms whose number of games may grow while they are played."""
RECORDS = "records "
"""Beginning of the names under which the store has notes on the files of records."""
NOTED = 500
"""Games between two notes on what a file of records has. After a crash those since the last note are written again."""
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
        self._games = {plan.name: plan.games for plan in self.plans}
        self._halves: dict[str, dict[str, Played]] = {}
        """Games whose pair is not complete, by the pair; if it does not count in the end, they do not."""
        self._unnoted = 0
        self._writing = threading.Lock()
        self._files = {plan.name: self._record_file(plan, records) for plan in self.plans} if records else {}
        if state is None or not state.exists():
            check(self.plans)
        self._live = LiveFile(state) if plays and state is not None else None
        self.store = Store(MEMORY if state is None else state) if plays or state is None else Store.copy_of(state)
        try:
            take_up(self.store, "tournament", tournament, _lasting, MAY_CHANGE)
            self.coordinator = Coordinator(self.store, self.plans, time.monotonic, plays=plays)
            facts = self.store.facts()
            for name, file in self._files.items():
                if (note := facts.get(f"{RECORDS}{name}")) is not None:
                    file.take_up(note)
                self._complete(name, file)
        except BaseException:
            self.store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with self._writing:
                files, self._files = self._files, {}
                for name, file in files.items():
                    try:
                        self._complete(name, file)
                    except PlayoutError as error:
                        self._say(str(error))
        finally:
            if self._live is not None:
                self._live.close()
            self.store.close()

    def show_live(self) -> None:
        """Shows the games in progress to programs that watch the tournament. Called several times a second."""
        if self._live is not None and self._live.due:
            self._live.write(self.coordinator.live())

    def write(self, played: Played) -> None:
        """Adds a game to the records, when its pair is complete: games of a pair that is given up do not count.

        Raises:
            PlayoutError: one line if it cannot be written. It stands in the store, and the end of the run tries again
                if the fault was the file's.
        """
        event, pair = played.id.partition("/")[0], played.id.rpartition("/")[0]
        with self._writing:
            file = self._files.get(event)
            if file is None or played.result is None or played.id in file.ids:
                return
            half = self._halves.setdefault(pair, {})
            half[played.id] = played
            if not all(one in half or one in file.ids for one in (f"{pair}/{n}" for n in range(self._games[event]))):
                return
            del self._halves[pair]
            failures = []
            for name in sorted(half):
                try:
                    file.append(half[name])
                except PlayoutError as error:
                    failures.append(str(error))
            self._unnoted += len(half)
            if self._unnoted >= NOTED and file.whole:
                self._unnoted = 0
                self.store.note(f"{RECORDS}{event}", file.note)
            if failures:
                raise PlayoutError("; ".join(failures))

    def games(self, event: str) -> Iterator[Played]:
        """Yields the games of an event that count, in the order of rounds and numbers."""
        counting = self._counting(event)
        return (played for played in self.store.games(event) if played.id in counting)

    def recorded(self, event: str) -> int:
        """Number of games of an event that are recorded."""
        return sum(len(pair.results) for pair in self.coordinator.pairs(event))

    def standings(self, plan: Plan) -> Standings:
        """Returns the standings of an event."""
        places = plan.form.places(self.coordinator.rounds(plan.name))
        return standings([player.name for player in plan.players], self.pairs(plan), plan.points, places)

    def pairs(self, plan: Plan) -> list[PairScore]:
        """Returns the pairs of an event with what they have brought so far."""
        return self.coordinator.pairs(plan.name)

    def _counting(self, event: str) -> set[str]:
        """Returns the games of an event that count."""
        pairs = self.store.pairs(event)
        return {f"{pair.id}/{number}" for pair in pairs if pair.counts for number in pair.results}

    def _complete(self, event: str, file: RecordFile) -> None:
        """Gives a file the games that count and that it has not. If it has others, or is damaged, it is written anew.

        Raises:
            PlayoutError: if the file cannot be written anew.
        """
        counting = self._counting(event)
        if not file.whole or not file.ids <= counting:
            for line in file.rewrite(self.games(event)):
                self._say(line)
        elif missing := counting - file.ids:
            for played in self.games(event):
                try:
                    if played.id in missing:
                        file.append(played)
                except PlayoutError as error:
                    self._say(str(error))
                    if played.id not in file.ids:  # the fault is not the game's
                        return
        if file.whole:
            self.store.note(f"{RECORDS}{event}", file.note)

    @staticmethod
    def _say(line: str) -> None:
        sys.stderr.write(f"{line}\n")

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
