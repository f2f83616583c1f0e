"""Transcripts: what is sent to a protocol, and what comes back.

``> line`` is sent, ``< line`` is expected, ``! info MOVE ...`` reports these root moves, ``! finish [MOVE [PONDER]]``
ends the search, ``# text`` is a comment. In an expected line ``*`` stands for anything; ``< ...`` for any number of
lines. Blank lines, which end GTP's responses, are left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from .fake_session import FakeSession, info, move_info

FOLDER = Path(__file__).parent / "transcripts"


def check(name: str, protocol: Any, session: FakeSession) -> None:
    """Plays the transcript ``name`` and compares."""
    sent, replies, expected = "", "", ""

    def settle(number: int) -> None:
        assert re.fullmatch(expected, replies), f"{name}:{number}: {sent!r} gave\n{replies}"

    lines = (FOLDER / name).read_text().splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("<"):
            wanted = ".*".join(re.escape(part) for part in line[2:].split("*"))
            expected += r"(?:.*\n)*" if line == "< ..." else f"{wanted}\n"
        elif line.startswith((">", "!")):
            settle(number - 1)
            sent, replies, expected = line, "", ""
            answers = []
            if line.startswith(">"):
                answers += protocol.handle_line(line[2:], 0.0)
            elif line.startswith("! info"):
                session.post(info([move_info(move) for move in line.split()[2:]]))
            else:
                session.finish(*line.split()[2:])
            while session.events:
                answers += protocol.handle_event(session.events.pop(0))
            replies = "".join(f"{answer}\n" for answer in answers if answer)
    settle(len(lines))
