"""Vocabulary of the probes: a probe examines one behaviour of an engine, and a finding says that it is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar

Severity = Literal["error", "warning"]
"""An error breaks the protocol's document, or leaves the client without an answer. A warning breaks a habit."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A behaviour that is wrong."""

    name: str
    """Name of the behaviour."""
    severity: Severity
    expected: str
    came: str
    """Observation that contradicts ``expected``."""
    source: str
    """The protocol's document with the place in it, or the clients that have the habit."""

    def __str__(self) -> str:
        return f"{self.severity}: {self.name}: expected: {self.expected} Came: {self.came} ({self.source})"


class Wrong(Exception):
    """Raised by a probe if the engine behaves wrongly; the text says what came."""


class NotApplicable(Exception):
    """Raised by a probe if the engine lacks what it examines; the text says what."""


D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Probe(Generic[D]):
    """One behaviour, and the function that examines it. The function raises ``Wrong`` or ``NotApplicable``."""

    name: str
    severity: Severity
    expected: str
    source: str
    protocols: tuple[str, ...]
    run: Callable[[D], None]

    def finding(self, came: str) -> Finding:
        """Returns the finding that ``came`` contradicts the behaviour."""
        return Finding(self.name, self.severity, self.expected, came, self.source)


class Probes(Generic[D]):
    """The probes of a family of protocols, in the order of their declarations."""

    def __init__(self, document: str, *protocols: str) -> None:
        """``document`` is the name of the document that ``place`` refers to, in which ``{}`` stands for the protocol;
        ``protocols`` are all of the family."""
        self._document, self._protocols = document, protocols
        self._all: list[Probe[D]] = []

    def probe(
        self, place: str = "", *, habit: str = "", severity: Severity | None = None, protocols: tuple[str, ...] = ()
    ) -> Callable[[Callable[[D], None]], Callable[[D], None]]:
        """Returns a decorator that declares a function as a probe.

        The function's name is that of the behaviour, and its docstring, one sentence, says what is expected.

        Args:
            place: place in the protocol's document; a breach is an error unless ``severity`` says otherwise.
            habit: the clients that rely on the behaviour, where the document leaves it open; then it is a warning.
            severity: overrides the severity.
            protocols: the protocols of the family that it is for; all by default.
        """
        source = f"habit: {habit}" if habit else f"{self._document}: {place}"
        worth: Severity = severity or ("warning" if habit else "error")

        def declare(run: Callable[[D], None]) -> Callable[[D], None]:
            name, expected = run.__name__.replace("_", " "), " ".join((run.__doc__ or "").split())
            self._all.append(Probe(name, worth, expected, source, protocols or self._protocols, run))
            return run

        return declare

    def of(self, protocol: str) -> list[Probe[Any]]:
        """Returns the probes for one protocol of the family."""
        return [
            replace(probe, source=probe.source.replace("{}", protocol.upper()))
            for probe in self._all
            if protocol in probe.protocols
        ]
