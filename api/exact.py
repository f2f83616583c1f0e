"""Exact values: ``playout.solve``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from playout.engine.exact.solving import Solution, SolveProgress
from playout.engine.exact.solving import solve as solve_position
from playout.loading import GameLike, load_game


def solve(
    game: GameLike,
    position: str | None = None,
    moves: Sequence[str] = (),
    *,
    all_moves: bool = False,
    method: str = "auto",
    lengths: bool = True,
    hash: int = 256,
    threads: int = 1,
    seconds: float | None = None,
    on_progress: Callable[[SolveProgress], None] | None = None,
) -> Solution:
    """Returns what the position after ``moves`` from ``position`` is worth when both sides play perfectly.

    ``playout.solve("tic_tac_toe").value`` is 0.0, a draw. The value is for the player to move, in [-1, 1]; it is None,
    and ``lower`` and ``upper`` are what is known, if ``seconds`` pass first or the user presses Ctrl-C.

    Args:
        game: as for ``load_game``.
        position: the text of the position to begin with (FEN or the like); None is the game's own start.
        moves: the moves played from there.
        all_moves: whether each legal move is solved, and not only the best: ``Solution.moves``.
        method: ``"auto"``, ``"alpha-beta"`` or ``"proof-number"``.
        lengths: whether the plies to the end and the line of best play are found where the method can.
        hash: the bound of the table of positions, in MiB.
        threads: used for connect four with ``all_moves``; everything else is solved by one.
        seconds: the time limit; None is no limit.
        on_progress: called ten times a second on the calling thread.

    Raises:
        GameError: if there is no such game or position, or the method cannot find its value.
        IllegalMove: if one of ``moves`` is illegal.
        BadOption: if there is no such method.
    """
    return solve_position(
        load_game(game),
        position,
        moves,
        method=method,
        all_moves=all_moves,
        lengths=lengths,
        hash_mib=hash,
        threads=threads,
        seconds=seconds,
        on_progress=on_progress,
    )
