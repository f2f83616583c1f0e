"""Reasons for which a game of a tournament ended."""

from __future__ import annotations

from enum import StrEnum


class End(StrEnum):
    """Reason for which a game ended. Its value is the word that files and tables use."""

    NORMAL = "normal"
    """The rules ended it: mate, a full board, two passes, a draw by the rules."""
    RESIGN = "resign"
    """A player resigned."""
    WIN = "adjudicated win"
    """The referee awarded a win by the engines' own scores."""
    DRAW = "adjudicated draw"
    """The referee awarded a draw by the engines' own scores."""
    TABLE = "tablebase"
    """The referee awarded the result that tables of solved positions give."""
    SOLVED = "solved"
    """The referee awarded the result that an exact solver found."""
    MOVES = "move limit"
    """The game reached its greatest number of moves: a draw."""
    TIME = "time forfeit"
    """A player's time ran out; the move came late."""
    HANG = "hang"
    """No move came, not even after the time had run out and ``stop``."""
    ILLEGAL = "illegal move"
    """A player's move is none of the position."""
    GARBAGE = "garbage"
    """The answer does not have the form of the protocol, or has no end."""
    CRASH = "crash"
    """The program ended with an error or by a signal."""
    EXIT = "early exit"
    """The program ended by itself in the middle of a game, with status 0."""
    DISCONNECT = "disconnect"
    """The program closed its output, or the connection to it was lost."""
    VOID = "void"
    """An infrastructure fault: the machine stood still, the disk was full, an engine could not be started. The pair of
    games does not count."""

    @property
    def is_fault(self) -> bool:
        """Whether a player lost by a fault of the program, not by its moves."""
        return self in FAULTS

    @property
    def is_adjudicated(self) -> bool:
        """Whether the referee ended the game before the rules did."""
        return self in (End.WIN, End.DRAW, End.TABLE, End.SOLVED, End.MOVES)

    @property
    def restarts(self) -> bool:
        """Whether the program of the player at fault is ended and started anew for the next game.

        After an illegal move too: the next answer to come may be that to an earlier question.
        """
        return self in FAULTS - {End.TIME}


GONE = frozenset({End.CRASH, End.EXIT, End.DISCONNECT})
"""Ends of the program itself. Before a game they are no loss: the program is started anew."""
FAULTS = frozenset({End.TIME, End.HANG, End.ILLEGAL, End.GARBAGE, End.CRASH, End.EXIT, End.DISCONNECT})
