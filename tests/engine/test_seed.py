"""The option Seed: N repeats a game, 0 takes new random numbers for each."""

from __future__ import annotations

import queue

import pytest

from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits
from playout.games import catalogue

from ..patience import PATIENCE


def game(seed: int, plies: int = 6) -> list[tuple[str | None, float]]:
    """The first moves of a game of Go against itself, with their values."""
    events: queue.Queue[SearchInfo | SearchResult] = queue.Queue()
    session = Session(catalogue.load("go:7"), post=events.put)
    session.set_option("Seed", str(seed))
    found = []
    for _ in range(plies):
        session.go(Limits(nodes=60))
        while not isinstance(event := events.get(timeout=PATIENCE), SearchResult):
            pass
        assert event.move is not None
        found.append((event.move, event.info.value))
        session.play(event.move)
    session.close()
    return found


def test_a_seed_repeats_its_game() -> None:
    assert game(5) == game(5)
    assert game(5) != game(6)


def test_seed_0_plays_another_game_each_time() -> None:
    assert len({tuple(game(0)) for _ in range(4)}) > 1


def test_a_new_game_of_one_session_is_another() -> None:
    session = Session(catalogue.load("go:7"), post=lambda _: None)
    tasks = []
    for _ in range(2):
        tasks.append(session._asked(Limits()))
        assert tasks[-1] == session._asked(tasks[-1].limits), "one game has one source of random numbers"
        session.new_game()
    assert tasks[0].variation != tasks[1].variation
    session.set_option("Seed", "7")
    assert session._asked(Limits()).variation == 0
    session.close()


@pytest.mark.parametrize("seed", ["", "-1", "2147483648", "x"])
def test_other_seeds_are_refused(seed: str) -> None:
    session = Session(catalogue.load("tic_tac_toe"), post=lambda _: None)
    with pytest.raises(Exception, match="Seed"):
        session.set_option("Seed", seed)
    session.close()
