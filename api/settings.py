"""The engine's options as keyword arguments: ``MultiPV`` is ``multi_pv``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath

from playout.engine.options.books import SEPARATOR
from playout.engine.options.option import Value, written
from playout.engine.options.table import in_order
from playout.engine.session import Session
from playout.games.errors import BadOption
from playout.games.nearest import nearest


def values(session: Session) -> Mapping[str, Value]:
    """Returns the options of ``session`` by their keywords, with their values."""
    return {keyword: session.options[name] for keyword, name in _names(session).items()}


def apply(session: Session, options: Mapping[str, object]) -> None:
    """Sets the options, each after those that it needs.

    Raises:
        BadOption: one line about the first that does not exist, is out of its bounds or lacks what it needs.
    """
    known = _names(session)
    names = {_plain(keyword): name for keyword, name in known.items()}
    wanted = []
    for keyword, value in options.items():
        name = names.get(_plain(keyword))
        if name is None:
            advice = nearest(keyword, known) or f": {session.game.name} has {', '.join(known)}"
            raise BadOption(f"no option {keyword!r}{advice}")
        wanted.append((name, _text(keyword, value)))
    for name, text in in_order(wanted):
        session.set_option(name, text)


def _names(session: Session) -> dict[str, str]:
    """The options' names by their keywords; buttons have none, because they are methods."""
    declared = session.options.declared()
    return {option.key: option.name for option in declared if option.kind != "button"}


def _plain(keyword: str) -> str:
    """``keyword`` without what may be written in two ways: ``multipv``, ``multi_pv``."""
    return keyword.replace("_", "").lower()


def _text(keyword: str, value: object) -> str:
    if isinstance(value, bool | int | float | str):
        return written(value)
    if isinstance(value, PathLike):
        return str(fspath(value))
    if isinstance(value, Sequence):
        return SEPARATOR.join(str(fspath(one)) for one in value)
    raise BadOption(f"option {keyword!r}: {value!r} is no number, text, path or list of paths")
