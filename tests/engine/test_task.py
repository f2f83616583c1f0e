"""A search's task is frozen when it starts: nothing that is set in the session during the search changes it."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from playout.engine.judge.rollout import Rollout
from playout.engine.known.session_books import Books
from playout.engine.search.searcher import Searcher
from playout.engine.session import Session
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Clock, Limits
from playout.engine.terms.option_values import FrozenOptions
from playout.engine.terms.rights import Rights
from playout.games import catalogue

from ..patience import PATIENCE
from .known.book_desk import OPENED, book
from .tasks import task_of


class Desk:
    """A session with the queue that its reports go to."""

    def __init__(self, game: str) -> None:
        self.events: SimpleQueue[SearchInfo | SearchResult] = SimpleQueue()
        self.session = Session(catalogue.load(game), post=self.events.put)
        for name, value in (("Hash", "16"), ("BookFile", ""), ("InfoInterval", "10")):
            self.session.set_option(name, value)

    def report(self) -> SearchInfo:
        """The next report of the search under way."""
        event = self.events.get(timeout=PATIENCE)
        assert isinstance(event, SearchInfo)
        return event

    def result(self) -> SearchResult:
        """The result of the search under way."""
        while not isinstance(event := self.events.get(timeout=PATIENCE), SearchResult):
            pass
        assert self.session.wait(PATIENCE)
        return event

    def think(self, **limits: Any) -> SearchResult:
        self.session.go(Limits(**limits))
        return self.result()


@pytest.fixture
def desks() -> Iterator[Callable[[str], Desk]]:
    """Makes desks, and closes them."""
    made: list[Desk] = []

    def make(game: str) -> Desk:
        made.append(Desk(game))
        return made[-1]

    yield make
    for one in made:
        one.session.close()


class Gate:
    """Holds a search up at a method, until it is opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> None:
        self.reached, self._open = threading.Event(), threading.Event()
        method = getattr(owner, name)

        def held(this: Any, *arguments: Any, **more: Any) -> Any:
            if threading.current_thread() is not threading.main_thread():
                self.reached.set()
                assert self._open.wait(PATIENCE)
            return method(this, *arguments, **more)

        monkeypatch.setattr(owner, name, held)

    def wait(self) -> None:
        assert self.reached.wait(PATIENCE)

    def open(self) -> None:
        self._open.set()


def test_a_task_cannot_be_changed() -> None:
    task = task_of(catalogue.load("tic_tac_toe"), MultiPV="2")
    for field in dataclasses.fields(task):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(task, field.name, None)
    with pytest.raises(TypeError):
        task.options["MultiPV"] = 3  # type: ignore[index]
    assert (task.ply, task.analysis) == (0, False)
    assert task_of(task.game, limits=Limits(infinite=True)).analysis
    assert task_of(task.game, UCI_AnalyseMode="true").analysis


def test_frozen_options_are_those_of_their_moment(desks: Callable[[str], Desk]) -> None:
    options = desks("chess").session.options
    options.set("MultiPV", "2")
    frozen = options.frozen()
    options.set("MultiPV", "3")
    options.set("Move Overhead", "70")
    options.restrict(Rights(hash_mib=4))
    assert isinstance(frozen, FrozenOptions)
    assert (frozen.integer("MultiPV"), frozen["Move Overhead"], frozen.integer("Hash")) == (2, 10, 16)
    assert dict(frozen).keys() == dict(options).keys()
    assert (frozen.flag("OwnBook"), frozen.number("Resign"), frozen.text("BookVariety")) == (True, 0.0, "best")


def test_the_task_of_a_search_is_what_the_session_held_when_it_started(desks: Callable[[str], Desk]) -> None:
    d = desks("chess")
    assert d.session.task is None
    d.session.set_position(None, ["e2e4", "e7e5"])
    d.session.go(Limits(infinite=True))
    task = d.session.task
    assert task is not None
    d.report()
    d.session.set_option("MultiPV", "3")
    d.session.set_position(None, ["d2d4"])
    d.session.restrict(Rights(seconds=1e6))
    assert d.session.task is task
    assert (task.options.integer("MultiPV"), task.line.words, task.ply) == (1, ("e2e4", "e7e5"), 2)
    assert task.rights == Rights()
    assert task.limits.received is not None
    d.session.stop()
    assert d.result().move is not None
    assert d.session.task is task
    d.think(nodes=20)
    assert d.session.task is not None
    assert (d.session.task.options.integer("MultiPV"), d.session.task.line.words) == (3, ("d2d4",))


@pytest.mark.parametrize(
    ("option", "value", "argument", "then"),
    [
        ("MultiPV", "3", "lines", (1, 3)),
        ("InfoInterval", "2000", "interval", (0.01, 2.0)),
        ("MaxNodes", "30", "nodes", (200, 30)),
        ("Level", "0", "nodes", (200, 4)),
    ],
)
def test_an_option_set_before_the_search_reads_it_is_for_the_next(
    desks: Callable[[str], Desk],
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    value: str,
    argument: str,
    then: tuple[Any, Any],
) -> None:
    """The search is held up where it begins; what it then asks of the searcher is by the options of its start."""
    seen: list[Any] = []
    run = Searcher.run

    def spied(self: Searcher, **arguments: Any) -> SearchResult:
        seen.append(arguments[argument])
        return run(self, **arguments)

    monkeypatch.setattr(Searcher, "run", spied)
    gate = Gate(monkeypatch, Books, "prepare")
    d = desks("chess")
    d.session.go(Limits(nodes=200))
    gate.wait()
    d.session.set_option(option, value)
    gate.open()
    d.result()
    d.think(nodes=200)
    assert tuple(seen) == then


