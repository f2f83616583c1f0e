"""A lease: the time for which a worker has a pair."""

from __future__ import annotations

from dataclasses import dataclass

from playout.arena.play.clock import Clock
from playout.arena.store.store import OpenJob
from playout.arena.terms.job import Job, Player
from playout.arena.terms.live import InProgress, Stage

LEASE = 30.0
"""Seconds for which a worker has a pair without a sign of life."""
START = 120.0
"""Seconds for two engines to start and to get ready."""


@dataclass(slots=True)
class Lease:
    """A pair that a worker has. Times are seconds of the coordinator's clock."""

    open_job: OpenJob
    worker: str
    boot: str
    """Mark of the worker's process: a worker that was started anew has another one."""
    attempt: int
    silent: float
    """Time at which the lease ends unless the worker gives a sign of life."""
    stalled: float
    """Time at which it ends unless a move is made."""
    plies: int = -1
    """Number of moves that the worker has made at it, by its last word; -1 before the first."""
    stage: Stage | None = None
    """The game that is played, and its moves, by the worker's last word."""

    def beat(self, plies: int, now: float, lease: float) -> None:
        """Takes a sign of life of a worker that has made ``plies`` moves at the pair."""
        self.silent = now + lease
        if self.plies != plies:
            self.plies = plies
            self.stalled = self.silent + longest_move(self.open_job.job, plies)

    def live(self) -> InProgress | None:
        """Returns the game that is played; None while nothing is known of it."""
        job, stage = self.open_job.job, self.stage
        if stage is None or stage.number in self.open_job.played:
            return None
        one, two = job.players if stage.number == 0 else job.players[::-1]
        return InProgress(
            f"{job.id}/{stage.number}",
            job.game,
            (one.name, two.name),
            job.opening.start,
            tuple(stage.moves),
            self.worker,
        )

    def put_off(self, seconds: float) -> None:
        """Moves both ends, after a time in which no sign of life could be seen."""
        self.silent += seconds
        self.stalled += seconds


def longest_move(job: Job, plies: int = 0) -> float:
    """Returns the seconds that one move of a pair may take after ``plies`` moves of its games, with the start of an
    engine and the grace after the move."""
    return max(_longest(player, job, plies) for player in job.players) + job.grace + START


def _longest(player: Player, job: Job, plies: int) -> float:
    limit = Clock(player.pace, player.allowance).limit
    if limit is None:
        return job.patience
    if player.pace.time is None:
        return limit
    # Nobody can have saved more than was added for every move, and for every control that was reached.
    controls = 1 + plies // player.pace.moves if player.pace.moves else 0
    return limit + player.pace.increment * plies + player.pace.time * controls
