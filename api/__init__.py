"""playout: a Monte Carlo tree search engine for many games, and for games of your own.

A first search::

    import playout

    with playout.Engine("hex:11", threads=2) as engine:
        engine.play("f6")
        result = engine.think(seconds=1)
        print(result.move, result.value, result.pv)
        for info in engine.analyse(nodes=10_000):
            print(info.simulations, info.move)

    playout.solve("connect_four:6,5").value

A game is a name with its parameters (``"go:13,komi=5.5"``; ``game_names()`` lists the names), a class in a file
(``"my.py:MyGame"``), or a Python object or class with the five methods of a game (``Game``).

Values are in [-1, 1] from the point of view of the player to move; what differs says so. Whatever playout reports to
its user is a ``PlayoutError`` with a message of one line. ``docs/python.md`` is the guide; open ``player.py`` first.
"""

TYPE_CHECKING = False  # type checkers take this name for true; importing ``typing`` would take most of the time
if TYPE_CHECKING:
    from playout.awaiting import AsyncAnalysis as AsyncAnalysis
    from playout.engine.exact.solving import Solution as Solution
    from playout.engine.terms.info import MoveInfo as MoveInfo
    from playout.engine.terms.limits import Clock as Clock
    from playout.exact import solve as solve
    from playout.games.errors import BadOption as BadOption
    from playout.games.errors import BookError as BookError
    from playout.games.errors import GameError as GameError
    from playout.games.errors import IllegalMove as IllegalMove
    from playout.games.errors import PlayoutError as PlayoutError
    from playout.games.game import CHANCE as CHANCE
    from playout.games.game import Game as Game
    from playout.games.game import Symmetry as Symmetry
    from playout.loading import game_names as game_names
    from playout.loading import load_game as load_game
    from playout.player import Engine as Engine
    from playout.position import Position as Position
    from playout.results import Analysis as Analysis
    from playout.results import Arrays as Arrays
    from playout.results import Result as Result
    from playout.tree import Node as Node

__version__ = "0.2.0"

__all__ = [
    "CHANCE",
    "Analysis",
    "Arrays",
    "AsyncAnalysis",
    "BadOption",
    "BookError",
    "Clock",
    "Engine",
    "Game",
    "GameError",
    "IllegalMove",
    "MoveInfo",
    "Node",
    "PlayoutError",
    "Position",
    "Result",
    "Solution",
    "Symmetry",
    "__version__",
    "game_names",
    "load_game",
    "solve",
]

_HOMES = {
    "Analysis": "playout.results",
    "Arrays": "playout.results",
    "AsyncAnalysis": "playout.awaiting",
    "BadOption": "playout.games.errors",
    "BookError": "playout.games.errors",
    "CHANCE": "playout.games.game",
    "Clock": "playout.engine.terms.limits",
    "Engine": "playout.player",
    "Game": "playout.games.game",
    "GameError": "playout.games.errors",
    "IllegalMove": "playout.games.errors",
    "MoveInfo": "playout.engine.terms.info",
    "Node": "playout.tree",
    "PlayoutError": "playout.games.errors",
    "Position": "playout.position",
    "Result": "playout.results",
    "Solution": "playout.engine.exact.solving",
    "Symmetry": "playout.games.game",
    "game_names": "playout.loading",
    "load_game": "playout.loading",
    "solve": "playout.exact",
}
"""The module of each name, imported when the name is first asked for."""

if not TYPE_CHECKING:  # a checker that saw it would accept any name

    def __getattr__(name):
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'playout' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(home), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
