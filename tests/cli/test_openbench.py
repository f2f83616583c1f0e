"""Output that OpenBench reads: the last line of ``playout bench``, and the openings of ``genfens``."""

from __future__ import annotations

import re
from pathlib import Path

import chess
import pytest

from playout.cli.main import main
from playout.cli.openbench import POSITIONS, openings, signature


def test_the_count_of_nodes_is_the_same_every_time_and_depends_on_the_search() -> None:
    few = signature(POSITIONS[:3], 300)
    assert signature(POSITIONS[:3], 300) == few
    assert signature(POSITIONS[1:4], 300) != few
    assert few > 3 * 300


def test_the_positions_are_legal_and_alive() -> None:
    for fen in POSITIONS:
        board = chess.Board(fen)
        assert board.is_valid()
        assert board.outcome() is None
        assert board.fen() == fen


def test_bench_ends_with_a_line_that_openbench_reads(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("playout.cli.bench.speed.GAMES", ("tic_tac_toe",))
    monkeypatch.setattr("playout.cli.openbench.SIMULATIONS", 50)
    assert main(["bench", "--seconds", "0.01"]) == 0
    *others, last = (re.sub("[^a-zA-Z0-9 ]+", " ", line) for line in capsys.readouterr().out.strip().splitlines())
    assert re.fullmatch(r"\d+ nodes \d+ nps", last)
    assert not any(re.search(r"\d\s+(nodes|nps)\b|\b(nodes|nps|nodes searched)\s+\d", line) for line in others)
    assert main(["bench", "--seconds", "0.01", "--game", "tic_tac_toe"]) == 0
    assert "nodes" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["genfens 4 seed 42 book None", "quit"],
        ["genfens 4 seed 42 book none  and=more"],
        ["genfens", "4", "seed", "42", "book", "None"],
    ],
)
def test_genfens_writes_openings(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition("genfens ")[0] for line in lines] == ["info string "] * 4
    fens = [line.partition("genfens ")[2] for line in lines]
    assert fens == list(openings(4, 42, None))
    assert len(set(fens)) == 4
    for fen in fens:
        board = chess.Board(fen)
        assert board.is_valid()
        assert board.outcome() is None
        assert board.ply() in (8, 9)
        assert len(fen.split()) == 6
    assert set(openings(4, 43, None)).isdisjoint(fens)


def test_openings_go_on_from_a_book(tmp_path: Path) -> None:
    book = tmp_path / "book.epd"
    book.write_text(
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -\n\n"
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n"
        "rnbqkb1r/pppppppp/5n2/8/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - hmvc 1; fmvn 2;\n"
    )
    found = [chess.Board(fen) for fen in openings(12, 1, book)]
    assert {board.fullmove_number for board in found} == {2, 3}
    assert all(len(board.piece_map()) >= 29 for board in found)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("genfens", "expected genfens N seed S book FILE|None"),
        ("genfens x seed 1 book None", "expected genfens N"),
        ("genfens 3 seed 1", "expected genfens N"),
        ("genfens -1 seed 1 book None", "expected genfens N"),
        ("genfens 3 seed 1 book /nowhere.epd", "/nowhere.epd: No such file"),
        ("genfens 3 seed 1 book {folder}/empty.epd", "empty.epd: no positions"),
        ("genfens 3 seed 1 book {folder}/wrong.epd", "wrong.epd: not a chess position"),
        ("genfens 3 seed 1 book {folder}/mate.epd", "no opening number 1 in "),
    ],
)
def test_wrong_wishes_get_one_line(
    words: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("playout.cli.openbench.ATTEMPTS", 5)
    (tmp_path / "empty.epd").write_text("\n")
    (tmp_path / "wrong.epd").write_text("9/8 w - -\n")
    (tmp_path / "mate.epd").write_text("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3\n")
    assert main([words.format(folder=tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("playout: genfens: ")
    assert complaint in said.err
    assert said.err.count("\n") == 1
