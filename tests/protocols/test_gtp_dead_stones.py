"""Dead stones in Go, judged by playouts: scores, statuses, and passes that would count on them."""

from __future__ import annotations

import queue

import pytest

from playout.engine.info import MoveInfo, SearchInfo, SearchResult
from playout.engine.session import Session
from playout.games import registry
from playout.protocols.gtp import Gtp

# Columns of stones, each side with two rooms of its own: A and C are Black's, F and J White's. A white stone on A2 and
# a black one on J8 are lost.
BLACK = [f"{column}{row}" for column in "BD" for row in range(1, 10)]
WHITE = [f"{column}{row}" for column in "EGH" for row in range(1, 10)]


@pytest.fixture
def gtp() -> Gtp:
    events: queue.Queue[SearchInfo | SearchResult] = queue.Queue()
    return Gtp(Session(registry.load("go:9"), post=events.put))


def ask(gtp: Gtp, line: str) -> str:
    return "\n".join(gtp.handle_line(line, 0.0)).strip()


def set_up(gtp: Gtp, black: list[str], white: list[str]) -> None:
    for colour, points in (("b", [*BLACK, *black]), ("w", [*WHITE, *white])):
        for point in points:
            assert ask(gtp, f"play {colour} {point}") == "="


def test_dead_stones_are_listed(gtp: Gtp) -> None:
    set_up(gtp, ["J8"], ["A2"])
    assert ask(gtp, "final_status_list dead") == "= J8\nA2"
    alive = ask(gtp, "final_status_list alive").removeprefix("= ").split()
    assert sorted(alive) == sorted([*BLACK, *WHITE])
    assert ask(gtp, "final_status_list seki") == "="


def test_the_score_is_without_them(gtp: Gtp) -> None:
    set_up(gtp, ["J8"], [])
    assert ask(gtp, "komi 0") == "="
    assert ask(gtp, "final_score") == "= W+9"
    assert ask(gtp, "komi 7.5") == "="
    assert ask(gtp, "final_score") == "= W+16.5"


def found(*moves: str) -> SearchResult:
    infos = tuple(MoveInfo(move, 10, 0.0, 0.5, 0.0, 0.5, -1.0, 1.0, None, (move,)) for move in moves)
    return SearchResult(moves[0], None, SearchInfo(1.0, 20, 1.0, 1, 0.0, 20, 0, infos), "nodes")


@pytest.mark.parametrize(("komi", "answer"), [("0", "= J7"), ("-20", "= pass"), ("20", "= pass")])
def test_a_pass_does_not_count_on_dead_stones(
    gtp: Gtp, komi: str, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With J8 alive the J column is nobody's and Black leads by 1; without it White leads by 9."""
    set_up(gtp, ["J8"], [])
    assert ask(gtp, f"komi {komi}") == "="
    monkeypatch.setattr(Session, "go", lambda self, limits: None)
    assert ask(gtp, "genmove b") == ""
    assert "\n".join(gtp.handle_event(found("pass", "J7"))).strip() == answer
