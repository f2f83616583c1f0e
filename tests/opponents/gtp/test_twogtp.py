"""Games against GNU Go as clients of analyses play them, under a referee that records them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ...needs import needs, program
from ..pipe import Pipe, forked
from .referee import Referee

GNUGO = program("gnugo")
OPPONENT = ("--mode", "gtp", "--level", "1", "--seed", "2", "--chinese-rules", "--positional-superko")

pytestmark = needs("gnugo")


def own() -> Pipe:
    return Pipe(forked("gtp", "--game", "go:5", "--option", "MaxNodes=500", "--option", "OwnBook=false"))


def gnugo() -> Pipe:
    return Pipe([str(GNUGO), *OPPONENT, "--capture-all-dead"])


def check_leela(lines: list[str]) -> None:
    """Leela Zero's: info lines of whole entries."""
    assert lines[0].startswith("info move ")
    for entry in re.split("info move ", lines[-2])[1:]:
        assert re.fullmatch(
            r"\S+ visits \d+ winrate \d+ prior \d+ lcb \d+ order \d+ pv( ([A-H]\d|pass))+", entry.strip()
        )


def check_katago(lines: list[str]) -> None:
    """KataGo's, with what its users ask for."""
    head, _, holds = lines[-2].partition(" ownership ")
    if " visits 0 " not in head:
        assert len(holds.split()) == 25
    assert " rootInfo visits " in head


def check_cgos(lines: list[str]) -> None:
    """The client of CGOS reads one line of JSON."""
    (text, _) = lines[-2:]
    told = json.loads(text)
    assert 0 <= told["winrate"] <= 1
    assert told["moves"]
    assert len(told.get("ownership", "x" * 25)) == 25


@pytest.mark.parametrize(
    ("ask", "check"),
    [
        ("lz-genmove_analyze {} 100000", check_leela),
        ("kata-genmove_analyze {} 2 ownership true rootInfo true", check_katago),
        ("cgos-genmove_analyze {}", check_cgos),
    ],
)
def test_a_game_with_analysis_is_recorded_and_read_back(
    ask: str, check: Callable[[list[str]], None], tmp_path: Path
) -> None:
    """Both sides and the record agree on the position; each side reads the record and has it again."""
    with own() as ours, gnugo() as theirs:
        referee = Referee((ours, theirs), size=5, komi=9.5, generate=(ask, "genmove {}"), seconds=3600)
        referee.play()
        for lines in referee.lines[::2]:
            assert re.fullmatch(r"play ([A-H]\d|pass|resign)", lines[-1])
            check(lines)
        board, stones = ours.ask("showboard"), theirs.ask("list_stones black")
        file = tmp_path / "game.sgf"
        file.write_text(referee.record(["playout", "GNU Go"]), encoding="utf-8")
        ours.ask(f"loadsgf {file}")
        assert ours.ask("showboard") == board
        theirs.ask(f"loadsgf {file}")
        assert theirs.ask("list_stones black") == stones
        assert ours.ask("printsgf").count(";") == len(referee.moves) + 1
        file.write_text(ours.ask("printsgf"), encoding="utf-8")
        theirs.ask(f"loadsgf {file}")
        assert theirs.ask("list_stones black") == stones


def test_an_analysis_on_pipes_ends_at_a_blank_line() -> None:
    """As Lizzie and Sabaki do it, over a real program: start, read, stop, go on."""
    with own() as engine:
        for number, end, answer in ((1, "", []), (2, "99 name", ["=99 playout", ""]), (3, "# a comment", [])):
            engine.send(f"{number} lz-analyze 1")
            assert engine.line() == f"={number}"
            assert engine.line().startswith("info move ")
            engine.send(end)
            while (line := engine.line()) != "":
                assert line.startswith("info move ")
            assert [engine.line() for _ in answer] == answer
        assert engine.ask("quit") == ""
        assert engine.exit_status() == 0
