"""GTP's command table, which several modules fill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from playout.protocols.gtp.syntax import Handler


@dataclass(frozen=True, slots=True)
class Wraps:
    """Declares that ``handler`` replaces the handler of the same command in an earlier table.

    The declaration is the same whether ``handler`` calls the earlier one or answers by itself.
    """

    handler: Handler


Commands = Mapping[str, Handler | Wraps]
"""The commands of one module by their names."""


def extend(table: dict[str, Handler], later: Commands) -> None:
    """Adds the commands of ``later`` to ``table``.

    Raises:
        ValueError: if both define a command and the later handler is not declared by ``Wraps``, or if a handler is
            declared so where ``table`` has nothing to wrap.
    """
    for name, entry in later.items():
        wrapping = isinstance(entry, Wraps)
        if wrapping and name not in table:
            raise ValueError(f"the handler of {name!r} wraps a command that no earlier table defines")
        if not wrapping and name in table:
            raise ValueError(f"two tables define {name!r}")
        table[name] = entry.handler if isinstance(entry, Wraps) else entry
