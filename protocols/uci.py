"""UCI, the Universal Chess Interface, for any game: its FEN and moves are the game's own texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from playout.engine.info import SearchResult
from playout.games.errors import PlayoutError
from playout.protocols.go_command import UCI_WORDS, GoWords
from playout.protocols.universal import Request, Universal, remark

if TYPE_CHECKING:
    from playout.engine.session import Session

CASTLING_OPTION = "UCI_Chess960"


class Uci(Universal):
    """See ``Protocol``."""

    verb: ClassVar[str] = "uci"
    words: ClassVar[GoWords] = UCI_WORDS
    mate_in_plies: ClassVar[bool] = False

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._last_position: tuple[str | None, Sequence[str]] = (None, ())
        self._castling_asked = False

    def _new_game(self, request: Request) -> Sequence[str]:
        self._last_position = (None, ())
        return super()._new_game(request)

    def _set_position(self, text: str | None, moves: Sequence[str]) -> None:
        super()._set_position(text, moves)
        self._last_position = (text, moves)

    def _option_set(self, name: str) -> Sequence[str]:
        self._castling_asked = self._castling_asked or name.lower() == CASTLING_OPTION.lower()
        return self._change_castling()

    def _end(self, result: SearchResult) -> Sequence[str]:
        return [*super()._end(result), *self._change_castling()]

    def _change_castling(self) -> Sequence[str]:
        """Plays by the castling rules and notation that were asked for, from the same position if they allow it.

        Waits for the end of a search. A game that the interface says nothing about stays as it is.
        """
        game: Any = self.session.game
        if self.busy or not self._castling_asked:
            return ()
        self._castling_asked = False
        try:
            self.session.set_game(dataclasses.replace(game, chess960=self.session.options.flag(CASTLING_OPTION)))
            self.session.set_position(*self._last_position)
        except PlayoutError as error:
            self._last_position = (None, ())
            return [remark(f"start position, as the rules have changed: {error}")]
        return ()

    def _best(self, move: str, ponder: str | None) -> str:
        return f"bestmove {move} ponder {ponder}" if ponder is not None else f"bestmove {move}"
