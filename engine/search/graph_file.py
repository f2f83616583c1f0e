"""The file in which a session keeps its graph from game to game and from process to process."""

from __future__ import annotations

import logging
from pathlib import Path

from playout.engine import _core
from playout.engine.search.searcher import Searcher
from playout.games.errors import BadOption, GameError

log = logging.getLogger(__name__)


def check_graph_file(text: str) -> None:
    """Looks at what can be seen before a search: the folder, and the beginning of the file if it exists.

    Raises:
        BadOption: if the graph can never be kept there.
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

    A file that could not be used is never written over: neither is one that this session has not looked at.
    """

    def __init__(self) -> None:
        self._text = ""
        self._usable = False
        self._learned = False

    def reset(self) -> None:
        """The next search has a new searcher."""
        self._text, self._usable, self._learned = "", False, False

    def load(self, text: str, searcher: Searcher) -> tuple[str, ...]:
        """Loads the graph if the searcher has not seen the file ``text`` yet; an empty text is none.

        Returns lines for people if it cannot be used. The search goes on without it then.
        """
        if text == self._text:
            return ()
        self.reset()
        self._text = text
        if not text:
            return ()
        try:
            if Path(text).exists() or not searcher.savable:
                searcher.load(text)
        except GameError as error:
            log.error("%s", error)
            return (f"GraphFile is not used: {error}",)
        self._usable = True
        return ()

    def learned(self, simulations: int) -> None:
        """Takes note that the graph has grown by so many simulations."""
        self._learned = self._learned or simulations > 0

    def save(self, searcher: Searcher) -> None:
        """Saves the graph if there is a file for it and something to add. A failure goes to the log."""
        if not self._usable or not self._learned:
            return
        try:
            searcher.save(self._text)
            self._learned = False
        except GameError as error:
            log.error("%s", error)
