"""Requests of analyses to a session: interval and number of lines of reports, ownership, priors."""

from __future__ import annotations

import math
import queue
from dataclasses import replace
from typing import Any

import pytest

from playout.engine.judge.ownership import Foresight
from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Limits, Reports
from playout.games.catalogue import load
from playout.games.go import Go
from playout.games.tic_tac_toe import TicTacToe

from ..patience import PATIENCE
from .tasks import line_of, task_of


def search(
    game: Any, moves: tuple[str, ...], limits: Limits, reports: int | None = None
) -> tuple[list[SearchInfo], SearchResult]:
    """The reports of a search and its result. The search is stopped after ``reports`` reports."""
    events: queue.Queue[SearchInfo | SearchResult] = queue.Queue()
    session = Session(game, post=events.put)
    try:
        session.set_option("BookFile", "")
        session.set_option("Hash", "16")
        session.set_option("Seed", "3")
        session.set_position(None, moves)
        session.go(limits)
        seen: list[SearchInfo] = []
        while not isinstance(event := events.get(timeout=PATIENCE), SearchResult):
            seen.append(event)
            if len(seen) == reports:
                session.stop()
        session.wait()
        return seen, event
    finally:
        session.close()


def test_reports_have_as_many_lines_as_asked_for() -> None:
    _, result = search(Go(5), (), Limits(nodes=400, reports=Reports(lines=3)))
    assert [bool(move.pv) for move in result.info.moves[:4]] == [True, True, True, False]


def test_reports_come_as_often_as_asked_for() -> None:
    """The usual interval is half a second."""
    seen, result = search(Go(9), (), Limits(infinite=True, reports=Reports(interval=0.02)), reports=5)
    assert result.reason == "stop"
    assert [info.time >= 0.02 * number for number, info in enumerate(seen, 1)] == [True] * len(seen)
    rare, _ = search(Go(9), (), Limits(movetime=0.6, reports=Reports(interval=3600.0)))
    assert len(rare) <= 1


WALL = ("C1", "D1", "C2", "D2", "C3", "D3", "C4", "D4", "C5", "D5")
"""5x5: Black holds the three columns on the left and White the two on the right, Black to move."""


def test_ownership_is_who_holds_what() -> None:
    _, result = search(Go(5), WALL, Limits(nodes=200, reports=Reports(ownership=True)))
    owners = result.info.ownership
    assert len(owners) == 25
    assert all(-1 <= owner <= 1 for owner in owners)
    assert all(owners[5 * row + 2] > 0.5 > -0.5 > owners[5 * row + 3] for row in range(5))
    best = result.info.moves[0]
    assert len(best.ownership) == 25
    assert [move.ownership for move in result.info.moves[8:]] == [()] * len(result.info.moves[8:])


def test_ownership_repeats_with_the_seed_and_is_empty_unless_asked_for() -> None:
    limits = Limits(nodes=200, reports=Reports(ownership=True))
    first, second = (search(Go(5), WALL, limits)[1].info.ownership for _ in range(2))
    assert first == second
    assert search(Go(5), WALL, Limits(nodes=50))[1].info.ownership == ()
    assert search(TicTacToe(), (), limits)[1].info.ownership == ()


def test_ownership_is_judged_by_playouts_also_where_the_variation_ends_the_game() -> None:
    limits = Limits(nodes=100, reports=Reports(ownership=True), search_moves=("pass",))
    _, result = search(Go(5), (*WALL, "pass"), limits)
    assert result.info.moves[0].pv == ("pass",)
    assert result.info.ownership[0] > 0.2 > -0.2 > result.info.ownership[4]


def test_ownership_takes_a_share_of_the_time_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocked at one second for each look: the next one is due four seconds later."""
    clock = iter(range(100))
    monkeypatch.setattr("playout.engine.judge.ownership.time.monotonic", lambda: float(next(clock)))
    foresight = Foresight(task_of(Go(5), line_of(Go(5), *WALL), Seed="3"))
    _, result = search(Go(5), WALL, Limits(nodes=50, reports=Reports(lines=9)))
    first = foresight.report(result.info)
    later = replace(result.info, moves=result.info.moves[1:])
    held = [foresight.report(later) for _ in range(3)]
    assert all(info.ownership == first.ownership for info in held)
    assert held[0].moves[0].ownership == first.moves[1].ownership
    assert foresight.report(later).ownership != first.ownership
    assert foresight.last(later).ownership != first.ownership


class Preferring(TicTacToe):
    """As a user writes it: no kernel, but a preference for the centre."""

    kernel = None  # type: ignore[assignment]

    def action_values(self, state: Any, actions: Any) -> list[float]:
        return [1.0 if action == 4 else 0.0 for action in actions]


class Failing(Preferring):
    def action_values(self, state: Any, actions: Any) -> list[float]:
        raise ValueError("oops")


def session_of(game: Any) -> Session:
    return Session(game, post=lambda _: None)


@pytest.mark.parametrize("name", ["go:9", "hex:5", "chess"])
def test_priors_are_of_the_legal_moves_and_add_up_to_1(name: str) -> None:
    session = session_of(load(name))
    found = session.priors()
    game, state = session.game, session.state
    assert sorted(found) == sorted(game.action_to_text(state, action) for action in game.legal_actions(state))
    assert math.isclose(sum(found.values()), 1.0)
    session.set_option("TreePolicy", "ucb1")
    assert session.priors() == {}


def test_priors_of_a_users_game_are_the_softmax_of_its_values() -> None:
    session = session_of(Preferring())
    session.set_option("TreePolicy", "puct")
    found = session.priors()
    assert found["b2"] / found["a1"] == pytest.approx(math.e)
    session.set_option("PriorTemperature", "0.5")
    assert session.priors()["b2"] / session.priors()["a1"] == pytest.approx(math.e**2)


def test_no_priors_after_the_end_or_while_dice_decide_or_from_a_game_that_fails() -> None:
    session = session_of(load("backgammon"))
    session.set_option("TreePolicy", "puct")
    assert session.priors() == {}
    session = session_of(Failing())
    session.set_option("TreePolicy", "puct")
    assert session.priors() == {}
    session = session_of(Go(5))
    session.set_position(None, ("pass", "pass"))
    assert session.priors() == {}
