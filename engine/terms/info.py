"""Reports and results of a search. Values are in [-1, 1], from the point of view of the player to move at the root."""

from __future__ import annotations

from dataclasses import dataclass, replace

FEWEST = 50
"""Visits of the best move from which on its value may be a reason to resign."""


@dataclass(frozen=True, slots=True)
class MoveInfo:
    """Statistics of one root move."""

    move: str
    """In the game's notation."""
    visits: int
    """Simulations through this move, including those kept from earlier searches."""
    value: float
    """Mean result."""
    win: float
    draw: float
    loss: float
    """Shares of the simulations through this move that were won, drawn and lost; they add up to 1."""
    lower: float
    upper: float
    """Proven bounds of the exact value: -1 and 1 while nothing is proven, equal once the value is."""
    plies: int | None
    """Plies from the root to the end of the game along the proven line; None while the value is not proven."""
    pv: tuple[str, ...]
    """Principal variation, this move first. Each move is legal in turn; dice rolls stand in it as moves. Empty beyond
    the number of variations that the search was asked for."""
    ownership: tuple[float, ...] = ()
    """Ownership after this move, as in ``SearchInfo``; empty for moves with few visits."""
    pv_visits: tuple[int, ...] = ()
    """For each move of ``pv``: simulations from the position after it, along any path."""
    pv_edge_visits: tuple[int, ...] = ()
    """For each move of ``pv``: simulations that took this move."""
    lead: tuple[float, float] | None = None
    """Lead in points with which the simulations through this move ended, mean and standard deviation; None in a game
    that is not decided by points."""

    @property
    def proven(self) -> bool:
        """Whether the exact value of this move is known."""
        return self.lower == self.upper


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """The state of a search at one moment."""

    time: float
    """Seconds since the search began."""
    simulations: int
    """Simulations since the search began, and positions of a look-ahead before it."""
    depth: float
    """Mean length of the simulations' paths in the graph, in plies."""
    seldepth: int
    """Length of the longest path in the graph, in plies."""
    value: float
    """Mean result at the root."""
    visits: int
    """Simulations from the root, including those kept from earlier searches."""
    hashfull: int
    """Share of the memory bound in use, per mille."""
    moves: tuple[MoveInfo, ...]
    """Root moves that have been tried, best first. In a game that counts points and is as good as decided, the lead
    decides between moves of equal value, and a pass comes first if no such move gains half a point."""
    lead: tuple[float, float] | None = None
    """Lead in points with which the simulations ended, as in ``MoveInfo``."""
    simulated: float | None = None
    """Mean result of the simulations since the search began: without what books and macros say, and without earlier
    searches. None without simulations."""
    ownership: tuple[float, ...] = ()
    """Expected ownership of each point at the end of the game, in [-1, 1]; 1 is player 0. Empty unless
    ``Reports.ownership`` asks for it."""

    def after(self, earlier: SearchInfo) -> SearchInfo:
        """Returns this report as one that goes on after another search of the same move: time and simulations add up,
        and the depths are those of the deeper search."""
        return replace(
            self,
            time=earlier.time + self.time,
            simulations=earlier.simulations + self.simulations,
            depth=max(earlier.depth, self.depth),
            seldepth=max(earlier.seldepth, self.seldepth),
        )

    def hopeless(self, margin: float) -> bool:
        """Whether to resign: the value of the best move is below -1 + ``margin``, in [0, 2]. 0 never resigns.

        The value of a move with few visits is no reason, nor one that the simulations do not bear out: what a book or a
        macro says may be wrong.
        """
        best = self.moves[0] if self.moves else None
        if margin <= 0 or best is None or best.value >= margin - 1:
            return False
        borne_out = self.simulated is None or self.simulated < margin - 0.5
        return best.proven or (best.visits >= FEWEST and borne_out)

    @property
    def nps(self) -> int:
        """Simulations per second."""
        return int(self.simulations / self.time) if self.time > 0 else 0


NOTHING = SearchInfo(0.0, 0, 0.0, 0, 0.0, 0, 0, ())
"""The report where no search was made."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search."""

    move: str | None
    """The move to play; None if the game is over, or if none of the moves to search is legal."""
    ponder: str | None
    """The expected reply; None if there is none."""
    info: SearchInfo
    reason: str
    """Reason of the search's end: ``stop``, ``deadline``, ``nodes``, ``depth``, ``mate``, ``proven``, ``decided``,
    ``forced``, ``book``, ``over`` or ``fault``; ``judged`` if it was a judgement."""
    book: str | None = None
    """Source of a book move, for people; None if the move is not from a book."""
    remarks: tuple[str, ...] = ()
    """Lines for people about what went wrong beside the search."""
    fault: str | None = None
    """Traceback of the user's code that failed, if ``reason`` is ``fault``."""
    outcomes: tuple[tuple[float, int], ...] = ()
    """After ``Session.roll_out``: each result for player 0, with the number of playouts that ended so."""
