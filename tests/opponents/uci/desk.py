"""The engine under UCI over real pipes, with the commands that many tests need."""

from __future__ import annotations

import re

from ..pipe import Pipe, forked

REPORT = re.compile(
    r"info depth (?P<depth>\d+) seldepth (?P<seldepth>\d+) multipv (?P<multipv>\d+) "
    r"score (?P<kind>cp|mate) (?P<score>-?\d+)( wdl (?P<wdl>\d+ \d+ \d+))? "
    r"nodes (?P<nodes>\d+) nps (?P<nps>\d+) hashfull (?P<hashfull>\d+) time (?P<time>\d+) pv (?P<pv>\S+( \S+)*)"
)
"""A report, as all of them are written: whole numbers, in this order."""


def open_engine(*arguments: str) -> Pipe:
    """The engine without a book."""
    return Pipe(forked("uci", "--option", "OwnBook=false", *arguments))


def said(engine: Pipe, *lines: str | bytes) -> list[str]:
    """The replies to ``lines``; the engine has to be alive after them."""
    engine.send(*lines, "isready")
    return engine.until("readyok")[:-1]


def position(engine: Pipe) -> str:
    """The line with the engine's position."""
    (line,) = (line for line in said(engine, "d") if "Fen:" in line)
    return line.partition("info string ")[2]


def best(engine: Pipe, *lines: str) -> str:
    """The move of the one ``bestmove`` that ``lines`` lead to."""
    engine.send(*lines)
    return engine.until("bestmove")[-1].split()[1]


def bests(lines: list[str]) -> list[str]:
    """The lines that answer a ``go``."""
    return [line for line in lines if line.startswith("bestmove")]


def reports(lines: list[str]) -> list[dict[str, str]]:
    """The reports with a variation, taken apart; every one has to have the form of ``REPORT``."""
    found = []
    for line in lines:
        if " pv " in line:
            match = REPORT.fullmatch(line)
            assert match is not None, line
            found.append(match.groupdict())
    return found
