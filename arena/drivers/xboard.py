"""Engines that speak the protocol of XBoard and WinBoard (CECP, version 2), for chess and Chess960.

The engine never ponders, so it is idle whenever the driver writes to it, except for ``?``; it needs no SIGINT then.
"""

from __future__ import annotations

import re
import time
from typing import Any

from playout.arena.drivers.asking import Words, ask
from playout.arena.drivers.driver import RESIGN, Answer, ClockFace, Scene, Thought
from playout.arena.drivers.fault import Fault
from playout.arena.drivers.features import Features
from playout.arena.drivers.follower import Follower
from playout.arena.drivers.process import process_of
from playout.arena.drivers.whole import DIGITS
from playout.arena.terms.end import End
from playout.arena.terms.job import Player
from playout.arena.terms.pace import Pace
from playout.engine.options.table import SHOW_ALL
from playout.games.errors import PlayoutError
from playout.games.game import Game, HasChess960
from playout.protocols.base.lines import one_line
from playout.protocols.xboard.format import MATE, move_text

PATIENCE = 60.0
"""Seconds for an engine to start, or to get ready for a game; loading nets and tables takes long."""
SILENCE = 2.0
"""Seconds after a line in which an engine that has not said ``done=0`` names its next features."""
ORDER = Words(
    never="no move {} after it was asked, nor after ?", late="a move only after ?, {} after it was asked", stop="?\n"
)
RESULTS = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0}
_COORDINATES = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?", re.IGNORECASE)
_NUMBER = f"[0-9]{{1,{DIGITS}}}"
_THOUGHT = re.compile(rf"\s*({_NUMBER})[^0-9]?\s+([-+]?{_NUMBER})\s+[0-9]+\s+({_NUMBER})(?![0-9])")


