"""Searches for the user: hints, analyses and reviews. They have the whole strength, whatever the level of the game."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from playout import CHANCE, Engine
from playout.games.game import HasChance
from playout.games.support.outcome import spoken
from playout.web import view
from playout.web.messages import Answer, Judged

LEVEL = 20
"""The whole strength."""
REVIEW = 400
"""Simulations of a review for each position."""
INTERVAL = 0.2
"""Seconds between two reports of an analysis."""

Tell = Callable[[Answer], None]
"""Gets what is found."""


async def advise(engine: Engine, seconds: float, tell: Tell) -> None:
    """Looks for the best move at the engine's position."""
    position = engine.position
    with _whole_strength(engine):
        result = await engine.think_async(seconds=seconds)
    tell(view.info(position.game, position.state, len(position.moves), result, result.move or ""))


async def watch(engine: Engine, tell: Tell, *, ownership: bool) -> None:
    """Analyses the engine's position until the task is cancelled, or the position is solved."""
    position = engine.position
    with _whole_strength(engine):
        analysis = engine.analyse_async(interval=INTERVAL, lines=view.VARIATIONS, ownership=ownership)
        async with analysis:
            async for found in analysis:
                tell(view.info(position.game, position.state, len(position.moves), found))


async def review(engine: Engine, start: str | None, line: Sequence[str], tell: Tell) -> None:
    """Judges every position of a line by a short search, which knows nothing of the others. ``engine`` is for this
    alone.
    """
    engine.configure(own_book=False)  # moves of books have no values
    for ply in range(len(line) + 1):
        engine.set_position(start, line[:ply])
        if (result := engine.result) is not None:
            tell(Judged(ply=ply, value=result[0], best=""))
        elif engine.player != CHANCE:
            found = await engine.think_async(nodes=REVIEW)
            sign = 1 if engine.player == 0 else -1
            dice = isinstance(engine.game, HasChance) and ply < len(line)
            lost = view.lost(found, line[ply]) if dice else None
            best = spoken(engine.game, engine.position.state, found.move) if found.move else ""
            tell(Judged(ply=ply, value=sign * (found.value or 0.0), best=best, lost=lost))


@contextlib.contextmanager
def _whole_strength(engine: Engine) -> Iterator[None]:
    level = engine.options["level"]
    engine.set_option("Level", str(LEVEL))
    try:
        yield
    finally:
        engine.set_option("Level", str(level))
