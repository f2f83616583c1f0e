"""CECP's commands about the game, the search and its output."""

from __future__ import annotations

from collections.abc import Sequence

from playout.games import catalogue
from playout.games.errors import GameError, IllegalMove, ProtocolError
from playout.protocols.base.dispatch import Command
from playout.protocols.base.lines import one_line
from playout.protocols.xboard.format import book_lines, move_text, result_claim, status
from playout.protocols.xboard.play import Play, Purpose
from playout.protocols.xboard.settings import VARIANTS
from playout.protocols.xboard.syntax import Handler, not_now

RESULTS = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0}
"""White's."""


class Commands:
    """The handlers; ``idle`` commands require the search to have ended, ``others`` do not."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._session = play.session
        self.idle: dict[str, Handler] = {
            "new": self._new,
            "variant": self._variant,
            "setboard": self._setboard,
            "usermove": self._usermove,
            "go": self._go,
            "playother": self._playother,
            "white": self._white,
            "black": self._black,
            "undo": self._undo,
            "remove": self._remove,
            "result": self._result,
            "analyze": self._analyze,
            "exclude": self._exclude,
            "include": self._include,
            "bk": self._book,
        }
        self.others: dict[str, Handler] = {
            "force": self._force,
            "exit": self._exit,
            ".": self._status,
            "?": self._move_now,
            "draw": self._draw,
            "hint": self._hint,
            "hard": self._hard,
            "easy": self._easy,
            "post": self._post,
            "nopost": self._nopost,
            "pause": self._pause,
            "resume": self._resume,
        }

    def _new(self, _: Command) -> Sequence[str]:
        """``new``: the start position of chess; the engine plays Black, its clock is reset, limits of depth and nodes
        are removed. Analysis continues from there.
        """
        self._rules("normal")
        self._play.settings.new_game()
        self._play.start_game(side=None if self._play.analysing else 1)
        return ()

    def _variant(self, command: Command) -> Sequence[str]:
        """``variant NAME``: ``normal``, or ``fischerandom``, whose array ``setboard`` brings."""
        if command.text not in VARIANTS:
            raise ProtocolError("unsupported variant")
        self._rules(command.text)
        self._play.broken, self._play.turn = False, None
        self._moved()
        return ()

    def _setboard(self, command: Command) -> Sequence[str]:
        """``setboard FEN``: sets the position. If it is illegal: ``tellusererror Illegal position: WHY``, and every
        move is refused until the next ``new`` or ``setboard``.
        """
        play = self._play
        play.turn, play.may_ponder = None, False
        play.rest()
        try:
            self._session.set_position(command.text, [])
        except GameError as error:
            play.broken = True
            return [f"tellusererror Illegal position: {one_line(str(error), 160)}"]
        play.broken = False
        play.new_position()
        play.clock.new_position()
        return ()

    def _usermove(self, command: Command) -> Sequence[str]:
        """``usermove MOVE``: plays the move, which may also be sent alone, in coordinates or standard algebraic
        notation; castling also as ``O-O`` or king takes rook. If the other side is the engine's, it then thinks and
        replies ``move MOVE``. A move that ends the game is answered by its result, an illegal one by ``Illegal move:
        MOVE``.
        """
        play = self._play
        refusal = f"llegal move: {one_line(command.text, 40)}"
        if play.broken:
            return [f"I{refusal}"]
        if play.task is Purpose.MOVE:
            return [f"Illegal move (not your turn): {one_line(command.text, 40)}"]
        if play.expects(command.text):
            play.take_over(command.text, command.received)
            return ()
        try:
            self._turn_over()
            self._session.play(command.text)
        except IllegalMove:
            return [f"I{refusal}"]
        self._moved()
        if play.side is None:
            return ()
        claim = result_claim(play.game, self._session.state)
        if claim is not None:
            return [claim]
        if play.mover == play.side:
            play.owe_move(command.received)
        return ()

    def _go(self, command: Command) -> Sequence[str]:
        """``go``: the engine plays the side to move, and thinks: ``move MOVE``. In a finished game it replies the
        result; after a draw by repetition or 50 moves it plays on.
        """
        play = self._play
        if play.task is Purpose.MOVE:
            return ()
        self._play_on()
        play.side = play.mover
        if not play.legal():
            play.task = None
            claim = result_claim(play.game, self._session.state)
            return [] if claim is None else [claim]
        play.owe_move(command.received)
        return ()

    def _playother(self, _: Command) -> Sequence[str]:
        """``playother``: the engine plays the side that is not to move."""
        play = self._play
        self._play_on()
        play.side, play.may_ponder, play.task = 1 - play.mover, True, None
        play.await_opponent()
        return ()

    def _white(self, _: Command) -> Sequence[str]:
        """``white``: White is to move, the engine plays Black; an old form, sent before ``go``."""
        return self._set_turn(0)

    def _black(self, _: Command) -> Sequence[str]:
        """``black``: Black is to move, the engine plays White; an old form, sent before ``go``."""
        return self._set_turn(1)

    def _force(self, _: Command) -> Sequence[str]:
        """``force``: the engine plays neither side; it checks moves and makes none. A running search ends without a
        move.
        """
        self._play.side = None
        self._play.rest()
        return ()

    def _undo(self, _: Command) -> Sequence[str]:
        """``undo``: takes back a move, while the engine plays neither side."""
        if self._play.side is not None:
            raise not_now()
        self._take_back(1)
        return ()

    def _remove(self, _: Command) -> Sequence[str]:
        """``remove``: takes back a move of each side, while the engine is not to move."""
        if self._play.task is Purpose.MOVE:
            raise not_now()
        self._take_back(2)
        self._play.await_opponent()
        return ()

    def _result(self, command: Command) -> Sequence[str]:
        """``result RESULT {COMMENT}``: the game is over, as 1-0, 0-1, 1/2-1/2 or *; the engine plays neither side, and
        learns from it if the option BookLearn says so."""
        result = command.text.split()[0] if command.text else ""
        if result != "*" and result not in RESULTS:
            raise ProtocolError("expected a result")
        if result in RESULTS and not self._play.analysing:
            self._session.ended(RESULTS[result])
        self._force(command)
        return self._play.settings.remarks()

    def _analyze(self, _: Command) -> Sequence[str]:
        """``analyze``: searches the current position until ``exit``, through all changes of it."""
        play = self._play
        self._turn_over()
        play.analysing, play.side = True, None
        play.rest()
        return ()

    def _exit(self, _: Command) -> Sequence[str]:
        """``exit``: ends the analysis; the engine plays neither side."""
        if not self._play.analysing:
            raise not_now()
        self._play.analysing = False
        self._play.rest()
        return ()

    def _status(self, _: Command) -> Sequence[str]:
        """``.``: while it thinks or analyses, ``stat01: TIME NODES PLY LEFT MOVES MOVE``: time in centiseconds, nodes,
        depth, root moves not tried yet, all root moves, the best one.
        """
        search = self._play.search
        if search is None and not self._play.analysing:
            return ()
        info = None if search is None or search.dropped else search.latest
        best = info.moves[0].move if info is not None and info.moves and search is not None else ""
        text = move_text(self._play.game, search.root, best) if best and search is not None else ""
        return [status(info, len(self._play.considered()), text)]

    def _move_now(self, _: Command) -> Sequence[str]:
        """``?``: moves at once, if the engine is thinking on its own time."""
        search = self._play.search
        if search is not None and search.task is Purpose.MOVE and not search.dropped:
            self._session.stop()
        return ()

    def _draw(self, _: Command) -> Sequence[str]:
        """``draw``: the opponent offers a draw; ``offer draw`` accepts it, at the latest with the engine's next move,
        if its search expects at most a draw.
        """
        play = self._play
        if play.side == 1 - play.mover and play.value is not None and play.value <= 0.0:
            play.draw_offered = False
            return ["offer draw"]
        play.draw_offered = True
        return ()

    def _hint(self, _: Command) -> Sequence[str]:
        """``hint``: ``Hint: MOVE``, the move that the engine analyses, expects or has in its book; no reply if there is
        none.
        """
        play, search = self._play, self._play.search
        game, state = play.game, self._session.state
        move = play.expected
        if search is None and move is None:
            known = self._session.books.lookup(state)
            move = None if known is None else game.action_to_text(state, known[1][0].action)
        elif search is not None and search.root == state and search.latest is not None and search.latest.moves:
            move = search.latest.moves[0].move if search.task is not Purpose.MOVE else move
        return [] if move is None else [f"Hint: {move_text(game, state, move)}"]

    def _book(self, _: Command) -> Sequence[str]:
        """``bk``: the book's moves, one on each line with its share by weight and games won, lost and drawn; each line
        begins with a space, and an empty one ends them.
        """
        state = self._session.state
        known = self._session.books.lookup(state)
        if known is None:
            return [" no book knows this position", ""]
        return book_lines(self._play.game, state, known[0].name, known[1])

    def _hard(self, _: Command) -> Sequence[str]:
        """``hard``: thinks on the opponent's time too; ``Hint: MOVE`` names the expected reply."""
        return self._set_pondering(True)

    def _easy(self, _: Command) -> Sequence[str]:
        """``easy``: thinks on its own time only."""
        return self._set_pondering(False)

    def _post(self, _: Command) -> Sequence[str]:
        """``post``: shows thinking: PLY SCORE TIME NODES SELDEPTH SPEED TBHITS, a tab and the variation."""
        self._play.posting = True
        return ()

    def _nopost(self, _: Command) -> Sequence[str]:
        """``nopost``: shows no thinking."""
        self._play.posting = False
        return ()

    def _pause(self, command: Command) -> Sequence[str]:
        """``pause``: stops all thinking and the clocks."""
        if self._play.paused_at is None:
            self._play.paused_at = command.received
        return ()

    def _resume(self, command: Command) -> Sequence[str]:
        """``resume``: continues where ``pause`` stopped."""
        play = self._play
        if play.paused_at is not None:
            play.since += max(0.0, command.received - max(play.paused_at, play.since))
            play.paused_at = None
        return ()

    def _exclude(self, command: Command) -> Sequence[str]:
        """``exclude MOVE|all``: excludes moves from the search of this position."""
        self._play.excluded |= self._named(command)
        return ()

    def _include(self, command: Command) -> Sequence[str]:
        """``include MOVE|all``: includes moves again."""
        self._play.excluded -= self._named(command)
        return ()

    def _set_pondering(self, on: bool) -> Sequence[str]:
        self._play.pondering = on
        self._session.set_option("Ponder", str(on))
        self._play.await_opponent()
        return ()

    def _named(self, command: Command) -> frozenset[str]:
        game, state = self._play.game, self._session.state
        if command.text == "all":
            return frozenset(self._play.legal())
        return frozenset([game.action_to_text(state, game.text_to_action(state, command.text))])

    def _rules(self, variant: str) -> None:
        """Sets the start position under the rules of ``variant``."""
        game = catalogue.load(VARIANTS[variant])
        if self._session.game == game:
            self._session.new_game()
        else:
            self._session.set_game(game)

    def _moved(self) -> None:
        self._play.new_position()
        self._play.rest()

    def _play_on(self) -> None:
        """Makes the engine play from this position."""
        if self._play.broken:
            raise not_now()
        self._turn_over()
        self._play.analysing = False

    def _set_turn(self, player: int) -> Sequence[str]:
        play = self._play
        play.turn, play.side = player, 1 - player
        play.may_ponder = False
        play.rest()
        return ()

    def _turn_over(self) -> None:
        """Brings the turn on the board into line with ``white`` and ``black``."""
        play = self._play
        turn, play.turn = play.turn, None
        if turn is None or turn == play.mover:
            return
        fields = play.game.state_to_text(self._session.state).split()
        fields[1], fields[3] = "wb"[turn], "-"
        self._session.set_position(" ".join(fields), [])
        play.new_position()
        play.clock.new_position()

    def _take_back(self, moves: int) -> None:
        """Takes back moves. Raises ProtocolError, and changes nothing, if fewer were made."""
        if len(self._session.move_texts) < moves:
            raise not_now()
        for _ in range(moves):
            self._session.undo()
        self._moved()