class XBoardDriver:
    """Drives one engine. See ``Driver``. Player 0 is White."""

    def __init__(self, player: Player, game: Game[Any, Any]) -> None:
        """Starts the engine and sets its options.

        Raises:
            PlayoutError: if there is no such program, it lacks an option, or it or the protocol lacks the game or the
                pace.
            Fault: if it does not answer.
        """
        if not isinstance(game, HasChess960):
            raise PlayoutError(f"{player.name}: XBoard's protocol is for chess, not for {game.name}")
        self.name = player.name
        self.remarks: list[str] = []
        self._player = player
        self._game: Any = game
        self._result: float | None = None
        self._used = False
        """Whether the process that is running has played a game."""
        self._claims: list[str] = []
        """Results that the engine has claimed and the referee not yet confirmed."""
        self._start()

    def begin(self, game: Game[Any, Any], start: str | None, pace: Pace, *, afresh: bool, seed: int) -> None:
        if self._used and not self._features.flag("reuse"):
            self._process.close("quit\n")
            self._claims.clear()
            self._start()
        self._hear_all()
        self._judge(self._result)
        self._used, self._result = True, None
        self._count, self._playing = 0, False
        self._follower = Follower(game, start)
        lines = ["new", *(["variant fischerandom"] if self._game.chess960 else [])]
        lines += [*self._control(pace), "easy", "post", "force"]
        if start is not None or self._game.chess960:
            if not self._features.flag("setboard"):
                raise PlayoutError(f"{self._player.name}: it cannot set up a position: feature setboard=0")
            lines.append(f"setboard {start or self._game.state_to_text(self._game.initial_state())}")
        self._ready(lines)

    def choose(self, scene: Scene, clocks: tuple[ClockFace, ClockFace], limit: float, grace: float) -> Answer:
        self._hear_all()
        self._judge(None)
        order = self._order(scene, clocks)
        self._thought = self._last = ""
        move, seconds, began = ask(
            self._process, order, limit, grace, ORDER, lambda end: self._move(end, scene.player), lambda: self._last
        )
        return Answer(self._incoming(scene, move), seconds, began, thought_of(self._thought))

    def finish(self, result: float | None) -> None:
        self._hear_all()
        self._judge(result)
        self._result = result
        word = next((word for word, value in RESULTS.items() if value == result), "*")
        self._process.send(f"result {word} {{}}\nforce\n", time.monotonic() + PATIENCE)

    def close(self) -> None:
        self._process.close("quit\n")

    def _start(self) -> None:
        self._process = process_of(self._player, self._game.name)
        self._features = Features()
        self._used, self._pings = False, 0
        self._vital: list[str] = []
        """Commands of the last order that the engine may not refuse."""
        try:
            self._introduce()
        except BaseException:
            self._process.close()
            raise

    def _introduce(self) -> None:
        features = self._features
        self._ask_features("xboard\n")
        if features.has_more(self._player.options):
            self._ask_features(f"option {SHOW_ALL}=1\n")
        self.name = one_line(features.text("myname"), 100) or self._player.name
        if self._game.chess960 and "fischerandom" not in features.words("variants"):
            raise PlayoutError(f"{self._player.name}: it does not play Chess960")
        self._control(self._player.pace)
        self._ready([*features.setting_lines(self._player.options, self._player.name), *self._player.commands])

    def _ask_features(self, before: str) -> None:
        """Sends ``before``, asks the engine for its features, and reads them."""
        deadline = time.monotonic() + PATIENCE
        until, features = deadline, self._features
        features.ask_again()
        self._process.send(f"{before}protover 2\n", deadline)
        while not features.flag("done"):
            line = self._process.line(min(until, deadline))
            if line is None:
                if until >= deadline:
                    raise Fault(End.HANG, f"no feature done=1 {PATIENCE:g} s after protover 2")
                break
            self._hear(line)
            until = deadline if features.text("done") == "0" else time.monotonic() + SILENCE

    def _control(self, pace: Pace) -> list[str]:
        """Returns the commands for a time control.

        Raises:
            PlayoutError: if the engine or the protocol lacks it.
        """
        lines = []
        if pace.periods:
            raise PlayoutError(f"{self._player.name}: time control {pace}: XBoard's protocol has no byo-yomi")
        if pace.nodes is not None:
            if pace.time is not None or pace.movetime is not None:
                raise PlayoutError(f"{self._player.name}: XBoard's protocol has either time or nodes")
            if not self._features.flag("nps"):
                raise PlayoutError(f"{self._player.name}: it has no limit of nodes: feature nps=0")
            lines = [f"st {pace.nodes}", "nps 1"]  # a node counts as a second
        elif pace.movetime is not None:
            lines = [f"st {pace.movetime:g}"]
        elif pace.time is not None:
            minutes, seconds = divmod(max(1, int(pace.time)), 60)
            lines = [f"level {pace.moves or 0} {minutes}:{seconds:02} {pace.increment:g}"]
        return lines if pace.depth is None else [*lines, f"sd {pace.depth}"]

    def _order(self, scene: Scene, clocks: tuple[ClockFace, ClockFace]) -> str:
        """Returns the lines that bring the engine to the position of ``scene`` and make it move."""
        moves = [self._outgoing(scene, number) for number in range(self._count, len(scene.moves))]
        left, other = clocks[scene.player].left, clocks[1 - scene.player].left
        times = []
        if left is not None and self._features.flag("time"):
            # Without a clock of its own the other side gets this one: engines take 0 for an empty clock.
            pair = (("time", left), ("otim", left if other is None else other))
            times = [f"{word} {max(1, round(100 * seconds))}" for word, seconds in pair]
        if self._playing and len(moves) == 1:
            lines = [*times, *moves]
        else:
            turn = [("white", "black")[scene.player]] if self._features.flag("colors") else []
            lines = [*(["force"] if self._playing else []), *moves, *times, *turn, "go"]
            moves = [*moves, "go"]
        self._vital, self._playing = moves, True
        self._count = len(scene.moves) + 1  # with the move that it is to make
        return "".join(f"{line}\n" for line in lines)

    def _outgoing(self, scene: Scene, number: int) -> str:
        """Returns a move of the game for the engine."""
        move = scene.moves[number]
        if self._features.flag("san"):
            state = self._follower.before(scene.moves, number)
            move = str(self._game.action_to_san(state, self._game.text_to_action(state, move))).rstrip("+#")
        elif self._game.chess960:
            move = move_text(self._game, self._follower.before(scene.moves, number), move)
        return f"usermove {move}" if self._features.flag("usermove") else move

    def _incoming(self, scene: Scene, move: str) -> str:
        """Returns a move of the engine in the game's notation; as it is if it is none of the position."""
        if move == RESIGN or _COORDINATES.fullmatch(move):
            return move
        return self._follower.written(self._follower.before(scene.moves, len(scene.moves)), move)

    def _move(self, deadline: float, player: int) -> str | None:
        """Returns the engine's move or ``RESIGN``; None if none came in time. Notes its last line and last thought."""
        while (line := self._process.line(deadline)) is not None:
            if line.startswith("move"):
                words = line.split()
                if words[0] == "move":
                    return " ".join(words[1:])
            elif line.startswith(("resign", "tellics resign")):
                return RESIGN
            elif _THOUGHT.match(line):
                self._thought = line
            elif (claimed := result_of(line)) is not None:
                if claimed == (-1.0, 1.0)[player]:
                    return RESIGN
                self._remark(f"it claims a result instead of a move: {one_line(line, 80)}")
            else:
                self._hear(line)
            self._last = line
        return None

    def _ready(self, lines: list[str]) -> None:
        """Sends commands and, if the engine can be asked, waits until they are done."""
        deadline = time.monotonic() + PATIENCE
        self._vital = [line for line in lines if line.startswith(("setboard", "variant"))]
        self._pings += 1
        asks = self._features.flag("ping")
        ping = [f"ping {self._pings}"] if asks else []
        self._process.send("".join(f"{line}\n" for line in [*lines, *ping]), deadline)
        while asks:
            line = self._process.line(deadline)
            if line is None:
                raise Fault(End.HANG, f"no pong {PATIENCE:g} s after ping")
            if line.split() == ["pong", str(self._pings)]:
                return
            self._hear(line)

    def _hear_all(self) -> None:
        for line in self._process.waiting():
            self._hear(line)

    def _hear(self, line: str) -> None:
        """Takes a line that is no answer to an order to move.

        Raises:
            Fault: if the engine refuses a move or a position.
        """
        if line.startswith("feature"):
            self._process.send(self._features.read(line), time.monotonic() + PATIENCE)
        elif line.startswith(("Error", "Illegal move", "tellusererror Illegal position")):
            about, refused = line.partition("): ")[2], set(self._vital)
            if line.startswith("Error"):  # which may be about a command that does not matter
                refused &= {about, f"usermove {about}"}
            if refused:
                raise Fault(End.GARBAGE, f"it refuses what is legal: {one_line(line, 120)}")
            self._remark(one_line(line, 120))
        elif line.startswith(("move ", "resign", "offer draw", "tellusererror")):
            self._remark(f"it says, unasked: {one_line(line, 80)}")
        elif not _THOUGHT.match(line) and result_of(line) is not None:
            self._claims.append(line)

    def _judge(self, result: float | None) -> None:
        """Compares what the engine has claimed with the result; None if there is none."""
        for claim in self._claims:
            if result_of(claim) != result:
                self._remark(f"a wrong claim: {one_line(claim, 80)}")
        self._claims.clear()

    def _remark(self, text: str) -> None:
        remark = f"{self._player.name}: {text}"
        if remark not in self.remarks:
            self.remarks.append(remark)


def result_of(line: str) -> float | None:
    """Returns the result of player 0 that a line such as ``1-0 {White mates}`` claims; None if it claims none."""
    words = line.split(None, 1)
    return RESULTS.get(words[0]) if words else None


def thought_of(line: str) -> Thought:
    """Returns what a line of thinking output says: ``PLY SCORE TIME NODES PV``."""
    found = _THOUGHT.match(line)
    if found is None or int(found[1]) == 0:
        return Thought()
    depth, score, nodes = int(found[1]), int(found[2]), int(found[3])
    if abs(score) >= MATE:
        moves = max(1, abs(score) - MATE)
        return Thought(None, moves if score > 0 else -moves, depth, nodes)
    return Thought(score, None, depth, nodes)
