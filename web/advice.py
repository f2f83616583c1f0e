"""Searches for the user: hints, analyses and reviews. They have the whole strength, whatever the level of the game."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from playout import Engine
from playout.web import view
from playout.web.messages import Answer

LEVEL = 20
"""The whole strength."""
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


@contextlib.contextmanager
def _whole_strength(engine: Engine) -> Iterator[None]:
    level = engine.options["level"]
    engine.set_option("Level", str(LEVEL))
    try:
        yield
    finally:
        engine.set_option("Level", str(level))
