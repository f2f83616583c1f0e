"""The file of a tuning: its errors name the line and the field; ``docs/arena.md`` names every field."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from playout.arena.tune.reader import parse, read
from playout.arena.tune.run import Tuner
from playout.arena.tune.types import Tuned, Tuning
from playout.games.errors import PlayoutError

PAGE = (Path(__file__).parents[3] / "docs" / "arena.md").read_text(encoding="utf-8")

FILE = """\
name: exploration
engine: {options: {Threads: 1}}
game: hex:3
nodes: 20
openings: {random: 1}
pairs: 100
options:
  Exploration: {start: 1.0, min: 0.1, max: 4.0, step: 0.3, rate: 0.02}
  ExpandVisits: {start: 3, min: 1, max: 10, kind: int}
"""


def test_a_file_is_read() -> None:
    tuning = parse(FILE, "tune.yaml")
    assert (tuning.name, tuning.method, tuning.pairs, tuning.nodes) == ("exploration", "spsa", 100, 20)
    assert tuning.options == {
        "Exploration": Tuned(start=1.0, min=0.1, max=4.0, step=0.3, rate=0.02),
        "ExpandVisits": Tuned(start=3, min=1, max=10, kind="int"),
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("pairs: 100", "piars: 100", "tune.yaml, line 6: object contains unknown field 'piars': did you mean 'pairs'?"),
        ("pairs: 100\n", "", "tune.yaml, line 1: object missing required field 'pairs'"),
        ("pairs: 100", "pairs: 0", "tune.yaml, line 6, pairs: expected 'int' >= 1"),
        (
            "pairs: 100",
            "method: spas\npairs: 9",
            "tune.yaml, line 6, method: invalid enum value 'spas': did you mean 'spsa'?",
        ),
        (
            "rate: 0.02",
            "rite: 0.02",
            "tune.yaml, line 8, options.Exploration: object contains unknown field 'rite': did you mean 'rate'?",
        ),
        (
            "kind: int",
            "kind: inn",
            "tune.yaml, line 9, options.ExpandVisits.kind: invalid enum value 'inn': did you mean 'int'?",
        ),
        (
            "start: 3",
            "start: three",
            "tune.yaml, line 9, options.ExpandVisits.start: expected 'float | null', got 'str'",
        ),
        ("start: 3, ", "", "tune.yaml, line 9, options.ExpandVisits: start, min and max expected, or values"),
        ("max: 10", "max: 1", "tune.yaml, line 9, options.ExpandVisits: min is 1: allowed is less than max, 1"),
        ("start: 3", "start: 11", "tune.yaml, line 9, options.ExpandVisits: start is 11: allowed is 1 to 10"),
        (
            "start: 3",
            "start: 3.5",
            "tune.yaml, line 9, options.ExpandVisits: start, min and max of an int are whole numbers",
        ),
        ("step: 0.3", "step: 0", "tune.yaml, line 8, options.Exploration: step is 0: allowed is more than 0"),
        ("rate: 0.02", "rate: -1", "tune.yaml, line 8, options.Exploration: rate is -1: allowed is more than 0"),
        (
            "start: 3",
            "values: [3], start: 3",
            "tune.yaml, line 9, options.ExpandVisits: either values, or start, min and max",
        ),
        (
            "engine: {options: {Threads: 1}}",
            "engine: {option: {Threads: 1}}",
            "tune.yaml, line 2, engine: object contains unknown field 'option': did you mean 'options'?",
        ),
        (
            "openings: {random: 1}",
            "openings: {rnd: 1}",
            "tune.yaml, line 5, openings: object contains unknown field 'rnd': did you mean 'random'?",
        ),
        ("openings: {random: 1}", "openings: {random: 1", "tune.yaml, line 6: expected ',' or '}', but got ':'"),
        (FILE, "- one\n", "tune.yaml: a tuning with a game, pairs and options expected"),
    ],
    ids=lambda value: value.strip()[:24],
)
def test_a_mistake_is_told_with_its_line_and_field(old: str, new: str, said: str) -> None:
    with pytest.raises(PlayoutError) as found:
        parse(FILE.replace(old, new, 1), "tune.yaml")
    assert str(found.value) == said


SPSA = FILE.partition("options:\n")[2]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("options:\n" + SPSA, "", "options: none that could be tuned"),
        ("pairs: 100", "pairs: 100\narms: [{}]", "arms: they are for the method halving"),
        ("pairs: 100", "pairs: 7\nbatch: 8", "pairs: 7 are fewer than one step has, 8"),
        ("pairs: 100", "pairs: 1\nopponent: {}", "pairs: 1 are fewer than one step has, 2"),
        (SPSA, "  Exploration: {values: [1, 2]}", "options.Exploration: values are for the method halving; spsa needs"),
        ("Threads: 1", "exploration: 1", "options.Exploration: engine.options has it too"),
        ("game: hex:3", "game: hx:3", "tune.yaml, line 3, game: no game 'hx': did you mean 'hex'?"),
        ("nodes: 20", "time: soon", "tune.yaml, line 4, time: time control 'soon'"),
        (
            "{options: {Threads: 1}}",
            "{command: stockfish, nodes: 5, protocol: inside}",
            "tune.yaml, line 2, engine: protocol inside has no command",
        ),
        ("openings: {random: 1}", "openings: {file: none.epd}", "none.epd: No such file"),
        (
            "pairs: 100",
            "method: halving\npairs: 100",
            "options.Exploration: start, min and max are for the method spsa",
        ),
        ("options:\n" + SPSA, "method: halving\n", "arms: halving needs either arms, or options with values"),
        ("options:\n" + SPSA, "method: halving\narms: [{}]\n", "arms: at least two expected"),
        (
            "options:\n" + SPSA,
            "method: halving\narms: [{Level: 1}, {Level: 2}, {Level: 1}]\n",
            "arms: number 3 is there twice: Level=1",
        ),
        (
            "pairs: 100\noptions:\n" + SPSA,
            "method: halving\npairs: 11\narms: [{}, {Level: 1}, {Level: 2}, {Level: 3}, {Level: 4}]\n",
            "pairs: 11: 5 arms need 15 at least",
        ),
        (
            "pairs: 100\noptions:\n" + SPSA,
            "method: halving\npairs: 9\nbatch: 2\narms: [{}]",
            "batch: it is for the method",
        ),
    ],
)
def test_what_cannot_be_tuned_is_told(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = FILE.replace(old, new, 1)
    assert text != FILE
    with pytest.raises(PlayoutError) as found:
        Tuner(parse(text, "tune.yaml"), tmp_path, None)
    assert said in str(found.value)
    assert "\n" not in str(found.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match="No such file"):
        read(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_bytes(b"\xff")
    with pytest.raises(PlayoutError, match="not UTF-8"):
        read(tmp_path / "bad.yaml")


@pytest.mark.parametrize("kind", [Tuning, Tuned], ids=lambda kind: kind.__name__)
def test_the_document_names_every_field(kind: type[msgspec.Struct]) -> None:
    section = PAGE.partition("\n## Tuning\n")[2].partition("\n## ")[0]
    assert [field for field in kind.__struct_fields__ if f"`{field}`" not in section] == []


def test_every_example_of_the_document_is_a_tuning(tmp_path: Path) -> None:
    examples = re.findall(r"^~~~yaml\n(.*?)^~~~$", PAGE, re.DOTALL | re.MULTILINE)
    assert len(examples) == 2
    for text in examples:
        with Tuner(parse(text, "docs/arena.md"), tmp_path, None) as tuner:
            assert tuner.total > 0
