"""The contract between the referee and an engine, whatever protocol it speaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from playout.arena.terms.pace import Pace
from playout.games.game import Game

RESIGN = "resign"
"""Answer of a player that resigns."""


@dataclass(frozen=True, slots=True)
class ClockFace:
    """A player's clock as it stands before its move. Times are in seconds."""

    pace: Pace
    left: float | None
    """Rest of the main time or of the running period; None without a clock."""
    moves: int | None = None
    """Moves to the next time control; None for the whole game."""
    periods: int = 0
    """Byo-yomi periods left, with the running one; 0 outside of byo-yomi."""


@dataclass(frozen=True, slots=True)
class Thought:
    """An engine's account of its search. Scores are from its own point of view; None is unknown."""

    centipawns: int | None = None
    mate: int | None = None
    depth: int | None = None
    nodes: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An engine's move, as it wrote it, or ``RESIGN``."""

    move: str
    seconds: float
    """From the order to the answer, on the monotonic clock."""
    began: float
    """``time.monotonic`` at the order."""
    thought: Thought = Thought()
    book: bool = False
    """Whether the arena found the move in the player's book."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A position in which a player has to move."""

    start: str | None
    """Text of the position in which the game began; None is the game's own start."""
    moves: Sequence[str]
    """Moves and rolls since then, in the game's notation. The list grows with the game."""
    player: int
    """The player to move, 0 or 1."""


class Driver(Protocol):
    """A running engine. One thread uses it, but ``close`` may come from any.

    Methods raise ``Fault`` if the engine fails, and then only ``close``, or ``begin`` where ``End.restarts`` is false,
    may follow. They raise ``PlayoutError`` if the protocol has no words for the position or a move.
    """

    name: str
    """Name by which the engine calls itself."""
    remarks: list[str]
    """Breaches of the protocol that cost nothing. The referee empties it."""

    def begin(self, game: Game[Any, Any], start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        """Prepares for a game from ``start``. Blocks.

        ``afresh`` lets the engine forget what it learned before. ``seed`` is for engines that can be told one.
        """

    def choose(self, scene: Scene, clocks: tuple[ClockFace, ClockFace], limit: float, grace: float) -> Answer:
        """Asks for a move. Blocks for at most ``limit`` seconds, and for ``grace`` seconds more in which the engine is
        told to stop.

        Raises:
            Fault: ``TIME`` if the answer came only in the grace, ``HANG`` if none came, others as they happen.
        """

    def finish(self, result: float | None) -> None:
        """Tells the engine that the game is over. ``result`` is that of player 0. Blocks."""

    def close(self) -> None:
        """Ends the engine. Does not raise. A second call does nothing."""
