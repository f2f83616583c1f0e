"""The shipped shapes of chess: where they match, for both colours and mirrored, where they do not, and their trees."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from playout.engine.known.session_books import Books
from playout.engine.options.table import Options
from playout.games import catalogue

from .patterns import drawn, shipped, written

SHAPES: dict[str, dict[str, str]] = {
    "royal fork": {
        "r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1": "d5c7",
        "r3k3/8/8/3N4/8/8/7q/4K3 w - - 0 1": "",  # the queen takes the knight
        "r3k3/8/8/3N4/8/8/8/3rK3 w - - 0 1": "",  # in check
        "n3k3/8/8/3N4/8/8/8/4K3 w - - 0 1": "",  # only a knight
    },
    "knight fork": {
        "7k/8/2q1r3/8/8/5N2/6PK/8 w - - 0 1": "f3d4",
        "7k/8/2q1r3/4p3/8/5N2/6PK/8 w - - 0 1": "",  # a pawn guards the square
    },
    "pawn fork": {
        "4k3/8/8/2n1n3/8/8/3P4/4K3 w - - 0 1": "d2d4",
        "4k3/8/8/8/2n1n3/8/3P4/6K1 w - - 0 1": "",  # the pawn itself is attacked
        "4k3/8/8/2n1p3/8/3P4/8/4K3 w - - 0 1": "",  # a pawn takes
        "4k3/8/4n3/2n1n3/8/3P4/8/4K3 w - - 0 1": "",  # a knight takes
    },
    "bishop skewer": {
        "6q1/8/8/3k4/8/8/8/1K1B4 w - - 0 1": "d1b3",
        "6q1/5p2/8/3k4/8/8/8/1K1B4 w - - 0 1": "",  # a pawn stands between
    },
    "rook skewer": {
        "4q3/8/8/4k3/8/8/8/R5K1 w - - 0 1": "a1e1",
        "4q3/8/8/4k3/7b/8/8/R5K1 w - - 0 1": "",
    },
    "bishop pin": {
        "4k3/3r4/8/8/8/8/8/4KB2 w - - 0 1": "f1b5",
        "4k3/8/2q5/8/P7/1P6/8/4KB2 w - - 0 1": "f1b5",
        "4k3/8/2q5/8/8/8/8/4KB2 w - - 0 1": "",  # the queen takes the bishop
    },
    "rook pin": {
        "4k3/8/8/4q3/8/8/6K1/R4R2 w - - 0 1": "a1e1 f1e1",
        "4k3/8/8/4q3/8/8/6K1/R7 w - - 0 1": "",
    },
    "pawn on a pinned piece": {
        "4k3/1p6/2n5/1B6/3P4/4P3/8/4K3 w - - 0 1": "d4d5",
        "4k3/1p6/2n5/2B5/3P4/4P3/8/4K3 w - - 0 1": "",
        "4k3/8/2n5/1B6/3P4/4P3/8/4K3 w - - 0 1": "",  # the bishop takes the knight
    },
    "support mate": {
        "7k/8/5K2/8/8/8/6Q1/8 w - - 0 1": "g2g7",
        "7k/8/4K3/8/8/8/6Q1/8 w - - 0 1": "",
    },
    "back rank mate": {
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1": "a1a8",
        "6k1/5pp1/7p/8/8/8/8/R5K1 w - - 0 1": "",
        "1r4k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1": "",
    },
    "smothered mate": {
        "6rk/6pp/7N/8/8/8/8/6K1 w - - 0 1": "h6f7",
        "6rk/6p1/7N/8/8/8/8/6K1 w - - 0 1": "",
    },
    "queen's sacrifice before a smothered mate": {
        "r5rk/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1": "c4g8",
        "r4r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1": "c4g8",
        "r5nk/5bpp/7N/8/2Q5/8/8/6K1 w - - 0 1": "",
    },
}
"""By the macro's name, positions with the first moves that it has there."""


def turned(fen: str, words: str) -> tuple[str, str]:
    """The position and moves for the other colour."""
    moves = [chess.Move.from_uci(word) for word in words.split()]
    mirror = chess.square_mirror
    back = " ".join(chess.Move(mirror(m.from_square), mirror(m.to_square)).uci() for m in moves)
    return chess.Board(fen).mirror().fen(), back


def mirrored(fen: str, words: str) -> tuple[str, str]:
    """The position and moves with left and right exchanged."""
    board = chess.Board(fen).transform(chess.flip_horizontal)
    moves = [chess.Move.from_uci(word) for word in words.split()]
    back = " ".join(chess.Move(m.from_square ^ 7, m.to_square ^ 7).uci() for m in moves)
    return board.fen(), back


@pytest.mark.parametrize("name", SHAPES)
def test_a_shape_matches_for_both_colours_and_mirrored(name: str) -> None:
    matcher = shipped("chess", name)
    for fen, words in SHAPES[name].items():
        once = [(fen, words), turned(fen, words)]
        for position, expected in (*once, *(mirrored(*one) for one in once)):
            assert matcher.moves(position) == set(expected.split()), position


