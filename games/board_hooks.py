"""Hooks of games on boards of points, such as Go and Hex: the capabilities that protocols and books ask for.

Like the hooks of ``game.py`` they are found by their names. A protocol never tests which game it plays. It tests
whether the game has points, a setup, territory, a handicap, a swap rule or records. So a user's variant of Go gets the
same commands as Go.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

Shape = Literal["rectangle", "rhombus"]


@runtime_checkable
class HasPoints(Protocol):
    """A board of points that GUIs know: GoGui draws the rectangles of Go, HexGui the rhombuses of Hex.

    A move is a point, or one of a few other moves, such as a pass or a swap. Points are numbered from 0 row by row,
    upwards or downwards, and the action that takes a point is its number.
    """

    @property
    def columns(self) -> int:
        """Number of columns."""

    @property
    def rows(self) -> int:
        """Number of rows."""

    @property
    def shape(self) -> Shape:
        """A ``Shape``: ``"rectangle"``, or ``"rhombus"`` if the rows slant to the right."""

    def board_rows(self) -> Sequence[Sequence[int]]:
        """The points of each row from left to right; rows from the top."""


def points(game: HasPoints) -> list[int]:
    """Returns the points of a board, row by row from the top left."""
    return [point for row in game.board_rows() for point in row]


@runtime_checkable
class HasSetup(Protocol):
    """Positions can be set up stone by stone; needs points and state texts."""

    def set_up(self, stones: Mapping[int, int], player: int) -> Any:
        """The position with only ``stones`` on the board (the owner by point), and ``player`` to move.

        Raises:
            GameError: if the rules do not allow the position.
        """


@runtime_checkable
class HasStones(Protocol):
    """The stones of a position, which ``set_up`` takes; needs points."""

    def stones(self, state: Any) -> tuple[frozenset[int], frozenset[int]]:
        """The points of the stones of player 0 and of player 1."""


@runtime_checkable
class HasTerritory(HasStones, Protocol):
    """A game that is scored after two passes, as in Go. Needs points, and ``"pass"`` as a move.

    Chains are captured as in Go. After the passes the players agree on the dead stones. If they disagree they play on:
    ``with_player`` resumes such a position.
    """

    @property
    def komi(self) -> float:
        """Points that player 1 gets. If it is a parameter of the game, interfaces can change it."""

    @property
    def scoring(self) -> str:
        """``"area"`` if stones on the board count, ``"territory"`` if captured stones do."""

    def score(self, state: Any, dead: Collection[int] = ()) -> float:
        """The lead of player 0 in points, komi deducted, after the removal of the stones on the ``dead`` points."""

    def captures(self, state: Any) -> tuple[int, int]:
        """Numbers of stones that player 0 and player 1 have captured."""

    def with_player(self, state: Any, player: int) -> Any:
        """The same position with ``player`` to move; play goes on if it had ended by passes."""


@runtime_checkable
class HasGoRules(Protocol):
    """Parameters that select a variant of the rules of Go; their values are those of ``Go``."""

    @property
    def ko(self) -> str:
        """``"positional"``, ``"situational"`` or ``"simple"``."""

    @property
    def scoring(self) -> str:
        """``"area"`` or ``"territory"``."""

    @property
    def suicide(self) -> bool:
        """Whether a move may take the last liberty of the player's own chain of two or more stones."""


@runtime_checkable
class HasHandicap(Protocol):
    """Player 0 may get handicap stones, after which player 1 moves first. Needs ``set_up``."""

    def handicap_points(self, number: int) -> Sequence[int]:
        """The points of a fixed handicap of ``number`` stones.

        Raises:
            GameError: if this board has no such handicap.
        """

    def free_handicap_points(self, number: int) -> Sequence[int]:
        """At most ``number`` points that the engine chooses for a handicap; ``number`` is 2 or more."""


@runtime_checkable
class HasSwap(Protocol):
    """The second player may take over the first stone instead of moving (the swap rule, also called the pie rule).
    Needs ``set_up``, and ``"swap-pieces"`` as the action's text.

    ``"swap-pieces"`` gives the stone to player 1, reflected so that its value for player 1 is what it was for player 0.
    """

    @property
    def swap(self) -> bool:
        """Whether the rule is in force."""

    @property
    def swap_action(self) -> int:
        """The action that swaps."""


@runtime_checkable
class HasSgf(Protocol):
    """Games can be written as SGF records; needs points and ``set_up``."""

    @property
    def sgf_number(self) -> int:
        """SGF's number of the game: the property GM."""

    @property
    def sgf_size(self) -> int:
        """Columns and rows of the board of a record that does not name its size."""

    def move_from_sgf(self, value: str) -> str:
        """The point or move, in the game's notation, that the value of a property names.

        Raises:
            GameError: if it names no point or move.
        """

    def move_to_sgf(self, text: str) -> str:
        """The value for a point or move in the game's notation."""
