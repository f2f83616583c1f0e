"""YAML that users write, read into checked types: errors name the line and the field, and suggest the nearest word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
import yaml

from playout.arena.drivers.nearest import nearest
from playout.arena.file.plain import plain
from playout.games.errors import PlayoutError

T = TypeVar("T")

Place = tuple[str | int, ...]
"""A place in a file: names of fields, and numbers in lists."""


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
    """Returns the content of a file, ``text``; ``name`` stands for it in errors.

    Raises:
        PlayoutError: one line with the file, the line and the field that is wrong, and what is allowed.
    """
    node, raw = plain(text, name)
    if node is None or not isinstance(raw, dict):
        raise PlayoutError(f"{name}: {form.expected} expected")
    try:
        return msgspec.convert(form.shaped(raw), form.kind, strict=True)
    except msgspec.ValidationError as error:
        said, place = _named(raw, form, *_divided(str(error)))
        place = form.original(raw, place)
        word = _unknown(said)
        found, number = _located(node, place)
        if word is not None:
            number = _located(node, (*place, word))[1]
        where = f"{name}, line {number}" + (f", {found}" if found else "")
        raise PlayoutError(f"{where}: {_plain(said)}{_hint(said, word, form, place)}") from error


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


def _located(node: yaml.Node, place: Place) -> tuple[str, int]:
    """Returns the name of the place, as far as the file has it, and its line."""
    line, names = node.start_mark.line + 1, list[str]()
    for key in place:
        child = None
        if isinstance(node, yaml.MappingNode):
            for name, value in node.value:
                if name.value == str(key) or key == "...":
                    child, line = value, name.start_mark.line + 1
                    names.append(name.value)
                    break
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
            child = node.value[key]
            line = child.start_mark.line + 1
            names.append(str(key + 1))
        if child is None:
            break
        node = child
    return ".".join(names), line


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
