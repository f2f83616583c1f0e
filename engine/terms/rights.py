"""The share of the machine that the user of a session may have."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rights:
    """Bounds for one user; None is no bound. ``Rights()`` allows everything, as for a user at the machine."""

    files: bool = True
    """Whether the user may read and write files: by options that name files, and by commands that load and save."""
    hash_mib: int | None = None
    """Bound of the option Hash, in MiB."""
    threads: int | None = None
    """Bound of the option Threads."""
    seconds: float | None = None
    """Bound of the duration of one search, including pondering and analysis. The move is reported when it is due."""
    moves: int | None = None
    """Bound of the new moves that one line of input brings, where Python has to play them; in chess a kernel does."""

    @property
    def most(self) -> dict[str, int]:
        """Bounds of options, by name."""
        bounds = {"Hash": self.hash_mib, "Threads": self.threads}
        return {name: bound for name, bound in bounds.items() if bound is not None}
