"""The first lines of a connection, before those of the protocol.

    client: auth TOKEN         where the server asks for one
    client: playout-connect    from the bridge, not from a client that speaks the protocol itself
    server: ready              to the bridge: from here on the lines are the protocol's,
    client: END                but for this one, from the bridge, whose input has ended

Or else the server says ``error: REASON`` and ends the connection. To a client that is no bridge it says nothing more.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from pathlib import Path

from playout.games.errors import PlayoutError
from playout.protocols.transport.connection import Connection
from playout.protocols.transport.tcp import TcpStream

AUTH = "auth "
BRIDGE = "playout-connect"
READY = "ready"
ERROR = "error: "
SHORTEST_TOKEN = 16
SECONDS = 5.0
"""That a client has for its token."""
TRIES = 3
DELAY = 1.0
"""Seconds before a wrong token is answered."""
LONGEST_ANSWER = 1000


class Refused(PlayoutError):
    """A client that shows no token, or a server that gives no session; the text says why."""


def read_token(path: Path) -> str:
    """The token in a file: its first line.

    Raises:
        PlayoutError: if the file cannot be read, or the token is too short to be secret.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeError) as error:
        raise PlayoutError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    token = lines[0].strip()
    if len(token) < SHORTEST_TOKEN or not token.isprintable() or " " in token:
        raise PlayoutError(f"{path}: a token is at least {SHORTEST_TOKEN} characters on one line, without spaces")
    return token


def authenticate(stream: TcpStream, token: str, sleep: Callable[[float], None] = time.sleep) -> None:
    """Waits for the client to show ``token``. Blocks for some seconds at most.

    Raises:
        Refused: if it does not.
        OSError: if the connection is lost.
    """
    deadline = time.monotonic() + SECONDS
    for attempt in range(TRIES):
        line = stream.next_line(max(0.0, deadline - time.monotonic()))
        if line is None:
            break
        said = line.text.strip().removeprefix(AUTH).strip()
        if hmac.compare_digest(said.encode("utf-8", "replace"), token.encode()):
            return
        sleep(DELAY)
        if attempt + 1 < TRIES:
            stream.write([f"{ERROR}wrong token"])
    raise Refused("no token, or a wrong one")


def greet(stream: TcpStream, patience: float | None) -> bool:
    """Waits for the first line, for ``patience`` seconds; whether there is one. Answers a bridge. Blocks.

    Raises:
        OSError: if the connection is lost.
    """
    line = stream.next_line(patience)
    if line is None:
        return False
    if line.text.strip() == BRIDGE:
        stream.finishes = True
        stream.write([READY])
    else:
        stream.put_back(line)
    return True


def introduce(connection: Connection, token: str | None, patience: float) -> bytes:
    """Asks a server for a session, and returns what came behind its answer. Blocks. The bridge's side.

    Raises:
        Refused: with the server's reason, or because it is no such server.
        OSError: if the connection is lost.
    """
    words = [] if token is None else [f"{AUTH}{token}"]
    connection.send("".join(f"{word}\n" for word in (*words, BRIDGE)).encode())
    answer = b""
    while b"\n" not in answer:
        data = connection.receive(patience)
        if data is None:
            raise Refused(f"no answer for {patience:g} s")
        answer += data
        if not data or (len(answer) > LONGEST_ANSWER and b"\n" not in answer):
            break
    first, newline, rest = answer.partition(b"\n")
    text = first.decode("utf-8", "replace").strip()
    if newline and text == READY:
        return rest
    if text.startswith(ERROR):
        raise Refused(text.removeprefix(ERROR))
    raise Refused("not a server of playout, or one that wants TLS" if text or not newline else "no answer")
