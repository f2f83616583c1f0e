"""Reads a tournament's file; errors name the line and the field, and suggest the nearest word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec
import yaml

from playout.arena.drivers.nearest import nearest
from playout.arena.file.types import Engine, Event, FormName, Openings, Test, Tournament
from playout.arena.terms.job import Adjudication, DrawRule, ProtocolName, ResignRule
from playout.games.errors import PlayoutError

EVENTS = "events"
OWN = frozenset(Tournament.__struct_fields__)
KINDS: Mapping[str, type[msgspec.Struct]] = {
    "openings": Openings,
    "sprt": Test,
    "adjudication": Adjudication,
    "draw": DrawRule,
    "resign": ResignRule,
}
"""Types of the fields that have fields of their own, engines and events aside."""
CHOICES = frozenset((*get_args(FormName), *get_args(ProtocolName), "sequential", "random"))
Path_ = tuple[str | int, ...]


def read(path: Path) -> Tournament:
    """Returns the tournament that the file describes.

    Raises:
        PlayoutError: one line with the file, the line and the field that is wrong, and what is allowed.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise PlayoutError(f"{path}: {error.strerror or error}") from error
    except UnicodeError as error:
        raise PlayoutError(f"{path}: not UTF-8") from error
    return parse(text, str(path))


def parse(text: str, name: str) -> Tournament:
    """Returns the tournament that ``text`` describes; ``name`` stands for it in errors.

    Raises:
        PlayoutError: as ``read`` does.
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        raw = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise PlayoutError(f"{name}{line}: {getattr(error, 'problem', None) or 'not YAML'}") from error
    if node is None or not isinstance(raw, dict):
        raise PlayoutError(f"{name}: a tournament with engines and a game expected")
    try:
        return msgspec.convert(_shaped(raw), Tournament, strict=True)
    except msgspec.ValidationError as error:
        said, place = _named(raw, *divided(str(error)))
        original = _original(raw, place)
        found, number = located(node, original)
        if (word := unknown(said)) is not None:
            number = located(node, (*original, word))[1]
        where = f"{name}, line {number}" + (f", {found}" if found else "")
        raise PlayoutError(f"{where}: {plain(said)}{_hint(said, original)}") from error


def _shaped(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the file's content with the fields of events in events."""
    shared = {key: value for key, value in raw.items() if key not in OWN}
    own = {key: value for key, value in raw.items() if key in OWN}
    events = own.get(EVENTS)
    if events is None:
        own[EVENTS] = [shared]
    elif isinstance(events, list):
        own[EVENTS] = [{**shared, **one} if isinstance(one, dict) else one for one in events]
    return own


def divided(said: str) -> tuple[str, Path_]:
    """Returns msgspec's message without its path, and the path."""
    text, _, path = said.partition(" - at `$")
    keys = re.findall(r"\.([^.\[\]`]+)|\[(\d+|\.\.\.)\]", path)
    return text, tuple(key or (int(number) if number.isdigit() else number) for key, number in keys)


def _named(raw: Mapping[str, Any], said: str, place: Path_) -> tuple[str, Path_]:
    """Returns the message and the place with the name of the engine, which msgspec leaves out."""
    if place[:2] == ("engines", "..."):
        for name, engine in raw["engines"].items():
            try:
                msgspec.convert(engine, Engine, strict=True)
            except msgspec.ValidationError as error:
                own, rest = divided(str(error))
                return own, ("engines", name, *rest)
    return said, place


def _original(raw: Mapping[str, Any], place: Path_) -> Path_:
    """Returns the place in the file of a place in what ``_shaped`` made of it."""
    if place[:1] == (EVENTS,) and len(place) > 1:
        events = raw.get(EVENTS)
        if events is None:
            return place[2:]
        if len(place) > 2 and isinstance(place[1], int) and place[2] not in events[place[1]]:
            return place[2:]
    return place


def located(node: yaml.Node, place: Path_) -> tuple[str, int]:
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


def plain(said: str) -> str:
    """Returns msgspec's message in the words of this program."""
    return said[:1].lower() + said[1:].replace("Object contains", "contains").replace("`", "'")


def _hint(said: str, place: Path_) -> str:
    """Returns a suggestion for an unknown field or word, or the words that are allowed."""
    if (word := unknown(said)) is not None:
        fields = _fields(place)
        return nearest(word, fields) or f"; allowed are {', '.join(sorted(fields))}"
    if (found := re.search(r"Invalid enum value '([^']+)'", said)) is not None:
        return nearest(found[1], CHOICES)
    return ""


def unknown(said: str) -> str | None:
    """Returns the unknown field that msgspec's message is about."""
    found = re.search(r"unknown field `([^`]+)`", said)
    return None if found is None else found[1]


def _fields(place: Path_) -> Sequence[str]:
    """Returns the fields that are allowed at a place."""
    last = place[-1] if place else ""
    if last in KINDS:
        return KINDS[str(last)].__struct_fields__
    if place[:1] == ("engines",):
        return Engine.__struct_fields__
    return (
        Event.__struct_fields__ if place[:1] == (EVENTS,) else (*Tournament.__struct_fields__, *Event.__struct_fields__)
    )


def resolved(directory: Path, name: str) -> str:
    """Returns a path that the file names, seen from the file's own folder."""
    return str(directory / name) if name else name


__all__: Sequence[str] = ("parse", "read", "resolved")
