"""``playout play``: a game against the engine in the terminal."""

from __future__ import annotations

import random
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.columns import Columns

from playout.cli.console import console
from playout.cli.settings import read_settings
from playout.cli.thinking import describe
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games.errors import IllegalMove, PlayoutError
from playout.games.game import CHANCE, HasRender, HasStateText, action_to_text, is_over

if TYPE_CHECKING:
    from playout.engine.session import Session

HELP = """\
a move   in the game's notation; moves lists them
moves    the legal moves
hint     what the engine would play
undo     takes back your last move and what followed
text     the position as text
quit     ends the game, as does the end of the input"""


class Side(StrEnum):
    """The side that the user plays."""

    first = "first"
    second = "second"
    both = "both"
    none = "none"


def command(
    game: Annotated[str | None, typer.Option(metavar="NAME", help="hex:5, my.py:Mnk, ...")] = None,
    side: Annotated[Side, typer.Option(help="Whom you play.")] = Side.first,
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
    from playout.engine.session import Session
    from playout.games import catalogue

    settings = read_settings("connect_four", game, option or [], config)
    reports: SimpleQueue[SearchInfo | SearchResult] = SimpleQueue()
    session = Session(catalogue.load(settings.game), post=reports.put)
    try:
        if seed is not None:
            session.set_option("Seed", str(seed))
        settings.apply(session)
        if position is not None:
            session.set_position(position, [])
        humans = {Side.first: (0,), Side.second: (1,), Side.both: (0, 1), Side.none: ()}[side]
        Table(session, reports, humans, seconds, None if manual_dice else random.Random(seed)).play()
    finally:
        session.close()


class _Quit(Exception):
    """Raised when the user leaves the game."""


class Table:
    """A game in the terminal. ``humans`` are the players that the user plays; the engine plays the others.

    Without ``dice`` the user also enters the rolls.
    """

    def __init__(
        self,
        session: Session,
        reports: SimpleQueue[SearchInfo | SearchResult],
        humans: tuple[int, ...],
        seconds: float,
        dice: random.Random | None,
    ) -> None:
        self._session = session
        self._reports = reports
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
        console().print(f"{self._session.game.name}; help lists the commands")
        try:
            while True:
                self._draw()
                game, state = self._session.game, self._session.state
                if is_over(game, state):
                    console().print(_result_text(game.returns(state)))
                    if not self._humans:
                        return
                    self._ask("undo or quit", {"undo", "quit"})
                elif game.current_player(state) == CHANCE:
                    self._roll()
                elif (player := game.current_player(state)) in self._humans:
                    self._ask(f"player {player + 1}", None)
                else:
                    self._engine_move()
        except _Quit:
            console().print("bye")

    def _draw(self) -> None:
        game, state = self._session.game, self._session.state
        drawing = game.render(state) if isinstance(game, HasRender) else str(state)
        console().print(f"\n{drawing}", soft_wrap=True)

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
                    moves = len(self._session.move_texts)
                    is_roll = self._player() == CHANCE
                    self._session.play(said)
                    if not is_roll:
                        self._decisions.append(moves)
                    return
                else:
                    console().print(f"the game is over: {' or '.join(sorted(commands))}")
            except PlayoutError as error:
                console().print(str(error))

    def _roll(self) -> None:
        game, state = self._session.game, self._session.state
        if self._dice is None:
            self._ask("roll", None)
            return
        outcomes, weights = zip(*game.chance_outcomes(state), strict=True)  # type: ignore[attr-defined]
        text = action_to_text(game, state, self._dice.choices(outcomes, weights)[0])
        console().print(f"the dice: {text}")
        self._session.play(text)

    def _engine_move(self) -> None:
        result = self._think()
        if result.fault is not None:
            console().print(result.fault.strip())
        if result.move is None:
            raise PlayoutError("the engine found no move")
        player = self._player() + 1
        console().print(f"player {player} (engine): {result.move}   [{describe(result)}]")
        self._session.play(result.move)

    def _think(self) -> SearchResult:
        with console().status("thinking"):
            self._session.go(Limits(movetime=self._seconds))
            while not isinstance(report := self._reports.get(), SearchResult):
                pass
            self._session.wait()
        return report

    def _player(self) -> int:
        return self._session.game.current_player(self._session.state)

    def _list_moves(self) -> bool:
        game, state = self._session.game, self._session.state
        texts = [action_to_text(game, state, action) for action in game.legal_actions(state)]
        console().print(Columns(texts, padding=(0, 2)))
        return False

    def _hint(self) -> bool:
        if self._player() == CHANCE:
            raise IllegalMove("enter the dice first")
        result = self._think()
        console().print(f"hint: {result.move}   [{describe(result)}]")
        return False

    def _undo(self) -> bool:
        if not self._decisions:
            raise IllegalMove("cannot undo: you have not moved yet")
        moves = self._decisions.pop()
        while len(self._session.move_texts) > moves:
            self._session.undo()
        return True

    def _show_text(self) -> bool:
        game = self._session.game
        if not isinstance(game, HasStateText):
            raise PlayoutError(f"{game.name} has no texts for positions")
        console().print(game.state_to_text(self._session.state), soft_wrap=True)
        return False

    def _help(self) -> bool:
        console().print(HELP)
        return False

    def _leave(self) -> bool:
        raise _Quit


def _result_text(returns: Any) -> str:
    first, _ = returns
    if first == 0:
        return "draw"
    winner = "player 1 wins" if first > 0 else "player 2 wins"
    return winner if abs(first) == 1 else f"{winner} ({abs(first):.2f})"
