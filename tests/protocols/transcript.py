"""Transcripts: what is sent to a protocol, and what comes back.

``> line`` is sent, ``< line`` is expected, ``! finish [MOVE]`` ends the search, ``# text`` is a comment. ``*`` in an
expected line stands for anything.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .fake_session import FakeSession

FOLDER = Path(__file__).parent / "transcripts"


def check(name: str, protocol: Any, session: FakeSession) -> None:
    """Plays the transcript ``name`` and compares."""
    sent, replies, expected = "", [], []

    def settle(number: int) -> None:
        assert len(replies) == len(expected), f"{name}:{number}: {sent!r} gave {replies}, not {expected}"
        for reply, wanted in zip(replies, expected, strict=True):
            pattern = ".*".join(re.escape(part) for part in wanted.split("*"))
            assert re.fullmatch(pattern, reply), f"{name}:{number}: {sent!r} gave {reply!r}, not {wanted!r}"

    for number, line in enumerate((FOLDER / name).read_text().splitlines(), 1):
        if line.startswith("<"):
            expected.append(line[2:])
        elif line.startswith((">", "!")):
            settle(number - 1)
            sent, replies, expected = line, [], []
            if line.startswith(">"):
                replies += protocol.handle_line(line[2:], 0.0)
            else:
                session.finish(*line.split()[2:])
            while session.events:
                replies += protocol.handle_event(session.events.pop(0))
    settle(number)
