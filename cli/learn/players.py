"""The option ``--ray`` of the commands that generate games, and those who then play."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from playout.engine.learning.training.run import Generate

Ray = Annotated[
    str | None,
    typer.Option(metavar="WHERE", help="Workers of a Ray cluster play the games: auto, local or HOST:PORT."),
]


@contextmanager
def players(ray: str | None, game: str) -> Iterator[Generate]:
    """Yields the stage that generates games of ``game``: in this process, or by the workers of a cluster.

    Raises:
        PlayoutError: one line if the cluster cannot be used.
    """
    if ray is None:
        from playout.engine.learning.training import stages

        yield stages.generate
        return
    from playout.engine.learning.cluster.connection import connected
    from playout.engine.learning.cluster.generate import Workers

    with connected(ray):
        yield Workers(game).generate
