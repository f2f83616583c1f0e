"""Where a position stands in a book: under one key, whichever of its symmetric images is asked for."""

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
    """What a book's header calls ``game``: games that share it share their books."""
    return game.book_name if isinstance(game, HasBookName) else game.name


def book_text(game: Game[Any, Any], state: Any) -> str:
    """The text under which books know ``state``, the same in every run: its ``book_text``, else its position text, else
    its key or the state itself as Python writes it."""
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
    """A position's place in a book: its key, and the way to the image that the book holds."""

    key: int
    """Of the image with the least text; 0 to 2**64 - 1."""
    state: Any
    """That image."""
    symmetries: tuple[Symmetry[Any, Any], ...]
    """All that lead to it: more than one if the position is its own image. Empty if the game has none."""

    def to_book(self, action: Any) -> Any:
        """The action in the book's image; the same for all that the position's own symmetries make equivalent."""
        return min((symmetry.action(action) for symmetry in self.symmetries), key=repr, default=action)

    def from_book(self, action: Any) -> Any:
        """An action here that ``to_book`` makes ``action``."""
        return self.symmetries[0].inverse_action(action) if self.symmetries else action


class Places:
    """Finds the places of a game's positions."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game = game
        self._strips = isinstance(game, HasBookState)
        self._text = _text_of(game)
        self._symmetries: Sequence[Symmetry[Any, Any]] = game.symmetries() if isinstance(game, HasSymmetries) else ()

    def of(self, state: Any) -> Place:
        """The place of ``state``."""
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

    def text(self, place: Place, action: Any) -> str:
        """The text in the book of an action that is legal at the position."""
        return action_to_text(self.game, place.state, place.to_book(action))


def _key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=KEY_BYTES).digest(), "big")
