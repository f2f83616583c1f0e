"""The check that a store is taken up with the file with which it began."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from playout.arena.store.store import Store
from playout.games.errors import PlayoutError

GAMES = "games"
"""The field whose value may grow, in a form where it may change."""
T = TypeVar("T", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that differs between two pieces of plain data."""

    place: str
    before: Any
    """None where there was nothing."""
    now: Any
    """None where there is nothing."""

    @property
    def fewer(self) -> bool:
        """Whether it is a number of games that is less now."""
        return self.place.rpartition(".")[2] == GAMES and self.now < self.before

    def __str__(self) -> str:
        """The difference in words. A part of the file that is missing on one side is told by its name alone."""
        if self.now is None and _is_part(self.before):
            return f"with {self.place}, which is missing"
        if self.before is None and _is_part(self.now):
            return f"without {self.place}"
        if _is_part(self.before) and _is_part(self.now):
            return f"with {len(self.before)} {self.place}, not {len(self.now)}"
        return f"with {self.place} {_said(self.before)}, not {_said(self.now)}"


def take_up(store: Store, word: str, now: T, lasting: Callable[[T], Any], may_change: str) -> None:
    """Checks that a store began with ``now``, but for what may change, and notes it in a new one.

    Args:
        store: the store.
        word: the kind of the file, such as ``tournament``; its content is the fact of that name.
        now: content of the file.
        lasting: gives what must not change between two starts, as plain data.
        may_change: what may change, in words.

    Raises:
        PlayoutError: one line with the first field that differs, or if the store is of another kind of file.
    """
    facts = store.facts()
    if word in facts:
        earlier = msgspec.json.decode(facts[word], type=type(now))
        if found := differences(lasting(earlier), lasting(now)):
            raise PlayoutError(f"{store.path}: this {word} began {found[0]}; only {may_change} may change")
        for one in differences(msgspec.to_builtins(earlier), msgspec.to_builtins(now)):
            if one.fewer:
                raise PlayoutError(f"{store.path}: this {word} began {one}; the number of games may only grow")
    elif facts:
        raise PlayoutError(f"{store.path}: the state of a {next(iter(facts))}, not of a {word}")
    store.note(word, msgspec.json.encode(now).decode())


def differences(before: Any, now: Any, place: str = "") -> list[Difference]:
    """Returns the places at which two pieces of plain data differ."""
    if isinstance(before, dict) and isinstance(now, dict):
        return [
            one
            for key in sorted({*before, *now}, key=str)
            for one in differences(before.get(key), now.get(key), f"{place}.{key}" if place else str(key))
        ]
    if isinstance(before, list | tuple) and isinstance(now, list | tuple) and len(before) == len(now):
        return [
            one
            for number, (a, b) in enumerate(zip(before, now, strict=True), 1)
            for one in differences(a, b, f"{place}.{number}")
        ]
    return [] if before == now else [Difference(place, before, now)]


def _is_part(value: Any) -> bool:
    """Whether a value has fields, or is a list of such."""
    return isinstance(value, dict) or (isinstance(value, list | tuple) and any(map(_is_part, value)))


def _said(value: Any) -> str:
    return "absent" if value is None else repr(value)
