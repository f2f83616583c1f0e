"""Websockets and requests to the server of the page, as a browser makes them."""

from __future__ import annotations

import contextlib
import http.client
import json
from email.message import Message
from typing import Any

from ..patience import PATIENCE


class Page:
    """A websocket, as the page has it."""

    def __init__(self, place: str, origin: str | None = None, path: str = "/live") -> None:
        from websockets.sync.client import connect

        wanted: Any = origin or f"http://{place}"
        self.socket = connect(f"ws://{place}{path}", origin=wanted, proxy=None, close_timeout=1)

    def say(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def hear(self, kind: str) -> dict[str, Any]:
        """Returns the next message of a kind."""
        while True:
            found: dict[str, Any] = json.loads(self.socket.recv(PATIENCE))
            if found["t"] == kind:
                return found

    def closed(self) -> int | None:
        """Waits for the end of the connection; returns its code."""
        from websockets.exceptions import ConnectionClosed

        with contextlib.suppress(ConnectionClosed):
            while True:
                self.socket.recv(PATIENCE)
        return self.socket.close_code

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()


def seated(place: str, table: str = "") -> tuple[Page, str]:
    """A page that has a seat, and the mark of its table."""
    page = Page(place)
    page.say(t="sit", table=table)
    return page, page.hear("seated")["table"]


def get(place: str, path: str, host: str | None = None) -> tuple[int, Message, str]:
    """Status, headers and body of an answer."""
    with contextlib.closing(http.client.HTTPConnection(place, timeout=PATIENCE)) as connection:
        connection.request("GET", path, headers={"Host": host} if host else {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
