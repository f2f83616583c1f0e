"""Plain YAML: texts, numbers, lists and mappings, with errors that name the file and the line."""

from __future__ import annotations

from typing import Any

import yaml

from playout.games.errors import PlayoutError


def plain(text: str, name: str) -> tuple[yaml.Node | None, Any]:
    """Returns the content of a YAML file, ``text``, as nodes with their places, and as values. ``name`` stands for the
    file in errors.

    Raises:
        PlayoutError: one line with the file, and the line where it is known, if it is not YAML.
    """
    try:
        return yaml.compose(text, Loader=yaml.SafeLoader), yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise PlayoutError(f"{name}{line}: {getattr(error, 'problem', None) or 'not YAML'}") from error
    except RecursionError as error:
        raise PlayoutError(f"{name}: nested too deeply") from error
    except (ArithmeticError, AttributeError, LookupError, ValueError) as error:
        # PyYAML raises ValueError for a value that does not fit its tag, such as 2001-13-01.
        raise PlayoutError(f"{name}: not YAML: {' '.join(str(error).split())}") from error
