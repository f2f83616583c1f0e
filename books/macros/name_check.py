"""Check of the names in a macro with a drawing: moves and conditions name cells that the drawing has, or men."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playout.books.macros.decision_tree import OTHERS, MacroTurn, Marked
from playout.books.macros.patterns import Pattern
from playout.books.macros.words import Content, Phrase, Words

MOST_NAMES = 8
"""Maximum number of letters of a macro whose moves go from cell to cell."""


@dataclass(frozen=True, slots=True)
class NameCheck:
    """Checks trees against one drawing and the men that conditions name beside it."""

    words: Words
    pattern: Marked[Pattern]
    men: Sequence[Content]

    def turn(self, turn: MacroTurn, played: frozenset[str]) -> None:
        """Checks a turn and all that follows, where the cells ``played`` have been taken in the line before.

        Raises:
            BookError: one line with the place of what is wrong.
        """
        names = self.pattern.value.names | {man.name for man in self.men}
        if not self.words.begins_anywhere and len(names) > MOST_NAMES:
            raise self.pattern.error(f"{len(names)} letters; a macro has at most {MOST_NAMES} here")
        if turn.play is None and not self.words.begins_anywhere:
            raise turn.replies[0][0].error("in this game a tree begins with our move: play")
        if turn.replies and not self.words.has_replies:
            raise turn.replies[0][0].error("dice follow our move, so no reply can be answered")
        if turn.instead is not None:
            self.turn(turn.instead, played)
        for phrase in turn.conditions:
            for name in phrase.value.names:
                self._stands(phrase, name)
        if turn.play is not None:
            played = self._move(turn.play, played)
        for reply, answer in turn.replies:
            self.turn(answer, played if reply.value == OTHERS else self._move(reply, played))

    def _move(self, move: Marked[str], played: frozenset[str]) -> frozenset[str]:
        """Returns the cells that are taken after a move."""
        named = self.words.move(move.value)
        if named is None:
            raise move.error(f"not a move of a pattern: {self.words.examples}")
        for name in named.names:
            self._stands(move, name)
        if not self.words.takes_once:
            return played
        if move.value in played:
            raise move.error("this cell has been played in the line before")
        return played | {move.value}

    def _stands(self, where: Marked[str] | Marked[Phrase], name: str) -> None:
        if name not in self.pattern.value.names and all(man.name != name for man in self.men):
            raise where.error(f"no such letter in the pattern of line {self.pattern.line}")
