"""A desk: one place at which pairs of games are played, with the engines that are running there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import msgspec

from playout.arena.drivers.driver import Driver
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.table import start
from playout.arena.play import referee
from playout.arena.play.board import Board
from playout.arena.play.witness import Stillness
from playout.arena.terms.end import End
from playout.arena.terms.job import Job, Played, Player
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.games.game import Game

Start = Callable[[Player, Game[Any, Any]], Driver]
PairWatcher = Callable[[int, Board], None]
"""Sees the number of the game and the board after each move."""


class Desk:
    """Plays jobs one after another. Engines go on running from job to job, and are started anew after a crash.

    One thread uses a desk. ``close`` ends its engines.
    """

    def __init__(
        self, witness: Stillness | None = None, watcher: PairWatcher | None = None, start: Start = start
    ) -> None:
        self._witness, self._watcher, self._start = witness, watcher, start
        self._running: dict[bytes, Driver] = {}
        """By ``_key``."""

    def play(self, job: Job, played: Collection[int] = ()) -> Iterator[tuple[int, Played]]:
        """Yields the games of ``job`` with their numbers, each as it ends, but for those in ``played``. Blocks.

        A game that cannot be played at all, because the game or the opening is wrong, is void.
        """
        for number in range(job.games):
            if number not in played:
                try:
                    self._keep_only(job)
                    found = self._game(catalogue.load(job.game), job, number)
                except PlayoutError as error:
                    found = void(job, number, str(error))
                yield number, found

    def close(self) -> None:
        """Ends the engines. Does not raise."""
        for driver in self._running.values():
            driver.close()
        self._running.clear()

    def _game(self, game: Game[Any, Any], job: Job, number: int) -> Played:
        old = {seat for seat in (0, 1) if _key(job, seat) in self._running}

        def renew(seat: int) -> Driver | None:
            if seat not in old:
                return None
            self._end(_key(job, seat))
            return self._driver(job, seat, game)

        drivers = self._driver(job, 0, game), self._driver(job, 1, game)
        watcher = self._watcher
        seen = None if watcher is None else lambda board: watcher(number, board)
        result = referee.play(game, job, number, drivers, self._witness, seen, renew)
        if result.end.restarts or result.end is End.VOID:
            for seat in (0, 1):
                if result.at_fault is None or seat == result.at_fault ^ number:
                    self._end(_key(job, seat))
        return result

    def _driver(self, job: Job, seat: int, game: Game[Any, Any]) -> Driver:
        """Returns the engine at a seat, which is started if it does not run.

        Raises:
            PlayoutError: one line with its name if it cannot be started.
        """
        key = _key(job, seat)
        if key not in self._running:
            player = job.players[seat]
            try:
                self._running[key] = self._start(player, game)
            except PlayoutError as error:
                kind = error.end.value if isinstance(error, Fault) else "not started"
                raise PlayoutError(f"{player.name}: {kind}: {error}") from error
        return self._running[key]

    def _keep_only(self, job: Job) -> None:
        """Ends the engines that ``job`` does not need, so that a desk never has more than two."""
        for key in self._running.keys() - {_key(job, 0), _key(job, 1)}:
            self._end(key)

    def _end(self, key: bytes) -> None:
        if key in self._running:
            self._running.pop(key).close()


def _key(job: Job, seat: int) -> bytes:
    """Returns a key of the engine at a seat, under which it runs. Twins need an engine each."""
    twin = seat if job.players[0] == job.players[1] else 0
    return msgspec.json.encode((job.game, job.players[seat], twin))


def void(job: Job, number: int, detail: str) -> Played:
    """Returns the game as void, for a fault of the infrastructure."""
    one, two = job.players if number == 0 else job.players[::-1]
    return Played(
        id=f"{job.id}/{number}",
        game=job.game,
        names=(one.name, two.name),
        opening=job.opening,
        moves=(),
        result=None,
        end=End.VOID,
        detail=detail,
    )
