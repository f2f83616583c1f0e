"""GTP commands that servers and match programs add: CGOS, the Kiseido Go Server, Gomill."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from playout.engine.judge.life import Judgement
from playout.engine.terms.info import SearchResult
from playout.games.support.go.board import Stones
from playout.protocols.base.lines import one_line
from playout.protocols.base.version import NAME, VERSION
from playout.protocols.gtp.board import PASS, Board
from playout.protocols.gtp.dead_stones import at_a_glance
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, Thinking, arguments, colour, real

DRAWS = ("0", "DRAW", "JIGO")
logger = logging.getLogger(__name__)


class _Servers:
    def __init__(self, board: Board, genmove: Callable[[GtpCommand], str | Thinking]) -> None:
        self._board = board
        self._genmove = genmove

    def cgos_opponent_name(self, command: GtpCommand) -> str:
        """``cgos-opponent_name NAME``: writes the opponent's name to the log."""
        logger.info("the opponent is %s", one_line(" ".join(arguments(command, "NAME", 1, 99))))
        return ""

    def cgos_opponent_rating(self, command: GtpCommand) -> str:
        """``cgos-opponent_rating RATING``: writes the opponent's rating to the log. A ``?`` may follow the number."""
        rating = real(arguments(command, "RATING", 1)[0].removesuffix("?"))
        logger.info("the opponent's rating is %g", rating)
        return ""

    def cgos_gameover(self, command: GtpCommand) -> str:
        """``cgos-gameover RESULT``: gives the result of the game, such as ``B+3.5``, ``W+Resign`` or ``0``. Books learn
        from it if the option BookLearn is set."""
        result = arguments(command, "RESULT", 1)[0].upper()
        value = {"B": 1.0, "W": -1.0}.get(result[:1]) if result[1:2] == "+" else 0.0 if result in DRAWS else None
        if value is None:
            raise GtpError("syntax error: expected B+..., W+... or 0")
        self._board.session.ended(value)
        return ""

    def kgs_game_over(self, _: GtpCommand) -> str:
        """``kgs-game_over``: is accepted and ignored; the next game begins with ``boardsize`` or ``clear_board``."""
        return ""

    def kgs_genmove_cleanup(self, command: GtpCommand) -> str | Thinking:
        """``kgs-genmove_cleanup COLOUR``: as ``genmove``, but captures the opponent's dead stones before it passes. The
        server sends it if the players disagree about which stones are dead."""
        player = colour(arguments(command, "COLOUR", 1)[0])
        if self._board.over:
            self._board.resume(player)
        thinking = self._genmove(command)
        if isinstance(thinking, str):
            return thinking

        def finish(result: SearchResult) -> str | Thinking:
            def judged(judgement: Judgement | None) -> str | Thinking:
                preferred = [move.move for move in result.info.moves]
                move = PASS if judgement is None else self._capture(player, preferred, judgement)
                return thinking.finish(replace(result, move=move))

            return at_a_glance(self._board, judged) if result.move == PASS else thinking.finish(result)

        return replace(thinking, finish=finish)

    def gomill_describe_engine(self, _: GtpCommand) -> str:
        """``gomill-describe_engine``: answers name, version and the search options that differ from their defaults."""
        options = self._board.session.options
        changed = [
            f"{option.name} = {options[option.name]}"
            for option in options.declared()
            if option.kind != "button" and options[option.name] != options.preferred.get(option.name, option.default)
        ]
        return "\n".join([f"{NAME} {VERSION}", f"game {self._board.game.name}", *changed])

    def gomill_cpu_time(self, _: GtpCommand) -> str:
        """``gomill-cpu_time``: answers the seconds of processor time that the engine has used."""
        return f"{time.process_time():.3f}"

    def gomill_genmove_ex(self, command: GtpCommand) -> str | Thinking:
        """``gomill-genmove_ex [COLOUR [claim]]``: as ``genmove``; with ``claim``, if the search has proved a win,
        answers ``claim`` and plays nothing. Without a colour, answers the keywords that it accepts."""
        if not command.arguments:
            return "claim"
        _, *words = arguments(command, "[COLOUR [claim]]", 1, 9)
        thinking = self._genmove(replace(command, arguments=command.arguments[:1]))
        if isinstance(thinking, str) or "claim" not in words:
            return thinking

        def finish(result: SearchResult) -> str | Thinking:
            best = result.info.moves[0] if result.info.moves else None
            if best is None or best.lower < 1 or best.move != result.move:
                return thinking.finish(result)
            thinking.finish(replace(result, move=None, info=replace(result.info, moves=())))
            return "claim"

        return replace(thinking, finish=finish)

    def _capture(self, player: int, preferred: Sequence[str], judgement: Judgement) -> str:
        """The best move, by ``preferred``, that takes a liberty of one of the opponent's dead chains; else a pass."""
        game, state = self._board.game, self._board.state
        if game.current_player(state) != player:
            state = game.with_player(state, player)
        stones = Stones.of(game.columns, game.rows, game.stones(state))
        moves = []
        for chain in judgement.of("dead"):
            for point in stones.liberties(chain.points) if chain.player != player else ():
                after = stones.copy()
                after.play(point, player)
                if len(after.liberties(after.chain(point))) > 1 and point in game.legal_actions(state):
                    moves.append(game.action_to_text(state, point))
        return min(moves, key=[*preferred, *moves].index, default=PASS)


def server_commands(board: Board, commands: Mapping[str, Handler]) -> dict[str, Handler]:
    """The commands that the board's game has; ``commands`` holds ``genmove``."""
    servers = _Servers(board, commands["genmove"])
    found: dict[str, Handler] = {
        "gomill-describe_engine": servers.gomill_describe_engine,
        "gomill-cpu_time": servers.gomill_cpu_time,
        "gomill-genmove_ex": servers.gomill_genmove_ex,
    }
    if board.territory:
        found |= {
            "cgos-opponent_name": servers.cgos_opponent_name,
            "cgos-opponent_rating": servers.cgos_opponent_rating,
            "cgos-gameover": servers.cgos_gameover,
            "kgs-game_over": servers.kgs_game_over,
            "kgs-genmove_cleanup": servers.kgs_genmove_cleanup,
        }
    return found