@pytest.mark.parametrize(("option", "value"), [("UCI_AnalyseMode", "true"), ("OwnBook", "false"), ("BookFile", "")])
def test_the_books_of_a_search_are_those_of_its_start(
    words: None,
    desks: Callable[[str], Desk],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    option: str,
    value: str,
) -> None:
    d = desks("tic_tac_toe")
    d.session.set_option("BookFile", book(tmp_path, "one", ": b2 1"))
    gate = Gate(monkeypatch, Books, "prepare")
    d.session.go(Limits(nodes=20))
    gate.wait()
    d.session.set_option(option, value)
    gate.open()
    assert d.result().reason == "book"
    assert d.think(nodes=20).reason == "nodes"


def test_a_book_that_is_named_during_a_search_is_opened_for_the_next(
    words: None, desks: Callable[[str], Desk], tmp_path: Path
) -> None:
    d = desks("tic_tac_toe")
    d.session.go(Limits(infinite=True))
    d.report()
    d.session.set_option("BookFile", book(tmp_path, "late", ": b2 1"))
    assert d.session.remarks() == ()
    assert OPENED == []
    d.session.stop()
    d.result()
    result = d.think(nodes=20)
    assert (result.reason, result.move, OPENED) == ("book", "b2", ["late.words"])


def test_a_game_that_ends_is_learned_by_the_book_that_was_named_last(
    words: None, desks: Callable[[str], Desk], tmp_path: Path
) -> None:
    d = desks("tic_tac_toe")
    d.session.set_option("BookLearn", "true")
    d.session.set_position(None, ["a1", "b1", "a2", "b2"])
    d.session.go(Limits(infinite=True))
    d.report()
    d.session.set_option("BookFile", book(tmp_path, "late", ": b2 1"))
    d.session.stop()
    d.result()
    d.session.settle("a3")
    known: Any = d.session.books.lookup(d.session.game.initial_state())
    assert known[0].learned == [(["a1", "b1", "a2", "b2", "a3"], 1.0)]


def test_a_hit_bounds_the_move_by_the_options_and_the_position_of_the_search(
    desks: Callable[[str], Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a Move Overhead nor a position that is set while it ponders counts."""
    told: list[float | None] = []
    monkeypatch.setattr(Searcher, "set_deadline", lambda _, __, hard: told.append(hard))
    d = desks("chess")
    d.session.set_option("AdaptiveTime", "false")
    clock = Clock(600.0)

    def hard(ponder: bool) -> float:
        told.clear()
        d.session.set_position(None, ["e2e4", "e7e5"])
        d.session.go(Limits(clock=clock, ponder=ponder))
        if ponder:
            d.session.set_position(None, ["e2e4", "e7e5"] + ["g1f3", "g8f6", "f3g1", "f6g8"] * 20)
            d.session.set_option("Move Overhead", "10000")
            d.session.ponder_hit()
        d.session.stop()
        d.result()
        (found,) = told
        assert found is not None
        return found

    direct = hard(ponder=False)
    assert hard(ponder=True) == pytest.approx(direct, abs=0.5)
    d.session.new_game()
    assert hard(ponder=False) < direct - 1.0, "the next search obeys"


def test_a_hit_without_a_clock_takes_the_move_time_of_the_start(
    desks: Callable[[str], Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[float | None] = []
    monkeypatch.setattr(Searcher, "set_deadline", lambda _, __, hard: told.append(hard))
    d = desks("chess")
    d.session.set_option("MoveTime", "2000")
    d.session.go(Limits(ponder=True))
    d.report()
    d.session.set_option("MoveTime", "86400000")
    d.session.ponder_hit()
    (hard,) = told
    assert hard is not None
    assert hard < 2.0
    d.session.stop()
    d.result()


def test_hash_is_cleared_for_the_next_search(desks: Callable[[str], Desk]) -> None:
    d = desks("chess")
    d.session.go(Limits(infinite=True))
    before = d.report()
    d.session.set_option("Clear Hash", "")
    d.session.set_option("Hash", "1")
    after = d.report()
    assert after.visits >= before.visits
    d.session.stop()
    d.result()
    result = d.think(nodes=20)
    assert result.info.visits == result.info.simulations == 20


def test_a_graph_file_that_is_named_during_a_search_is_for_the_next(
    desks: Callable[[str], Desk], tmp_path: Path
) -> None:
    d = desks("chess")
    file = tmp_path / "late.graph"
    d.session.go(Limits(infinite=True))
    d.report()
    d.session.set_option("GraphFile", str(file))
    d.session.stop()
    d.result()
    d.session.new_game()
    assert not file.exists()
    d.think(nodes=20)
    d.session.close()
    assert file.exists()


def test_a_rollout_is_of_its_task() -> None:
    """The same seed and number of playouts repeat."""
    game = catalogue.load("backgammon")
    tasks = [task_of(game, limits=Limits(nodes=30), Seed=seed) for seed in ("1", "1", "2")]
    first, again, other = (Rollout(task).run(None) for task in tasks)
    assert sum(times for _, times in first.outcomes) == 30
    assert first.outcomes == again.outcomes != other.outcomes


def test_options_of_an_earlier_task_hold_for_a_search_that_continues_it(desks: Callable[[str], Desk]) -> None:
    d = desks("chess")
    frozen = d.session.options.frozen()
    d.session.set_option("MaxNodes", "30")
    d.session.go(Limits(nodes=100), frozen)
    assert d.result().info.simulations == 100
    assert d.think(nodes=100).info.simulations == 30
