"""SGF, the Smart Game Format (FF[3], FF[4]): reads a game's main line or its whole tree, and writes a main line.

Go writes points as two letters from the top left. Hex programs write them as on the board (``a2``), Little Golem as Go
does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from playout.games.board_hooks import HasTerritory
from playout.games.errors import GameError
from playout.games.support.board_size import board_size
from playout.games.support.columns import COLUMNS

TOKEN = re.compile(r"[();]|[A-Za-z]+|\[(?:\\.|[^\]\\])*+(?:\]|\Z)", re.DOTALL)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_MOVES = 10_000
MOST_POINTS = 10_000
"""Maximum number of points set by a record, with rectangles written out."""

Node = dict[str, list[str]]
"""The properties of one node: identifier -> values, with escapes resolved."""


def main_line(text: str) -> list[Node]:
    """Returns the nodes of the first game in ``text``, along the first variation everywhere.

    Raises:
        GameError: if ``text`` is not SGF, or the game has no end.
    """
    nodes: list[Node] = []
    values: list[str] | None = None
    for match in TOKEN.finditer(text, max(text.find("("), 0)):
        token = match[0]
        if token == ")":
            break
        if token == ";":
            nodes.append({})
            values = None
        elif token[0] == "[":
            if values is None or not token.endswith("]"):
                raise GameError(f"not SGF: a value without a property at character {match.start()}")
            values.append(_unescape(token))
        elif token != "(":
            if not nodes:
                raise GameError("not SGF: a property before the first node")
            values = nodes[-1].setdefault(_identifier(token), [])
    else:
        if nodes and "(" in text:
            raise GameError(f"not SGF: no end of the game at character {len(text)}")
    if not nodes or "(" not in text:
        raise GameError("not SGF: no game in it")
    if len(nodes) > MOST_MOVES:
        raise GameError(f"SGF: more than {MOST_MOVES} nodes")
    return nodes


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One node of a game's tree."""

    properties: Node
    parent: int | None
    """Number of its parent in the tree; None for the root. A node whose parent is not the previous node begins a
    variation.
    """
    at: int
    """Offset in characters of its beginning."""


def tree(text: str) -> list[TreeNode]:
    """Returns the nodes of the game in ``text``, in the order of the text, so each after its parent.

    Raises:
        GameError: if ``text`` is not SGF, or incomplete. The message has the character's position.
    """

    def bad(why: str, at: int) -> GameError:
        return GameError(f"not SGF: {why} at character {at}")

    nodes: list[TreeNode] = []
    forks: list[int | None] = []
    parent: int | None = None
    values: list[str] | None = None
    end = 0
    for match in TOKEN.finditer(text):
        token, at = match[0], match.start()
        if gap := text[end:at].strip():
            raise bad(f"{gap[:20]!r}", end)
        end = match.end()
        if token == "(":
            forks.append(parent)
            values = None
        elif not forks:
            raise bad(f"{token[:20]!r} outside of a game", at)
        elif token == ")":
            parent = forks.pop()
            values = None
        elif token == ";":
            if parent is None and nodes:
                raise bad("a second root", at)
            nodes.append(TreeNode({}, parent, at))
            parent = len(nodes) - 1
            if parent >= MOST_MOVES:
                raise bad(f"more than {MOST_MOVES} nodes", at)
            values = None
        elif token[0] == "[":
            if values is None or not token.endswith("]"):
                raise bad("a value without a property" if values is None else "a value without an end", at)
            values.append(_unescape(token))
        elif parent is None:
            raise bad("a property before the first node", at)
        else:
            values = nodes[parent].properties.setdefault(_identifier(token), [])
    if forks or not nodes or text[end:].strip():
        raise bad("no end of the game" if forks else "no game" if not nodes else f"{text[end:].strip()[:20]!r}", end)
    return nodes


def first(node: Node, name: str, default: str = "") -> str:
    """Returns a property's first value, or ``default`` if there is none; programs also write properties without a
    value.
    """
    return next(iter(node.get(name, ())), default)


