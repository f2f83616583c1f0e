"""A server of the page on a free port, in a thread of the test's process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playout.engine.terms.rights import Rights
from playout.web.app import make_app
from playout.web.hall import Hall

from ..patience import eventually

LOCAL = ("127.0.0.1", "localhost")


@dataclass(frozen=True)
class Served:
    """A server that runs."""

    place: str
    """Host and port."""
    server: Any

    def drop(self) -> None:
        """Breaks every connection off."""
        for connection in list(self.server.server_state.connections):
            connection.loop.call_soon_threadsafe(connection.transport.abort)


@contextmanager
def served(
    game: str = "tic_tac_toe", token: str | None = None, reports: Mapping[str, Callable[[], str]] | None = None
) -> Iterator[Served]:
    """Serves the page."""
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            make_app(Hall(game, Rights(files=False, threads=1, hash_mib=64)), LOCAL, token, reports or {}),
            log_level="critical",
            ws="websockets-sansio",
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        running = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        running.start()
        try:
            assert eventually(lambda: server.started)
            yield Served(f"127.0.0.1:{listener.getsockname()[1]}", server)
        finally:
            server.should_exit = True
            running.join()
