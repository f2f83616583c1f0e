"""Weights that were learned, for the search: nets that judge positions, and what says which moves are promising.

The options EvalFile and PatternFile name the files, or ask for those that ship.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from playout.books.shipped import WORD
from playout.engine.search.searcher import Searcher
from playout.engine.terms.kernel import kernel_of
from playout.engine.terms.option_values import OptionValues
from playout.engine.terms.shipped_nets import WEIGHTS, shipped_nets, shipped_policy
from playout.games.errors import GameError
from playout.games.game import Game

log = logging.getLogger(__name__)


def shipped_strengths(game: Game[Any, Any]) -> Path | None:
    """Returns the file of strengths of features of moves that ships for ``game``; None if there is none."""
    path = WEIGHTS / f"{kernel_of(game)}-patterns.safetensors"
    return path if path.exists() else None


def shipped_moves(game: Game[Any, Any]) -> Path | None:
    """Returns the file that ships for ``game`` to say which moves are promising: nets with a policy on large boards,
    else strengths of features of moves; None if there is none.
    """
    return shipped_policy(game) or shipped_strengths(game)


KINDS: Mapping[str, tuple[Callable[[Game[Any, Any]], Path | None], Callable[[Searcher, Path | None], None]]] = {
    "EvalFile": (shipped_nets, Searcher.set_nets),
    "PatternFile": (shipped_moves, Searcher.set_patterns),
}
"""By option: what finds the file that ships for a game, and the method that takes a file."""

WeightFiles = Mapping[str, Path | None]
"""The file that each of these options names; None if there is none."""


def weight_files(game: Game[Any, Any], options: OptionValues) -> WeightFiles:
    """Returns the files that the options name for ``game``."""
    return {name: _file(game, str(options.get(name, "")), shipped) for name, (shipped, _) in KINDS.items()}


def _file(game: Game[Any, Any], text: str, shipped: Callable[[Game[Any, Any]], Path | None]) -> Path | None:
    if text == WORD:
        return shipped(game)
    return Path(text) if text else None


def set_weights(searcher: Searcher, files: WeightFiles) -> None:
    """Gives ``searcher`` what the files hold. Blocks.

    Raises:
        GameError: if a file cannot be used; one line that names it.
    """
    for name, path in files.items():
        KINDS[name][1](searcher, path)


Stamp = tuple[Path, int]
"""A file, and the time at which it was written in nanoseconds; 0 if it cannot be told."""


def stamp(path: Path | None) -> Stamp | None:
    """Returns what tells a file from another one, or from an earlier one of the same name."""
    try:
        return None if path is None else (path, path.stat().st_mtime_ns)
    except OSError:
        return None if path is None else (path, 0)


class Weights:
    """Gives the searcher what was learned, and again when a file has changed."""

    def __init__(self) -> None:
        self._lent: dict[str, Stamp | None] = {}

    def reset(self) -> None:
        """Notes that the next search has a new searcher."""
        self._lent = {}

    def lend(self, game: Game[Any, Any], options: OptionValues, searcher: Searcher) -> tuple[str, ...]:
        """Gives ``searcher`` what the options name. A change clears the graph.

        If a file cannot be used, returns a line for the user, once, and the search goes on with the game's own
        knowledge. Blocks.
        """
        remarks = list[str]()
        for name, path in weight_files(game, options).items():
            set_file = KINDS[name][1]
            wanted = stamp(path)
            if wanted == self._lent.get(name):
                continue
            self._lent[name] = wanted
            try:
                set_file(searcher, path)
            except GameError as error:
                remarks.append(f"{name} is not used: {error}")
                log.error("%s", remarks[-1])
                set_file(searcher, None)
        return tuple(remarks)
