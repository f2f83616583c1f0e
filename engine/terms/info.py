"""What a search reports. Values are in [-1, 1] from the point of view of the player to move at the root."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MoveInfo:
    """One root move."""

    move: str
    """In the game's notation."""
    visits: int
    value: float
    """Mean result, for the player to move at the root."""
    win: float
    draw: float
    loss: float
    """Shares of the simulations through this move, adding up to 1."""
    lower: float
    upper: float
    """Proven bounds of ``value``: -1 and 1 while nothing is proven, equal when the exact result is."""
    plies: int | None
    """Plies from the root to the end of the game along the proven line; None while nothing is proven."""
    pv: tuple[str, ...]
    """The principal variation, this move first; every move legal in turn (dice rolls stand in it as moves)."""
    ownership: tuple[float, ...] = ()
    """As that of ``SearchInfo``, after this move; only of moves that matter."""
    pv_visits: tuple[int, ...] = ()
    """For each move of ``pv``: simulations from the position after it, by whatever way they came there."""
    pv_edge_visits: tuple[int, ...] = ()
    """For each move of ``pv``: simulations that took it, from the position before."""

    @property
    def proven(self) -> bool:
        """Whether the exact result of this move is known."""
        return self.lower == self.upper


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """The state of a search at one moment."""

    time: float
    """Seconds since the search began."""
    simulations: int
    """Since the search began."""
    depth: float
    """Mean length of the simulations' path in the graph, in plies."""
    seldepth: int
    """Length of the longest path."""
    value: float
    """Of the root."""
    visits: int
    """Of the root, including those kept from earlier searches."""
    hashfull: int
    """Per mille of the memory bound in use."""
    moves: tuple[MoveInfo, ...]
    """Root moves, best first; moves not yet tried are missing."""
    ownership: tuple[float, ...] = ()
    """How surely each point is player 0's at the end, in [-1, 1]; empty unless ``Reports.ownership`` asked for it."""

    @property
    def nps(self) -> int:
        """Simulations per second."""
        return int(self.simulations / self.time) if self.time > 0 else 0


NOTHING = SearchInfo(0.0, 0, 0.0, 0, 0.0, 0, 0, ())
"""Of a search that there was not."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The end of a search."""

    move: str | None
    """The move to play; None if the game is over, or no move that was to be searched is legal."""
    ponder: str | None
    """The reply that the search expects."""
    info: SearchInfo
    reason: str
    """Why it ended: ``stop``, ``deadline``, ``nodes``, ``depth``, ``mate``, ``proven``, ``decided``, ``forced``,
    ``book``, ``over`` or ``fault``; ``judged`` if it was a judgement."""
    book: str | None = None
    """Where a book move came from, for people."""
    remarks: tuple[str, ...] = ()
    """Lines for people, of what went wrong beside the search."""
    fault: str | None = None
    """The traceback of the user's code that failed, if ``reason`` is ``fault``."""
    outcomes: tuple[tuple[float, int], ...] = ()
    """Of ``Session.roll_out``: the results for player 0 with how many playouts ended so."""
