"""The referee's rules for ending a game early, by what the engines themselves say and by tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playout.arena.play.board import Board
from playout.arena.terms.end import End
from playout.arena.terms.job import Adjudication, Move
from playout.engine.exact.solving import SolverMemory, solve
from playout.games.errors import GameError
from playout.games.game import CHANCE, Game, HasChance, points_scale

SOLVER_MIB = 64
"""Bound of the solver's table."""
EXACT = 1e-5
"""Points by which a table's value may differ from a result, since tables have it in single precision."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of a game by adjudication."""

    end: End
    result: float
    """Result of player 0."""


class Adjudicator:
    """Watches one game."""

    def __init__(self, game: Game[Any, Any], start: str | None, rules: Adjudication) -> None:
        """Watches a game that begins in the position ``start``; None is the game's own start."""
        self._game, self._start, self._rules = game, start, rules
        self._memory: SolverMemory | None = None
        self._solvable = True
        self._quiet = [0, 0]
        """Moves of each player in a row with a score near 0."""
        self._lost = [0, 0]
        """Moves of each player in a row whose score says that it loses."""
        self._won = [0, 0]

    def verdict(self, board: Board, player: int, move: Move) -> Verdict | None:
        """Returns the verdict after the ``move`` of ``player``, None if the game goes on."""
        rules = self._rules
        if rules.draw is not None or rules.resign is not None:
            self._count(player, move.score)
            if (found := self._by_scores(len(board.moves))) is not None:
                return found
        if rules.tables and (value := board.known) is not None and (known := self._certain(value)) is not None:
            return Verdict(End.TABLE, known)
        if rules.solve is not None and (value := self._solved(board, rules.solve)) is not None:
            return Verdict(End.SOLVED, value)
        if rules.plies is not None and len(board.moves) >= rules.plies:
            return Verdict(End.MOVES, 0.0)
        return None

    def _certain(self, value: float) -> float | None:
        """Returns the result that a table's value stands for; None for the mean of several, which dice can bring."""
        scale = points_scale(self._game)
        points = round(value * scale)
        if abs(points - value * scale) > EXACT or (points == 0 and isinstance(self._game, HasChance)):
            return None
        return points / scale

    def _solved(self, board: Board, seconds: float) -> float | None:
        """Returns player 0's result of the position, None if it is not found in time."""
        if board.player is None or board.player == CHANCE or not self._solvable:
            return None
        if self._memory is None:
            self._memory = SolverMemory(self._game)
        try:
            found = solve(
                self._game,
                self._start,
                board.moves,
                lengths=False,
                hash_mib=SOLVER_MIB,
                seconds=seconds,
                memory=self._memory,
            ).value
        except GameError:  # Lines return to a position, or are too long: such a game is not solved.
            self._solvable = False
            return None
        return None if found is None else self._certain(found if board.player == 0 else -found)

    def _count(self, player: int, score: int | None) -> None:
        draw, resign = self._rules.draw, self._rules.resign
        quiet = draw is not None and score is not None and abs(score) <= draw.score
        self._quiet[player] = self._quiet[player] + 1 if quiet else 0
        lost = resign is not None and score is not None and score <= -resign.score
        won = resign is not None and score is not None and score >= resign.score
        self._lost[player] = self._lost[player] + 1 if lost else 0
        self._won[player] = self._won[player] + 1 if won else 0

    def _by_scores(self, plies: int) -> Verdict | None:
        draw, resign = self._rules.draw, self._rules.resign
        if resign is not None:
            for player in (0, 1):
                agreed = not resign.both or self._won[1 - player] >= resign.moves
                if self._lost[player] >= resign.moves and agreed:
                    return Verdict(End.WIN, -1.0 if player == 0 else 1.0)
        if draw is not None and plies >= 2 * draw.number and min(self._quiet) >= draw.moves:
            return Verdict(End.DRAW, 0.0)
        return None
