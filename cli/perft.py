"""``playout perft``: counts the lines of play to a depth, the standard test of a move generator."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from playout.cli.console import console
from playout.games.errors import GameError
from playout.games.game import CHANCE, Game, HasStateText, action_to_text


def command(
    game: Annotated[str, typer.Option(metavar="NAME", help="hex:5, my.py:Mnk, ...")] = "chess",
    depth: Annotated[int, typer.Option(min=0, max=100, help="Depth in plies; rolls of the dice do not count.")] = 4,
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Position text (FEN etc.); default: the start.")
    ] = None,
    divide: Annotated[bool, typer.Option("--divide", help="Also prints the count of each first move.")] = False,
    python: Annotated[
        bool, typer.Option("--python", help="Counts with the Python definition, not the kernel.")
    ] = False,
) -> None:
    """Counts the lines of play of a given length."""
    from playout.games import catalogue

    made = catalogue.load(game)
    native = not python and getattr(type(made), "kernel", None) is not None
    begun = time.perf_counter()
    total = 0
    for move, count in (_kernel if native else _definition)(made, position, depth, divide):
        total += count
        if divide:
            console().print(f"{move}: {count}")
    seconds = time.perf_counter() - begun
    rate = f"{total / seconds:,.0f}/s" if seconds > 0 else ""
    console().print(
        f"{made.name} depth {depth}: {total} in {seconds:.3f} s, {rate} ({'kernel' if native else 'Python'})"
    )


def _kernel(game: Game[Any, Any], position: str | None, depth: int, divide: bool) -> Iterator[tuple[str, int]]:
    from playout.engine import _core
    from playout.engine.terms.kernel import kernel_params

    try:
        root = _core.Position(type(game).kernel, kernel_params(game), position)  # type: ignore[attr-defined]
    except ValueError as error:
        raise GameError(str(error)) from error
    if not divide or depth == 0:
        yield "", root.perft(depth)
        return
    for action in root.actions():
        after = root.copy()
        after.play(action)
        yield root.action_text(action), after.perft(depth - (root.player() != CHANCE))


def _definition(game: Game[Any, Any], position: str | None, depth: int, divide: bool) -> Iterator[tuple[str, int]]:
    state = game.initial_state()
    if position is not None:
        if not isinstance(game, HasStateText):
            raise GameError(f"{game.name} has no texts for positions")
        state = game.state_from_text(position)
    if not divide or depth == 0:
        yield "", perft(game, state, depth)
        return
    for action in game.legal_actions(state):
        cost = game.current_player(state) != CHANCE
        yield action_to_text(game, state, action), perft(game, game.next_state(state, action), depth - cost)


def perft(game: Game[Any, Any], state: Any, depth: int) -> int:
    """Returns the number of lines of exactly ``depth`` plies from ``state``.

    Rolls of the dice do not add depth; each distinct roll counts once.
    """
    if depth == 0:
        return 1
    actions = game.legal_actions(state)
    if not actions:
        return 0
    chance = game.current_player(state) == CHANCE
    if depth == 1 and not chance:
        return len(actions)
    return sum(perft(game, game.next_state(state, action), depth - (not chance)) for action in actions)
