"""The file in which a session keeps its graph from game to game and from process to process."""

from __future__ import annotations

import logging
from pathlib import Path

from playout.engine import _core
from playout.engine.search.searcher import Searcher
from playout.games.errors import BadOption, GameError

log = logging.getLogger(__name__)


def check_graph_file(text: str) -> None:
    """Checks the folder, and the beginning of the file if it exists, before any search.

    Raises:
        BadOption: if the graph cannot be saved there.
    """
    if not text:
        return
    path = Path(text)
    if not path.parent.is_dir():
        raise BadOption(f"option GraphFile: no folder {str(path.parent)!r}")
    if path.exists():
        try:
            _core.graph_game(path)
        except ValueError as error:
            raise BadOption(f"option GraphFile: {error}") from error


class GraphFile:
    """Loads the graph before the first search and saves it after the last.

    A file that could not be loaded, or that this session has not read, is never overwritten.
    """

    def __init__(self) -> None:
        self._text = ""
        self._usable = False
        self._learned = False

    def reset(self) -> None:
        """Notes that the next search has a new searcher."""
        self._text, self._usable, self._learned = "", False, False

    def load(self, text: str, searcher: Searcher) -> tuple[str, ...]:
        """Loads the graph from the file ``text``, unless the searcher has it already. An empty text means no file.

        If the file cannot be used, returns lines for the user, and the search goes on without it.
        """
        if text == self._text:
            return ()
        self.reset()
        self._text = text
        if not text:
            return ()
        try:
            searcher.check_savable()
            if Path(text).exists():
                searcher.load(text)
        except GameError as error:
            log.error("%s", error)
            return (f"GraphFile is not used: {error}",)
        self._usable = True
        return ()

    def learned(self, simulations: int) -> None:
        """Notes that the graph has grown by ``simulations``."""
        self._learned = self._learned or simulations > 0

    def save(self, searcher: Searcher) -> None:
        """Saves the graph if there is a file for it and the graph has grown. A failure goes to the log."""
        if not self._usable or not self._learned:
            return
        try:
            searcher.save(self._text)
            self._learned = False
        except GameError as error:
            log.error("%s", error)
