"""Games for drivers, by the referee's own board."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from playout.arena.drivers.driver import RESIGN, Answer, ClockFace, Driver, Scene
from playout.arena.play.board import Board, board_of
from playout.arena.terms.job import Player
from playout.arena.terms.pace import Pace
from playout.games.game import CHANCE, Game

from ...patience import PATIENCE

FEW = Pace(nodes=20)
"""Bounds that need no clock, so that a slow machine changes nothing."""
UNBOUNDED = Pace()


def player(command: list[str], protocol: str, pace: Pace = FEW, **others: Any) -> Player:
    """An engine as it takes part."""
    return Player(name="one", command=tuple(command), protocol=protocol, pace=pace, **others)  # type: ignore[arg-type]


def ask(
    driver: Driver,
    moves: list[str],
    mover: int = 0,
    *,
    start: str | None = None,
    pace: Pace = FEW,
    limit: float = PATIENCE,
    grace: float = PATIENCE,
) -> Answer:
    """The answer of an engine whose game has begun."""
    face = ClockFace(pace, pace.time, pace.moves)
    return driver.choose(Scene(start, moves, mover), (face, face), limit, grace)


@dataclass
class Record:
    """A game that was played."""

    board: Board
    answers: list[Answer] = field(default_factory=list)

    @property
    def moves(self) -> list[str]:
        return self.board.moves


def play(
    game: Game[Any, Any],
    drivers: tuple[Driver, Driver],
    *,
    start: str | None = None,
    opening: tuple[str, ...] = (),
    pace: Pace = FEW,
    plies: int = 1000,
    seed: int = 1,
) -> Record:
    """Plays a game; every answer is a legal move or a resignation, which ends it."""
    board, dice = board_of(game, start), random.Random(seed)
    played = Record(board)
    for driver in drivers:
        driver.begin(game, start, pace, afresh=True, seed=seed)
    for move in opening:
        board.play(move)
    while board.player is not None and len(board.moves) < plies:
        if board.player == CHANCE:
            board.play(board.roll(dice))
            continue
        answer = ask(drivers[board.player], board.moves, board.player, start=start, pace=pace)
        played.answers.append(answer)
        if answer.move == RESIGN:
            break
        board.play(answer.move)
    for driver in drivers:
        driver.finish(board.result)
    return played
