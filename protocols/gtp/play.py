"""GTP commands about moves, which every game has."""

from __future__ import annotations

from collections.abc import Callable

from playout.engine.judge.life import Judgement
from playout.engine.terms.info import SearchResult
from playout.engine.terms.limits import Limits
from playout.games.errors import GameError, IllegalMove
from playout.games.game import CHANCE, HasRender, action_to_text
from playout.games.support.board_size import has_size, resized
from playout.protocols.base.lines import last_line
from playout.protocols.gtp.board import PASS, Board, GameRecord
from playout.protocols.gtp.clock import NAMES, Clocks
from playout.protocols.gtp.dead_stones import at_a_glance, passing_loses, wins_as_it_is
from playout.protocols.gtp.syntax import GtpCommand, GtpError, Handler, Thinking, arguments, colour, integer


class _Play:
    def __init__(self, board: Board, clocks: Clocks, now: Callable[[], float]) -> None:
        self._board = board
        self._clocks = clocks
        self._now = now

    def boardsize(self, command: GtpCommand) -> str:
        """``boardsize SIZE``: sets an empty board of that size, or fails with ``unacceptable size``.

        Go and Hex also accept width and height; boards of Hex are square.
        """
        usage, most = ("SIZE [HEIGHT]", 2) if self._board.points else ("SIZE", 1)
        return self._resize(*(integer(word) for word in arguments(command, usage, 1, most)))

    def rectangular_boardsize(self, command: GtpCommand) -> str:
        """``rectangular_boardsize WIDTH HEIGHT``: sets an empty board of WIDTH columns and HEIGHT rows, 2 to 25 in Go;
        boards of Hex are square. Fails with ``unacceptable size``."""
        return self._resize(*(integer(word) for word in arguments(command, "WIDTH HEIGHT", 2)))

    def query_boardsize(self, _: GtpCommand) -> str:
        """``query_boardsize``: answers the size of the board, or width and height if it is not square."""
        game = self._board.game
        if self._board.points:
            return str(game.columns) if game.columns == game.rows else f"{game.columns} {game.rows}"
        if not has_size(game):
            raise GtpError("this game's board has no size")
        return str(game.size)

    def clear_board(self, _: GtpCommand) -> str:
        """``clear_board``: sets the start position and resets the clocks."""
        self._board.clear()
        self._clocks.reset()
        return ""

    def play(self, command: GtpCommand) -> str:
        """``play COLOUR MOVE``: plays a move of the colour, whoever is to move. If dice are to be rolled, MOVE is the
        roll. Go goes on after a repeated board under simple ko, and beyond its greatest length. Fails with ``illegal
        move``."""
        words = arguments(command, "COLOUR MOVE", 2, 9)
        self._board.play(colour(words[0]), " ".join(words[1:]))
        return ""

    def undo(self, _: GtpCommand) -> str:
        """``undo``: takes back a move."""
        return self._undo(1)

    def gg_undo(self, command: GtpCommand) -> str:
        """``gg-undo [COUNT]``: takes back COUNT moves, by default 1."""
        words = arguments(command, "[COUNT]", 0, 1)
        return self._undo(integer(words[0]) if words else 1)

    def genmove(self, command: GtpCommand) -> str | Thinking:
        """``genmove COLOUR``: searches by the colour's clock, plays the best move and answers it, or answers
        ``resign``. After the end of the game it passes or, in Hex, resigns."""
        return self._think(command, commit=True)

    def reg_genmove(self, command: GtpCommand) -> str | Thinking:
        """``reg_genmove COLOUR``: searches as ``genmove`` does and answers the move, but does not play it. The clocks
        do not run."""
        return self._think(command, commit=False)

    def showboard(self, _: GtpCommand) -> str:
        """``showboard``: draws the board."""
        game, state = self._board.game, self._board.state
        return "\n" + (game.render(state) if isinstance(game, HasRender) else str(state))

    def final_score(self, _: GtpCommand) -> str:
        """``final_score``: answers ``B+`` if Black has won, ``W+`` if White has, ``0`` for a draw. Fails before the
        end of the game."""
        returns = self._board.game.returns(self._board.state)
        if returns is None:
            raise GtpError("cannot score: the game is not over")
        return "0" if returns[0] == 0 else "B+" if returns[0] > 0 else "W+"

    def all_legal_moves(self, _: GtpCommand) -> str:
        """``all_legal_moves``: answers the legal moves on one line."""
        game, state = self._board.game, self._board.state
        return " ".join(action_to_text(game, state, action) for action in game.legal_actions(state))

    def _resize(self, columns: int, rows: int | None = None) -> str:
        game = self._board.game
        sides = (columns, columns if rows is None else rows)
        try:
            changed = game if self._board.points and sides == (game.columns, game.rows) else resized(game, *sides)
        except GameError:
            raise GtpError("unacceptable size") from None
        self._board.load(GameRecord(changed))
        return ""

    def _undo(self, count: int) -> str:
        try:
            self._board.undo(count)
        except IllegalMove:
            raise GtpError("cannot undo") from None
        return ""

    def _think(self, command: GtpCommand, commit: bool) -> str | Thinking:
        board = self._board
        player = colour(arguments(command, "COLOUR", 1)[0])
        if board.mover is None:
            return self._after_the_end(player, commit)
        if board.mover == CHANCE:
            raise GtpError("the dice come first: play COLOUR ROLL")
        before = board.record() if board.mover != player else None
        if before is not None:
            try:
                board.session.set_player(player)
            except IllegalMove:
                raise GtpError(f"it is not {NAMES[player]}'s turn") from None
        clock, most = (self._clocks.clock(player), self._clocks.most) if commit else (None, None)
        limits = Limits(clock=clock, movetime=most, received=command.received)
        margin = board.session.options.number("Resign")

        def answer(result: SearchResult, move: str | None) -> str:
            if commit:
                self._clocks.spend(player, self._now() - command.received)
            resigns = result.info.hopeless(margin)
            if commit and resigns:
                board.session.ended(2.0 * player - 1.0)
            elif commit and move is not None:
                board.play(player, move)
            elif before is not None:
                board.load(before)
            if result.move is None and result.reason == "fault":
                raise GtpError(f"search failed: {last_line(result.fault)}")
            return "resign" if resigns else move or PASS

        def finish(result: SearchResult) -> str | Thinking:
            passes = board.territory and result.move == PASS and not result.info.hopeless(margin)
            if not passes or not wins_as_it_is(board, player):
                return answer(result, result.move)

            def judged(judgement: Judgement | None) -> str:
                """The response: ``pass``, or the next best move if a pass would lose the game by dead stones."""
                others = [other.move for other in result.info.moves if other.move != PASS]
                loses = judgement is not None and passing_loses(board, player, judgement)
                return answer(result, others[0] if loses and others else PASS)

            return at_a_glance(board, judged)

        return Thinking(limits, finish)

    def _after_the_end(self, player: int, commit: bool) -> str:
        if self._board.rhombic:
            return "resign"
        if commit:
            self._board.play(player, PASS)
        return PASS


def play_commands(board: Board, clocks: Clocks, now: Callable[[], float]) -> dict[str, Handler]:
    """The commands; ``now`` is the clock, in seconds, that measures how long a move takes."""
    play = _Play(board, clocks, now)
    rectangular = {"rectangular_boardsize": play.rectangular_boardsize} if board.points else {}
    return {
        **rectangular,
        "boardsize": play.boardsize,
        "query_boardsize": play.query_boardsize,
        "clear_board": play.clear_board,
        "play": play.play,
        "genmove": play.genmove,
        "reg_genmove": play.reg_genmove,
        "undo": play.undo,
        "gg-undo": play.gg_undo,
        "showboard": play.showboard,
        "final_score": play.final_score,
        "all_legal_moves": play.all_legal_moves,
    }
