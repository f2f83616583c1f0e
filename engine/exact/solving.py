"""Exact solving: the value of a position when both sides play perfectly.

Values are for the player to move at the position (at a chance position: for player 0), in [-1, 1].
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from playout.books.tables.solved import SolvedPosition
from playout.engine import _core
from playout.engine.options.config import kernel_of
from playout.engine.terms.kernel import kernel_params
from playout.games.errors import RAISED_BY_GAMES, BadOption, GameError, PlayoutError
from playout.games.game import Game, HasStateText, action_to_text, is_over, text_to_action
from playout.games.nearest import suggestion

METHODS = ("auto", "alpha-beta", "proof-number")
"""Methods of solving. ``auto`` is connect four's own solver, proof-number search for Hex, else alpha-beta."""
GLANCE = 0.1
"""Seconds between two reports of progress."""


@dataclass(frozen=True, slots=True)
class SolveProgress:
    """Progress of a solver."""

    seconds: float
    nodes: int
    """Positions searched."""
    depth: int
    """Depth in plies of the iteration under way; 0 for methods without iterations."""
    solved: int
    """Moves whose value is known, if all moves are asked for."""


@dataclass(frozen=True, slots=True)
class MoveValue:
    """Exact bounds of one move, from the point of view of the player who makes it."""

    move: str
    lower: float
    upper: float
    plies: int | None
    """Plies to the end of best play, including this move; None for draws, for means over dice, and where no length was
    found."""

    @property
    def value(self) -> float | None:
        """The exact value; None while it is not known."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True, slots=True)
class Solution:
    """Exact bounds of a position, with best play."""

    game: str
    start: str | None
    played: tuple[str, ...]
    """Moves from ``start`` (None: the game's own) to the position."""
    position: str | None
    """Text of the position; None if the game has no texts."""
    player: int
    """The player to move: 0, 1 or CHANCE; 0 if the game is over."""
    lower: float
    upper: float
    """Bounds of the value for ``player``; for player 0 at a chance position."""
    plies: int | None
    """Plies to the end of best play, where the winner takes the shortest way and the loser the longest. None for draws
    and means, and from proof-number search, which finds no lengths."""
    line: tuple[str, ...]
    """Best play from the position, as far as it is known. A line of proof-number search wins, but need not be short."""
    moves: tuple[MoveValue, ...]
    """All legal moves, best first, if all were asked for."""
    method: str
    nodes: int
    seconds: float

    @property
    def value(self) -> float | None:
        """The exact value for ``player`` (player 0 at a chance position); None while it is not known."""
        return self.lower if self.lower == self.upper else None

    @property
    def first_value(self) -> float | None:
        """The exact value for player 0; None while it is not known."""
        value = self.value
        return -value if value and self.player == 1 else value

    @property
    def best(self) -> tuple[str, ...]:
        """The moves that reach the value, in the best length if one is known; only one unless all were asked for."""
        if self.moves and self.value is not None:
            return tuple(m.move for m in self.moves if (m.value, m.plies) == (self.value, self.plies))
        return self.line[:1]

    def record(self) -> SolvedPosition:
        """Returns the position as a file of solved positions holds it.

        Raises:
            PlayoutError: if the position is not solved.
        """
        value = self.value
        if value is None:
            raise PlayoutError(f"{self.game}: not solved, so there is nothing to store")
        results = {m.move: (m.value, m.plies) for m in self.moves if m.value is not None}
        return SolvedPosition(
            game=self.game,
            start=self.start,
            moves=self.played,
            position=self.position,
            player=self.player,
            value=value,
            plies=self.plies,
            best=self.best,
            results=results if len(results) == len(self.moves) else {},
        )


@dataclass(slots=True)
class SolverMemory:
    """The solver of ``game``, which ``solve`` keeps from position to position: its table serves the next one."""

    game: Game[Any, Any]
    solver: _core.Solver | None = field(default=None, repr=False)


def solve(
    game: Game[Any, Any],
    start: str | None = None,
    moves: Sequence[str] = (),
    *,
    method: str = "auto",
    all_moves: bool = False,
    lengths: bool = True,
    hash_mib: int = 256,
    threads: int = 1,
    seconds: float | None = None,
    on_progress: Callable[[SolveProgress], None] | None = None,
    memory: SolverMemory | None = None,
) -> Solution:
    """Solves the position after ``moves`` from ``start``.

    Blocks until the value is known, ``seconds`` have passed, or KeyboardInterrupt. In the last two cases it returns the
    bounds that are known.

    Args:
        game: the rules.
        start: text of the start position; None is the game's own.
        moves: moves from ``start`` to the position.
        method: one of ``METHODS``.
        all_moves: whether to solve all legal moves, not only the best.
        lengths: whether to find the length of each move and a line of best play. Without, connect four needs less time
            and gives the length of the best moves only.
        hash_mib: bound of the transposition table, in MiB.
        threads: threads for connect four with ``all_moves``; all else uses one.
        seconds: time limit; None is none.
        on_progress: called about every ``GLANCE`` seconds, on the calling thread.
        memory: a solver that is kept from call to call.

    Raises:
        GameError: if the position cannot be read or has no exact value that the method can find (a line of play that
            returns to itself, dice under proof-number search), or if a method of a user's game fails.
        IllegalMove: if one of ``moves`` is not legal.
        BadOption: if there is no such method.
    """
    if method not in METHODS:
        raise BadOption(f"no method {method!r}{suggestion(method, METHODS)}")
    state, words = _replay(game, start, moves)
    begun = time.monotonic()
    position = game.state_to_text(state) if isinstance(game, HasStateText) else None
    returns = game.returns(state)
    if returns is not None:
        value = float(returns[0])
        return Solution(game.name, start, words, position, 0, value, value, 0, (), (), "rules", 0, 0.0)
    solver = _solver(memory or SolverMemory(game), start, words)
    found: list[Any] = []
    failed: list[BaseException] = []
    # Not Thread.join: CPython 3.11 takes a thread for finished whose join was interrupted.
    done = threading.Event()

    def work() -> None:
        try:
            found.append(
                solver.solve(
                    method=method,
                    all_moves=all_moves,
                    lengths=lengths,
                    hash_mib=hash_mib,
                    threads=threads,
                    seconds=seconds,
                )
            )
        except RAISED_BY_GAMES as error:
            failed.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=work, name="solve")
    thread.start()
    while not done.is_set():
        try:
            done.wait(GLANCE)
            if on_progress is not None:
                on_progress(SolveProgress(time.monotonic() - begun, *solver.progress()))
        except BaseException as error:
            solver.stop()
            done.wait()
            if not isinstance(error, KeyboardInterrupt):
                raise
    thread.join()
    if failed:
        raise _refusal(game, failed[0])
    lower, upper, plies, line, each, used = found[0]
    return Solution(
        game=game.name,
        start=start,
        played=words,
        position=position,
        player=game.current_player(state),
        # Adding 0 makes 0 of -0.
        lower=lower + 0.0,
        upper=upper + 0.0,
        plies=plies,
        line=tuple(line),
        moves=tuple(MoveValue(move, low + 0.0, high + 0.0, plies) for move, low, high, plies in each),
        method=used,
        nodes=solver.progress()[0],
        seconds=time.monotonic() - begun,
    )


