"""The exceptions of playout. Each message is one line that names the input, the place and what is allowed."""

from __future__ import annotations


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
