"""A CGOS server for tests: it speaks the published protocol, one step at a time, with a clock that stands unless the
test moves it."""

from __future__ import annotations

import re
import select
import socket
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from playout.games import catalogue
from playout.games.errors import IllegalMove

from ...patience import PATIENCE

GIFT = 250
"""Milliseconds of each move that are not charged."""
LETTERS = "bw"


class Login:
    """The connection of a client."""

    def __init__(self, sock: socket.socket) -> None:
        sock.settimeout(PATIENCE)
        self._socket = sock
        self._file = sock.makefile("rb")
        self.user = ""
        self.analyses = False

    def send(self, *lines: str) -> None:
        """Sends lines, all at once."""
        self._socket.sendall("".join(f"{line}\n" for line in lines).encode())

    def line(self) -> str | None:
        """The next line of the client; None at the end of the connection."""
        try:
            line = self._file.readline()
        except ConnectionResetError:
            line = b""
        if not line:
            self.close()
            return None
        assert line.endswith(b"\n")
        return line.decode().rstrip("\n")

    def close(self) -> None:
        """Ends the connection."""
        self._file.close()
        self._socket.close()


@dataclass
class Table:
    """A game. Player 0 is Black."""

    number: int
    game: Any
    """The rules: playout's own in Python, which need no engine."""
    users: tuple[str, str]
    """Black and White."""
    milliseconds: int
    state: Any = None
    moves: list[tuple[str, int]] = field(default_factory=list)
    """Each with the milliseconds left of the player."""
    left: list[int] = field(default_factory=list)
    since: int = 0
    """Time at which the running clock started."""
    analyses: list[str] = field(default_factory=list)
    result: str | None = None

    def __post_init__(self) -> None:
        self.state = self.game.initial_state()
        self.left = [self.milliseconds] * 2

    @property
    def player(self) -> int:
        """The player to move."""
        return len(self.moves) % 2

    @property
    def setup(self) -> str:
        """The line that begins the game, or goes on with it."""
        moves = "".join(f" {move} {left}" for move, left in self.moves)
        black, white = self.users
        head = f"setup {self.number} {self.game.columns} {self.game.komi} {self.milliseconds}"
        return f"{head} {white}(1500?) {black}(1723){moves}"


class Server:
    """The server. Only the test's thread runs it: each method waits for what the client has to say."""

    def __init__(self, users: dict[str, str], port: int = 0) -> None:
        """``users`` have their passwords; others are registered. Listens at ``port``; 0 is any free one."""
        self.users, self.now = dict(users), 0
        """``now`` is the time in milliseconds."""
        self.protocol = "protocol genmove_analyze"
        self._listener = socket.create_server(("127.0.0.1", port))
        self._listener.settimeout(PATIENCE)
        self.port = int(self._listener.getsockname()[1])
        self._logins: dict[str, Login] = {}
        self._open: list[Login] = []
        self._tables: dict[str, Table] = {}
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.disappear()

    def disappear(self) -> None:
        """Closes every connection, and listens no more."""
        self._listener.close()
        for login in self._open:
            login.close()

    def knocks(self) -> bool:
        """Whether a client has connected that was not accepted yet."""
        return bool(select.select([self._listener], [], [], 0)[0])

    def accept(self) -> Login:
        """The next connection, to which nothing is said."""
        login = Login(self._listener.accept()[0])
        self._open.append(login)
        return login

    def admit(self) -> Login | None:
        """The next connection, logged in; None if it was refused."""
        login = self.accept()
        if (refused := self._examine(login)) is not None:
            login.send(f"Error: {refused}")
            login.close()
            return None
        user = login.user
        if user in self._logins:
            with suppress(OSError):
                self._logins[user].send("info another login is being attempted using this user name")
            self._logins[user].close()
        self._logins[user] = login
        table = self._tables.get(user)
        if table is not None:
            login.send(table.setup, *self._request(table, user))
        return login

    def _examine(self, login: Login) -> str | None:
        """Asks for protocol, name and password; returns the reason to refuse the client."""
        login.send(self.protocol)
        words = (login.line() or "").split()
        if words[:1] == ["v1"]:
            return "no viewers here"
        if words[:1] != ["e1"]:
            return "invalid response"
        login.analyses = "genmove_analyze" in words
        login.send("username")
        login.user = login.line() or ""
        if not re.fullmatch("[A-Za-z_.-][A-Za-z0-9_.-]{2,17}", login.user):
            return "invalid user name"
        login.send("password")
        if login.line() != self.users.setdefault(login.user, "new"):
            return "Sorry, password doesn't match"
        return None

    def start(self, black: str, white: str, size: int = 5, komi: float = 7.0, milliseconds: int = 600_000) -> Table:
        """Begins a game: setup and the first request arrive together."""
        self._count += 1
        table = Table(self._count, catalogue.load(f"go:{size},komi={komi:g}"), (black, white), milliseconds)
        table.since = self.now
        for user in table.users:
            self._tables[user] = table
            if user in self._logins:
                self._logins[user].send(table.setup, *self._request(table, user))
        return table

    def hear(self, table: Table) -> str | None:
        """Reads the move of the player who is on turn, and plays it; None at the end of the connection."""
        line = self._logins[table.users[table.player]].line()
        if line is not None:
            move, _, analysis = line.partition(" ")
            table.analyses.append(analysis)
            self.play(table, move)
        return line

    def play(self, table: Table, move: str) -> None:
        """Plays a move of the player on turn, charges the time, and asks the other player or ends the game."""
        player, other = table.player, 1 - table.player
        table.left[player] -= max(0, self.now - table.since - GIFT)
        if table.left[player] < 0:
            self.end(table, f"{'WB'[player]}+Time")
            return
        if move.lower() == "resign":
            self.end(table, f"{'WB'[player]}+Resign", "Resignation")
            return
        try:
            table.state = table.game.next_state(table.state, table.game.text_to_action(table.state, move))
        except IllegalMove:
            self.end(table, f"{'WB'[player]}+Illegal", f"Illegal move error:huh move:{move}")
            return
        table.moves.append((move, table.left[player]))
        self._tell(table, other, f"play {LETTERS[player]} {move} {table.left[player]}")
        if table.state.passes == 2:
            score = table.game.score(table.state)
            self.end(table, f"B+{score}" if score > 0 else f"W+{-score}" if score < 0 else "Draw")
            return
        table.since = self.now
        self._tell(table, other, *self._request(table, table.users[other]))

    def end(self, table: Table, result: str, text: str = "") -> None:
        """Ends a game."""
        table.result = result
        for player, user in enumerate(table.users):
            self._tell(table, player, f"gameover 2026-11-02 {result} {text}")
            self._tables.pop(user, None)

    def _tell(self, table: Table, player: int, *lines: str) -> None:
        user = table.users[player]
        if user in self._logins:
            with suppress(OSError):  # the connection is lost; the next login brings the game
                self._logins[user].send(*lines)

    def _request(self, table: Table, user: str) -> list[str]:
        if table.users[table.player] != user:
            return []
        return [f"genmove {LETTERS[table.player]} {table.left[table.player] - (self.now - table.since)}"]

    def forget(self, user: str) -> None:
        """Notes that the connection of a user is lost."""
        self._logins.pop(user).close()
