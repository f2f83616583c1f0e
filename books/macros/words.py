"""The words of drawings, moves and conditions, by game: men on cells, pieces of chess, points of backgammon.

The kinds of men and the relations are those that the game's kernel knows (``Game::men_of`` and ``Game::relations``).
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from string import ascii_lowercase

from playout.books.macros.patterns import ANY, EDGE, EMPTY, OURS, SYMBOLS, TAKEN

KINDS = "&"
"""The symbol of a cell with a man of certain kinds."""
Step = tuple[str | None, str]
"""A man goes from a named cell, or from beyond the board, to a named cell."""


@dataclass(frozen=True, slots=True)
class Content:
    """The demand of a word on a cell."""

    symbol: str
    """One of ``SYMBOLS``, or ``KINDS``."""
    kinds: int = 0
    """With ``KINDS``, the kinds of men, a bit each."""
    name: str = ""
    """The letter that names the cell."""


@dataclass(frozen=True, slots=True)
class NamedMove:
    """A move by the names of cells."""

    steps: tuple[Step, ...]
    promotion: int = 0
    """As in an action of chess."""

    @property
    def names(self) -> tuple[str, ...]:
        """The cells that it names."""
        return tuple(name for step in self.steps for name in step if name is not None)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A condition that relates cells."""

    relation: str
    names: tuple[str, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Words:
    """The words of the cells of a board on which men are put: stones and discs."""

    relations: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The forms of each relation; its letters stand for any names of cells."""
    has_replies: bool = True
    """Whether the opponent's reply follows a move at once; otherwise dice do."""
    begins_anywhere: bool = True
    """Whether a tree may begin with a reply."""
    takes_once: bool = True
    """Whether a cell can be played once only."""
    row: int = 0
    """Number of words that draw the whole board in one row, however many lines they take; 0 where a line is a row."""
    examples: str = "one letter of the drawing"
    """Examples of moves, for an error."""

    @property
    def allowed(self) -> str:
        """Words that a drawing may have, for an error."""
        return f"one of {' '.join(SYMBOLS)} or a letter from a to z"

    def content(self, word: str) -> Content | None:
        """Returns the demand of a word of a drawing; None if it is none."""
        if len(word) == 1 and word in ascii_lowercase:
            return Content(EMPTY, name=word)
        return Content(word) if word in tuple(SYMBOLS) else None

    def move(self, text: str) -> NamedMove | None:
        """Returns the move that a text names; None if it is none."""
        return NamedMove(((None, text),)) if len(text) == 1 and text in ascii_lowercase else None

    def is_directed(self, contents: Sequence[Content]) -> bool:
        """Whether a drawing with these demands applies in the images only that keep its direction."""
        return False


class _Named(Words, ABC):
    """Words that name a cell by a letter and a colon before its content."""

    __slots__ = ()

    def content(self, word: str) -> Content | None:
        name, colon, what = word.rpartition(":")
        if colon and (len(name) != 1 or name not in ascii_lowercase or what in (TAKEN, EDGE)):
            return None
        kinds = self._kinds(what)
        if kinds:
            return Content(KINDS, kinds, name)
        return Content(what, name=name) if what in self._plain else None

    _plain: tuple[str, ...] = (EMPTY, ANY)

    @abstractmethod
    def _kinds(self, what: str) -> int:
        """Returns the kinds of men that a text stands for; 0 if it stands for none."""


PIECES = "PNBRQK"


class ChessWords(_Named):
    """Pieces of the side to move in capitals, the opponent's in small letters, several of one side for any of them."""

    __slots__ = ()
    _plain = tuple(SYMBOLS)

    @property
    def allowed(self) -> str:
        return f"one of {' '.join(SYMBOLS)}, pieces of one side as N or qr, or a letter and a colon before one of these"

    def _kinds(self, what: str) -> int:
        side = PIECES if what.isupper() else PIECES.lower()
        if not what or any(piece not in side for piece in what) or len(set(what)) != len(what):
            return 0
        return sum(1 << side.index(piece) for piece in what) << (0 if side is PIECES else len(PIECES))

    def move(self, text: str) -> NamedMove | None:
        found = re.fullmatch("([a-z])-([a-z])(?:=([NBRQ]))?", text)
        if found is None:
            return None
        return NamedMove(((found[1], found[2]),), PIECES.index(found[3]) + 1 if found[3] else 0)

    def is_directed(self, contents: Sequence[Content]) -> bool:
        pawns = 1 | 1 << len(PIECES)
        return any(content.kinds & pawns for content in contents)


MOST_CHECKERS = 15
_COUNT = re.compile("([XO])([0-9]{0,2})([+]|-([0-9]{1,2}))?")


class PointWords(_Named):
    """Points by the number of checkers on them."""

    __slots__ = ()

    @property
    def allowed(self) -> str:
        return "'.', '?', checkers as X2, O1, X3+ or X1-2, or a letter and a colon before one of these"

    def _kinds(self, what: str) -> int:
        if what == EMPTY:
            return 1 << 2 * MOST_CHECKERS
        found = _COUNT.fullmatch(what)
        if found is None:
            return 0
        least = int(found[2] or 1)
        most = int(found[4]) if found[4] else MOST_CHECKERS if found[3] == "+" or not found[2] else least
        if not 1 <= least <= most <= MOST_CHECKERS:
            return 0
        return sum(1 << count - 1 for count in range(least, most + 1)) << (0 if found[1] == OURS else MOST_CHECKERS)

    def move(self, text: str) -> NamedMove | None:
        steps: list[Step] = []
        for one in text.split(","):
            found = re.fullmatch(r"(bar|[a-z])((?:/[a-z])+)(?:\(([2-4])\))?", one)
            if found is None:
                return None
            stops = [None if found[1] == "bar" else found[1], *found[2][1:].split("/")]
            steps += [(source, target) for source, target in pairwise(stops) if target] * int(found[3] or 1)
        return NamedMove(tuple(steps)) if len(steps) <= MOST_STEPS else None


MOST_STEPS = 4
_LINES = ("pawn", "knight", "bishop", "rook", "queen", "king")
_MOVES = ("safe", "wins", "stays", "checks", "forces", "mates")
_CELLS = Words()
_BOARDS: Mapping[str, Words] = {
    "go": Words(takes_once=False),
    "chess": ChessWords(
        relations={
            "moves": ("a moves b",),
            **{
                line: (f"a {line} b", *((f"a {line} b c",) if line in ("bishop", "rook", "queen") else ()))
                for line in _LINES
            },
            **{name: (f"a {name}",) for name in ("attacked", "defended", "pinned")},
            **{name: (f"a-b {name}",) for name in _MOVES},
            "quiet": ("quiet",),
        },
        begins_anywhere=False,
        takes_once=False,
        examples="as in 'n-a' or 'p-a=Q'",
    ),
    "backgammon": PointWords(
        relations={"bar": ("bar",)},
        has_replies=False,
        begins_anywhere=False,
        takes_once=False,
        row=24,
        examples="as in 'a/c,b/c', 'a/b(2)' or 'bar/a,b/c'",
    ),
}


def words_of(game: str) -> Words:
    """Returns the words for patterns of a game, which is named with its parameters or without."""
    return _BOARDS.get(game.partition(":")[0], _CELLS)


def phrase_of(words: Words, text: str) -> Phrase | str:
    """Returns the condition that a text says in these words or, if it says none, what is wrong with it."""
    said = " ".join(text.split())
    negated = said.startswith("not ")
    said = said.removeprefix("not ")
    relation = next((word for word in said.split() if word in words.relations), None)
    if relation is None:
        return f"no relation in it; relations here: {', '.join((*words.relations, 'is'))}"
    for form in words.relations[relation]:
        found = re.fullmatch(re.sub(r"\b[abc]\b", "([a-z])", form), said)
        if found is not None and len(set(found.groups())) < len(found.groups()):
            return "a relation is between different cells"
        if found is not None:
            return Phrase(relation, found.groups(), negated)
    return f"expected {' or '.join(repr(form) for form in words.relations[relation])}, with letters of cells"
