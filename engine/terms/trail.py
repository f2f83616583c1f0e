"""The states along a line of play, computed when they are read where a kernel has checked the moves."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final, overload

from playout.games.game import Game, HasClaimedDraws, HasPlayerChange, HasStateText, is_over, text_to_action

PLAYER_TOKENS = ("@0", "@1")
"""Words in a list of moves that give the move to player 0 or 1."""

_UNKNOWN: Final = object()


class Trail:
    """A start and the words that lead on from it, shared by the lines that have them in common. Grows at its end only.

    Thread contract: any thread; a state may be computed twice, with equal results.
    """

    __slots__ = ("_game", "_lock", "_states", "_taken_up", "_texts", "_words")

    def __init__(self, game: Game[Any, Any], start: Any) -> None:
        self._game = game
        self._words: list[str] = []
        self._states: list[Any] = [start]
        self._taken_up: dict[int, Any] = {}
        self._texts: dict[int, str] = {}
        self._lock = threading.Lock()

    def extended(self, length: int, words: Sequence[str], states: Sequence[Any] | None) -> Trail:
        """Returns a trail of the first ``length`` words and ``words``: this one, if it has no others.

        ``states`` follow the words, one each; None leaves them to be computed, and the words must be legal moves.
        """
        with self._lock:
            trail = self if len(self._words) == length else self._copy(length)
            trail._words += words
            trail._states += states if states is not None else (_UNKNOWN,) * len(words)
        return trail

    def note_text(self, place: int, text: str, taken_up: bool) -> None:
        """Notes the text of the state at ``place``, after as many words, to which nothing before it matters.

        With ``taken_up`` it is the state in which play goes on there after a draw that nobody has claimed.
        """
        if taken_up:
            assert isinstance(self._game, HasStateText)
            self._taken_up[place] = self._game.state_from_text(text)
        else:
            self._texts[place] = text

    def at(self, place: int) -> Any:
        """Returns the state after ``place`` words, before a draw there is passed over."""
        if self._states[place] is _UNKNOWN and not self._read(place):
            begin = place - 1
            while self._states[begin] is _UNKNOWN and begin not in self._taken_up and not self._read(begin):
                begin -= 1
            for number in range(begin, place):
                self._states[number + 1] = self._after(number)
        return self._states[place]

    def taken_up(self, place: int) -> Any:
        """Returns the state from which play goes on after ``place`` words, if nobody claims a draw there."""
        state = self._taken_up.get(place, _UNKNOWN)
        if state is _UNKNOWN:
            state = self.at(place)
            if isinstance(self._game, HasClaimedDraws) and is_over(self._game, state):
                state = self._game.without_claim(state)
            self._taken_up[place] = state
        return state

    def _copy(self, length: int) -> Trail:
        trail = Trail(self._game, None)
        trail._words, trail._states = self._words[:length], self._states[: length + 1]
        trail._taken_up = {place: state for place, state in self._taken_up.items() if place <= length}
        trail._texts = {place: text for place, text in self._texts.items() if place <= length}
        return trail

    def _read(self, place: int) -> bool:
        """Whether the state there could be read from its text, or was before."""
        text = self._texts.get(place)
        if text is None:
            return False
        assert isinstance(self._game, HasStateText)
        self._states[place] = self._game.state_from_text(text)
        return True

    def _after(self, place: int) -> Any:
        """The state after one more word."""
        word = self._words[place]
        if word in PLAYER_TOKENS:
            assert isinstance(self._game, HasPlayerChange)
            return self._game.with_player(self.at(place), PLAYER_TOKENS.index(word))
        state = self.taken_up(place)
        return self._game.next_state(state, text_to_action(self._game, state, word))


class States(Sequence[Any]):
    """The first states of a trail, start included, each before a draw there is passed over."""

    __slots__ = ("_length", "trail")

    def __init__(self, trail: Trail, length: int) -> None:
        self.trail = trail
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        numbers = range(self._length)[place]
        return self.trail.at(numbers) if isinstance(numbers, int) else [self.trail.at(number) for number in numbers]
