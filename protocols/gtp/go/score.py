"""GTP commands for the end of a game with territory: the score, and the status of stones and points.

They search, as ``genmove`` does.
"""

from __future__ import annotations

from collections.abc import Callable

from playout.engine.judge.life import Judgement
from playout.engine.terms.info import SearchResult
from playout.games.errors import IllegalMove
from playout.games.support.go.board import Stones
from playout.protocols.base.lines import last_line
from playout.protocols.gtp.board import PASS, Board, canonical
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, Thinking, arguments
from playout.protocols.gtp.table import Wraps

CHAINS = ("alive", "seki", "dead")
POINTS = ("black_territory", "white_territory", "dame")


class _Score:
    def __init__(self, board: Board) -> None:
        self._board = board

    def final_score(self, _: GtpCommand) -> Thinking:
        """``final_score``: answers the result after the removal of dead stones, such as ``B+3.5``, ``W+0.5`` or
        ``0``."""

        def answer(judgement: Judgement) -> str:
            lead = self._board.score(judgement.dead)
            return "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}"

        return self._judged(answer)

    def final_status(self, command: GtpCommand) -> Thinking:
        """``final_status POINT``: answers ``alive``, ``seki`` or ``dead`` for a stone; ``black_territory``,
        ``white_territory`` or ``dame`` for an empty point."""
        (word,) = arguments(command, "POINT", 1)
        try:
            vertex = canonical(self._board.game, word)
        except IllegalMove:
            vertex = PASS
        if vertex == PASS:
            raise GtpError("syntax error: expected a point of the board")

        def answer(judgement: Judgement) -> str:
            return next(status for status, points in self._statuses(judgement) if vertex in points)

        return self._judged(answer)

    def final_status_list(self, command: GtpCommand) -> Thinking:
        """``final_status_list STATUS``: for ``alive``, ``seki`` and ``dead``, answers the stones, one chain on each
        line; for ``black_territory``, ``white_territory`` and ``dame``, the points."""
        status = arguments(command, "|".join(CHAINS + POINTS), 1)[0].lower()
        if status not in CHAINS + POINTS:
            raise GtpError(f"syntax error: expected {', '.join(CHAINS + POINTS[:-1])} or {POINTS[-1]}")

        def answer(judgement: Judgement) -> str:
            return "\n".join(
                " ".join(points) for found, points in self._statuses(judgement) if found == status and points
            )

        return self._judged(answer)

    def _statuses(self, judgement: Judgement) -> list[tuple[str, list[str]]]:
        """Pairs of a status and the points that have it: each chain, Black's first, then each kind of empty point."""
        game, state = self._board.game, self._board.state
        board = Stones.of(game.columns, game.rows, game.stones(state))
        empty = {point for region, _ in board.regions() for point in region}
        living = [points - judgement.dead for points in game.stones(state)]
        kinds: dict[str, set[int]] = {kind: set() for kind in POINTS}
        without_dead = Stones.of(game.columns, game.rows, living)
        for region, around in without_dead.regions():
            sides = {without_dead.points[point] for point in around}
            kinds[POINTS[sides.pop() if len(sides) == 1 else 2]] |= region & empty

        def words(points: set[int] | tuple[int, ...]) -> list[str]:
            return [game.action_to_text(state, point) for point in sorted(points)]

        chains = [(chain.fate, words(chain.points)) for chain in judgement.chains]
        return [*chains, *((kind, words(points)) for kind, points in kinds.items())]

    def _judged(self, answer: Callable[[Judgement], str]) -> Thinking:
        def finish(result: SearchResult) -> str:
            if result.fault is not None:
                raise GtpError(f"search failed: {last_line(result.fault)}")
            return answer(self._board.session.judgement)

        return Thinking(None, finish)


def score_commands(board: Board) -> dict[str, Handler | Wraps]:
    """The commands. ``final_score`` replaces the one of other games."""
    score = _Score(board)
    return {
        "final_score": Wraps(score.final_score),
        "final_status": score.final_status,
        "final_status_list": score.final_status_list,
    }
