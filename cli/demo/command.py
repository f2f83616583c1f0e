"""``playout demo``: the installed engine plays a quick game of each of five games, driven as a graphical interface
does.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.table import Table

from playout.cli.console import console
from playout.cli.demo.players import OVERHEAD, GtpPlayer, Player, PlayerClocks, UciPlayer, UgiPlayer
from playout.cli.demo.screen import Screen
from playout.cli.engine_process import EngineProcess
from playout.games import catalogue
from playout.games.errors import IllegalMove, PlayoutError
from playout.games.game import CHANCE
from playout.games.support.outcome import outcome, overstepped, resignation
from playout.position import Position


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A game to show. The engine plays both sides, each in its own process."""

    title: str
    game: str
    protocol: str
    players: tuple[str, str]
    join: Callable[[EngineProcess], Player]
    seconds: float
    """Seconds on each player's clock at the start."""
    increment: float = 0.0


EXHIBITS = (
    Exhibit("Connect four", "connect_four", "UGI", ("X", "O"), lambda p: UgiPlayer(p, 0.15), 60.0),
    Exhibit("Hex 11x11", "hex:11", "GTP", ("Black", "White"), lambda p: GtpPlayer(p, 5.0), 5.0),
    Exhibit("Go 9x9", "go:9", "GTP", ("Black", "White"), lambda p: GtpPlayer(p, 5.0), 5.0),
    Exhibit("Backgammon", "backgammon", "UGI", ("X", "O"), lambda p: UgiPlayer(p, 0.1), 60.0),
    Exhibit("Chess", "chess", "UCI", ("White", "Black"), UciPlayer, 3.0, 0.05),
)


@dataclass(frozen=True, slots=True)
class ShownGame:
    """The result of an exhibit."""

    exhibit: Exhibit
    result: str
    plies: int
    seconds: float


def command(
    game: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only these games.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Shows only the last board of each game.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the dice.")] = 1,
) -> None:
    """Plays a quick game of each of five games over the protocols of graphical interfaces; takes less than a minute."""
    chosen = [exhibit for exhibit in EXHIBITS if not game or exhibit.game.partition(":")[0] in game]
    if not chosen:
        known = ", ".join(exhibit.game.partition(":")[0] for exhibit in EXHIBITS)
        raise PlayoutError(f"demo does not have {', '.join(game or [])}; its games: {known}")
    shown = [show(exhibit, quiet, random.Random(seed)) for exhibit in chosen]
    table = Table("game", "protocol", "result", "moves", "seconds", box=None, padding=(0, 2, 0, 0), header_style="bold")
    for one in shown:
        table.add_row(one.exhibit.title, one.exhibit.protocol, one.result, str(one.plies), f"{one.seconds:.1f}")
    console().print()
    console().print(table)


def show(exhibit: Exhibit, quiet: bool, dice: random.Random) -> ShownGame:
    """Plays one game. The game's definition is the referee.

    Raises:
        PlayoutError: if an engine fails or plays an illegal move.
    """
    begun = time.perf_counter()
    game: Any = catalogue.load(exhibit.game)
    arguments = [exhibit.protocol.lower(), "--game", exhibit.game, OVERHEAD]
    if exhibit.protocol == "GTP":
        arguments.append("--verbose")
    with ExitStack() as stack:
        screen = stack.enter_context(
            Screen(f"{exhibit.title}: playout {exhibit.protocol.lower()} against itself", game, quiet)
        )
        processes = [stack.enter_context(EngineProcess(*arguments)) for _ in exhibit.players]
        match = _Match(exhibit, game, [exhibit.join(process) for process in processes], screen, dice)
        result = match.play()
        screen.end(match.position.state, result)
        return ShownGame(exhibit, result, len(match.position.moves), time.perf_counter() - begun)


class _Match:
    def __init__(self, exhibit: Exhibit, game: Any, players: list[Player], screen: Screen, dice: random.Random) -> None:
        self.position = Position(game)
        self._exhibit = exhibit
        self._players = players
        self._screen = screen
        self._dice = dice
        self._left = [exhibit.seconds, exhibit.seconds]

    def play(self) -> str:
        """Plays to the end and returns a sentence about the result."""
        names = self._exhibit.players
        while (player := self.position.player) is not None:
            if player == CHANCE:
                roll = self.position.roll(self._dice)
                self._make(roll, f"dice: {roll}")
                continue
            begun = time.perf_counter()
            clocks = PlayerClocks((self._left[0], self._left[1]), self._exhibit.increment)
            text, thinking = self._players[player].move(player, self.position.moves, clocks)
            self._left[player] -= time.perf_counter() - begun
            if self._left[player] < 0:
                return overstepped(self.position.game, player, names)
            self._left[player] += self._exhibit.increment
            if text.lower() == "resign":
                return resignation(self.position.game, player, names)
            try:
                self._make(text, f"{names[player]}: {text}   {thinking}")
            except IllegalMove as error:
                raise PlayoutError(f"{self._players[player].process.name} played {text!r}: {error}") from error
        return outcome(self.position.game, self.position.state, names)

    def _make(self, text: str, said: str) -> None:
        """Plays a move or a roll, and shows the position.

        Raises:
            IllegalMove: if it is illegal.
        """
        self.position = self.position.play(text)
        plies = len(self.position.moves)
        self._screen.show(self.position.state, plies, f"{plies:3}. {said}")
