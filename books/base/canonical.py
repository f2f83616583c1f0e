"""The place of a position in a book: one key for all its symmetry images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from playout.games.game import (
    Game,
    HasBookName,
    HasBookState,
    HasKey,
    HasStateText,
    HasSymmetries,
    Symmetry,
    action_to_text,
)

KEY_BYTES = 8


def book_name(game: Game[Any, Any]) -> str:
    """Name of the game in a book's header. Games with the same name share their books."""
    return game.book_name if isinstance(game, HasBookName) else game.name


def book_text(game: Game[Any, Any], state: Any) -> str:
    """Text under which books know ``state``, the same in every run: its ``book_text`` if the game has one, else its
    position text, else its key, or the ``repr`` of the state.
    """
    return _text_of(game)(state)


def _text_of(game: Game[Any, Any]) -> Callable[[Any], str]:
    if isinstance(game, HasBookState):
        return game.book_text
    if isinstance(game, HasStateText):
        return game.state_to_text
    if isinstance(game, HasKey):
        key = game.key
        return lambda state: repr(key(state))
    return repr


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a position in a book: its key, and the mapping to the symmetry image that the book holds."""

    key: int
    """Key of the image whose text sorts first; 0 to 2**64 - 1."""
    state: Any
    """That image."""
    symmetries: tuple[Symmetry[Any, Any], ...]
    """All symmetries that lead to that image: more than one if the position is symmetric, empty if the game declares
    none.
    """

    def to_book(self, action: Any) -> Any:
        """Maps an action to the book's image. Actions that the position's own symmetries make equivalent give the same
        result.
        """
        return min((symmetry.action(action) for symmetry in self.symmetries), key=repr, default=action)

    def from_book(self, action: Any) -> Any:
        """Returns an action at this position that ``to_book`` maps to ``action``."""
        return self.symmetries[0].inverse_action(action) if self.symmetries else action


class Places:
    """Finds the places of positions of one game."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game = game
        self._strips = isinstance(game, HasBookState)
        self._text = _text_of(game)
        self._symmetries: Sequence[Symmetry[Any, Any]] = game.symmetries() if isinstance(game, HasSymmetries) else ()

    def of(self, state: Any) -> Place:
        """Returns the place of ``state``."""
        game: Any = self.game
        if not self._symmetries:
            return Place(_key(self._text(state)), state, ())
        if self._strips:
            state = game.book_state(state)
        images = [symmetry.state(state) for symmetry in self._symmetries]
        texts = list(map(self._text, images))
        least = min(texts)
        alike = [number for number, text in enumerate(texts) if text == least]
        return Place(_key(least), images[alike[0]], tuple(self._symmetries[number] for number in alike))

    def word(self, place: Place, action: Any) -> int | str:
        """Returns what the book calls an action that is legal at the position: in the book's image its number, or its
        text if it is not a number.
        """
        held = place.to_book(action)
        return held if type(held) is int and held >= 0 else action_to_text(self.game, place.state, held)


def _key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=KEY_BYTES).digest(), "big")
