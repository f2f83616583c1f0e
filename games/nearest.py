"""Suggestions for misspelt words and names of files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def nearest(word: str, known: Iterable[str], prefix: str = "") -> str:
    """Returns ``: did you mean X?`` for the word of ``known`` that is most like ``word``; empty if none is.

    A ``prefix`` that the known words have in common does not make them alike.
    """
    import difflib  # only mistakes need it, and engines have to start quickly

    names = {name.removeprefix(prefix).lower(): name for name in known}
    found = difflib.get_close_matches(word.removeprefix(prefix).lower(), names, n=1, cutoff=0.6)
    return f": did you mean {names[found[0]]!r}?" if found else ""


def suggestion(word: str, known: Iterable[str]) -> str:
    """Returns what ``nearest`` does, or ``: one of X, Y, Z`` with all of ``known`` if none is like ``word``."""
    names = list(known)
    return nearest(word, names) or f": one of {', '.join(names)}"


def unusable(path: Path | str, error: OSError) -> str:
    """Returns ``PATH: REASON`` for a file that could not be opened, with ``nearest_file`` if it is not there."""
    said = f"{path}: {error.strerror or error}"
    return said + nearest_file(path) if isinstance(error, FileNotFoundError) else said


def nearest_file(path: Path | str) -> str:
    """Returns ``: did you mean X?`` for the file or folder beside ``path``, which is not there, whose name is most like
    its own; empty if there is none. Ending or stem have to be the same, because other likenesses are chance."""
    place = Path(path).expanduser()
    try:
        beside = list(place.parent.iterdir())
    except OSError:
        return ""
    return nearest(place.name, [one.name for one in beside if one.suffix == place.suffix or one.stem == place.stem])
