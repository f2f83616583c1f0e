"""UCI, the Universal Chess Interface, for any game: its FEN and moves are the game's own texts."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from playout.games.errors import PlayoutError
from playout.protocols.go_command import UCI_WORDS, GoWords
from playout.protocols.universal import Universal

if TYPE_CHECKING:
    from playout.engine.session import Session


class Uci(Universal):
    """See ``Protocol``."""

    verb: ClassVar[str] = "uci"
    words: ClassVar[GoWords] = UCI_WORDS
    mate_in_plies: ClassVar[bool] = False

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._last_position: tuple[str | None, Sequence[str]] = (None, ())

    def _new_game(self, rest: str, received: float) -> Sequence[str]:
        self._last_position = (None, ())
        return super()._new_game(rest, received)

    def _set_position(self, text: str | None, moves: Sequence[str]) -> None:
        self._apply_castling_option()
        super()._set_position(text, moves)
        self._last_position = (text, moves)

    def _go(self, rest: str, received: float) -> Sequence[str]:
        self._apply_castling_option()
        return super()._go(rest, received)

    def _option_set(self, name: str) -> None:
        self._apply_castling_option()

    def _apply_castling_option(self) -> None:
        """Plays by the castling rules and notation that ``UCI_Chess960`` asks for, from the same position if it can.

        During a search nothing happens: the next ``position`` or ``go`` sees to it.
        """
        game: Any = self.session.game
        if self.busy or not hasattr(game, "chess960"):
            return
        chess960 = self.session.options.flag("UCI_Chess960")
        if game.chess960 == chess960:
            return
        self.session.set_game(dataclasses.replace(game, chess960=chess960))
        text, moves = self._last_position
        try:
            self.session.set_position(text, moves)
        except PlayoutError:
            self._last_position = (None, ())

    def _best(self, move: str, ponder: str | None) -> str:
        return f"bestmove {move} ponder {ponder}" if ponder is not None else f"bestmove {move}"
