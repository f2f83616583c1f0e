"""The exceptions of playout. Each message is one line that names the input, the place and what is allowed."""

from __future__ import annotations


class Interrupted(BaseException):
    """Set in a thread in which a method of a user's game does not return. It is no ``Exception``, so that the method's
    own ``except Exception`` does not catch it."""

    def __str__(self) -> str:
        return "a method of the game did not return in time"


RAISED_BY_GAMES = (Exception, SystemExit, Interrupted)
"""Errors that a user's game may raise. ``sys.exit`` in it is a fault of the game, not the end of the program."""


class PlayoutError(Exception):
    """Base of all errors that playout reports to its user. Any other exception is a bug."""


class GameError(PlayoutError):
    """Raised if a game, its parameters or a position text cannot be used."""


class IllegalMove(PlayoutError):
    """Raised for a well-formed move that the rules forbid, or text that names no move of the position."""


class BadOption(PlayoutError):
    """Raised for an option that does not exist, or a value outside its bounds."""


class BookError(PlayoutError):
    """Raised for a book that cannot be read or written."""


class ProtocolError(PlayoutError):
    """Raised for a command that does not have the protocol's form."""


def as_game_error(name: str, error: BaseException) -> PlayoutError:
    """Returns the error of the user's game ``name`` as one line that names the game; a PlayoutError as it is."""
    if isinstance(error, PlayoutError):
        return error
    return GameError(f"{name}: {type(error).__name__}: {' '.join(str(error).split())}")
