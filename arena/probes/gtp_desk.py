"""The desk for engines that speak GTP: commands, responses and boards."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playout.arena.probes.desk import MOST_LINES, Desk, shown
from playout.arena.probes.finding import NotApplicable, Wrong
from playout.games.board_hooks import HasPoints, HasTerritory
from playout.games.errors import PlayoutError
from playout.games.game import HasPlayerChange

_FIRST = re.compile(r"(?P<sign>[=?])(?P<id>\d*)(?:[ \t](?P<text>.*))?")
COLOURS = "bw"


@dataclass(frozen=True, slots=True)
class Response:
    """A response as it came: its lines without the empty one at the end, and what stood before them."""

    lines: list[str]
    before: list[str]
    """Lines outside of any response, the empty ones too."""

    @property
    def good(self) -> bool:
        """Whether the command succeeded."""
        return self.lines[0].startswith("=")

    @property
    def id(self) -> str:
        """The identifier; empty if there is none."""
        found = re.match(r"[=?](\d*)", self.lines[0])
        return found[1] if found else ""

    @property
    def text(self) -> str:
        """The text without sign and identifier."""
        return re.sub(r"^[=?]\d*", "", "\n".join(self.lines)).strip()

    @property
    def has_form(self) -> bool:
        """Whether the first line has sign, identifier, blank and text."""
        return _FIRST.fullmatch(self.lines[0]) is not None

    def __str__(self) -> str:
        return shown("\\n".join(self.lines))


class GtpDesk(Desk):
    """One engine that speaks GTP. Player 0 is Black."""

    def __init__(self, command: Sequence[str], protocol: str, game: Any, patience: float) -> None:
        """Raises ``PlayoutError`` if the game is not played on the points of a square board."""
        super().__init__(command, protocol, game, patience)
        if not isinstance(game, HasPoints) or game.columns != game.rows:
            raise PlayoutError(f"--game {game.name}: the probes of GTP are for square boards: go:9, hex:11")
        self.known: list[str] = []
        """Names that ``list_commands`` gives."""

    def greet(self) -> None:
        self.respond("protocol_version")
        self.known = self.respond("list_commands").text.split()

    def settle(self) -> None:
        self.respond("protocol_version")

    def read(self) -> Response:
        """Reads the next response.

        Raises:
            Wrong: if none comes, or it has no end.
        """
        deadline = time.monotonic() + self.patience
        lines: list[str] = []
        before: list[str] = []
        while (line := self.line(deadline)) is not None:
            if lines:
                if not line:
                    return Response(lines, before)
                lines.append(line)
            elif line.startswith(("=", "?")):
                lines.append(line)
            else:
                before.append(line)
            if len(lines) + len(before) > MOST_LINES:
                break
        what = f"no empty line after {shown(lines[0])}" if lines else "no response"
        raise Wrong(f"{what} {self.patience:g} s after {self.sent!r}")

    def respond(self, command: str) -> Response:
        """Sends a command and returns its response."""
        self.send(command)
        return self.read()

    def ask(self, command: str) -> str:
        """Sends a command that must succeed, and returns the text of its response."""
        response = self.respond(command)
        if not response.good:
            raise Wrong(f"{response} to {command!r}")
        return response.text

    def refuses(self, *commands: str) -> None:
        """Sends commands each of which must fail."""
        for command in commands:
            response = self.respond(command)
            if response.good:
                raise Wrong(f"{response} to {command!r}")

    def refuses_with(self, text: str, *commands: str) -> None:
        """Sends commands each of which must fail with a text; success is for another probe."""
        for command in commands:
            response = self.respond(command)
            if not response.good and response.text != text:
                raise Wrong(f"{response} to {command!r}")

    def needs(self, *names: str) -> None:
        """Returns if the engine knows all of the commands.

        Raises:
            NotApplicable: if it does not.
        """
        for name in names:
            if name not in self.known:
                raise NotApplicable(f"no command {name}")

    def go(self) -> None:
        """Returns if the game is Go on a board with enough room.

        Raises:
            NotApplicable: if it is another one.
        """
        if not isinstance(self.game, HasTerritory):
            raise NotApplicable("for Go only")
        if self.size < 7:
            raise NotApplicable("for boards of 7 lines and more")

    @property
    def size(self) -> int:
        """Lines of the board."""
        return int(self.game.columns)  # type: ignore[attr-defined]

    def clear(self) -> Any:
        """Sets up an empty board, with a time for moves where the engine takes one; returns the state."""
        self.ask(f"boardsize {self.size}")
        self.ask("clear_board")
        if isinstance(self.game, HasTerritory):
            self.ask(f"komi {self.game.komi:g}")
        if "time_settings" in self.known:
            self.respond("time_settings 0 1 1")
        return self.game.initial_state()

    def points(self) -> list[str]:
        """Returns the points of the board as moves, in a fixed order."""
        legal = self.legal(self.game.initial_state())
        return [text for text in legal if re.fullmatch(r"[A-Za-z]+\d+", text)]

    def play(self, *moves: str) -> None:
        """Plays moves such as ``b D4``, which must succeed."""
        for move in moves:
            self.ask(f"play {move}")

    def follow(self, state: Any, player: int, move: str) -> Any:
        """Returns the state after a move of a player.

        Raises:
            Wrong: if it is none of the position.
        """
        game = self.game
        if isinstance(game, HasPlayerChange):
            state = game.with_player(state, player)
        legal = {text.lower(): action for text, action in self.legal(state).items()}
        if move.lower() not in legal:
            raise Wrong(f"{move!r}, which is no legal move, to {self.sent!r}")
        return game.next_state(state, legal[move.lower()])

    def generate(self, player: int) -> str:
        """Returns the engine's move for a player, in upper case."""
        return self.ask(f"genmove {COLOURS[player]}").upper()
