"""Values of options, by name: read access, and the immutable snapshot that a search is started with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

Value = bool | int | float | str


class OptionValues(Mapping[str, Value]):
    """Read access to the values of options. Names are those of the declaration; an unknown name raises KeyError."""

    _values: Mapping[str, Value]

    def flag(self, name: str) -> bool:
        """Value of a ``check``."""
        return bool(self._values[name])

    def integer(self, name: str) -> int:
        """Value of a ``spin``."""
        return int(self._values[name])

    def number(self, name: str) -> float:
        """Value of a ``float`` or ``spin``."""
        return float(self._values[name])

    def text(self, name: str) -> str:
        """Value of a ``combo`` or ``string``."""
        return str(self._values[name])

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class FrozenOptions(OptionValues):
    """The values at one moment: a later ``Options.set`` does not change them. Any thread."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = MappingProxyType(dict(values))

    def with_values(self, **values: Value) -> FrozenOptions:
        """Returns a copy in which the options named by the keywords have other values, which are not checked."""
        return FrozenOptions({**self._values, **values})
