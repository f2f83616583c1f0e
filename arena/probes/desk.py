"""The desk at which one engine is examined: its process, started anew where a probe has left it in doubt."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from playout.arena.drivers.fault import Fault
from playout.arena.drivers.process import EngineProcess
from playout.arena.probes.finding import Wrong
from playout.arena.terms.end import End
from playout.games.errors import RAISED_BY_GAMES, PlayoutError
from playout.games.game import CHANCE, Game, action_to_text
from playout.protocols.base.lines import one_line

MOST_LINES = 100_000
"""Lines of an answer; more is a flood."""
MOMENT = 0.3
"""Seconds for which a probe listens for what must not come, at most."""
ATTEMPTS = 3
"""Number of times that a late answer is asked for again: the machine may have been busy."""
NOT_STARTED = "status 127"
"""End of a program that the system could not start."""


class Desk:
    """One engine under examination. The families of protocols derive from it. One thread uses it."""

    def __init__(self, command: Sequence[str], protocol: str, game: Game[Any, Any], patience: float) -> None:
        """``patience`` is the number of seconds for any answer. Nothing is started yet."""
        self.protocol, self.game, self.patience = protocol, game, patience
        self._command = [word.replace("{game}", game.name) for word in command]
        self._process: EngineProcess | None = None
        self._sent = ""

    @property
    def moment(self) -> float:
        """Seconds for which a probe listens for what must not come."""
        return min(MOMENT, self.patience / 10)

    @property
    def slack(self) -> float:
        """Seconds by which an answer with a time limit may be late; the clock of a busy machine is coarse."""
        return self.patience / 50

    def open(self) -> None:
        """Starts the engine and greets it, unless it is running; makes sure that it listens.

        Raises:
            PlayoutError: if the program cannot be started.
            Wrong, Fault: if it does not answer.
        """
        if self._process is not None:
            try:
                self.settle()
                return
            except (Wrong, Fault):
                self.close()
        self._process = EngineProcess(self._command)
        try:
            self.greet()
        except Fault as fault:
            said = str(fault)
            self.close()
            if fault.end is End.CRASH and NOT_STARTED in said:
                raise PlayoutError(f"{self._command[0]}: the program cannot be started: {said}") from fault
            raise

    def close(self) -> None:
        """Ends the engine, with everything that it started. Does nothing if it does not run."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def greet(self) -> None:
        """Introduces the client to an engine that has just been started."""
        raise NotImplementedError

    def settle(self) -> None:
        """Makes sure that a running engine is idle and answers."""
        raise NotImplementedError

    @property
    def process(self) -> EngineProcess:
        """The running engine."""
        assert self._process is not None
        return self._process

    @property
    def sent(self) -> str:
        """The last line that was sent, shortened."""
        return one_line(self._sent.strip() or repr(self._sent), 60)

    def send(self, *lines: str) -> None:
        """Sends lines."""
        self.write("".join(f"{line}\n" for line in lines))

    def write(self, text: str) -> None:
        """Sends a text as it is."""
        self._sent = text.rstrip("\n").rpartition("\n")[2]
        self.process.send(text, time.monotonic() + self.patience)

    def line(self, deadline: float) -> str | None:
        """Returns the next line, or None if none comes until ``deadline`` (``time.monotonic``)."""
        return self.process.line(deadline)

    def until(self, wanted: Callable[[str], bool], name: str) -> list[str]:
        """Returns the lines up to the first one that is ``wanted``.

        Raises:
            Wrong: if it does not come; ``name`` is what was waited for.
        """
        deadline = time.monotonic() + self.patience
        lines: list[str] = []
        while (line := self.line(deadline)) is not None:
            lines.append(line)
            if wanted(line):
                return lines
            if len(lines) > MOST_LINES:
                raise Wrong(f"more than {MOST_LINES} lines and no {name} after {self.sent!r}")
        last = f", its last line: {shown(lines[-1])}" if lines else ""
        raise Wrong(f"no {name} {self.patience:g} s after {self.sent!r}{last}")

    def quiet(self) -> list[str]:
        """Returns the lines that come in a moment in which none is expected."""
        deadline = time.monotonic() + self.moment
        lines: list[str] = []
        while (line := self.line(deadline)) is not None and len(lines) < MOST_LINES:
            lines.append(line)
        return lines

    def ends(self) -> list[str]:
        """Waits until the program ends with status 0; returns its last lines.

        Raises:
            Wrong: if it does not end, or with another status.
        """
        deadline = time.monotonic() + self.patience
        lines: list[str] = []
        try:
            while (line := self.line(deadline)) is not None:
                lines.append(line)
                del lines[:-MOST_LINES]
        except Fault as fault:
            self.close()
            if fault.end is not End.EXIT:
                raise Wrong(str(fault)) from fault
            return lines
        raise Wrong(f"it still runs {self.patience:g} s later")

    def end_input(self) -> None:
        """Closes the engine's input."""
        self._sent = "the end of its input"
        self.process.end_input()

    def timely(self, seconds: float, measure: Callable[[], float]) -> None:
        """Checks that one of a few attempts takes at most ``seconds``, and the slack; ``measure`` makes one.

        Raises:
            Wrong: if all of them are late.
        """
        least = min_until(seconds + self.slack, measure)
        if least > seconds + self.slack:
            raise Wrong(f"an answer {least:.3f} s after {self.sent!r}")

    def legal(self, state: Any) -> dict[str, Any]:
        """Returns the legal actions of a state by their texts."""
        game = self.game
        return {action_to_text(game, state, action): action for action in game.legal_actions(state)}

    def after(self, state: Any, moves: Sequence[str]) -> Any:
        """Returns the state after moves in the game's notation."""
        for move in moves:
            state = self.game.next_state(state, self.legal(state)[move])
        return state

    def line_of_play(self, plies: int, seed: int, *, to_end: bool = False) -> tuple[str, ...]:
        """Returns random moves from the game's start, fewer than ``plies`` if it ends earlier. The move that ends it is
        among them only if ``to_end``."""
        rng, state = random.Random(seed), self.game.initial_state()
        moves: list[str] = []
        while len(moves) < plies and self.game.returns(state) is None:
            legal = self.legal(state)
            moves.append(rng.choice(list(legal)))
            state = self.game.next_state(state, legal[moves[-1]])
        over = self.game.returns(state) is not None
        return tuple(moves[:-1] if over and not to_end else moves)


def min_until(enough: float, measure: Callable[[], float]) -> float:
    """Returns the least of a few measurements; one that is small enough ends them."""
    least = measure()
    for _ in range(ATTEMPTS - 1):
        if least <= enough:
            break
        least = min(least, measure())
    return least


def shown(text: str) -> str:
    """Returns a line of an engine as messages show it."""
    return repr(one_line(text, 100))


def check_game(game: Game[Any, Any]) -> None:
    """Checks that a game can be played in probes.

    Raises:
        PlayoutError: if it has dice.
    """
    try:
        state = game.initial_state()
        chance = game.current_player(state) == CHANCE
    except RAISED_BY_GAMES as error:
        raise PlayoutError(f"{game.name}: {error}") from error
    if chance or hasattr(game, "chance_outcomes"):
        raise PlayoutError(f"--game {game.name}: the probes have no dice; a game without chance expected")
