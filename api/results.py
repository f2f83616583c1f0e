"""Results of a search, as immutable values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Arrays:
    """The numbers of an analysis as numpy arrays; n is the number of moves in ``moves``.

    Values and shares are from the point of view of the player to move; ``ownership`` is player 0's.
    """

    moves: tuple[str, ...]
    """The moves, best first: entry i of each array below belongs to move i."""
    visits: NDArray[np.int64]
    """Shape (n,): simulations through the move."""
    values: NDArray[np.float64]
    """Shape (n,): the value of the move, in [-1, 1]."""
    bounds: NDArray[np.float64]
    """Shape (n, 2): proven lower and upper bounds of the value, -1 and 1 while nothing is proven."""
    wdl: NDArray[np.float64]
    """Shape (n, 3): shares of wins, draws and losses, each row adding up to 1."""
    ownership: NDArray[np.float64]
    """Shape (rows, columns), rows from the bottom: expected ownership of each point at the end of the game, in [-1, 1],
    1 is player 0. Shape (0, 0) unless ``ownership=True`` asked for it."""


@dataclass(frozen=True)
class Analysis:
    """A search at one moment. Values are in [-1, 1], from the point of view of the player to move."""

    move: str | None
    """The best move so far; None if there is none to play."""
    value: float | None
    """The value of the position; None where nothing was searched, as with a book move."""
    pv: tuple[str, ...]
    """The principal variation: the best move and the expected play after it, rolls included."""
    simulations: int
    """Simulations of this search."""
    visits: int
    """Visits of the position, those of earlier searches included."""
    seconds: float
    """Seconds since the search began."""
    depth: float
    """Mean length of the simulations' path in the graph, in plies."""
    seldepth: int
    """Length of the longest path, in plies."""
    hashfull: int
    """Share of the memory bound in use, in thousandths."""
    moves: tuple[MoveInfo, ...] = field(repr=False)
    """All moves that were tried, best first; ``lines`` of them have a ``pv``."""
    ownership: tuple[float, ...] = field(repr=False)
    """Expected ownership of each point at the end of the game, in [-1, 1]; 1 is player 0. Row by row as the game
    numbers its points, in Go from the bottom left, in Hex from the top left; empty unless ``ownership=True`` asked for
    it, and in games whose points have no owners."""
    shape: tuple[int, int] = field(repr=False)
    """Rows and columns of ``ownership``."""

    @property
    def nps(self) -> int:
        """Simulations per second."""
        return int(self.simulations / self.seconds) if self.seconds > 0 else 0

    def arrays(self) -> Arrays:
        """Returns the numbers of ``moves`` and ``ownership`` as numpy arrays.

        Raises:
            PlayoutError: if numpy is not installed.
        """
        np, moves = import_numpy(), self.moves
        return Arrays(
            moves=tuple(one.move for one in moves),
            visits=np.array([one.visits for one in moves], np.int64),
            values=np.array([one.value for one in moves], np.float64),
            bounds=np.array([(one.lower, one.upper) for one in moves], np.float64).reshape(-1, 2),
            wdl=np.array([(one.win, one.draw, one.loss) for one in moves], np.float64).reshape(-1, 3),
            ownership=np.array(self.ownership, np.float64).reshape(self.shape),
        )


@dataclass(frozen=True)
class Result(Analysis):
    """The end of a search. ``move`` is the move to play, None if the game is over."""

    reason: str
    """Reason of the search's end: ``stop``, ``deadline``, ``nodes``, ``depth``, ``mate``, ``proven``, ``decided`` (no
    other move can overtake it in time, or the look-ahead left no other), ``forced`` (one legal move), ``book`` or
    ``over`` (the game is)."""
    ponder: str | None
    """The reply that the search expects."""
    book: str | None = None
    """The book that a book move came from."""
    remarks: tuple[str, ...] = ()
    """Lines about what went wrong beside the search, as a book that could not be read."""


def import_numpy() -> Any:
    """Returns numpy, which playout does not depend on.

    Raises:
        PlayoutError: if it is not installed.
    """
    try:
        import numpy
    except ImportError:
        raise PlayoutError("arrays need numpy: pip install 'playout[numpy]'") from None
    return numpy


def analysis_of(info: SearchInfo, shape: tuple[int, int]) -> Analysis:
    """Returns ``info``, a report of the session, as users see it."""
    return Analysis(**_common(info, shape))


def result_of(result: SearchResult, shape: tuple[int, int] = (0, 0)) -> Result:
    """Returns ``result``, the session's, as users see it."""
    shown = _common(result.info, shape)
    shown["move"] = result.move
    if not shown["pv"] and result.move is not None:
        shown["pv"] = (result.move,)
    return Result(**shown, reason=result.reason, ponder=result.ponder, book=result.book, remarks=result.remarks)


def _common(info: SearchInfo, shape: tuple[int, int]) -> dict[str, Any]:
    best = info.moves[0] if info.moves else None
    return {
        "move": best.move if best else None,
        "value": info.value if best else None,
        "pv": best.pv if best else (),
        "simulations": info.simulations,
        "visits": info.visits,
        "seconds": info.time,
        "depth": info.depth,
        "seldepth": info.seldepth,
        "hashfull": info.hashfull,
        "moves": info.moves,
        "ownership": info.ownership,
        "shape": shape if info.ownership else (0, 0),
    }
