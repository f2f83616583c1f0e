"""UGI, the Universal Game Interface (github.com/kz04px/ugi): UCI for any game, with queries about the rules.

Rolls of the dice appear in the list of moves as moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from playout.games.errors import ProtocolError
from playout.games.game import is_over
from playout.protocols.base.dispatch import Command
from playout.protocols.base.lines import one_line
from playout.protocols.uci.go_command import UGI_WORDS, GoWords
from playout.protocols.uci.universal import Universal

if TYPE_CHECKING:
    from playout.engine.session import Session


class Ugi(Universal):
    """Implements ``Protocol``. ``bestmove`` never has a ponder move, because match runners expect exactly two words."""

    verb: ClassVar[str] = "ugi"
    words: ClassVar[GoWords] = UGI_WORDS
    mate_in_plies: ClassVar[bool] = True
    unspoken: ClassVar[frozenset[str]] = frozenset({"uci_variant"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._commands["query"] = self._query

    def _query(self, command: Command) -> Sequence[str]:
        """``query p1turn|gameover|result``: answers ``response true`` or ``false``; of the result ``p1win``, ``p2win``,
        ``draw`` or ``none``."""
        question, game, state = command.text, self.session.game, self.session.state
        if question == "gameover":
            answer = _truth(is_over(game, state))
        elif question == "p1turn":
            answer = _truth(not is_over(game, state) and game.current_player(state) == 0)
        elif question == "result":
            returns = game.returns(state)
            answer = "none" if returns is None else _result(returns[0])
        else:
            raise ProtocolError(f"query: {one_line(question, 40)!r} is none of p1turn, gameover, result")
        return [f"response {answer}"]


def _truth(value: bool) -> str:
    return "true" if value else "false"


def _result(value: float) -> str:
    """Converts ``value``, from the point of view of player 0, to UGI's word."""
    if value == 0:
        return "draw"
    return "p1win" if value > 0 else "p2win"
