"""The analysis protocol: errors in queries, warnings, options."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from playout.engine.search.searcher import Searcher
from playout.engine.session import Session
from playout.games import catalogue
from playout.protocols.analysis.protocol import AnalysisProtocol
from playout.protocols.base.lines import InputLine
from playout.protocols.registry import find
from playout.protocols.serve import Inbox, Work, serve

from ...patience import PATIENCE
from .desk import MNK, Desk, desk


@pytest.fixture(scope="module")
def engine() -> Iterator[Desk]:
    """One desk for all tests: a wrong query changes nothing."""
    with desk() as made:
        yield made


BAD: list[tuple[dict[str, Any], str]] = [
    ({"game": "checkers"}, "game"),
    ({"game": 3}, "game"),
    ({"game": "go:99"}, "game"),
    ({"options": {"size": 99}}, "options"),
    ({"options": {"komi": "9"}}, "options"),
    ({"options": {"speed": 9}}, "options"),
    ({"options": []}, "options"),
    ({"position": "nonsense"}, "position"),
    ({"position": "5/5/5/5/5 b", "initialStones": [["B", "A1"]]}, "initialStones"),
    ({"moves": ["C3", "C3"]}, "moves"),
    ({"moves": [["X", "C3"]]}, "moves"),
    ({"moves": [["B", "C3", "C4"]]}, "moves"),
    ({"moves": "C3"}, "moves"),
    ({"moves": None}, "moves"),
    ({"initialStones": [["B", "pass"]]}, "initialStones"),
    ({"initialStones": [["B", "F9"]]}, "initialStones"),
    ({"initialPlayer": "black?"}, "initialPlayer"),
    ({"boardXSize": 19, "boardYSize": 26}, "boardYSize"),
    ({"boardXSize": 26, "boardYSize": 19}, "boardXSize"),
    ({"game": "hex:5", "boardXSize": 5, "boardYSize": 6}, "boardYSize"),
    ({"options": {"size": "13x"}}, "options"),
    ({"boardXSize": 60}, "boardXSize"),
    ({"boardXSize": 9.5}, "boardXSize"),
    ({"komi": "6.5"}, "komi"),
    ({"komi": 1e9}, "komi"),
    ({"rules": "strip"}, "rules"),
    ({"rules": {"ko": "SUPER"}}, "rules"),
    ({"rules": 5}, "rules"),
    ({"whiteHandicapBonus": 3}, "whiteHandicapBonus"),
    ({"analyzeTurns": [1]}, "analyzeTurns"),
    ({"analyzeTurns": [-1]}, "analyzeTurns"),
    ({"analyzeTurns": 0}, "analyzeTurns"),
    ({"priorities": [1]}, "priorities"),
    ({"analyzeTurns": [0], "priorities": [1, 2]}, "priorities"),
    ({"analyzeTurns": [0], "priorities": [1], "priority": 2}, "priority"),
    ({"priority": 2**63}, "priority"),
    ({"priority": 1.5}, "priority"),
    ({"maxVisits": 0}, "maxVisits"),
    ({"maxVisits": 10**40}, "maxVisits"),
    ({"maxVisits": True}, "maxVisits"),
    ({"maxTimeMs": -5}, "maxTimeMs"),
    ({"seed": -1}, "seed"),
    ({"multiPV": 0}, "multiPV"),
    ({"analysisPVLen": 0}, "analysisPVLen"),
    ({"includeOwnership": 1}, "includeOwnership"),
    ({"reportDuringSearchEvery": 0}, "reportDuringSearchEvery"),
    ({"reportAnalysisWinratesAs": "MINE"}, "reportAnalysisWinratesAs"),
    ({"avoidMoves": [{"player": "B", "moves": ["C3"], "untilDepth": 0}]}, "avoidMoves"),
    ({"avoidMoves": [{"player": "B", "moves": ["C3"]}]}, "avoidMoves"),
    ({"avoidMoves": [{"player": "B", "moves": ["Z9"], "untilDepth": 1}]}, "avoidMoves"),
    ({"allowMoves": [{"player": "B", "moves": ["C3"], "untilDepth": 1}] * 2}, "allowMoves"),
    ({"overrideSettings": {"Exploration": -1}}, "overrideSettings"),
    ({"overrideSettings": {"TreePolicy": "best"}}, "overrideSettings"),
    ({"overrideSettings": {"TreePolicy": {"a": 1}}}, "overrideSettings"),
    ({"overrideSettings": {"GraveVisits": 5, "Rave": False}}, "overrideSettings"),
    ({"overrideSettings": {"Hash": 9}}, "overrideSettings"),
    ({"overrideSettings": {"GraphFile": "x"}}, "overrideSettings"),
    ({"overrideSettings": {"MultiPV": 9}}, "overrideSettings"),
    ({"overrideSettings": {"numSearchThreads": 99}}, "overrideSettings"),
    ({"overrideSettings": {"maxTime": -1}}, "overrideSettings"),
    ({"overrideSettings": {"maxVisits": 10**400}}, "overrideSettings"),
    ({"overrideSettings": {"maxPlayouts": "many"}}, "overrideSettings"),
    ({"overrideSettings": {"reportAnalysisWinratesAs": 3}}, "overrideSettings"),
    ({"game": "backgammon"}, "analyzeTurns"),
    ({"action": "dance"}, "action"),
    ({"action": None}, "action"),
    ({"action": "terminate"}, "terminateId"),
    ({"action": "terminate", "terminateId": "y", "turnNumbers": "all"}, "turnNumbers"),
]


@pytest.mark.parametrize(("given", "field"), BAD, ids=lambda given: str(given)[:60])
def test_a_wrong_field_is_one_error_that_names_it(engine: Desk, given: dict[str, Any], field: str) -> None:
    (error,) = engine.ask({"id": "x", **given})
    assert list(error) == ["error", "field", "id"]
    assert error["field"] == field
    assert error["error"].isprintable()
    assert engine.final({"id": "y", "moves": [], "maxVisits": 1})["rootInfo"]["visits"] == 1


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "{",
        "[]",
        "3",
        "null",
        '"text"',
        '{"id":"x"} {"id":"y"}',
        '{"id":"x","komi":NaN}',
        '{"id":"x","komi":1e999}',
        '{"id":"\\ud800"}',
        "[" * 100_000,
        '{"id":"x","moves":' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"a":' * 50_000,
        '{"id":' + "9" * 100_000 + "}",
        '{"id":5}',
        '{"id":null,"moves":[]}',
        '{"moves":[]}',
        '{"id":"' + "x" * 2000 + '"}',
    ],
    ids=lambda line: line[:20],
)
def test_a_line_that_is_no_query_is_one_error(engine: Desk, line: str) -> None:
    (error,) = engine.ask(line)
    assert "error" in error
    assert "id" not in error
    assert len(error["error"]) <= 240


def test_a_line_that_is_too_long_is_one_error(engine: Desk) -> None:
    assert engine.protocol.handle_refusal("line too long: xyz") == ['{"error":"line too long: xyz"}']


def test_blank_lines_mean_nothing(engine: Desk) -> None:
    assert engine.ask("", "  \t ", "\ufeff") == []


def test_what_means_nothing_is_warned_of() -> None:
    with desk("tic_tac_toe") as engine:
        *warnings, reply = engine.ask(
            {
                "id": "x",
                "maxVisits": 5,
                "maxVisit": 6,
                "includeOwnershipStdev": False,
                "includeNoResultValue": True,
                "komi": 7.5,
                "rules": "chinese",
                "boardXSize": 3,
                "includeOwnership": True,
                "overrideSettings": {"wideRootNoise": 0.1},
            }
        )
    assert sorted(warning["field"] for warning in warnings) == sorted(
        ["maxVisit", "includeNoResultValue", "boardXSize", "komi", "rules", "includeOwnership", "overrideSettings"]
    )
    assert all(list(warning) == ["warning", "field", "id"] for warning in warnings)
    assert reply["rootInfo"]["visits"] == 5
    with desk() as engine:
        warning, _ = engine.ask({"id": "x", "rules": "stone_scoring", "maxVisits": 5})
        assert warning["warning"] == "rules without tax ALL: the nearest ones are used"


def test_options_are_those_of_the_command_and_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    configure = Searcher.configure

    def watch(self: Searcher, config: Any) -> None:
        seen.append(config)
        configure(self, config)

    monkeypatch.setattr(Searcher, "configure", watch)
    options = [("Hash", "64"), ("Rave", "true"), ("Exploration", "1.5"), ("MaxNodes", "40")]
    with desk("go:5", options, parallel=4) as engine:
        settings = {"exploration": 0.7, "numSearchThreads": 3, "maxPlayouts": 30, "Seed": 5}
        assert engine.final({"id": "x", "overrideSettings": settings})["rootInfo"]["visits"] >= 30
        config = seen[-1]
        assert (config.hash_mib, config.rave, config.exploration, config.threads) == (16, True, 0.7, 3)
        assert config.seed == 5
        assert engine.final({"id": "x", "game": "backgammon", "moves": ["31"]})["rootInfo"]["visits"] == 40
        assert (seen[-1].rave, seen[-1].exploration) == (False, 1.5), "what makes no sense there is left out"


def test_files_are_named_only_where_that_is_allowed() -> None:
    with desk() as engine:
        assert (
            engine.final({"id": "x", "game": MNK, "options": {"columns": 4}, "maxVisits": 9})["rootInfo"]["visits"] == 9
        )
    with desk(files=False) as engine:
        file = MNK.partition(":")[0]
        for given, field in (
            ({"game": MNK}, "game"),
            ({"game": f" {file} "}, "game"),
            ({"overrideSettings": {"BookFile": "x"}}, "overrideSettings"),
        ):
            (error,) = engine.ask({"id": "x", **given})
            assert error["field"] == field
            assert "file" in error["error"]
    with desk(MNK, files=False) as engine:
        assert engine.final({"id": "x", "moves": ["4"], "maxVisits": 9})["rootInfo"]["visits"] == 9


def test_a_game_that_fails_ends_its_query_only() -> None:
    faulty = f"{Path(__file__).parents[2]}/users/faulty.py"
    with desk("tic_tac_toe") as engine:
        reply = engine.ask(
            {
                "id": "x",
                "game": f"{faulty}:RaisingBoard",
                "options": {"method": "next_state", "plies": 3},
                "maxVisits": 500,
            }
        )[-1]
        assert "error" in reply
        assert engine.final({"id": "y", "maxVisits": 5})["rootInfo"]["visits"] == 5


def test_the_entry_makes_the_protocol_only_with_a_way_to_call_the_loop() -> None:
    entry = find("analysis")
    with desk() as engine:
        session: Any = engine.protocol.session
        assert isinstance(entry.open(session, lambda _: None, {"parallel": 3}), AnalysisProtocol)
        (error,) = entry.open(session).handle_line('{"id":"x"}', 0.0)
    assert error == '{"error":"this transport cannot return results of searches","id":"x"}'


def test_the_loop_writes_what_searches_find_and_ends_them_when_the_other_side_is_gone() -> None:
    """Runs over a transport whose other side reads one line and disconnects."""
    query = '{"id":"%s","moves":[],"maxVisits":%d,"reportDuringSearchEvery":0.01}'
    written: list[str] = []

    class Stream:
        def read(self) -> Iterator[InputLine]:
            yield InputLine(query % ("short", 3), 0.0)
            yield InputLine(query % ("long", 2**50), 0.0)
            gone.wait(PATIENCE)

        def write(self, lines: Sequence[str], droppable: bool = False) -> None:
            if written:
                gone.set()
                raise BrokenPipeError
            written.extend(lines)

        def close(self) -> None:
            pass

    gone = threading.Event()
    inbox = Inbox()
    session = Session(catalogue.load("go:3"), post=inbox.post)
    protocol = AnalysisProtocol(session, inbox.call, parallel=1)
    serve(protocol, Stream(), inbox)
    assert protocol.closed
    assert '"short"' in written[0]
    while protocol.busy:
        message = inbox.take(PATIENCE)
        if isinstance(message, Work):
            message.do()
    session.close()
