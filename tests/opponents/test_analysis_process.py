"""``playout analysis`` as a process: many queries at a time, priorities, termination, the end of the input."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

from .pipe import Pipe, forked

MNK = f"{Path(__file__).parents[1]}/users/mnk.py:Mnk"
ENDLESS = {"moves": [], "maxVisits": 2**50}


def start(*arguments: str) -> Pipe:
    return Pipe(forked("analysis", *arguments))


def send(engine: Pipe, *queries: dict[str, Any]) -> None:
    engine.send(*(json.dumps(query) for query in queries))


def receive(engine: Pipe) -> dict[str, Any]:
    found = json.loads(engine.line())
    assert isinstance(found, dict)
    return found


def rest(engine: Pipe) -> list[dict[str, Any]]:
    return [json.loads(line) for line in engine.rest()]


def test_many_queries_over_all_games_are_each_answered_once() -> None:
    games = {
        "tic_tac_toe": ["a1"],
        "connect_four": ["d"],
        "hex:5": ["c3"],
        "go:5": [["B", "C3"]],
        "chess": ["e2e4"],
        "backgammon": ["31"],
        MNK: ["4"],
    }
    with start("--game", MNK, "--parallel", "3") as engine:
        for number in range(4):
            for game, moves in games.items():
                send(engine, {"id": f"{game} {number}", "game": game, "moves": moves, "maxVisits": 20})
        engine.close_input()
        replies = rest(engine)
        assert engine.exit_status() == 0
        assert engine.errors() == ""
    assert sorted(reply["id"] for reply in replies) == sorted(f"{game} {n}" for game in games for n in range(4))
    assert all(reply["rootInfo"]["visits"] == 20 and not reply["isDuringSearch"] for reply in replies)


def test_a_search_is_terminated_and_those_that_waited_go_by_priority() -> None:
    with start("--game", "go:9", "--parallel", "1") as engine:
        send(engine, {"id": "long", **ENDLESS, "reportDuringSearchEvery": 0.05})
        first = receive(engine)
        assert first["isDuringSearch"]
        few = {"moves": [], "maxVisits": 10, "game": "tic_tac_toe"}
        for name, priority in (("low", -5), ("high", 5), ("middle", 0)):
            send(engine, {"id": name, "priority": priority, **few})
        send(engine, {"id": "t", "action": "terminate", "terminateId": "long"})
        replies = []
        while len([reply for reply in replies if reply.get("isDuringSearch") is False]) < 4:
            replies.append(receive(engine))
        finals = [reply for reply in replies if reply.get("isDuringSearch") is False]
        assert [reply["id"] for reply in finals] == ["long", "high", "middle", "low"]
        assert finals[0]["rootInfo"]["endedBy"] == "stop"
        assert {"id": "t", "action": "terminate", "terminateId": "long"} in replies
        send(engine, {"id": "v", "action": "query_version"})
        assert receive(engine)["id"] == "v"


def test_nothing_is_lost_when_there_is_no_waiting() -> None:
    with start("--game", "go:5", "--parallel", "2", "--quit-without-waiting") as engine:
        send(engine, *({"id": f"{n}", **ENDLESS} for n in range(5)))
        send(engine, {"id": "v", "action": "query_version"})
        assert receive(engine)["id"] == "v"
        engine.close_input()
        replies = rest(engine)
        assert engine.exit_status() == 0
    assert sorted(reply["id"] for reply in replies) == ["0", "1", "2", "3", "4"]
    assert {reply["id"] for reply in replies if reply.get("noResults")} >= {"2", "3", "4"}


def test_an_interrupt_ends_the_searches() -> None:
    with start("--game", "go:5", "--parallel", "1") as engine:
        send(engine, {"id": "x", **ENDLESS}, {"id": "y", **ENDLESS}, {"id": "v", "action": "query_version"})
        receive(engine)
        engine.interrupt(signal.SIGINT)
        replies = rest(engine)
        assert engine.exit_status() == 0
    assert sorted(reply["id"] for reply in replies) == ["x", "y"]


def test_bad_lines_do_not_disturb_what_is_searched() -> None:
    with start("--game", "connect_four", "--parallel", "2") as engine:
        send(engine, {"id": "x", "moves": [], "maxVisits": 3000})
        engine.send(b"\xff\xfe\n", b"[" * 50_000 + b"\n", b'{"id":"' + b"x" * (5 * 2**20) + b'"}\n', b"\n")
        send(engine, {"id": "y", "moves": ["h"]})
        engine.close_input()
        replies = rest(engine)
        assert engine.errors() == ""
    assert [reply["id"] for reply in replies if "rootInfo" in reply] == ["x"]
    assert len([reply for reply in replies if "error" in reply]) == 4


def test_a_wrong_argument_is_one_line() -> None:
    for arguments in (["--parallel", "-1"], ["--parallel", "two"], ["--winrates-as", "mine"]):
        with start(*arguments) as engine:
            assert engine.rest() == []
            assert engine.exit_status() == 2
            assert len(engine.errors().splitlines()) == 1
