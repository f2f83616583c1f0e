"""Limits of a search: typed values, made by a protocol and read by the session."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of the player to move. All times are in seconds.

    Chess clocks use ``remaining``, ``increment`` and ``moves_to_go``. Go clocks add overtime: Canadian overtime is
    ``period`` seconds for ``period_moves`` moves; Japanese byo-yomi is ``periods`` periods of ``period`` seconds, each
    lost only when it runs out. With ``in_overtime``, ``remaining`` is the rest of the running period.
    """

    remaining: float
    increment: float = 0.0
    moves_to_go: int | None = None
    period: float = 0.0
    period_moves: int = 1
    periods: int = 0
    in_overtime: bool = False


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports of a running search. Options decide where a field is None."""

    interval: float | None = None
    """Seconds between reports; None: the option InfoInterval."""
    lines: int | None = None
    """Number of principal variations; None: the option MultiPV."""
    ownership: bool = False
    """Whether the reports have the ownership of points, in a game where points have owners at the end (Go, Hex)."""
    plain: bool = False
    """Whether the reports are read for lines and their values alone, not for the simulations of moves. The game's
    look-ahead may then make them in the place of the tree."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """Moves that a player avoids in the first plies of a search."""

    player: int
    moves: frozenset[str]
    """In the game's notation. Moves that are not legal are ignored."""
    only: bool = False
    """Whether the player is confined to ``moves`` instead. Several such restrictions permit the moves of each."""
    plies: int = 1
    """The restriction holds at positions fewer plies below the root, which is at 0. Rolls are not counted."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one search. The first one that is reached ends it.

    ``infinite`` and ``ponder`` searches report their move only after ``stop`` (or ``ponder_hit``, while pondering),
    even if another bound is reached before. Without any bound the session applies the option ``MaxNodes`` or else
    ``MoveTime``.
    """

    movetime: float | None = None
    """Seconds for this move, including the overhead."""
    nodes: int | None = None
    """Simulations since the start of this search."""
    depth: int | None = None
    """Length of the principal variation, in plies, at which the search ends."""
    mate: int | None = None
    """Moves of the player to move: the search ends when a win within as many is proven."""
    clock: Clock | None = None
    infinite: bool = False
    ponder: bool = False
    past_proof: bool = False
    """Whether the search goes on after the result is proven: for analysis, whose other lines are still of interest."""
    search_moves: tuple[str, ...] = ()
    """The moves to search at the root, in the game's notation; empty means all. If none is legal, no move is found."""
    restrictions: tuple[Restriction, ...] = ()
    """Moves that are kept out of the first plies. A position where none is left is a leaf."""
    received: float | None = None
    """``time.monotonic()`` when the command arrived. The clock has been running since then."""
    reports: Reports = Reports()

    @property
    def narrowed(self) -> bool:
        """Whether only some of the legal moves are searched."""
        return bool(self.search_moves or self.restrictions)

    @property
    def bounded(self) -> bool:
        """Whether any bound is given."""
        return (
            self.infinite
            or self.ponder
            or any(bound is not None for bound in (self.movetime, self.nodes, self.depth, self.mate, self.clock))
        )