def _replay(game: Game[Any, Any], start: str | None, moves: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
    """Returns the state after ``moves``, and the moves as the definition writes them."""
    if start is None:
        state = game.initial_state()
    elif isinstance(game, HasStateText):
        state = game.state_from_text(start)
    else:
        raise GameError(f"{game.name} has no texts for positions")
    words = []
    for text in moves:
        if is_over(game, state):
            raise GameError(f"{game.name}: the game is over before {text!r}")
        action = text_to_action(game, state, text)
        words.append(action_to_text(game, state, action))
        state = game.next_state(state, action)
    return state, tuple(words)


def _solver(memory: SolverMemory, start: str | None, words: Sequence[str]) -> _core.Solver:
    game = memory.game
    try:
        if memory.solver is None:
            kernel = kernel_of(game)
            memory.solver = (
                _core.Solver.python(game) if kernel is None else _core.Solver.kernel(kernel, kernel_params(game))
            )
        memory.solver.set_position(start, list(words))
    except RAISED_BY_GAMES as error:
        raise _refusal(game, error) from error
    return memory.solver


def _refusal(game: Game[Any, Any], error: BaseException) -> PlayoutError:
    if isinstance(error, PlayoutError):
        return error
    kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
    refusal = GameError(f"{game.name}: {kind}{' '.join(str(error).split())}")
    refusal.__cause__ = error
    return refusal
