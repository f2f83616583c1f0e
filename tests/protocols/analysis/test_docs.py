"""The analysis protocol in docs/protocols.md: its tables are those of the code, its examples run."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from playout.protocols.analysis.query import described
from playout.protocols.analysis.reply import MOVE_FIELDS, REPLY_FIELDS, ROOT_FIELDS

from ...opponents.pipe import playout
from ...patience import PATIENCE
from .desk import desk

TEXT = (Path(__file__).parents[3] / "docs" / "protocols.md").read_text(encoding="utf-8")
SECTION = re.split(r"^## ", TEXT.partition("\n## Analysis\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def rows(head: str) -> list[tuple[str, str]]:
    """The table whose first cell is ``head``."""
    table = SECTION.partition(f"\n| {head} | ")[2].partition("\n\n")[0]
    return re.findall(r"^\| `([^`]+)` \| (.*) \|$", table, re.MULTILINE)


def test_the_tables_are_those_of_the_code() -> None:
    assert rows("Field") == list(described().items())
    assert rows("Field of a reply") == list(REPLY_FIELDS.items())
    assert rows("Field of `moveInfos`") == list(MOVE_FIELDS.items())
    assert rows("Field of `rootInfo`") == list(ROOT_FIELDS.items())
    assert all(described().values())


def test_the_actions_are_those_that_dispatch() -> None:
    with desk() as engine:
        handlers = engine.protocol.commands()
    said = [" ".join((inspect.getdoc(handler) or "").split()) for handler in handlers.values()]
    usages = [re.fullmatch(r"``(\w+)( [^`]+)?``: (.+)", text) for text in said]
    assert [usage[1] for usage in usages if usage] == list(handlers)
    expected = [(text.split("``")[1], text.partition("``: ")[2].replace("``", "`")) for text in said]
    assert rows("Command") == [(usage, text[:1].upper() + text[1:]) for usage, text in expected]


def shape(value: Any, name: str = "") -> Any:
    """The parts of a reply that do not depend on numbers: its fields, and values that no search computes."""
    if isinstance(value, dict):
        return {key: shape(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [shape(value[0], name)] if value else []
    if isinstance(value, bool) or name in ("id", "turnNumber", "currentPlayer", "error", "field", "endedBy", "action"):
        return value
    return type(value).__name__


def test_the_examples_are_so() -> None:
    blocks = re.findall(r"^```jsonl\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    for block in blocks:
        with desk("go:9") as engine:
            expected: list[Any] = []
            replies: list[Any] = []
            for line in block.splitlines():
                if line.startswith("> "):
                    replies += engine.ask(line[2:])
                else:
                    assert line.startswith("< ")
                    expected.append(json.loads(line[2:]))
        assert [shape(reply) for reply in replies] == [shape(reply) for reply in expected]


def test_the_client_runs() -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", SECTION, re.DOTALL | re.MULTILINE)
    assert len(code.splitlines()) <= 20
    command = ", ".join(map(repr, playout()))
    assert '["playout", ' in code
    code = code.replace('["playout", ', f"[{command}, ")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stderr == ""
    said = [re.fullmatch(r"after (\d) moves: \S+, winrate [01]\.\d\d", line) for line in done.stdout.splitlines()]
    assert sorted(match[1] for match in said if match) == list("01234")
