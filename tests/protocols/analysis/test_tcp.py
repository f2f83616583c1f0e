"""The analysis protocol over TCP: within what the server allows, and gone with its client."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

from playout.engine.terms.rights import Rights

from ...opponents.pipe import forked
from ...patience import PATIENCE, eventually
from ..transport.network import Client, Server
from .desk import MNK, desk

pytestmark = pytest.mark.opponents

ENDLESS = {"moves": [], "maxVisits": 2**50, "reportDuringSearchEvery": 0.01}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server("--listen", "analysis=127.0.0.1:0", "--game", "go:5") as made:
        yield made


def ask(client: Client, *queries: dict[str, Any]) -> None:
    client.send(*(json.dumps(query) for query in queries))


def final(client: Client) -> dict[str, Any]:
    """The next reply that is not about a search that goes on."""
    while True:
        reply = json.loads(client.line())
        if not reply.get("isDuringSearch"):
            assert isinstance(reply, dict)
            return reply


def test_each_connection_has_its_own_queries(server: Server) -> None:
    with Client(server) as one, Client(server) as two:
        ask(one, {"id": "x", **ENDLESS})
        ask(two, {"id": "x", "moves": ["C3"], "maxVisits": 20}, {"id": "t", "action": "terminate_all"})
        assert final(two)["id"] in ("t", "x")
        ask(one, {"id": "y", "moves": [], "maxVisits": 9, "priority": 1}, {"id": "t", "action": "terminate_all"})
        assert {final(one)["id"] for _ in range(3)} == {"x", "y", "t"}


def test_a_query_may_name_no_file_of_the_server(server: Server) -> None:
    with Client(server) as client:
        ask(client, {"id": "x", "game": MNK})
        assert final(client)["field"] == "game"
        ask(client, {"id": "x", "overrideSettings": {"BookFile": "/etc/passwd"}, "maxVisits": 5})
        assert final(client)["warning"].startswith("BookFile: no such option: ignored")
        assert final(client)["rootInfo"]["visits"] == 5


def test_the_searches_end_with_their_client(server: Server) -> None:
    with Client(server) as client:
        ask(client, {"id": "x", **ENDLESS}, {"id": "y", **ENDLESS})
        client.line()
    assert eventually(server.rests)


def test_a_bridge_waits_for_what_it_has_asked(server: Server) -> None:
    queries = [{"id": f"{n}", "moves": [], "maxVisits": 20} for n in range(5)]
    done = subprocess.run(
        forked("connect", server.address),
        input="".join(json.dumps(query) + "\n" for query in queries),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert sorted(json.loads(line)["id"] for line in done.stdout.splitlines()) == ["0", "1", "2", "3", "4"]


def test_a_slow_reader_loses_no_final_reply(server: Server) -> None:
    with Client(server, receive_buffer=4096) as client:
        big = {"boardXSize": 19, "boardYSize": 19, "includeOwnership": True, "includeMovesOwnership": True}
        ask(client, {"id": "x", **ENDLESS, **big, "maxVisits": 200})
        ask(client, *({"id": f"{n}", "moves": [], "maxVisits": 5} for n in range(10)))
        time.sleep(1.5)  # so that reports pile up; that none does is no failure
        assert {final(client)["id"] for _ in range(11)} == {"x", *map(str, range(10))}


def test_what_a_user_may_have_is_for_all_searches_together() -> None:
    with desk("go:5", [("Hash", "64")], rights=Rights(files=False, threads=2, hash_mib=16), parallel=8) as engine:
        assert engine.protocol._defaults.parallel == 2
        assert engine.protocol._defaults.options["Hash"] == "16"
