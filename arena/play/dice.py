"""The dice of a pair of games: the same in both, and the same wherever the pair is played."""

from __future__ import annotations

import random

from playout.arena.terms.job import Job


def dice_of(job: Job) -> random.Random:
    """Returns the source of the rolls of each game of ``job``."""
    return random.Random(f"{job.seed} {job.id} dice")


def seeds_of(job: Job) -> tuple[int, int]:
    """Returns the seeds for engines that can be told one: of player 0 and of player 1 of each game."""
    source = random.Random(f"{job.seed} {job.id} seeds")
    return source.randrange(2**31), source.randrange(2**31)
