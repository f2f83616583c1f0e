"""A user on the network learns nothing about the files of the server's machine."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from playout.engine.session import Session
from playout.engine.terms.rights import Rights
from playout.games import catalogue
from playout.protocols.registry import PROTOCOLS


def replies(protocol: str, line: str) -> list[str]:
    """The replies to a line of a user without rights to files."""
    session = Session(catalogue.load(PROTOCOLS[protocol].game), post=lambda _: None)
    try:
        session.restrict(Rights(files=False))
        found = PROTOCOLS[protocol].open(session, lambda _: None)
        if protocol == "xboard":
            found.handle_line("protover 2", time.monotonic())
        return list(found.handle_line(line, time.monotonic()))
    finally:
        session.close()


@pytest.mark.parametrize(
    ("protocol", "line"),
    [
        ("xboard", "egtpath syzygy FILE"),
        ("xboard", "option BookFile=FILE"),
        *(
            (protocol, f"setoption name {option} value FILE")
            for protocol in ("uci", "ugi", "ubgi")
            for option in ("SyzygyPath", "BookFile", "MacroFile", "GraphFile")
        ),
        ("gtp", "loadsgf FILE"),
        ("gtp", "printsgf FILE"),
        ("gtp", "playout-option BookFile FILE"),
        ("analysis", '{"id":"x","game":"FILE:Game","moves":[]}'),
        ("analysis", '{"id":"x","moves":[],"overrideSettings":{"BookFile":"FILE"}}'),
    ],
)
def test_the_reply_is_the_same_whether_there_is_such_a_file(protocol: str, line: str, tmp_path: Path) -> None:
    place = tmp_path / "there.py"
    if "egtpath" in line:
        place.mkdir()
    else:
        place.write_text("")
    there, missing = (
        [reply.replace(str(path), "FILE") for reply in replies(protocol, line.replace("FILE", str(path)))]
        for path in (place, tmp_path / "missing.py")
    )
    assert there == missing
    assert there != []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["there.py"]


def test_a_stranger_is_not_offered_tables() -> None:
    assert not [line for line in replies("xboard", "protover 2") if "egt" in line or "SyzygyPath" in line]
