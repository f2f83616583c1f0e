"""Files of solved positions: what is written is read, a position is kept once, and a wrong file is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from playout.books.tables.solved import SolvedPosition, add_solved, read_solved
from playout.games.errors import BookError

ONE = SolvedPosition("hex:3", None, ("b2",), "3/1b1/3 w", 1, -1.0, None, ("a1",), {"a1": (-1.0, None)})
OTHER = SolvedPosition("my:é", None, ("1", "2"), None, 0, 0.25, 7)
HEAD = '{"format": "playout-solved", "version": 1}\n'


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "solved.jsonl"
    add_solved(file, [ONE])
    add_solved(file, [OTHER])
    assert read_solved(file) == [ONE, OTHER]
    assert [path.name for path in tmp_path.iterdir()] == ["solved.jsonl"]
    assert json.loads(file.read_text("utf-8").splitlines()[0]) == {"format": "playout-solved", "version": 1}


def test_a_position_is_kept_once_whichever_moves_led_there(tmp_path: Path) -> None:
    file = tmp_path / "solved.jsonl"
    add_solved(file, [ONE, OTHER])
    again = replace(ONE, start="3/3/3 b", moves=("b2",), best=("c3",), results={})
    add_solved(file, [again, replace(OTHER, moves=("2", "1"))])
    assert read_solved(file) == [again, OTHER, replace(OTHER, moves=("2", "1"))]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("{}", "line 1"),
        ('{"format": "playout-solved", "version": 2}', "not playout-solved of version 1"),
        (HEAD + "[]", "line 2"),
        (HEAD + '{"game": "hex:3"}', "line 2: not a solved position (no 'value')"),
        (HEAD + '{"value": 2}', "value 2.0 is not between"),
        ("\x00", "line 1"),
        pytest.param(HEAD + "[" * 100_000, "line 2", id="deep"),
        (HEAD + '{"game": "", "value": 0, "start": null, "moves": [], "position": null, "player": 1e999}', "line 2"),
    ],
)
def test_a_wrong_file_is_refused_and_stays(text: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "solved.jsonl"
    file.write_text(text, "utf-8")
    with pytest.raises(BookError) as raised:
        add_solved(file, [ONE])
    assert str(file) in str(raised.value)
    assert words in str(raised.value)
    assert file.read_text("utf-8") == text


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="nowhere"):
        add_solved(tmp_path / "nowhere" / "solved.jsonl", [ONE])
    with pytest.raises(BookError):
        read_solved(tmp_path)
