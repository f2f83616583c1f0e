"""Games played on a kernel's positions, with moves by the engine."""

from __future__ import annotations

from collections.abc import Sequence

from playout.engine import _core
from playout.engine.search.searcher import Searcher
from playout.engine.terms.kernel import kernel_of, kernel_params
from playout.games import catalogue
from playout.games.errors import GameError


def start(name: str) -> _core.Position:
    """Returns the first position of a game with a kernel."""
    game = catalogue.load(name)
    kernel = kernel_of(game)
    assert kernel is not None
    return _core.Position(kernel, kernel_params(game))


def engine_action(
    searcher: Searcher, position: _core.Position, moves: Sequence[str], simulations: int
) -> tuple[int, float]:
    """Returns the engine's action at ``position``, to which the ``moves`` led, and the value for the player to move.

    Raises:
        GameError: if the search has no move.
    """
    searcher.set_position(None, moves)
    searcher.prepare()
    result = searcher.run(nodes=simulations, interval=3600.0)
    action = None if result.move is None else position.parse_action(result.move)
    if action is None:
        raise GameError(f"no move after {' '.join(moves)}")
    return action, result.info.value
