"""Reads a tuning's file; errors name the line and the field, and suggest the nearest word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec
import yaml

from playout.arena.drivers.nearest import nearest
from playout.arena.file.reader import CHOICES, KINDS, Path_, divided, located, plain, unknown
from playout.arena.file.types import Engine
from playout.arena.tune.types import MethodName, Tuned, Tuning
from playout.games.errors import PlayoutError

OWN_KINDS: Mapping[str, type[msgspec.Struct]] = {**KINDS, "engine": Engine, "opponent": Engine}
"""Types of the fields that have fields of their own, tuned options aside."""


def read(path: Path) -> Tuning:
    """Returns the tuning that the file describes.

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


def parse(text: str, name: str) -> Tuning:
    """Returns the tuning that ``text`` describes; ``name`` stands for it in errors.

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
        raise PlayoutError(f"{name}: a tuning with a game, pairs and options expected")
    try:
        return msgspec.convert(raw, Tuning, strict=True)
    except msgspec.ValidationError as error:
        said, place = _named(raw, *divided(str(error)))
        found, number = located(node, place)
        if (word := unknown(said)) is not None:
            number = located(node, (*place, word))[1]
        where = f"{name}, line {number}" + (f", {found}" if found else "")
        raise PlayoutError(f"{where}: {plain(said)}{_hint(said, place)}") from error


def _named(raw: Mapping[str, Any], said: str, place: Path_) -> tuple[str, Path_]:
    """Returns the message and the place with the name of the option, which msgspec leaves out."""
    if place[:2] == ("options", "..."):
        for name, tuned in raw["options"].items():
            try:
                msgspec.convert(tuned, Tuned, strict=True)
            except msgspec.ValidationError as error:
                own, rest = divided(str(error))
                return own, ("options", name, *rest)
    return said, place


def _hint(said: str, place: Path_) -> str:
    """Returns a suggestion for an unknown field or word, or the words that are allowed."""
    if (word := unknown(said)) is not None:
        fields = _fields(place)
        return nearest(word, fields) or f"; allowed are {', '.join(sorted(fields))}"
    if (found := re.search(r"Invalid enum value '([^']+)'", said)) is not None:
        return nearest(found[1], (*CHOICES, *get_args(MethodName), "float", "int"))
    return ""


def _fields(place: Path_) -> Sequence[str]:
    """Returns the fields that are allowed at a place."""
    if not place:
        return Tuning.__struct_fields__
    return (Tuned if place[0] == "options" else OWN_KINDS[str(place[-1])]).__struct_fields__
