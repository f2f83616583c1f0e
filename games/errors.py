"""The one tree of exceptions. Each message is one line that names the input, the place and what is allowed."""

from __future__ import annotations


class PlayoutError(Exception):
    """Anything that playout reports to its user; everything else that is raised is a defect."""


class GameError(PlayoutError):
    """A game, its parameters or a position text cannot be used."""


class IllegalMove(PlayoutError):
    """A well-formed move that the rules forbid, or text that names no move of this position."""


class BadOption(PlayoutError):
    """An option that does not exist, or a value outside its bounds."""


class BookError(PlayoutError):
    """A book that cannot be read or written."""


class ProtocolError(PlayoutError):
    """A command that is not of the protocol's form."""
