"""What an option is: its declaration and its parser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from playout.engine.terms.option_values import Value as Value
from playout.games.errors import BadOption

Kind = Literal["check", "spin", "float", "combo", "string", "button"]


def written(value: object) -> str:
    """``value`` as a text that ``Option.parse`` reads: flags in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)


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
    """The kernels of the games that have the option; empty means all."""
    needs: type | None = None
    """The hook of a game (such as ``HasSwap``) without which it does not have the option; None means none."""
    by_game: tuple[tuple[str, Value], ...] = ()
    """Kernels with a default of their own."""
    field: str = ""
    """The field of ``SearchConfig`` or ``Preset`` that the option sets; its default is then the game's preset."""
    remote: bool | None = None
    """Whether a user on the network may set it; None: unless it is a ``string``, which might name a file."""

    @property
    def harmless(self) -> bool:
        """Whether a user on the network may set it: it neither names nor writes a file of this machine."""
        return self.kind != "string" if self.remote is None else self.remote

    def parse(self, text: str) -> Value:
        """The value that ``text`` stands for.

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
            raise BadOption(f"option {self.name}: {quote(word)} is not one of {', '.join(self.choices)}")
        if self.kind in ("spin", "float"):
            try:
                number = int(word) if self.kind == "spin" else float(word)
            except ValueError:
                raise BadOption(f"option {self.name}: {quote(word)} is not a number") from None
            assert self.low is not None and self.high is not None
            if not self.low <= number <= self.high:
                raise BadOption(
                    f"option {self.name}: {quote(word)} is not between {self.low:.12g} and {self.high:.12g}"
                )
            return number
        return word


def quote(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
