"""Dead stones in Go under GTP: scores, statuses, and passes that depend on them."""

from __future__ import annotations

import queue
import time
from typing import Any

import pytest

from playout.engine.judge import life
from playout.engine.judge.life import Judgement
from playout.engine.session import Session
from playout.engine.terms.info import MoveInfo, SearchInfo, SearchResult
from playout.games import catalogue
from playout.protocols.gtp.protocol import Gtp

from ...patience import PATIENCE

# Columns of stones, each side with two rooms of its own: A and C are Black's, F and J White's. A white stone on A2 and
# a black one on J8 are lost.
BLACK = [f"{column}{row}" for column in "BD" for row in range(1, 10)]
WHITE = [f"{column}{row}" for column in "EGH" for row in range(1, 10)]


class Player:
    """A protocol on a real session, and the reports of its searches."""

    def __init__(self) -> None:
        self.events: queue.Queue[SearchInfo | SearchResult] = queue.Queue()
        self.session = Session(catalogue.load("go:9"), post=self.events.put)
        self.gtp = Gtp(self.session)

    def __call__(self, line: str) -> str:
        """The response to ``line``."""
        return self._whole(list(self.gtp.handle_line(line, 0.0)))

    def end(self, result: SearchResult) -> str:
        """The response once the search has ended with ``result``."""
        return self._whole(list(self.gtp.handle_event(result)))

    def _whole(self, replies: list[str]) -> str:
        while not replies:
            replies += self.gtp.handle_event(self.events.get(timeout=PATIENCE))
        return "\n".join(replies).strip()

    def set_up(self, black: list[str], white: list[str]) -> None:
        stones = [("b", point) for point in [*BLACK, *black]] + [("w", point) for point in [*WHITE, *white]]
        assert self("set_position " + " ".join(f"{colour} {point}" for colour, point in stones)) == "="


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Player:
    monkeypatch.setattr(life, "MOST_SECONDS", 10 * PATIENCE)
    return Player()


def test_dead_stones_are_listed(ask: Player) -> None:
    ask.set_up(["J8"], ["A2"])
    assert ask("final_status_list dead") == "= J8\nA2"
    alive = ask("final_status_list alive").removeprefix("= ").split()
    assert sorted(alive) == sorted([*BLACK, *WHITE])
    assert ask("final_status_list seki") == "="
    assert ask("final_status_list dame") == "="
    assert ask("final_status_list black_territory").split()[1:4] == ["A1", "C1", "C2"]
    assert ask("final_status a2") == "= dead"
    assert ask("final_status a3") == "= black_territory"
    assert ask("final_status b1") == "= alive"


def test_the_score_is_without_them(ask: Player) -> None:
    ask.set_up(["J8"], [])
    assert ask("komi 0") == "="
    assert ask("final_score") == "= W+9"
    assert ask("komi 7.5") == "="
    assert ask("final_score") == "= W+16.5"


def test_a_position_is_judged_once(ask: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = []
    monkeypatch.setattr(life, "judge", lambda *words, **rest: judged.append(words) or Judgement(()))
    for line in ("final_score", "final_status_list dead", "final_score"):
        assert ask(line).startswith("=")
    assert len(judged) == 1
    for line in ("play b E5", "final_score", "undo", "komi 0.5", "final_score"):
        assert ask(line).startswith("=")
    assert len(judged) == 3


def test_a_judgement_that_fails_is_a_failure(ask: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("1/0")

    monkeypatch.setattr(life, "judge", fail)
    assert ask("7 final_score") == "?7 search failed: ZeroDivisionError: 1/0"
    assert ask("8 name") == "=8 playout"
    ask.set_up(["J8"], [])
    assert ask("komi 0") == "="
    monkeypatch.setattr(Session, "go", lambda self, limits: None)
    assert list(ask.gtp.handle_line("9 genmove b", 0.0)) == []
    assert ask.end(found("pass", "J7")) == "=9 pass"


def test_a_judgement_can_be_cut_short(ask: Player) -> None:
    assert ask("play b E5") == "="
    assert not ask.gtp.handle_line("1 final_score", 0.0)
    assert ask.gtp.busy
    assert not ask.gtp.handle_line("# interrupt", 0.0)
    assert ask("2 name").startswith("=1 ")


def found(*moves: str) -> SearchResult:
    infos = tuple(MoveInfo(move, 10, 0.0, 0.5, 0.0, 0.5, -1.0, 1.0, None, (move,)) for move in moves)
    return SearchResult(moves[0], None, SearchInfo(1.0, 20, 1.0, 1, 0.0, 20, 0, infos), "nodes")


@pytest.mark.parametrize(("komi", "answer"), [("0", "= J7"), ("-20", "= pass"), ("20", "= pass")])
def test_a_pass_does_not_count_on_dead_stones(
    ask: Player, komi: str, answer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With J8 alive the J column is nobody's and Black leads by 1; without it White leads by 9."""
    ask.set_up(["J8"], [])
    assert ask(f"komi {komi}") == "="
    monkeypatch.setattr(Session, "go", lambda self, limits: None)
    assert list(ask.gtp.handle_line("genmove b", 0.0)) == []
    assert ask.end(found("pass", "J7")) == answer


def test_a_cleanup_takes_dead_stones_before_it_passes(ask: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    ask.set_up(["J8"], ["A2"])
    assert ask("play b pass") == ask("play w pass") == "="
    monkeypatch.setattr(Session, "go", lambda self, limits: None)
    for moves, answer in (["pass", "A3", "A1"], "= A3"), (["pass"], "= A1"), (["pass"], "= pass"):
        assert list(ask.gtp.handle_line("kgs-genmove_cleanup b", 0.0)) == []
        assert ask.end(found(*moves)) == answer


@pytest.mark.parametrize("command", ["genmove", "kgs-genmove_cleanup", "kata-genmove_analyze"])
@pytest.mark.parametrize("early", [False, True])
def test_lines_are_read_while_a_pass_is_judged(
    ask: Player, command: str, early: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def until_stopped(*_: Any, stopped: Any, **__: Any) -> Judgement:
        while not stopped():
            time.sleep(0.001)
        return Judgement(())

    ask.set_up(["J8"], [])
    assert ask("komi 0") == "="
    monkeypatch.setattr(life, "judge", until_stopped)
    monkeypatch.setattr(Session, "go", lambda self, limits: None)
    opened = list(ask.gtp.handle_line(f"1 {command} b", 0.0))
    if early:
        assert ask.gtp.handle_line("# interrupt", 0.0) == ()
    assert list(ask.gtp.handle_event(found("pass", "J7"))) == []
    assert ask.gtp.busy
    assert list(ask.gtp.handle_line("2 name", 0.0)) == []
    if not early:
        assert list(ask.gtp.handle_line("# interrupt", 0.0)) == []
    replies = [*opened, *ask.end(ask.events.get(timeout=PATIENCE)).split("\n")]
    answer = ["=1", "play pass"] if command == "kata-genmove_analyze" else ["=1 pass"]
    assert [line for line in replies if line and not line.startswith("info")] == [*answer, "=2 playout"]
