"""The review of a game: its positions, in the queue of analyses."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playout import CHANCE
from playout.engine.analysis_queue import AnalysisQueue
from playout.engine.analyst import AnalysisRequest, Analyst, Findings, Wanted
from playout.engine.terms.limits import Limits
from playout.engine.terms.line import Line
from playout.engine.terms.rights import Rights
from playout.games.errors import GameError
from playout.games.game import Game, HasChance, is_over
from playout.games.support.outcome import spoken
from playout.web.messages import Answer, Judged

SIMULATIONS = 400
"""Simulations for each position."""


@dataclass(eq=False, slots=True)
class _Position:
    """A position of the game, after ``ply`` moves."""

    ply: int
    analyst: Analyst


async def review(game: Game[Any, Any], line: Line, rights: Rights, tell: Callable[[Answer], None]) -> None:
    """Judges the positions of a line, but for those before a roll, each by a search that knows nothing of the others.

    ``rights`` bound the number of searches at the same time.

    Raises:
        GameError: one line about the first search that failed.
    """
    loop, ended = asyncio.get_running_loop(), asyncio.Queue[_Position]()
    queue = AnalysisQueue[_Position](rights.threads or 1)

    def put(ply: int) -> None:
        def found(_: Analyst) -> None:
            with contextlib.suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(ended.put_nowait, position)

        position = _Position(ply, Analyst(_request(game, line.first(ply), rights), found))
        queue.put(position)

    for ply, state in enumerate(line.states):
        if is_over(game, state) or game.current_player(state) != CHANCE:
            put(ply)
    try:
        while queue:
            while (due := queue.take()) is not None:
                due.analyst.start()
            position = await ended.get()
            queue.end(position)
            findings = position.analyst.take()
            assert findings is not None
            tell(_judged(game, line, position.ply, findings))
    finally:
        for position in queue:
            position.analyst.stop()


def _request(game: Game[Any, Any], line: Line, rights: Rights) -> AnalysisRequest:
    settings = {"OwnBook": "false"}  # moves of books have no values
    return AnalysisRequest(game, line, Limits(nodes=SIMULATIONS), settings, Wanted(priors=False), rights=rights)


def _judged(game: Game[Any, Any], line: Line, ply: int, findings: Findings) -> Judged:
    if findings.fault is not None:
        raise GameError(findings.fault)
    if findings.returns is not None:
        return Judged(ply=ply, value=float(findings.returns[0]), best="")
    state, moves = line.states[ply], findings.info.moves
    sign = 1 if game.current_player(state) == 0 else -1
    lost = None
    if isinstance(game, HasChance) and ply < len(line.moves):
        values = {one.move: one.value for one in moves}
        played = line.moves[ply]
        lost = max(values.values()) - values[played] if played in values else None
    best = spoken(game, state, moves[0].move) if moves else ""
    return Judged(ply=ply, value=sign * findings.info.value, best=best, lost=lost)
