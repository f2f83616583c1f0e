"""What the user of a session may have of the machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rights:
    """Without arguments: everything, as for a user at the machine. None is no bound."""

    files: bool = True
    """Whether the user may have files read and written: options that name files, commands that load and save."""
    hash_mib: int | None = None
    """The most that the option Hash can be."""
    threads: int | None = None
    """The most that the option Threads can be."""
    seconds: float | None = None
    """Of one search, whatever its limits say, pondering and analysis too: it ends then, and its move is reported when
    it is due."""

    @property
    def most(self) -> dict[str, int]:
        """The bounds of options, by name."""
        bounds = {"Hash": self.hash_mib, "Threads": self.threads}
        return {name: bound for name, bound in bounds.items() if bound is not None}
