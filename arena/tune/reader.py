"""Reads a tuning's file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

import msgspec

from playout.arena.file.checked import Form, checked
from playout.arena.file.reader import CHOICES, KINDS
from playout.arena.file.source import Place
from playout.arena.file.types import Engine
from playout.arena.tune.types import MethodName, Tuned, Tuning
from playout.games.support.whole_file import read_text

OWN_KINDS: Mapping[str, type[msgspec.Struct]] = {**KINDS, "engine": Engine, "opponent": Engine}
"""Types of the fields that have fields of their own, tuned options aside."""
OWN_CHOICES = (*CHOICES, *get_args(MethodName), "float", "int")


def read(path: Path) -> Tuning:
    """Returns the tuning that the file describes.

    Raises:
        PlayoutError: one line with the file, the line and the field that is wrong, and what is allowed.
    """
    return parse(read_text(path), str(path))


def parse(text: str, name: str) -> Tuning:
    """Returns the tuning that ``text`` describes; ``name`` stands for it in errors.

    Raises:
        PlayoutError: as ``read`` does.
    """
    return checked(text, name, FORM)


def _fields(place: Place) -> Sequence[str]:
    """Returns the fields that are allowed at a place."""
    if not place:
        return Tuning.__struct_fields__
    return (Tuned if place[0] == "options" else OWN_KINDS[str(place[-1])]).__struct_fields__


FORM = Form(Tuning, "a tuning with a game, pairs and options", ("options", Tuned), _fields, OWN_CHOICES)
