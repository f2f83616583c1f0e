"""YAML that users write, read into checked types: errors name the line and the field, and suggest the nearest word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from playout.arena.file.plain import plain
from playout.arena.file.source import FileText, Place, located
from playout.arena.file.types import SOURCE, FromFile
from playout.games.errors import PlayoutError
from playout.games.nearest import nearest

T = TypeVar("T", bound=FromFile)


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """A kind of file."""

    kind: type[T]
    expected: str
    """The content in words, for a file that is something else."""
    named: tuple[str, type[msgspec.Struct]]
    """The field that has values by names, and their type: msgspec leaves the names out of its messages."""
    fields: Callable[[Place], Iterable[str]]
    """Gives the fields that are allowed at a place of the file."""
    choices: Sequence[str]
    """Words that some field allows."""
    shaped: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda raw: raw
    """Makes the content of a file that of the type."""
    original: Callable[[Mapping[str, Any], Place], Place] = lambda _, place: place
    """Gives the place in the file of a place in what ``shaped`` made."""


def checked(text: str, name: str, form: Form[T]) -> T:
    """Returns the content of a file, ``text``, which is its source too; ``name`` stands for it in errors.

    Raises:
        PlayoutError: one line with the file, the line and the field that is wrong, and what is allowed.
    """
    node, raw = plain(text, name)
    if node is None or not isinstance(raw, dict):
        raise PlayoutError(f"{name}: {form.expected} expected")
    try:
        content = msgspec.convert(form.shaped(raw), form.kind, strict=True)
    except msgspec.ValidationError as error:
        said, place = _named(raw, form, *_divided(str(error)))
        word = _unknown(said)
        if word is None:
            place = whole = form.original(raw, place)
        else:  # the place in the file of the field itself, which may be shared by events
            whole = form.original(raw, (*place, word))
            place = whole[:-1]
        found, number = ".".join(located(node, place)[0]), located(node, whole)[1]
        where = f"{name}, line {number}" + (f", {found}" if found else "")
        raise PlayoutError(f"{where}: {_plain(said)}{_hint(said, word, form, place)}") from error
    content.__dict__[SOURCE] = FileText(name, node, raw, form.original)
    return content


def _divided(said: str) -> tuple[str, Place]:
    """Returns msgspec's message without its path, and the path."""
    text, _, path = said.partition(" - at `$")
    keys = re.findall(r"\.([^.\[\]`]+)|\[(\d+|\.\.\.)\]", path)
    return text, tuple(key or (int(number) if number.isdigit() else number) for key, number in keys)


def _named(raw: Mapping[str, Any], form: Form[Any], said: str, place: Place) -> tuple[str, Place]:
    """Returns the message and the place with the name that msgspec leaves out."""
    field, kind = form.named
    if place[:2] == (field, "..."):
        for name, value in raw[field].items():
            try:
                msgspec.convert(value, kind, strict=True)
            except msgspec.ValidationError as error:
                own, rest = _divided(str(error))
                return own, (field, name, *rest)
    return said, place


def _plain(said: str) -> str:
    """Returns msgspec's message in the words of this program."""
    return said[:1].lower() + said[1:].replace("Object contains", "contains").replace("`", "'")


def _unknown(said: str) -> str | None:
    """Returns the unknown field that msgspec's message is about."""
    found = re.search(r"unknown field `([^`]+)`", said)
    return None if found is None else found[1]


def _hint(said: str, word: str | None, form: Form[Any], place: Place) -> str:
    """Returns a suggestion for the unknown field ``word`` or an unknown choice, or the words that are allowed."""
    if word is not None:
        fields = list(form.fields(place))
        return nearest(word, fields) or f"; allowed are {', '.join(sorted(fields))}"
    if (found := re.search(r"Invalid enum value '([^']+)'", said)) is not None:
        return nearest(found[1], form.choices)
    return ""
