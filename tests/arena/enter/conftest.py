"""The server of the tests, and the clients that enter it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from playout.arena.enter.seat import Start, start_engine
from playout.arena.terms.job import Player

from .client import OWN, USERS, Client, Enter, Log
from .server import Server


@pytest.fixture
def server() -> Iterator[Server]:
    """A server with one user."""
    with Server(USERS) as made:
        yield made


@pytest.fixture
def enter(server: Server) -> Iterator[Enter]:
    """Makes clients of the server, whose stay ends with the test."""
    made: list[Client] = []

    def make(engine: Player = OWN, start: Start = start_engine, **others: Any) -> Client:
        made.append(Client(server.port, engine, start, **others))
        return made[-1]

    yield make
    for client in made:
        client.session.stop()
    server.disappear()
    for client in made:
        client.wait()


@pytest.fixture
def log() -> Iterator[Log]:
    """The log of stays."""
    made, logger = Log(), logging.getLogger("playout.arena.enter.session")
    logger.addHandler(made)
    yield made
    logger.removeHandler(made)
