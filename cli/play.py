"""``playout play``: a game against the engine in the terminal."""

from __future__ import annotations

import random
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.columns import Columns

from playout.cli.console import console
from playout.cli.settings import read_settings
from playout.cli.thinking import describe, thoughts
from playout.games.errors import GameError, IllegalMove, PlayoutError
from playout.games.game import CHANCE

if TYPE_CHECKING:
    from playout import Engine

HELP = """\
a move   in the game's notation; moves lists them
moves    the legal moves
hint     what the engine would play
undo     takes back your last move and what followed
text     the position as text
quit     ends the game, as does the end of the input"""


class HumanSide(StrEnum):
    """The side that the user plays."""

    first = "first"
    second = "second"
    both = "both"
    none = "none"


def command(
    game: Annotated[str | None, typer.Option(metavar="NAME", help="hex:5, my.py:Mnk, ...")] = None,
    side: Annotated[HumanSide, typer.Option(help="Whom you play.")] = HumanSide.first,
    seconds: Annotated[float, typer.Option("--time", min=0.01, help="Seconds that the engine thinks per move.")] = 2.0,
    position: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Position text (FEN etc.); default: the start.")
    ] = None,
    manual_dice: Annotated[bool, typer.Option("--manual-dice", help="You roll the dice and enter them.")] = False,
    seed: Annotated[int | None, typer.Option(help="Seed of the dice and of the engine.")] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="Sets an engine option.")] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="A YAML file with a game and options.")] = None,
) -> None:
    """Plays a game with you in the terminal."""
    from playout import Engine

    settings = read_settings("connect_four", game, option or [], config)
    with Engine(settings.game) as engine:
        if seed is not None:
            engine.set_option("Seed", str(seed))
        settings.apply(engine)
        if position is not None:
            engine.set_position(position)
        humans = {HumanSide.first: (0,), HumanSide.second: (1,), HumanSide.both: (0, 1), HumanSide.none: ()}[side]
        PlayTable(engine, humans, seconds, None if manual_dice else random.Random(seed)).play()


class _Quit(Exception):
    """Raised when the user leaves the game."""


class PlayTable:
    """A game in the terminal. ``humans`` are the players that the user plays; the engine plays the others.

    Without ``dice`` the user also enters the rolls.
    """

    def __init__(
        self,
        engine: Engine,
        humans: tuple[int, ...],
        seconds: float,
        dice: random.Random | None,
    ) -> None:
        self._engine = engine
        self._humans = humans
        self._seconds = seconds
        self._dice = dice
        self._decisions: list[int] = []
        """Number of actions before each move of a human."""
        self._commands: dict[str, Callable[[], bool]] = {
            "moves": self._list_moves,
            "hint": self._hint,
            "undo": self._undo,
            "text": self._show_text,
            "help": self._help,
            "quit": self._leave,
        }

    def play(self) -> None:
        """Plays to the end of the game, or until the user leaves."""
        console().print(f"{self._engine.game.name}; help lists the commands")
        try:
            while True:
                self._draw()
                position = self._engine.position
                if position.result is not None:
                    console().print(_result_text(position.result))
                    if not self._humans:
                        return
                    self._ask("undo or quit", {"undo", "quit"})
                elif position.player == CHANCE:
                    self._roll()
                elif position.player in self._humans:
                    self._ask(_name(position.player), None)
                else:
                    self._engine_move()
        except _Quit:
            console().print("bye")

    def _draw(self) -> None:
        console().print(f"\n{self._engine.position}", soft_wrap=True)

    def _ask(self, prompt: str, commands: set[str] | None) -> None:
        """Asks until the position has changed by a move, a roll or an undo."""
        while True:
            try:
                said = console().input(f"{prompt}> ").strip()
            except EOFError:
                console().print()
                raise _Quit from None
            if not said:
                continue
            known = self._commands.get(said.lower())
            try:
                if known is not None and (commands is None or said.lower() in commands):
                    if known():
                        return
                elif commands is None:
                    moves = len(self._engine.moves)
                    is_roll = self._engine.player == CHANCE
                    self._engine.play(said)
                    if not is_roll:
                        self._decisions.append(moves)
                    return
                else:
                    console().print(f"the game is over: {' or '.join(sorted(commands))}")
            except PlayoutError as error:
                console().print(str(error))

    def _roll(self) -> None:
        if self._dice is None:
            self._ask("roll", None)
        else:
            console().print(f"the dice: {self._engine.roll(self._dice)}")

    def _engine_move(self) -> None:
        move, said = self._think()
        console().print(f"{_name(self._engine.player)} (engine): {move}   [{said}]")
        self._engine.play(move)

    def _think(self) -> tuple[str, str]:
        """The engine's move, and the thoughts behind it. Where a method of a user's game fails, any legal move."""
        try:
            with console().status("thinking"):
                result = self._engine.think(seconds=self._seconds)
        except GameError as error:
            console().print("\n".join(error.__notes__))
            return self._engine.legal_moves()[0], thoughts("+0.00", 0, 0, ())
        if result.move is None:
            raise PlayoutError("the engine found no move")
        return result.move, describe(result)

    def _list_moves(self) -> bool:
        console().print(Columns(self._engine.legal_moves(), padding=(0, 2)))
        return False

    def _hint(self) -> bool:
        if self._engine.player == CHANCE:
            raise IllegalMove("enter the dice first")
        move, said = self._think()
        console().print(f"hint: {move}   [{said}]")
        return False

    def _undo(self) -> bool:
        if not self._decisions:
            raise IllegalMove("cannot undo: you have not moved yet")
        moves = self._decisions.pop()
        while len(self._engine.moves) > moves:
            self._engine.undo()
        return True

    def _show_text(self) -> bool:
        console().print(self._engine.position.text, soft_wrap=True)
        return False

    def _help(self) -> bool:
        console().print(HELP)
        return False

    def _leave(self) -> bool:
        raise _Quit


def _name(player: int | None) -> str:
    return "" if player is None else f"player {player + 1}"


def _result_text(result: tuple[float, float]) -> str:
    first, _ = result
    if first == 0:
        return "draw"
    winner = "player 1 wins" if first > 0 else "player 2 wins"
    return winner if abs(first) == 1 else f"{winner} ({abs(first):.2f})"
