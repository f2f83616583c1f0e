"""A coordinator without workers, and what tests make it do."""

from __future__ import annotations

from pathlib import Path

from playout.arena.coordinator import STILL, Coordinator, Grant
from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse
from playout.arena.play.desk import void
from playout.arena.play.referee import play
from playout.arena.store.store import Receipt, Store
from playout.arena.terms.job import Played
from playout.games import catalogue

from .players import ScriptedDriver

FILE = """
engines: {one: {}, two: {}, three: {}}
game: tic_tac_toe
nodes: 1
games: 2
"""


class Clock:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def coordinator(text: str = FILE, store: Store | None = None, clock: Clock | None = None) -> Coordinator:
    plans = plans_of(parse(text, "cup.yaml"), Path())
    return Coordinator(store or Store(":memory:"), plans, clock or Clock())


def wait(cup: Coordinator, clock: Clock, seconds: float) -> None:
    """Lets time pass on a machine that runs: the coordinator looks at its leases."""
    end = clock.now + seconds
    while clock.now < end:
        clock.now = min(clock.now + STILL - 1, end)
        cup.expire()


def game_of(grant: Grant, number: int, winner: str = "one") -> Played:
    """A game that the engine called ``winner`` wins, if it plays."""
    drivers = tuple(
        ScriptedDriver(["a1", "a2", "a3", "b3"] if player.name == winner else ["b1", "b2", "c1"])
        for player in grant.job.players
    )
    return play(catalogue.load(grant.job.game), grant.job, number, (drivers[0], drivers[1]))


def deliver(to: Coordinator, grant: Grant, number: int, worker: str = "w", winner: str = "one") -> Receipt:
    return to.deliver(worker, grant.job.id, number, grant.attempt, game_of(grant, number, winner))


def finish(to: Coordinator, winner: str = "one") -> list[str]:
    """Plays everything that is left; returns the pairs in the order in which they were given out."""
    seen = []
    while (grant := to.claim("w", "b")) is not None:
        seen.append(grant.job.id)
        for number in range(grant.job.games):
            if number not in grant.played:
                assert deliver(to, grant, number, winner=winner) is Receipt.RECORDED
    return seen


def claimed(to: Coordinator, worker: str = "w", boot: str = "b") -> Grant:
    grant = to.claim(worker, boot)
    assert grant is not None
    return grant


def fail(cup: Coordinator, grant: Grant, worker: str) -> None:
    """Delivers a void game, as a worker without the program does."""
    cup.deliver(worker, grant.job.id, 0, grant.attempt, void(grant.job, 0, "no program"))
