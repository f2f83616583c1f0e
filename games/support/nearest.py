"""Suggestions for misspelt words."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str:
    """Returns ``: did you mean X?`` for the word of ``known`` that is most like ``word``; empty if none is."""
    import difflib  # only mistakes need it, and engines have to start quickly

    names = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    return f": did you mean {names[found[0]]!r}?" if found else ""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Returns what ``nearest`` does, or ``: one of X, Y, Z`` with all of ``known`` if none is like ``word``."""
    names = list(known)
    return nearest(word, names) or f": one of {', '.join(names)}"
