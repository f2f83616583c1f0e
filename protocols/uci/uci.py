"""UCI, the Universal Chess Interface, for any game: its FEN and moves are the game's own texts."""

from __future__ import annotations

from typing import ClassVar

from playout.protocols.uci.go_command import UCI_WORDS, GoWords
from playout.protocols.uci.universal import Universal


class Uci(Universal):
    """See ``Protocol``."""

    verb: ClassVar[str] = "uci"
    words: ClassVar[GoWords] = UCI_WORDS
    mate_in_plies: ClassVar[bool] = False

    def _best(self, move: str, ponder: str | None) -> str:
        return f"bestmove {move} ponder {ponder}" if ponder is not None else f"bestmove {move}"
