"""An option: its declaration, its parser, and its needs, which are the conditions under which it acts."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from playout.engine.terms.option_values import Value as Value
from playout.games.errors import BadOption
from playout.games.nearest import nearest

Kind = Literal["check", "spin", "float", "combo", "string", "button"]


USERS = "users' games"
"""Stands for all games without a kernel where games are named by their kernels."""


def written(value: object) -> str:
    """``value`` as a text that ``Option.parse`` reads: flags in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class Term:
    """One condition: an option ``is``, or ``is not``, one of ``words``, or is ``above`` a number; or the ``game`` has
    an ability, by its name in ``needs.ABILITIES``."""

    option: str
    """Empty for the game."""
    relation: Literal["is", "is not", "above", "game"]
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The condition in words, after "needs"."""
        *first, last = self.words
        words = f"{', '.join(first)} or {last}" if first else last
        between = {"is": "", "is not": "other than ", "above": "above ", "game": "game with "}[self.relation]
        return f"{self.option or 'a'} {between}{words}"


@dataclass(frozen=True, slots=True)
class Need:
    """A condition for an option to act: one of ``terms`` holds."""

    terms: tuple[Term, ...]
    values: tuple[str, ...] = ()
    """The values of the option that need it; empty means all but the default."""

    @property
    def text(self) -> str:
        """The need in words, after "needs"."""
        return " or ".join(term.text for term in self.terms)


@dataclass(frozen=True, slots=True)
class Option:
    """One option: ``check`` is a bool, ``spin`` an int, ``float`` a float, ``combo`` one of ``choices``."""

    name: str
    kind: Kind
    default: Value
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    """The kernels of the games that have the option, and ``USERS``; empty means all."""
    hook: type | None = None
    """Hook that a game must implement to have the option, such as ``HasSwap``; None means that every game has it."""
    by_game: tuple[tuple[str, Value], ...] = ()
    """Pairs of a kernel and the default of the option in its game."""
    field: str = ""
    """The field of ``SearchConfig`` or ``Preset`` that the option sets; its default is then the game's preset."""
    needs: tuple[Need, ...] = ()
    """Conditions for the option to act. All of them must hold."""
    implies: tuple[tuple[str, Value], ...] = ()
    """Options that get these values with any value of this one that names weights, and with its default in a game whose
    nets ship, unless the user has set them."""
    remote: bool | None = None
    """Whether a user on the network may set it; None: unless it is a ``string``, which might name a file."""

    interface: bool = False
    """Whether interfaces set it by themselves or need it, so that they are told of it although few people set it."""

    @property
    def key(self) -> str:
        """The name as Python writes it: ``multi_pv`` for MultiPV, ``move_overhead`` for Move Overhead."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\s+", "_", self.name).lower()

    @property
    def harmless(self) -> bool:
        """Whether a user on the network may set it: it neither names nor writes a file of this machine."""
        return self.kind != "string" if self.remote is None else self.remote

    def parse(self, text: str) -> Value:
        """The value that ``text`` represents.

        Raises:
            BadOption: if it is not of the option's kind or outside its bounds.
        """
        word = text.strip()
        if self.kind == "check":
            if word.lower() not in ("true", "false"):
                raise BadOption(f"option {self.name}: {quote(word)} is neither true nor false")
            return word.lower() == "true"
        if self.kind == "combo":
            for choice in self.choices:
                if choice.lower() == word.lower():
                    return choice
            choices = f"{', '.join(self.choices)}{nearest(word, self.choices)}"
            raise BadOption(f"option {self.name}: {quote(word)} is not one of {choices}")
        if self.kind in ("spin", "float"):
            return self._number(word)
        return word

    def _number(self, word: str) -> int | float:
        assert self.low is not None and self.high is not None
        number: int | float = math.nan
        if self.kind == "float":
            with suppress(ValueError):
                number = float(word)
        elif re.fullmatch("[+-]?[0-9]{1,18}", word):
            number = int(word)
        if math.isnan(number):
            kind = "a number" if self.kind == "float" else "a whole number"
            raise BadOption(f"option {self.name}: {quote(word)} is not {kind} from {self.low:.12g} to {self.high:.12g}")
        if not self.low <= number <= self.high:
            raise BadOption(f"option {self.name}: {quote(word)} is not between {self.low:.12g} and {self.high:.12g}")
        return number


def quote(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
