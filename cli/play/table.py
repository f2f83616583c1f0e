"""A game against the engine in the terminal."""

from __future__ import annotations

import contextlib
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.columns import Columns
from rich.text import Text

from playout import Engine, Result
from playout.books.past.record import Record, read_record, write_record
from playout.cli.console import console
from playout.cli.play.board import has_colours, painted
from playout.cli.thinking import describe, thoughts
from playout.games.errors import GameError, IllegalMove, PlayoutError
from playout.games.game import CHANCE, colours
from playout.games.support.outcome import outcome, resignation, spoken
from playout.games.support.whole_file import read_text, save_text
from playout.results import Analysis

HELP = """\
a move       in any notation that the game reads; moves lists them
moves        the legal moves
hint         what the engine would play
analyse      what it thinks of the position, until Ctrl-C or for as many seconds as follow
undo         takes back your last move and what followed
level N      strength of the engine, from 0 to 20
time X       seconds that it thinks per move
new          begins again; after it a position may stand
save FILE    writes the game: .pgn, .sgf or .games
load FILE    takes up a game of this kind from a file
text         the position as text
resign       gives up
quit         ends the game, as does the end of the input

Ctrl-C makes the engine move at once; the game goes on."""
OVER = {"undo", "new", "load", "save", "text", "help", "quit"}
"""Commands that are left after the end of the game."""


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
        self._loser: int | None = None
        """The player who has resigned."""
        self._decisions: list[int] = []
        """Number of actions before each move of a human."""
        self._commands: dict[str, Callable[[str], bool]] = {
            "moves": self._list_moves,
            "hint": self._hint,
            "analyse": self._analyse,
            "undo": self._undo,
            "level": self._set_level,
            "time": self._set_time,
            "new": self._begin,
            "save": self._save,
            "load": self._load,
            "text": self._show_text,
            "resign": self._resign,
            "help": self._help,
            "quit": self._leave,
        }

    def play(self) -> None:
        """Plays to the end of the game, or until the user leaves."""
        console().print(f"{self._engine.game.name}; help lists the commands")
        with _completing(self._words):
            try:
                while True:
                    self._draw()
                    position = self._engine.position
                    said = self._result()
                    if said:
                        console().print(said, style="bold")
                        if not self._humans:
                            return
                        self._ask("over", OVER)
                    elif position.player == CHANCE:
                        self._roll()
                    elif position.player in self._humans:
                        self._ask(self._name(position.player), None)
                    else:
                        self._engine_move()
            except _Quit:
                console().print("bye")

    def _draw(self) -> None:
        position = self._engine.position
        coloured = has_colours(console())
        text = painted(position.game, position.line.states) if coloured else Text(str(position))
        console().print(Text("\n") + text, soft_wrap=True)
        if self._engine.moves:
            console().print(Text(f"last: {self._last()}", style="dim"))

    def _ask(self, prompt: str, commands: set[str] | None) -> None:
        """Asks until a move, a roll or a command has changed the position. Only ``commands`` are allowed, if given."""
        while True:
            try:
                said = console().input(f"{prompt}> ").strip()
            except EOFError:
                console().print()
                raise _Quit from None
            except KeyboardInterrupt:
                console().print("\nquit ends the game")
                continue
            if not said:
                continue
            word, _, rest = said.partition(" ")
            known = self._commands.get(word.lower())
            try:
                if known is not None and (commands is None or word.lower() in commands):
                    if known(rest.strip()):
                        return
                elif commands is None:
                    moves = len(self._engine.moves)
                    is_roll = self._engine.player == CHANCE
                    self._engine.play(said)
                    if not is_roll:
                        self._decisions.append(moves)
                    return
                else:
                    console().print(f"the game is over: {', '.join(sorted(commands))}")
            except PlayoutError as error:
                console().print(str(error))

    def _roll(self) -> None:
        if self._dice is None:
            self._ask("roll", None)
        else:
            console().print(f"the dice: {self._engine.roll(self._dice)}")

    def _engine_move(self) -> None:
        move, said = self._think()
        console().print(f"{self._name(self._engine.player)} (engine): {self._spoken(move)}   [{said}]")
        self._engine.play(move)

    def _think(self) -> tuple[str, str]:
        """The engine's move, and the thoughts behind it. Where a method of a user's game fails, any legal move."""
        try:
            with console().status("thinking") as status, _stopping(self._engine):
                result = self._engine.think(
                    seconds=self._seconds, report=lambda found: status.update(f"thinking: {describe(found)}")
                )
        except GameError as error:
            console().print("\n".join(error.__notes__))
            return self._engine.legal_moves()[0], thoughts("+0.00", 0, 0, ())
        if result.move is None:
            raise PlayoutError("the engine found no move")
        return result.move, describe(result)

    # The commands. Each returns whether the position has changed.

    def _list_moves(self, _: str) -> bool:
        console().print(Columns(map(self._spoken, self._engine.legal_moves()), padding=(0, 2)))
        return False

    def _hint(self, _: str) -> bool:
        self._check_dice()
        move, said = self._think()
        console().print(f"hint: {self._spoken(move)}   [{said}]")
        return False

    def _analyse(self, rest: str) -> bool:
        self._check_dice()
        seconds = _number(rest, "analyse SECONDS", 0.01, 1e6) if rest else None
        last: Analysis | Result | None = None
        with console().status("analysing") as status, _stopping(self._engine):
            for last in self._engine.analyse(seconds=seconds, lines=3):
                status.update(f"analysing: {describe(last)}")
        for move in () if last is None else last.moves[:3]:
            console().print(
                thoughts(f"{move.value:+.2f}", move.visits, last.nps if last else 0, move.pv or (move.move,))
            )
        return False

    def _undo(self, _: str) -> bool:
        if self._loser is not None:
            self._loser = None
            return True
        if not self._decisions:
            raise IllegalMove("cannot undo: you have not moved yet")
        moves = self._decisions.pop()
        while len(self._engine.moves) > moves:
            self._engine.undo()
        return True

    def _set_level(self, rest: str) -> bool:
        level = _number(rest, "level N", 0, 20)
        if level != int(level):
            raise PlayoutError("level N: a whole number expected")
        self._engine.configure(level=int(level))
        return False

    def _set_time(self, rest: str) -> bool:
        self._seconds = _number(rest, "time SECONDS", 0.01, 1e6)
        return False

    def _begin(self, rest: str) -> bool:
        self._take_up(Record(self._engine.game.name, rest or None, []))
        return True

    def _load(self, rest: str) -> bool:
        game = self._engine.game
        path = _file(rest, "load FILE")
        self._take_up(read_record(read_text(path), game, game.name, self._check_game))
        return True

    def _take_up(self, record: Record) -> None:
        self._engine.set_position(record.start, record.moves)
        self._decisions, self._loser = [], None

    def _check_game(self, name: str) -> None:
        if name != self._engine.game.name:
            raise PlayoutError(f"a game of {name}; this is {self._engine.game.name}")

    def _save(self, rest: str) -> bool:
        path, position = _file(rest, "save FILE"), self._engine.position
        record = Record(position.game.name, position.line.text, list(position.moves))
        result = None if position.result is None else position.result[0]
        if self._loser is not None:
            result = -1.0 if self._loser == 0 else 1.0
        name, text = write_record(position.game, record, result)
        if path.suffix.lower() != Path(name).suffix:
            raise PlayoutError(f"{path}: games of {position.game.name} are written to {Path(name).suffix}")
        save_text(path, text)
        return False

    def _show_text(self, _: str) -> bool:
        console().print(self._engine.position.text, soft_wrap=True)
        return False

    def _resign(self, _: str) -> bool:
        if not self._humans:
            raise PlayoutError("you play neither side")
        player = self._engine.player
        self._loser = player if player in self._humans else self._humans[0]
        return True

    def _help(self, _: str) -> bool:
        console().print(HELP)
        return False

    def _leave(self, _: str) -> bool:
        raise _Quit

    # Words.

    def _check_dice(self) -> None:
        if self._engine.player == CHANCE:
            raise IllegalMove("enter the dice first")

    def _spoken(self, move: str) -> str:
        return spoken(self._engine.game, self._engine.position.state, move)

    def _last(self) -> str:
        """The last move, or roll, as people write it."""
        position = self._engine.position
        return spoken(position.game, position.line.states[-2], position.moves[-1])

    def _result(self) -> str:
        """The result in words; empty while the game goes on."""
        position = self._engine.position
        if self._loser is not None:
            return resignation(position.game, self._loser)
        return outcome(position.game, position.state)

    def _name(self, player: int | None) -> str:
        return "" if player is None else colours(self._engine.game)[player].capitalize()

    def _words(self) -> list[str]:
        """All commands and moves."""
        return [*self._commands, *self._engine.legal_moves()]


def _number(text: str, form: str, low: float, high: float) -> float:
    """Reads the number of a command.

    Raises:
        PlayoutError: if it is none, or out of bounds.
    """
    try:
        number = float(text)
    except ValueError:
        raise PlayoutError(f"{form}: {text!r} is not a number") from None
    if not low <= number <= high:
        raise PlayoutError(f"{form}: {text} is not from {low:g} to {high:g}")
    return number


def _file(text: str, form: str) -> Path:
    if not text:
        raise PlayoutError(f"{form}: no file")
    return Path(text).expanduser()


@contextlib.contextmanager
def _stopping(engine: Engine) -> Iterator[None]:
    """Lets Ctrl-C end the search, and nothing else."""
    before = signal.signal(signal.SIGINT, lambda *_: engine.stop())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _completing(words: Callable[[], list[str]]) -> Iterator[None]:
    """Gives the prompt line editing, a history, and completion by ``words``, where the system has readline."""
    try:
        import readline
    except ImportError:
        yield
        return

    def complete(begun: str, number: int) -> str | None:
        found = [word for word in words() if word.startswith(begun)]
        return found[number] if number < len(found) else None

    before = readline.get_completer()
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before)
