"""Plain YAML: texts, numbers, lists and mappings, with errors that name the file and the line."""

from __future__ import annotations

from typing import Any

import yaml

from playout.games.errors import PlayoutError

MERGE = "tag:yaml.org,2002:merge"
"""Tag of the key ``<<``, which may stand in a mapping more than once."""


def plain(text: str, name: str) -> tuple[yaml.Node | None, Any]:
    """Returns the content of a YAML file, ``text``, as nodes with their places, and as values. ``name`` stands for the
    file in errors.

    Raises:
        PlayoutError: one line with the file, and the line where it is known, if it is not YAML or has a key twice.
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        raise PlayoutError(f"{name}{line}: {getattr(error, 'problem', None) or 'not YAML'}") from error
    except RecursionError as error:
        raise PlayoutError(f"{name}: nested too deeply") from error
    except (ArithmeticError, AttributeError, LookupError, ValueError) as error:
        # PyYAML raises ValueError for a value that does not fit its tag, such as 2001-13-01.
        raise PlayoutError(f"{name}: not YAML: {' '.join(str(error).split())}") from error
    if node is not None:
        _check_keys(node, name)
    return node, value


def _check_keys(root: yaml.Node, name: str) -> None:
    """Checks that no mapping has a key twice; PyYAML would take the last one and be silent.

    Raises:
        PlayoutError: one line with the lines of both.
    """
    left, seen = [root], set[int]()
    while left:
        node = left.pop()
        if id(node) in seen:  # an alias; they may even form a circle
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            left += reversed(node.value)
        elif isinstance(node, yaml.MappingNode):
            lines = dict[tuple[str, str], int]()
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode) or key.tag == MERGE:
                    continue
                line = key.start_mark.line + 1
                if (first := lines.get((key.tag, key.value))) is not None:
                    raise PlayoutError(f"{name}, line {line}: {key.value!r} is there twice, first in line {first}")
                lines[key.tag, key.value] = line
            left += [value for _, value in reversed(node.value)]
