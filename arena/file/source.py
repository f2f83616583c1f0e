"""The text behind a file's content: it gives errors their line and field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from playout.games.errors import PlayoutError

Place = tuple[str | int, ...]
"""A place in a file: names of fields, and numbers in lists, from 0."""


class FieldError(PlayoutError):
    """Raised if a field of a file has the right form, but cannot be played."""

    def __init__(self, place: Place, said: str) -> None:
        """``place`` is that of the field in the file's type, and ``said`` what is wrong with it."""
        words = dotted(place)
        if place[:1] == ("engines",) and len(place) > 1:
            words = ": ".join([f"engine {place[1]}", *filter(None, [dotted(place[2:])])])
        super().__init__(f"{words}: {said}")
        self.place, self.said = place, said


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file that was read."""

    name: str
    """The file, in errors."""
    node: yaml.Node
    raw: Mapping[str, Any]
    original: Callable[[Mapping[str, Any], Place], Place]
    """Gives the place in the file of a place in the file's type."""

    def told(self, error: FieldError) -> PlayoutError:
        """Returns an error with the file, and with the line and the field as far as the file has it."""
        place = self.original(self.raw, error.place)
        names, line = located(self.node, place)
        found, missing = ".".join(names), dotted(place[len(names) :])
        where = f"{self.name}, line {line}" + (f", {found}" if found else "")
        return PlayoutError(": ".join(filter(None, [where, missing, error.said])))


def located(node: yaml.Node, place: Place) -> tuple[list[str], int]:
    """Returns the names of the fields on the way to a place, as far as the file has it, and its line."""
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
    return names, line


def dotted(place: Place) -> str:
    """Returns a place as errors name it, with numbers from 1."""
    return ".".join(str(key + 1) if isinstance(key, int) else key for key in place)
