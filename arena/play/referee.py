"""The referee: plays one game between two engines by our own rules, and says how it ended and why."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from playout.arena.drivers.driver import RESIGN, Driver, Scene
from playout.arena.drivers.fault import Fault
from playout.arena.play.adjudication import Adjudicator
from playout.arena.play.board import Board, board_of
from playout.arena.play.clock import Clock
from playout.arena.play.dice import dice_of, seeds_of
from playout.arena.play.witness import Stillness
from playout.arena.terms.end import GONE, End
from playout.arena.terms.job import Job, Move, Played, Player
from playout.games.errors import IllegalMove
from playout.games.game import CHANCE, Game
from playout.protocols.base.lines import one_line

REMARKS = 20
"""Greatest number of remarks kept of a game."""

Watcher = Callable[[Board], None]
"""Sees the board after each move of a player."""
Renew = Callable[[int], Driver | None]
"""Starts the engine of a seat, 0 or 1 by the job's players, anew; None if it was started for this very game."""


def play(
    game: Game[Any, Any],
    job: Job,
    number: int,
    drivers: tuple[Driver, Driver],
    witness: Stillness | None = None,
    watcher: Watcher | None = None,
    renew: Renew = lambda _: None,
) -> Played:
    """Plays game ``number``, 0 or 1, of the pair ``job``. ``drivers`` are those of ``job.players``, in order. Blocks.

    ``witness`` tells a slow engine from a machine that stood still. ``renew`` is for an engine that has ended since its
    last game. Faults of the engines end the game; they do not raise.

    Raises:
        PlayoutError: if the opening is none of the game, a game in Python fails, or ``renew`` raises it.
    """
    one, two = (0, 1) if number == 0 else (1, 0)
    seats = (job.players[one], job.players[two])
    return _Round(
        game, job, number, seats, (drivers[one], drivers[two]), witness, watcher, lambda seat: renew((one, two)[seat])
    ).play()


class _Round:
    """One game. Everything is in the order of the game's players."""

    def __init__(
        self,
        game: Game[Any, Any],
        job: Job,
        number: int,
        seats: tuple[Player, Player],
        drivers: tuple[Driver, Driver],
        witness: Stillness | None,
        watcher: Watcher | None,
        renew: Renew,
    ) -> None:
        self._game, self._job, self._number = game, job, number
        self._seats, self._drivers = seats, list(drivers)
        self._witness, self._watcher, self._renew = witness, watcher, renew
        self._clocks = (Clock(seats[0].pace, seats[0].allowance), Clock(seats[1].pace, seats[1].allowance))
        self._dice, self._seeds = dice_of(job), seeds_of(job)
        self._adjudicator = Adjudicator(game, job.opening.start, job.adjudication)
        self._board = board_of(game, job.opening.start, job.adjudication.tables)
        self._moves: list[Move] = []
        self._began = datetime.now(UTC).isoformat(timespec="seconds")
        self._start = time.monotonic()
        self._still = 0.0

    def play(self) -> Played:
        for text in self._job.opening.moves:
            self._moves.append(Move(self._board.play(text)))
        for seat in (0, 1):
            self._drivers[seat].remarks.clear()
            try:
                self._begin(seat)
            except Fault as fault:
                return self._lost(seat, fault.end, str(fault))
        board = self._board
        while (player := board.player) is not None:
            if player == CHANCE:
                self._moves.append(Move(board.play(board.roll(self._dice))))
                continue
            ended = self._turn(player)
            if ended is not None:
                return ended
        return self._ended(board.result, End.NORMAL)

    def _begin(self, seat: int) -> None:
        """Has an engine prepare for the game; one that has ended since its last game is started anew, once."""
        player = self._seats[seat]
        afresh = player.keep != "always" and (self._number == 0 or not player.keep)

        def begin() -> None:
            self._drivers[seat].begin(
                self._game, self._job.opening.start, player.pace, afresh=afresh, seed=self._seeds[seat]
            )

        try:
            begin()
        except Fault as fault:
            renewed = self._renew(seat) if fault.end in GONE else None
            if renewed is None:
                raise
            self._drivers[seat] = renewed
            renewed.remarks[:] = [f"{player.name}: started anew before the game: {fault}"]
            begin()

    def _turn(self, player: int) -> Played | None:
        """Lets ``player`` move; returns the game if it has ended by other means than the rules of the game."""
        board, clock = self._board, self._clocks[player]
        scene = Scene(self._job.opening.start, board.moves, player)
        faces = self._clocks[0].face, self._clocks[1].face
        limit = self._job.patience if clock.limit is None else clock.limit
        try:
            answer = self._drivers[player].choose(scene, faces, limit, self._job.grace)
        except Fault as fault:
            if fault.began is None:
                return self._lost(player, fault.end, str(fault))
            return self._late(player, fault.end, str(fault), fault.began, time.monotonic(), limit)
        if not clock.spend(answer.seconds):
            until = answer.began + answer.seconds
            said = f"{answer.move} after {answer.seconds:.3f} s of {limit:.3f} s"
            return self._late(player, End.TIME, said, answer.began, until, limit)
        if answer.move == RESIGN:
            return self._ended(-1.0 if player == 0 else 1.0, End.RESIGN)
        try:
            text = board.play(answer.move)
        except IllegalMove:
            return self._lost(player, End.ILLEGAL, one_line(answer.move, 80) or "no move")
        thought = answer.thought
        move = Move(
            text=text,
            seconds=round(answer.seconds, 4),
            centipawns=thought.centipawns,
            mate=thought.mate,
            depth=thought.depth,
            nodes=thought.nodes,
            left=None if clock.left is None else round(clock.left, 3),
            player=player,
            book=answer.book,
        )
        self._moves.append(move)
        if self._watcher is not None:
            self._watcher(board)
        if board.result is None and (verdict := self._adjudicator.verdict(board, player, move)) is not None:
            return self._ended(verdict.result, verdict.end)
        return None

    def _late(self, player: int, end: End, detail: str, since: float, until: float, limit: float) -> Played:
        """Returns the game, lost by ``player`` unless the machine stood still for longer than the move was late."""
        still = 0.0 if self._witness is None else self._witness.stood_still(since, until)
        self._still = round(still, 3)
        if still > 0 and still >= until - since - limit:
            return self._ended(None, End.VOID, f"the machine stood still for {still:.3f} s: {detail}")
        return self._lost(player, end, detail)

    def _lost(self, player: int, end: End, detail: str) -> Played:
        return self._ended(-1.0 if player == 0 else 1.0, end, detail, player)

    def _ended(self, result: float | None, end: End, detail: str = "", at_fault: int | None = None) -> Played:
        for player, driver in enumerate(self._drivers):
            if player != at_fault or not end.restarts:
                try:
                    driver.finish(result)
                except Fault as fault:  # the game is over; the next one finds out
                    driver.remarks.append(f"{self._seats[player].name}: after the game: {fault}")
        remarks = [remark for driver in self._drivers for remark in driver.remarks]
        return Played(
            id=f"{self._job.id}/{self._number}",
            game=self._job.game,
            names=(self._seats[0].name, self._seats[1].name),
            opening=self._job.opening,
            moves=tuple(self._moves),
            result=result,
            end=end,
            detail=detail,
            at_fault=at_fault,
            began=self._began,
            seconds=round(time.monotonic() - self._start, 3),
            paces=(str(self._seats[0].pace), str(self._seats[1].pace)),
            still=self._still,
            remarks=tuple(remarks[:REMARKS]),
        )
