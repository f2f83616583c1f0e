"""A round: a game in progress, with the engine that plays in it. It knows nothing of pages."""

from __future__ import annotations

import random
from itertools import takewhile
from operator import eq
from typing import Any

from playout import CHANCE, Engine
from playout.books.past.record import Record, write_record
from playout.engine.terms.rights import Rights
from playout.games.board_hooks import HasHandicap, HasSetup
from playout.games.errors import GameError, IllegalMove, PlayoutError
from playout.games.game import Game, HasStateText, is_over
from playout.games.support.outcome import outcome, overstepped, resignation, spoken
from playout.web.clocks import Clocks
from playout.web.messages import New, Side

HUMANS: dict[Side, frozenset[int]] = {
    "first": frozenset({0}),
    "second": frozenset({1}),
    "both": frozenset({0, 1}),
    "none": frozenset(),
}


class Round:
    """A game in progress: its line, who plays, the clocks, and who has lost otherwise than by the rules."""

    def __init__(self, name: str, rights: Rights, side: Side) -> None:
        """``name`` is the game's. ``rights`` are those of the users. ``side`` is whom they play.

        Raises:
            GameError: if there is no such game.
        """
        self.name, self.side = name, side
        self.engine = Engine(name)
        self.engine.session.restrict(rights)
        self.clocks: Clocks | None = None
        self.line: tuple[str, ...] = ()
        """All moves; those after the position that is shown can be walked to again."""
        self.movers: list[int] = []
        """Who made each move of the line: a player, or ``CHANCE``."""
        self.said: list[str] = []
        """The line as people write it."""
        self.analysing = False
        """Whether the position is analysed: no clock runs then, and the users move for both sides."""
        self._next: int | None = None
        """Who is to move after the line; None at the end of the game."""
        self._loser: int | None = None
        self._late = False
        """Whether the loser has lost on time; else he has resigned."""
        self._keep_line()

    @classmethod
    def begin(cls, said: New, rights: Rights) -> Round:
        """Begins the game that a page asks for.

        Raises:
            PlayoutError: if there is no such game, position or handicap.
            IllegalMove: if one of its moves is illegal.
        """
        if said.handicap > 1 and said.start is not None:
            raise PlayoutError("either a handicap or a position")
        made = cls(said.game.strip(), rights, said.side)
        try:
            made.engine.set_position(_handicap(made.engine.game, said.handicap) or said.start, said.moves)
        except BaseException:
            made.engine.close()
            raise
        if said.clock is not None:
            made.clocks = Clocks(*said.clock)
        made._keep_line()
        return made

    # What is the case.

    @property
    def ply(self) -> int:
        """Number of moves of the line that have been made in the position that is shown."""
        return len(self.engine.moves)

    @property
    def at_end(self) -> bool:
        """Whether the position that is shown is the last one of the line."""
        return self.ply == len(self.line)

    @property
    def moves_itself(self) -> bool:
        """Whether the next move or roll is made here, not by a user."""
        player = self.engine.player
        if self.lost or player is None or self.analysing or not self.at_end:
            return False
        return player not in HUMANS[self.side]

    @property
    def lost(self) -> bool:
        """Whether a player has resigned or overstepped his time."""
        return self._loser is not None

    @property
    def result(self) -> str:
        """The result in words; empty while the game goes on."""
        game = self.engine.game
        if self._loser is None:
            return outcome(game, self.engine.position.state)
        return overstepped(game, self._loser) if self._late else resignation(game, self._loser)

    def may_move(self, player: int | None) -> bool:
        """Whether a user may move for ``player``: in an analysis and at earlier positions for both sides. Only in an
        analysis are dice chosen.
        """
        if self.lost or player is None:
            return False
        if self.analysing:
            return True
        return player != CHANCE and (not self.at_end or player in HUMANS[self.side])

    def record(self) -> tuple[str, str]:
        """Returns the name and the content of a file with the game."""
        position = self.engine.position
        record = Record(self.name, position.line.text, list(self.line))
        result = None if position.result is None or not self.at_end else position.result[0]
        if self._loser is not None:
            result = -1.0 if self._loser == 0 else 1.0
        return write_record(self.engine.game, record, result)

    def again(self, ply: int, side: Side) -> New:
        """Returns what begins the game anew, with the first ``ply`` moves of the line and the same time."""
        return New(
            game=self.name,
            start=self.engine.session.line.text,
            moves=list(self.line[:ply]),
            side=side,
            clock=None if self.clocks is None else (self.clocks.seconds, self.clocks.increment),
        )

    # What happens. Searches have ended.

    def check_move(self, move: str) -> None:
        """Checks that a user may make a move.

        Raises:
            PlayoutError: if it is not his turn, or the move is illegal.
        """
        player = self.engine.player
        if self.lost or player is None:
            raise PlayoutError("the game is over")
        if not self.may_move(player):
            raise PlayoutError("the dice are rolled here" if player == CHANCE else "it is the engine's move")
        self.engine.position.play(move)

    def play(self, move: str) -> None:
        """Makes a move. Later moves of the line are dropped."""
        self._time()
        self.engine.play(move)
        self._keep_line()

    def roll(self, dice: random.Random) -> None:
        """Rolls the dice."""
        self.engine.roll(dice)
        self._keep_line()

    def check_undo(self) -> None:
        """Checks that there is something to take back.

        Raises:
            IllegalMove: if there is nothing.
        """
        if not any(mover != CHANCE for mover in self.movers[: self.ply]) and not self.lost:
            raise IllegalMove("nothing has been played")

    def undo(self) -> None:
        """Takes a user's last move back, and what followed; or a resignation."""
        if self._loser is not None and not self._late:
            self._loser = None
            return
        self._loser, self._late = None, False
        engine = self.engine
        humans = HUMANS["both"] if self.analysing or self.side == "none" else HUMANS[self.side]
        if self.ply:
            engine.undo()
        while engine.moves and engine.player not in humans:
            engine.undo()
        self._keep_line()
        if self.clocks is not None:
            self.clocks.back(self.ply)

    def check_resign(self) -> None:
        """Checks that the game goes on.

        Raises:
            PlayoutError: if it is over.
        """
        if self.lost or self.engine.player is None:
            raise PlayoutError("the game is over")

    def resign(self) -> None:
        """Gives the game up for the user; for the player to move if the users play both sides or none."""
        player, humans = self.engine.player, HUMANS[self.side]
        self._loser = next(iter(humans)) if len(humans) == 1 else player if player in (0, 1) else 0

    def walk(self, ply: int) -> None:
        """Shows the position after a number of moves of the line."""
        self.engine.set_position(self.engine.session.line.text, self.line[: min(ply, len(self.line))])

    # The clocks.

    def tick(self, *, watched: bool) -> float | None:
        """Lets the clock run of the player who is to move in the game, and none if nobody watches. The engine's stands
        while an earlier position is shown, because the engine rests then. Returns the seconds that are left on the
        clock; None if none runs.
        """
        if self.clocks is None:
            return None
        due = watched and not self.analysing and not self.lost and self._next in (0, 1)
        due = due and (self.at_end or self._next in HUMANS[self.side])
        self.clocks.run(self._next if due else None, len(self.line))
        running = self.clocks.running
        return None if running is None else self.clocks.left[running]

    def flag(self) -> bool:
        """Ends the game for the player whose clock has run out; returns whether one has."""
        clocks = self.clocks
        if clocks is None or clocks.running is None or clocks.left[clocks.running] > 0:
            return False
        self._loser, self._late = clocks.running, True
        clocks.run(None, len(self.line))
        return True

    def _time(self) -> None:
        """Stops the clock of the player who is about to move. A move at an earlier position, or in an analysis, takes
        no time.
        """
        if self.clocks is None:
            return
        if self.at_end:
            self.clocks.moved(self.ply)
        else:
            self.clocks.back(self.ply)

    def _keep_line(self) -> None:
        """Takes the moves up to the position that is shown as the whole line. What is known of its begin stays."""
        game, line = self.engine.game, self.engine.session.line
        moves, states = line.moves, line.states
        kept = sum(1 for _ in takewhile(bool, map(eq, self.line, moves)))
        self.line, self._next = moves, None if is_over(game, states[-1]) else game.current_player(states[-1])
        new = [(states[ply], moves[ply]) for ply in range(kept, len(moves))]
        self.movers = [*self.movers[:kept], *(game.current_player(state) for state, _ in new)]
        self.said = [*self.said[:kept], *(spoken(game, state, move) for state, move in new)]


def _handicap(game: Game[Any, Any], stones: int) -> str | None:
    """Returns the text of the position with handicap stones; None without.

    Raises:
        GameError: if the game or the board has no such handicap.
    """
    if stones < 2:
        return None
    if not isinstance(game, HasHandicap) or not isinstance(game, HasSetup) or not isinstance(game, HasStateText):
        raise GameError(f"{game.name}: this game has no handicap")
    return game.state_to_text(game.set_up(dict.fromkeys(game.handicap_points(stones), 0), 1))
