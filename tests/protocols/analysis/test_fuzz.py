"""The analysis protocol answers each line of any input, and its answers are valid JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playout.protocols.analysis.query import NOT_HERE, QueryError, described, read_query

from .desk import Desk, desk, read

LETTERS = 'abA1 C3"\\{}[]:,-.+\u00e9\u2028\ufeff\t\x00\U0001f600'
WORDS = st.text(LETTERS, max_size=8)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
NAMES = sorted({*described(), *NOT_HERE, "action", "terminateId", "turnNumbers"} - {"id"})
PLAUSIBLE: dict[str, Any] = {
    "moves": ["C3", ["W", "B2"]],
    "game": "tic_tac_toe",
    "options": {"size": 4},
    "initialStones": [["B", "A1"]],
    "initialPlayer": "W",
    "rules": "chinese",
    "komi": 6.5,
    "boardXSize": 4,
    "analyzeTurns": [0, 1],
    "priorities": [2, 1],
    "avoidMoves": [{"player": "B", "moves": ["A1"], "untilDepth": 1}],
    "overrideSettings": {"Exploration": 0.5, "maxTime": 0.01},
    "includeOwnership": True,
    "includePolicy": True,
    "reportAnalysisWinratesAs": "WHITE",
    "priority": 3,
    "action": "query_version",
}
FIELDS = st.dictionaries(st.sampled_from(NAMES), ANYTHING, max_size=4)
MOSTLY_SOUND = st.sets(st.sampled_from(sorted(PLAUSIBLE)), max_size=5).map(
    lambda names: {n: PLAUSIBLE[n] for n in names}
)
BOUNDS = {"maxVisits": 2, "maxTimeMs": 50}
SMALL = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def engine() -> Iterator[Desk]:
    with desk("go:3") as made:
        yield made


def outcome(engine: Desk, line: str) -> list[dict[str, Any]]:
    replies = engine.ask(line)
    assert not engine.protocol.closed
    return replies


@SMALL
@given(line=st.text(LETTERS, max_size=40) | ANYTHING.map(json.dumps))
def test_any_line_is_answered_by_at_most_one_error(engine: Desk, line: str) -> None:
    replies = outcome(engine, line.replace("\n", " "))
    assert len(replies) <= 1
    assert all("error" in reply for reply in replies)


@SMALL
@given(sound=MOSTLY_SOUND, wild=FIELDS)
def test_a_query_has_an_error_or_its_final_replies(engine: Desk, sound: dict[str, Any], wild: dict[str, Any]) -> None:
    query = {"id": "x", **sound, **wild, **BOUNDS}
    replies = outcome(engine, json.dumps(query))
    assert all(reply.get("id") == "x" for reply in replies)
    if "action" in query:
        assert "error" in replies[0] or replies[0]["action"] == query["action"]
        return
    errors = [reply for reply in replies if "field" in reply and "error" in reply]
    if errors:
        assert replies == errors
        assert len(errors) == 1
        return
    turns = query.get("analyzeTurns")
    wanted = sorted(set(turns)) if turns is not None else [len(query.get("moves", []))]
    finals = [reply for reply in replies if reply.get("isDuringSearch") is False]
    assert sorted(reply["turnNumber"] for reply in finals) == wanted


@SMALL
@given(fields=FIELDS)
def test_the_parser_takes_a_query_or_names_the_field(fields: dict[str, Any]) -> None:
    try:
        query, _ = read_query({"id": "x", **fields})
    except QueryError as error:
        assert error.id == "x"
        assert error.field in fields
        assert str(error).isprintable()
    else:
        again, _ = read_query(msgspec.to_builtins(query))
        assert again == query


@SMALL
@given(cut=st.integers(0, 200), put=st.binary(max_size=3))
def test_a_damaged_query_is_answered(engine: Desk, cut: int, put: bytes) -> None:
    whole = json.dumps({"id": "x", **PLAUSIBLE, "game": None, **BOUNDS}).encode()
    line = (whole[:cut] + put + whole[cut + 1 :]).decode("utf-8", "replace").replace("\n", " ")
    assert outcome(engine, line)
    assert read('{"a":1}') == {"a": 1}
