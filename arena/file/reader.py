"""Reads a tournament's file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec

from playout.arena.file.checked import Form, checked
from playout.arena.file.source import Place
from playout.arena.file.types import Engine, Event, FormName, Openings, Test, Tournament
from playout.arena.terms.job import Adjudication, DrawRule, PlayerBook, ProtocolName, ResignRule
from playout.games.support.whole_file import read_text

EVENTS = "events"
OWN = frozenset(Tournament.__struct_fields__)
KINDS: Mapping[str, type[msgspec.Struct]] = {
    "openings": Openings,
    "sprt": Test,
    "adjudication": Adjudication,
    "draw": DrawRule,
    "resign": ResignRule,
    "book": PlayerBook,
}
"""Types of the fields that have fields of their own, engines and events aside."""
CHOICES = (*get_args(FormName), *get_args(ProtocolName), "sequential", "random", "always")


def read(path: Path) -> Tournament:
    """Returns the tournament that the file describes.

    Raises:
        PlayoutError: one line with the file, the line and the field that is wrong, and what is allowed.
    """
    return parse(read_text(path), str(path))


def parse(text: str, name: str) -> Tournament:
    """Returns the tournament that ``text`` describes; ``name`` stands for it in errors.

    Raises:
        PlayoutError: as ``read`` does.
    """
    return checked(text, name, FORM)


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


def _original(raw: Mapping[str, Any], place: Place) -> Place:
    """Returns the place in the file of a place in what ``_shaped`` made of it."""
    if place[:1] == (EVENTS,) and len(place) > 1:
        events = raw.get(EVENTS)
        if events is None:
            return place[2:]
        if len(place) > 2 and isinstance(place[1], int) and place[2] not in events[place[1]] and place[2] in raw:
            return place[2:]
    return place


def _fields(place: Place) -> Sequence[str]:
    """Returns the fields that are allowed at a place."""
    last = place[-1] if place else ""
    if place[:1] == ("engines",) and len(place) == 2:
        return Engine.__struct_fields__
    if last in KINDS:
        return KINDS[str(last)].__struct_fields__
    own = Event.__struct_fields__
    return own if place[:1] == (EVENTS,) else (*Tournament.__struct_fields__, *own)


FORM = Form(
    Tournament, "a tournament with engines and a game", ("engines", Engine), _fields, CHOICES, _shaped, _original
)
