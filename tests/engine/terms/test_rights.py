"""Rights of a restricted user, and options that were set before the restriction."""

from __future__ import annotations

import threading
from queue import SimpleQueue
from typing import Any

import pytest

from playout.engine.options.table import OPTIONS, Options
from playout.engine.search.searcher import Searcher
from playout.engine.session import Session
from playout.engine.terms.info import SearchResult
from playout.engine.terms.limits import Limits
from playout.engine.terms.rights import Rights
from playout.games import catalogue
from playout.games.errors import BadOption

from ...patience import PATIENCE

STRANGER = Rights(files=False, hash_mib=32, threads=2, seconds=0.05)


def test_no_option_that_may_name_a_file_is_harmless() -> None:
    """Only the text options listed here are for users on the network, so that every new one is decided upon."""
    assert {option.name for option in OPTIONS if option.kind == "string" and option.harmless} == {"UCI_Opponent"}
    assert {option.name for option in OPTIONS if option.kind != "string" and not option.harmless} == {"BookLearn"}


def test_values_are_bounded_and_files_out_of_reach() -> None:
    options = Options("chess")
    options.set("BookFile", "mine.book")
    options.set("Threads", "1")
    options.restrict(STRANGER)
    assert (options.integer("Hash"), options.integer("Threads"), options.text("BookFile")) == (32, 1, "mine.book")
    for text, value in (("200", 2), ("2", 2), ("1", 1)):
        options.set("Threads", text)
        assert options.integer("Threads") == value
    declared = {option.name: option for option in options.declared()}
    assert (declared["Hash"].default, declared["Hash"].high) == (32, 32)
    assert not {"BookFile", "SyzygyPath", "GraphFile", "MacroFile", "BookLearn"} & set(declared)
    for name in ("BookFile", " bookfile ", "SyzygyPath"):
        with pytest.raises(BadOption, match="not for users on the network"):
            options.set(name, "x")
    with pytest.raises(BadOption, match="is not between"):
        options.set("Hash", "70000")
    with pytest.raises(BadOption) as caught:
        options.set("Hsh", "1")
    assert "BookFile" not in str(caught.value)


def test_the_rights_outlast_a_change_of_game() -> None:
    session = Session(catalogue.load("go:5"), post=lambda _: None)
    session.restrict(STRANGER)
    session.set_game(catalogue.load("chess"))
    assert session.options.integer("Hash") == 32
    with pytest.raises(BadOption):
        session.set_option("SyzygyPath", "/")
    session.close()


@pytest.mark.parametrize(
    "limits", [Limits(nodes=10**12), Limits(movetime=1000.0), Limits(infinite=True), Limits(ponder=True)]
)
def test_a_search_ends_at_the_bound_of_its_user(limits: Limits, monkeypatch: pytest.MonkeyPatch) -> None:
    ended, run = threading.Event(), Searcher.run

    def watched(self: Searcher, **words: Any) -> SearchResult:
        try:
            return run(self, **words)
        finally:
            ended.set()

    monkeypatch.setattr(Searcher, "run", watched)
    events: SimpleQueue[Any] = SimpleQueue()
    session = Session(catalogue.load("go:5"), post=events.put)
    session.restrict(STRANGER)
    session.go(limits)
    assert ended.wait(PATIENCE)
    if limits.infinite or limits.ponder:
        assert not session.wait(0.05), "the move waits until it is due"
        session.stop()
    assert session.wait(PATIENCE)
    result = events.get(timeout=PATIENCE)
    while not hasattr(result, "reason"):
        result = events.get(timeout=PATIENCE)
    assert result.reason == "deadline"
    session.close()
