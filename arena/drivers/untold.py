"""Engines that tell an interface only of some options unless it asks for all of them, as playout does."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from playout.engine.options.table import SHOW_ALL


def has_more(known: Collection[str], wanted: Iterable[str]) -> bool:
    """Whether the engine has to be asked for all of its options, because ``wanted`` has one that is not ``known``.

    The names of ``known`` are in lower case.
    """
    return SHOW_ALL.lower() in known and any(name.lower() not in known for name in wanted)