def test_every_shipped_shape_is_tested() -> None:
    assert set(SHAPES) == {macro.name for macro in drawn("chess")}


TREES = [
    ("royal fork", "r3k3/8/8/3N4/8/8/8/4K3 w - - 0 1", "d5c7 e8d7", {"c7a8"}),
    ("royal fork", "r3k3/3b4/8/3N4/8/8/8/2R1K3 w - - 0 1", "d5c7 e8e7", {"c7a8"}),
    ("knight fork", "7k/8/2q1r3/8/8/5N2/6PK/8 w - - 0 1", "f3d4 c6c1", {"d4e6"}),
    ("knight fork", "7k/8/2q1r3/8/8/5N2/6PK/8 w - - 0 1", "f3d4 c6c7", set()),  # in check
    ("knight fork", "7k/8/2q1r3/8/8/5N2/6PK/8 w - - 0 1", "f3d4 h8g8", {"d4c6"}),
    ("pawn fork", "4k3/8/8/2n1n3/8/8/3P4/4K3 w - - 0 1", "d2d4 c5a6", {"d4e5"}),
    ("pawn fork", "4k3/8/8/2n1n3/8/8/3P4/4K3 w - - 0 1", "d2d4 e5f3", set()),  # in check
    ("bishop skewer", "6q1/8/8/3k4/8/8/8/1K1B4 w - - 0 1", "d1b3 d5e5", {"b3g8"}),
    ("bishop pin", "4k3/3r4/8/8/8/8/8/4KB2 w - - 0 1", "f1b5 e8e7", {"b5d7"}),
    ("bishop pin", "4k3/3r4/8/8/8/8/8/4KB2 w - - 0 1", "f1b5 e8f8", {"b5d7"}),
    ("queen's sacrifice before a smothered mate", "r5rk/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", "c4g8 a8g8", {"h6f7"}),
    ("queen's sacrifice before a smothered mate", "r4r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1", "c4g8 f8g8", {"h6f7"}),
]
"""Macro, position, moves, and the answers that the macro has after them."""


@pytest.mark.parametrize(("name", "fen", "line", "answers"), TREES)
def test_a_tree_answers_what_is_left_of_the_shape(name: str, fen: str, line: str, answers: set[str]) -> None:
    for position, words in ((fen, line), turned(fen, line)):
        expected = answers if position == fen else set(turned(fen, " ".join(answers))[1].split())
        matcher = shipped("chess", name)
        assert matcher.answers(position, words.split()) == expected


def test_a_named_reply_has_its_own_answer(tmp_path: Path) -> None:
    matcher = written(
        tmp_path,
        "chess",
        "  - {name: a, pattern: 'q:q ? n:N', where: [r is R, b is ?, r moves b, b rook q], play: r-b,\n"
        "     replies: {q-n: b-n, else: b-q}}\n",
    )
    fen = "6k1/8/8/2q1N3/8/8/8/R6K w - - 0 1"
    assert "a1a5" in matcher.moves(fen)
    assert matcher.answers(fen, ["a1a5", "c5e5"]) == {"a5e5"}
    assert "a5c5" in matcher.answers(fen, ["a1a5", "g8h8"])


def test_a_pawn_becomes_what_the_move_says(tmp_path: Path) -> None:
    text = "  - name: a\n    pattern: |\n      b:.\n      p:P\n    play: p-b=N\n"
    matcher = written(tmp_path, "chess", text)
    assert matcher.moves("8/2P4k/8/8/8/8/5P2/4K3 w - - 0 1") == {"c7c8n"}
    assert matcher.moves("4k3/5p2/8/8/8/8/2p4K/8 b - - 0 1") == {"c2c1n"}


def test_a_drawing_with_a_pawn_keeps_its_direction(tmp_path: Path) -> None:
    pieces = "  - {name: a, pattern: 'n:N ? a:.', where: [k is K, k king a], play: k-a}\n"
    pawns = pieces.replace("n:N", "n:P")
    fen = "4k3/7p/8/8/3{0}4/8/8/2K5 w - - 0 1"
    assert written(tmp_path, "chess", pieces).moves(fen.format("N")) == {"c1d2"}
    assert written(tmp_path, "chess", pawns).moves(fen.format("P")) == set()


def test_the_shapes_that_ship_are_used_by_a_word() -> None:
    game, books = catalogue.load("chess"), Books()
    for word, remarks in (("", 0), ("patterns", 0), ("patterns;absent.yaml", 1)):
        options = Options("chess")
        options.set("MacroFile", word)
        books.prepare(game, options)
        assert {macro.name for macro in books.macros if macro.is_drawn} == (set(SHAPES) if word else set())
        assert len(books.remarks()) == remarks
    books.close()
