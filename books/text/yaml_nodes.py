"""YAML as a tree of nodes with their places in the file, so that errors can name them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from playout.books.base.plain_file import file_size, read_at_rest
from playout.games.errors import BookError
from playout.games.nearest import unusable

LARGEST = 64 * 2**20
"""Maximum size in bytes. Larger files are refused before they are read."""
DEEPEST = 100
"""Maximum nesting level."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_TAB = re.compile(r"^ *(\t)[ \t]*[^\s#]", re.MULTILINE)
_CONTROL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(slots=True, eq=False)
class YamlNode:
    """A text, a list, a mapping (keys and values alternating) or, with ``kind`` "alias", a reference to the node that
    ``*name`` names.

    ``start`` and ``end`` are offsets into the source.
    """

    kind: str
    start: int
    end: int
    text: str = ""
    """Content of a text, unconverted (``1`` and ``no`` are texts too); for an alias, its name."""
    children: list[YamlNode] = field(default_factory=list)
    style: str = ""
    """Style of a text: ``|`` or ``>`` for a block, a quote character, or "" for plain."""

    def pairs(self) -> Iterator[tuple[YamlNode, YamlNode]]:
        """Yields the keys of a mapping with their values."""
        return zip(self.children[::2], self.children[1::2], strict=True)


class Source:
    """The text of a YAML file, with the offsets of its lines."""

    def __init__(self, path: Path, text: str | None = None) -> None:
        """Reads the file, unless its ``text`` is given.

        Raises:
            BookError: one line with the place, if the file cannot be read, is too large or is not text.
        """
        self.path = path
        self.text = _text(path) if text is None else text
        self._lines = [0, *(match.end() for match in _BREAK.finditer(self.text))]
        for wrong, what in ((_CONTROL, "not a text: the character"), (_TAB, "indented by a tab; YAML wants blanks:")):
            if match := wrong.search(self.text):
                offset = match.start(match.lastindex or 0)
                raise BookError(self.at(offset, f"{what} {self.text[offset]!r}"))

    def at(self, offset: int, what: str) -> str:
        """Returns ``what`` prefixed with file, line and column."""
        line, column = self.place_of(offset)
        return f"{self.path}, line {line}, column {column}: {what}"

    def place_of(self, offset: int) -> tuple[int, int]:
        """Returns line and column, from 1."""
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def line_of(self, offset: int) -> int:
        """Returns the line number, from 1."""
        return bisect_right(self._lines, offset)

    def root(self) -> YamlNode:
        """Returns the root of the file's only document.

        Raises:
            BookError: if it is not YAML, or uses a YAML feature that books do not allow.
        """
        try:
            try:
                return self._compose(_LOADER)
            except yaml.MarkedYAMLError as error:
                if "nesting depth" not in str(error.problem):
                    raise
                # libyaml, which looks ahead, has hit a bound of its own far behind ours.
                return self._compose(yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            what = " ".join(filter(None, (error.context, error.problem)))
            if mark is None:
                raise BookError(f"{self.path}: not YAML ({what})") from error
            raise BookError(self._at_mark(mark, f"not YAML ({what}){self._quoted(mark)}")) from error

    def _compose(self, loader: Any) -> YamlNode:
        parents: list[YamlNode] = []
        anchors: dict[str, YamlNode] = {}
        root: YamlNode | None = None
        for event in yaml.parse(self.text, Loader=loader):
            if isinstance(event, yaml.CollectionEndEvent):
                parents.pop().end = self._offset(event.end_mark)
                continue
            if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                raise BookError(self._at_mark(event.start_mark, "a second document ('---') in the file"))
            if not isinstance(event, yaml.NodeEvent):
                continue
            node = self._node(event, anchors)
            if parents:
                parents[-1].children.append(node)
            else:
                root = node
            if isinstance(event, yaml.CollectionStartEvent):
                parents.append(node)
                if len(parents) > DEEPEST:
                    raise BookError(self.at(node.start, f"nested deeper than {DEEPEST} levels"))
        if root is None:
            raise BookError(f"{self.path}: empty, not a book")
        return root

    def _node(self, event: Any, anchors: dict[str, YamlNode]) -> YamlNode:
        start, end = self._offset(event.start_mark), self._offset(event.end_mark)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in anchors:
                raise BookError(self.at(start, f"*{event.anchor} names nothing before it"))
            return YamlNode("alias", start, end, event.anchor, [anchors[event.anchor]])
        if event.tag not in (None, "!"):
            raise BookError(self.at(start, f"a tag, which no book has: {event.tag!r}"))
        if isinstance(event, yaml.ScalarEvent):
            node = YamlNode("text", start, end, event.value, style=event.style or "")
        else:
            node = YamlNode("list" if isinstance(event, yaml.SequenceStartEvent) else "mapping", start, end)
        if event.anchor is not None:
            anchors[event.anchor] = node
        return node

    def _offset(self, mark: Any) -> int:
        line, column = int(mark.line), int(mark.column)
        return min(self._lines[min(line, len(self._lines) - 1)] + column, len(self.text))

    def _at_mark(self, mark: Any, what: str) -> str:
        return self.at(self._offset(mark), what)

    def _quoted(self, mark: Any) -> str:
        """Returns the offending line, shortened."""
        start = self._lines[min(mark.line, len(self._lines) - 1)]
        text = _BREAK.split(self.text[start : start + 200])[0].strip()
        return f": {text[:60]!r}" if text else ""


def _text(path: Path) -> str:
    size = file_size(path)
    if size > LARGEST:
        raise BookError(
            f"{path}: {size:,} bytes; a text book has at most {LARGEST:,} (keep a large book in a store, .book)"
        )
    try:
        data = read_at_rest(path, path.read_bytes)
    except OSError as error:
        raise BookError(unusable(path, error)) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BookError(f"{path}, line {line}: not UTF-8 (byte {data[error.start]:#04x})") from error
