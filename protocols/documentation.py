"""The tables of commands in docs/protocols.md, generated from the docstrings of the handlers.

A handler's docstring begins with its usage and what it does, for the author of a GUI. Text after a blank line is for
developers only::

    \"\"\"``time_left COLOUR SECONDS STONES``: says what a clock shows.\"\"\"

A document's tables stand between markers. ``<!-- commands: uci -->`` begins the commands that UCI has in every game.
``<!-- commands: gtp hex go -->`` begins those that GTP has in exactly these games, or documents differently there.
``<!-- commands: gtp except hex -->`` begins those of all games but these; ``<!-- end -->`` ends each table.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playout.engine.session import Session
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.games.nearest import suggestion
from playout.protocols.registry import PROTOCOLS

Commands = Mapping[str, Callable[..., Any]]
"""Handlers by the name of the command."""

_CONVENTION = re.compile(r"``\S+(?P<arguments>( [^`]+)?)``: (?P<text>\S.*)", re.DOTALL)
_TABLE = re.compile(r"<!-- commands: (?P<title>[^>]*?) -->\n.*?<!-- end -->\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Description:
    """A command's documentation for users."""

    usage: str
    text: str


def describe(name: str, handler: Callable[..., Any]) -> Description:
    """Parses the docstring of ``handler`` for the command ``name``, which its usage begins with.

    Raises:
        PlayoutError: if the docstring does not follow the convention.
    """
    said, _, _ = (inspect.getdoc(handler) or "").partition("\n\n")
    match = _CONVENTION.fullmatch(" ".join(said.split()))
    if match is None:
        raise PlayoutError(f"the handler of {name!r} has no docstring that begins ``{name} ARGUMENTS``: what it does")
    text = match["text"].replace("``", "`")
    return Description(name + match["arguments"], text[:1].upper() + text[1:])


def commands_of(protocol: str) -> dict[str, dict[str, Description]]:
    """Returns the commands of ``protocol`` by game; games that it does not support are missing.

    Raises:
        PlayoutError: for a handler without a description.
    """
    found = {}
    for game in catalogue.BUILT_IN:
        session = Session(catalogue.load(game), post=lambda _: None)
        try:
            handlers = _handlers(protocol, session)
        finally:
            session.close()
        if handlers is not None:
            found[game] = {name: describe(name, handler) for name, handler in handlers.items()}
    return found


def _handlers(protocol: str, session: Session) -> Commands | None:
    try:
        return PROTOCOLS[protocol].open(session).commands()
    except PlayoutError:
        return None


def grouped(commands: Mapping[str, Mapping[str, Description]]) -> dict[tuple[str, ...], list[Description]]:
    """Groups the commands by the games that have them. Games that document a command differently form their own group.

    A command's most frequent form counts for every game that has the command.
    """
    groups: dict[tuple[str, ...], list[Description]] = {}
    for name in dict.fromkeys(name for table in commands.values() for name in table):
        owners = {game: table[name] for game, table in commands.items() if name in table}
        usual = Counter(owners.values()).most_common(1)[0][0]
        groups.setdefault(tuple(owners), []).append(usual)
        for description in dict.fromkeys(owners.values()):
            if description != usual:
                games = tuple(game for game, other in owners.items() if other == description)
                groups.setdefault(games, []).append(description)
    return groups


def filled(text: str) -> str:
    """Returns the document ``text`` with its tables regenerated.

    Raises:
        PlayoutError: if a marker names an unknown protocol or game, or if a command belongs to no table.
    """
    titles = [match["title"].split() for match in _TABLE.finditer(text)]
    tables: dict[str, dict[tuple[str, ...], list[Description]]] = {}
    everywhere: dict[str, tuple[str, ...]] = {}
    for protocol, *_ in titles:
        if protocol not in PROTOCOLS:
            raise PlayoutError(f"no protocol {protocol!r}{suggestion(protocol, PROTOCOLS)}")
        if protocol not in tables:
            commands = commands_of(protocol)
            tables[protocol], everywhere[protocol] = grouped(commands), tuple(commands)

    def table(match: re.Match[str]) -> str:
        protocol, *games = match["title"].split()
        rows = tables[protocol].pop(_selected(games, everywhere[protocol]), None)
        if rows is None:
            raise PlayoutError(f"table {match['title']!r}: no such commands, or a second table for them")
        return "\n".join([f"<!-- commands: {match['title']} -->", *_markdown(rows), "<!-- end -->", ""])

    text = _TABLE.sub(table, text)
    for protocol in PROTOCOLS:
        if protocol not in tables:
            raise PlayoutError(f"no table of {protocol!r}: a line <!-- commands: {protocol} --> and one <!-- end -->")
        for games, rows in tables[protocol].items():
            names = ", ".join(row.usage.split()[0] for row in rows)
            raise PlayoutError(f"no table <!-- commands: {protocol} {' '.join(games)} --> for {names}")
    return text


def _selected(words: Sequence[str], everywhere: tuple[str, ...]) -> tuple[str, ...]:
    if not words:
        return everywhere
    if words[0] == "except":
        return tuple(game for game in everywhere if game not in words)
    return tuple(game for game in everywhere if game in words)


def _markdown(rows: Sequence[Description]) -> Iterator[str]:
    yield "| Command | What it does |"
    yield "| --- | --- |"
    for row in rows:
        usage, text = (words.replace("|", "\\|") for words in (row.usage, row.text))
        yield f"| `{usage}` | {text} |"
