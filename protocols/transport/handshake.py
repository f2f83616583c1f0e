"""The first lines of a connection, before those of the protocol.

    client: auth TOKEN         if the server requires a token
    client: playout-connect    from the bridge; a client that speaks the protocol itself omits it
    server: ready              to the bridge: from here on the lines are the protocol's,
    client: END                except this one, by which the bridge says that its input has ended

Otherwise the server sends ``error: REASON`` and ends the connection. To a client that is not a bridge it sends nothing
else.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable
from pathlib import Path

from playout.games.errors import PlayoutError
from playout.protocols.base.lines import InputLine
from playout.protocols.transport.connection import Connection
from playout.protocols.transport.tcp import TcpStream

AUTH = "auth "
BRIDGE = "playout-connect"
READY = "ready"
ERROR = "error: "
SHORTEST_TOKEN = 16
SECONDS = 5.0
"""Seconds for a client to send its token."""
TRIES = 3
DELAY = 1.0
"""Seconds before a wrong token is answered."""
LONGEST_ANSWER = 1000


class Refused(PlayoutError):
    """Raised for a client without the right token, or a server that refuses a session; the text is the reason."""


def read_token(path: Path) -> str:
    """Reads the token in a file: its first line.

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
    """Waits for the client to send ``token``. Blocks for a few seconds at most.

    Raises:
        Refused: if it does not send it.
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


def greet(stream: TcpStream, first: InputLine) -> None:
    """Answers a bridge. ``first`` is the client's first line; one of the protocol is put back.

    Raises:
        OSError: if the connection is lost.
    """
    if first.text.strip() == BRIDGE:
        stream.finishes = True
        stream.write([READY])
    else:
        stream.put_back(first)


def introduce(connection: Connection, token: str | None, patience: float) -> bytes:
    """Requests a session for the bridge, and returns the data that followed the server's answer. Blocks.

    Raises:
        Refused: with the server's reason, or because the server is not one of playout.
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
    if not answer:
        raise Refused("the connection was closed before an answer came; does the server require TLS?")
    raise Refused("not a playout server, or it requires TLS" if text or not newline else "no answer")
