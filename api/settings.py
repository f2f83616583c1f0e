"""The engine's options as keyword arguments: ``MultiPV`` is ``multi_pv``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from os import PathLike, fspath

from playout.engine.options.books import SEPARATOR
from playout.engine.options.option import Value, written
from playout.engine.session import Session
from playout.games.errors import BadOption

OptionValue = bool | int | float | str | PathLike[str] | Sequence[str | PathLike[str]]
"""The value of an option; a list is one of files. It is the type of ``**options`` wherever an engine takes options."""

WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[ _]+")


def python_name(option: str) -> str:
    """Returns the keyword of an option: ``Move Overhead`` is ``move_overhead``, ``UCI_ShowWDL`` is ``uci_show_wdl``."""
    return WORDS.sub("_", option).lower()


def values(session: Session) -> Mapping[str, Value]:
    """Returns the options of ``session`` by their keywords, with their values."""
    return {keyword: session.options[name] for keyword, name in _names(session).items()}


def apply(session: Session, options: Mapping[str, OptionValue]) -> None:
    """Sets the options.

    Raises:
        BadOption: one line about the first that does not exist or is out of its bounds.
    """
    known = _names(session)
    names = {_plain(keyword): name for keyword, name in known.items()}
    for keyword, value in options.items():
        name = names.get(_plain(keyword))
        if name is None:
            near = difflib.get_close_matches(keyword, known, n=1)
            advice = f"did you mean {near[0]!r}?" if near else f"{session.game.name} has {', '.join(known)}"
            raise BadOption(f"no option {keyword!r}: {advice}")
        session.set_option(name, _text(value))


def _names(session: Session) -> dict[str, str]:
    """The options' names by their keywords; buttons have none, because they are methods."""
    declared = session.options.declared()
    return {python_name(option.name): option.name for option in declared if option.kind != "button"}


def _plain(keyword: str) -> str:
    """``keyword`` without what may be written in two ways: ``multipv``, ``multi_pv``."""
    return keyword.replace("_", "").lower()


def _text(value: OptionValue) -> str:
    if isinstance(value, bool | int | float | str):
        return written(value)
    if isinstance(value, PathLike):
        return fspath(value)
    return SEPARATOR.join(fspath(one) for one in value)