def go_point(value: str, columns: int, rows: int) -> str:
    """Returns the GTP vertex for an SGF value, ``pass`` included."""
    if value == "" or (value == "tt" and max(columns, rows) <= 19):
        return "pass"
    column, row = _square(value)
    if column >= columns or row >= rows:
        raise GameError(f"SGF: no point {value!r} on a board of {board_size(columns, rows)}")
    return f"{COLUMNS[column]}{rows - row}"


def go_value(vertex: str, rows: int) -> str:
    """Returns the SGF value for a GTP vertex."""
    if vertex.lower() == "pass":
        return ""
    return LETTERS[COLUMNS.index(vertex[0].upper())] + LETTERS[rows - int(vertex[1:])]


def read_size(text: str) -> tuple[int, int]:
    """Returns columns and rows of a value of ``SZ``, such as ``9`` or ``13:9``.

    Raises:
        GameError: if it is not a size.
    """
    match = re.fullmatch(r"\s*([0-9]{1,3})\s*(?::\s*([0-9]{1,3})\s*)?", text)
    if match is None:
        raise GameError(f"SGF: {text[:20]!r} is not the size of a board")
    return int(match[1]), int(match[2] or match[1])


def size_value(columns: int, rows: int) -> str:
    """Returns the value of ``SZ`` for a board."""
    return f"{columns}" if columns == rows else f"{columns}:{rows}"


def hex_point(value: str) -> str:
    """Returns the cell or other move for a value written by a Hex program or Little Golem."""
    if re.fullmatch("[a-z]{2}", value):
        column, row = _square(value)
        return f"{LETTERS[column]}{row + 1}"
    return value


def expand(values: Iterable[str]) -> list[str]:
    """Expands rectangles such as ``aa:cc`` in Go's setup values.

    Raises:
        GameError: if a value is not a rectangle, or there are too many points.
    """
    points: list[str] = []
    for value in values:
        first, colon, last = value.partition(":")
        if not colon:
            points.append(value)
        else:
            (left, top), (right, bottom) = _square(first), _square(last)
            points += [LETTERS[c] + LETTERS[r] for r in range(top, bottom + 1) for c in range(left, right + 1)]
        if len(points) > MOST_POINTS:
            raise GameError(f"SGF: more than {MOST_POINTS} points are set")
    return points


def header(game: Any, application: str | None = None) -> Node:
    """Returns the properties that name the game, a ``HasSgf``, its board and its komi, and the program that writes."""
    root: Node = {"FF": ["4"], "GM": [str(game.sgf_number)], "CA": ["UTF-8"]}
    if application is not None:
        root["AP"] = [application]
    root["SZ"] = [size_value(game.columns, game.rows)]
    if isinstance(game, HasTerritory):
        root["KM"] = [f"{game.komi:g}"]
    return root


def write(nodes: Sequence[Node]) -> str:
    """Writes one game as SGF, with the first node on its own line."""
    root, *moves = [
        ";" + "".join(key + "".join(f"[{_escape(value)}]" for value in values) for key, values in node.items())
        for node in nodes
    ]
    return f"({root}\n{''.join(moves)})" if moves else f"({root})"


def _identifier(token: str) -> str:
    """Strips the lower-case letters that FF[3] allows in identifiers, which have no meaning."""
    return "".join(letter for letter in token if letter.isupper())


def _unescape(token: str) -> str:
    return re.sub(r"\\(\n|.)", lambda escaped: escaped[1].strip("\n"), token[1:-1], flags=re.DOTALL)


def _square(value: str) -> tuple[int, int]:
    if not re.fullmatch("[a-z]{2}", value):
        raise GameError(f"SGF: {value[:20]!r} is not a point")
    return LETTERS.index(value[0]), LETTERS.index(value[1])


def _escape(value: str) -> str:
    return re.sub(r"([\\\]])", r"\\\1", value)
