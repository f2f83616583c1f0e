"""How long a search may go on: typed values, made by a protocol, read by the session."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """What the clock of the player to move shows. All times in seconds.

    Chess clocks use ``remaining``, ``increment`` and ``moves_to_go``. Go clocks add overtime: Canadian overtime is
    ``period`` seconds for ``period_moves`` moves; Japanese byo-yomi is ``periods`` periods of ``period`` seconds, each
    lost only when it runs out. ``in_overtime`` says that ``remaining`` is what is left of the running period.
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
    """How a search reports while it runs; what is left out is as the options say."""

    interval: float | None = None
    """Seconds between reports."""
    lines: int | None = None
    """Principal variations worked out."""
    ownership: bool = False
    """Whether the reports say who will hold which point. Only a game of territory has that."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """Moves that a player is not to play in the first plies of a search."""

    player: int
    moves: frozenset[str]
    """In the game's notation. Names of moves that are not legal do nothing."""
    only: bool = False
    """These are the moves that he may play, and all others are avoided; several such restrictions permit what any of
    them does."""
    plies: int = 1
    """In force at positions fewer plies below the root; the root is 0 plies below itself, and rolls are no plies."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one search; those that are given all hold, and the first one reached ends it.

    ``infinite`` and ``ponder`` searches report their move only after ``stop`` (or, pondering, ``ponder_hit``), even if
    another bound is reached before. With no bound at all the session applies the option ``MaxNodes`` or else
    ``MoveTime``.
    """

    movetime: float | None = None
    """Seconds for this move, overhead included."""
    nodes: int | None = None
    """Simulations, counted from the start of this search."""
    depth: int | None = None
    """Ends when the principal variation is this many plies long."""
    mate: int | None = None
    """Ends when a win within this many moves of the player to move is proven."""
    clock: Clock | None = None
    infinite: bool = False
    ponder: bool = False
    past_proof: bool = False
    """Goes on although the result is proven: for analysis, whose other lines deserve their time."""
    search_moves: tuple[str, ...] = ()
    """Only these moves at the root, in the game's notation; empty means all. If none is legal, none is found."""
    restrictions: tuple[Restriction, ...] = ()
    """Moves that are kept out of the first plies. Where none is left a position is a leaf."""
    received: float | None = None
    """``time.monotonic()`` when the command arrived; the clock has been running since."""
    reports: Reports = Reports()

    @property
    def narrowed(self) -> bool:
        """Whether some moves only are searched."""
        return bool(self.search_moves or self.restrictions)

    @property
    def bounded(self) -> bool:
        """Whether any bound is given."""
        return (
            self.infinite
            or self.ponder
            or any(bound is not None for bound in (self.movetime, self.nodes, self.depth, self.mate, self.clock))
        )
