"""The extension of a line of play by many moves: by the game's kernel as far as it can, otherwise in Python."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playout.engine import _core
from playout.engine.terms.kernel import kernel_of, kernel_params
from playout.engine.terms.trail import Trail
from playout.games.errors import GameError, IllegalMove
from playout.games.game import Game, HasClaimedDraws, action_to_text, is_over, text_to_action

FEW = 16
"""Number of moves up to which Python plays them at once, so that all their states are known."""
CHUNK = 512
"""Number of moves that the kernel is given at a time: what it refuses, it has been given in vain."""
LONGEST_WAIT = 1.0
"""Seconds to wait at most for another long line that Python plays."""

Path = Callable[[], tuple[str | None, Sequence[str]]]

_python_plays = threading.Lock()


class Growth:
    """A line of play that grows."""

    def __init__(self, game: Game[Any, Any], trail: Trail, words: Sequence[str], resumed: Sequence[int]) -> None:
        self._game = game
        self.trail = trail
        self.words = list(words)
        self.resumed = list(resumed)

    def play(self, text: str) -> None:
        """Adds a move or a roll.

        Raises:
            IllegalMove: if it is not legal at the end of the line; nothing changes.
        """
        game, place = self._game, len(self.words)
        state = self.trail.at(place)
        over = is_over(game, state)
        if over:
            state = self.trail.taken_up(place) if isinstance(game, HasClaimedDraws) else None
            if state is None:
                raise IllegalMove(f"illegal move: {text.strip()[:60]!r} (the game is over)")
        action = text_to_action(game, state, text)
        word = action_to_text(game, state, action)
        self.trail = self.trail.extended(place, (word,), (game.next_state(state, action),))
        self.words.append(word)
        if over and self.resumed[-1:] != [place]:
            self.resumed.append(place)

    def extend(self, moves: Sequence[str], path: Path, prefix: str = "", most: int | None = None) -> None:
        """Adds ``moves`` and rolls.

        ``path`` gives what leads the kernel to the end of the line: a start text, None for the game's start, and words.
        It is called only if there are many moves. ``prefix``
        begins the message about an illegal move; ``{number}`` in it is the number of words up to that move. ``most``
        bounds the moves that Python plays.

        Raises:
            GameError: if Python would have to play more moves than ``most``.
            IllegalMove: if one of the moves is not legal where it stands.
        """
        position = _position(self._game, *path()) if len(moves) > FEW else None
        with _one_at_a_time(position is None and len(moves) > FEW):
            first, by_python = len(self.words), 0
            while (done := len(self.words) - first) < len(moves):
                if (
                    position is not None
                    and len(moves) - done > FEW
                    and self._follow(position, moves[done : done + CHUNK])
                ):
                    continue
                number, by_python = first + done + 1, by_python + 1
                if most is not None and by_python > most:
                    raise GameError(f"move {number}: at most {most} new moves at a time, and this is one more")
                try:
                    self.play(moves[done])
                except IllegalMove as error:
                    raise IllegalMove(prefix.format(number=number) + str(error)) from None
                if position is not None and not position.follow(self.words[-1:])[0]:
                    position = None

    def _follow(self, position: _core.Position, moves: Sequence[str]) -> int:
        """Adds ``moves`` as far as the kernel knows them, and returns their number."""
        place = len(self.words)
        count, resumed, fresh = position.follow(moves)
        self.trail = self.trail.extended(place, moves[:count], None)
        self.words += moves[:count]
        self.resumed += [place + number for number in resumed if place + number not in self.resumed[-1:]]
        if fresh is not None:
            number, played_on, text = fresh
            self.trail.note_text(place + number, text, played_on)
        return count


def _position(game: Game[Any, Any], text: str | None, words: Sequence[str]) -> _core.Position | None:
    """The kernel's position after ``words``, if that helps: if its text can stand for the moves before it."""
    kernel = kernel_of(game)
    if kernel is None:
        return None
    position = _core.Position(kernel, kernel_params(game), text)
    if position.fresh_text() is None:
        return None
    return position if position.follow(words)[0] == len(words) else None


@contextmanager
def _one_at_a_time(needed: bool) -> Iterator[None]:
    """Keeps other long lines out, if ``needed``: many threads that run Python delay each other's clocks."""
    taken = needed and _python_plays.acquire(timeout=LONGEST_WAIT)
    try:
        yield
    finally:
        if taken:
            _python_plays.release()
