"""Moves that drawn macros have at one position, by the kernel's matcher."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playout.books.macros.macro import Macro, read_macros, shipped_macros, shipped_patterns
from playout.engine.known.compiled_macros import drawn_macros
from playout.engine.options.config import search_config
from playout.engine.search.searcher import Searcher
from playout.games import catalogue


class Matcher:
    """Macros of one game, without any other knowledge."""

    def __init__(self, game: Any, macros: Sequence[Macro]) -> None:
        self.searcher = Searcher(game, search_config(game, {"Hash": 1, "Seed": 1}))
        self.searcher.set_macros(*drawn_macros(game, macros))

    def moves(self, text: str, words: Sequence[str] = ()) -> set[str]:
        """The hinted moves after ``words`` from a position."""
        self.searcher.set_position(text, list(words))
        return {hint.move for hint in self.searcher.hints()}

    def answers(self, text: str, words: Sequence[str]) -> set[str]:
        """The hinted moves after ``words``, each of which the search has followed from the position before it."""
        for played in range(len(words)):
            self.searcher.set_position(text, list(words[:played]))
            self.searcher.restrict([words[played]])
            self.searcher.prepare()
            self.searcher.run(nodes=3)
        return self.moves(text, words)


def shipped(game: str, name: str) -> Matcher:
    """A macro that comes with a game."""
    return Matcher(catalogue.load(game), [macro for macro in drawn(game) if macro.name == name])


def drawn(game: str) -> list[Macro]:
    """The macros with drawings that come with a game."""
    loaded: Any = catalogue.load(game)
    further = shipped_patterns(loaded)
    macros = [*shipped_macros(loaded), *(read_macros(further, loaded) if further is not None else ())]
    return [macro for macro in macros if macro.is_drawn]


def written(tmp_path: Path, game: str, text: str) -> Matcher:
    """The macros of a file, which this text follows the name of the game in."""
    file = tmp_path / "own.yaml"
    file.write_text(f"game: {game}\nmacros:\n{text}", encoding="utf-8")
    loaded = catalogue.load(game)
    return Matcher(loaded, read_macros(file, loaded))
