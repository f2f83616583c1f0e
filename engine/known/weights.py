"""The nets that judge positions for the search: the file that the option EvalFile names, or the one that ships."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from playout.books.shipped import WORD
from playout.engine.search.searcher import Searcher
from playout.engine.terms.kernel import kernel_of
from playout.games.errors import GameError
from playout.games.game import Game

log = logging.getLogger(__name__)

FOLDER = Path(__file__).parents[1] / "weights"


def weights_file(game: Game[Any, Any], text: str) -> Path | None:
    """Returns the file that the value ``text`` of EvalFile names for ``game``; None if there is none."""
    if text != WORD:
        return Path(text) if text else None
    shipped = FOLDER / f"{kernel_of(game)}.safetensors"
    return shipped if shipped.exists() else None


class Weights:
    """Gives the searcher its nets, and again when their file has changed."""

    def __init__(self) -> None:
        self._lent: tuple[Path, int] | None = None

    def reset(self) -> None:
        """Notes that the next search has a new searcher."""
        self._lent = None

    def lend(self, game: Game[Any, Any], text: str, searcher: Searcher) -> tuple[str, ...]:
        """Gives ``searcher`` the nets that the value ``text`` of EvalFile names. A change of nets clears the graph.

        If the file cannot be used, returns lines for the user, once, and the search goes on with the game's own
        evaluation. Blocks.
        """
        path = weights_file(game, text)
        try:
            wanted = (path, path.stat().st_mtime_ns) if path is not None else None
        except OSError:
            wanted = (path, 0) if path is not None else None
        if wanted == self._lent:
            return ()
        self._lent = wanted
        try:
            searcher.set_weights(path)
        except GameError as error:
            log.error("%s", error)
            searcher.set_weights(None)
            return (f"EvalFile is not used: {error}",)
        return ()
