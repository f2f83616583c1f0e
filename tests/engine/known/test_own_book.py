"""Books under each protocol: interfaces choose their openings, unless the user names a book."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from typing import Any

import pytest

from playout.books.shipped import shipped_files
from playout.engine.session import Session
from playout.engine.terms.limits import Limits
from playout.games import catalogue
from playout.protocols.registry import PROTOCOLS

from ...patience import PATIENCE

WITH_A_BOOK_OF_THEIR_OWN = ("uci", "ugi", "xboard")


class Watched(Session):
    """A session of chess that keeps what it posts."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        super().__init__(catalogue.load("chess"), post=self.events.put)


@pytest.fixture
def session() -> Iterator[Watched]:
    session = Watched()
    yield session
    session.close()


def reason(session: Watched, infinite: bool = False) -> str:
    """The reason of a search's end; an endless one is stopped."""
    session.go(Limits(infinite=True) if infinite else Limits(nodes=20))
    if infinite:
        session.stop()
    while not hasattr(event := session.events.get(timeout=PATIENCE), "reason"):
        pass
    return str(event.reason)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_who_plays_from_the_shipped_books(name: str) -> None:
    session = Session(catalogue.load(PROTOCOLS[name].game), post=lambda _: None)
    try:
        PROTOCOLS[name].open(session, lambda _: None)
        assert session.options.flag("OwnBook") is (name not in WITH_A_BOOK_OF_THEIR_OWN)
    finally:
        session.close()


@pytest.mark.parametrize("name", WITH_A_BOOK_OF_THEIR_OWN)
def test_a_book_that_the_user_sets_is_used(name: str, session: Watched) -> None:
    PROTOCOLS[name].open(session, lambda _: None)
    assert reason(session) == "nodes"
    session.set_option("BookFile", str(shipped_files(session.game)[0]))
    assert reason(session) == "book"
    session.set_option("BookFile", "shipped")
    assert not session.options.flag("OwnBook")
    session.set_option("OwnBook", "true")
    assert reason(session) == "book"


def test_a_user_who_wants_no_book_gets_none(session: Watched) -> None:
    PROTOCOLS["uci"].open(session, lambda _: None)
    session.set_option("OwnBook", "false")
    session.set_option("BookFile", "some.book")
    assert not session.options.flag("OwnBook")


def test_the_default_holds_in_another_game(session: Watched) -> None:
    uci = PROTOCOLS["uci"].open(session, lambda _: None)
    uci.handle_line("setoption name UCI_Variant value tictactoe", time.monotonic())
    session.set_game(catalogue.load("connect_four"))
    assert not session.options.flag("OwnBook")
    session.set_option("OwnBook", "true")
    session.set_game(catalogue.load("chess"))
    assert session.options.flag("OwnBook")


def test_no_book_replaces_an_analysis(session: Watched) -> None:
    assert reason(session) == "book"
    assert reason(session, infinite=True) == "stop"
    session.set_option("MultiPV", "2")
    assert reason(session) == "nodes"
