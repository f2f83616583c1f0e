"""Macros: files, boards, patterns in all images, and trees of replies."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from playout.books.macros.cell_boards import HEXAGONAL, SQUARE, apply
from playout.books.macros.declared_boards import board_of
from playout.books.macros.macro import Macro, read_macros
from playout.books.macros.patterns import EDGE
from playout.games import catalogue
from playout.games.errors import BookError
from playout.games.game import HasSymmetries, action_to_text
from playout.games.hex import STEPS

from .shipped import after, moves


def written(tmp_path: Path, text: str, game: Any) -> tuple[Macro, ...]:
    """The macros of a file with this text."""
    file = tmp_path / "own.yaml"
    file.write_text(text, encoding="utf-8")
    return read_macros(file, game)


HEX = "game: hex\nmacros:\n  - name: a\n"
BAD: dict[str, tuple[str, ...]] = {
    "macros: [": ("line 1, ", "not YAML"),
    "game: hex\n": ("line 1, column 1:", "macros"),
    "macros:\n  - {name: a, game: hex, pattern: X a, play: a, colour: red}\n": ("line 2, ", "colour", "red"),
    "macros:\n  - {game: hex, pattern: X a, play: a}\n": ("line 2, column 5:", "without name"),
    HEX + "    pattern: X a\n    play: b\n": ("line 5, column 11:", "no such letter", "'b'"),
    HEX + "    pattern: X a\n    replies: {a: a}\n": ("line 5, column 18:", "been played", "'a'"),
    HEX + "    pattern: |\n      X a\n      X Z\n    play: a\n": ("line 6, ", "'Z'", "X Z"),
    HEX + "    pattern: X a a\n    play: a\n": ("line 4, column 14:", "twice"),
    HEX + "    pattern: X a\n    play: a\n    play: a\n": ("line 6, column 5:", "twice"),
    HEX + "    pattern: X a\n    play: a\n    weight: much\n": ("line 6, column 13:", "number", "much"),
    HEX + "    pattern: X a\n    play: a\n    value: 2\n": ("line 6, column 12:", "between", "'2'"),
    HEX + "    pattern: X a\n    play: a\n    only: maybe\n": ("line 6, column 11:", "neither", "maybe"),
    HEX + "    pattern: X a\n": ("line 3, column 5:", "missing key: play or replies"),
    HEX + "    position: 9/9 b\n    play: a1\n": ("line 4, column 15:", "not a hex position", "9/9 b"),
    HEX + "    position: start\n    moves: c3 c3\n    play: a1\n": ("line 5, column 12:", "illegal", "c3"),
    HEX + "    position: start\n    play: a1\n    replies: {b1: a1}\n": ("line 6, column 19:", "illegal", "a1"),
    "game: hex\nmacros:\n  - {name: a, rule: ladder}\n": ("line 3, column 21:", "go", "ladder"),
    "game: hex\nmacros:\n  - {name: a, rule: magic}\n": ("line 3, column 21:", "no such rule", "magic"),
    "game: go\nmacros:\n  - {name: a, pattern: X a, play: a}\n": ("no macro for hex:5", "go"),
    HEX + "    position: start\n    play: a1\n    replies: &r\n      b1: {play: c1, replies: *r}\n": ("a cycle",),
    HEX + "    pattern: X a\n    play: a\n  \x00": ("line 6, column 3", "not a text"),
    "game: hex\nmacros:\n" + "  - {name: a, pattern: X a, play: a}\n" * 201: ("line 203, ", "more than 200 patterns"),
    HEX + "    pattern: " + "X " * 2000 + "a\n    play: a\n": ("line 4, column 14:", "more than 2000 cells"),
    "[" * 3000: ("column 101", "nested deeper than 100 levels"),
}
"""Wrong files, each with a part of its error."""


@pytest.mark.parametrize("text", BAD, ids=[str(number) for number in range(len(BAD))])
def test_a_bad_file_is_one_line_with_the_place(tmp_path: Path, text: str) -> None:
    with pytest.raises(BookError) as caught:
        written(tmp_path, text, catalogue.load("hex:5"))
    message = str(caught.value)
    assert message.startswith(str(tmp_path / "own.yaml"))
    assert "\n" not in message
    for part in BAD[text]:
        assert part in message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="absent"):
        read_macros(tmp_path / "absent.yaml", catalogue.load("hex:5"))


def test_the_example_of_the_document_can_be_used(tmp_path: Path) -> None:
    document = (Path(__file__).parents[3] / "docs" / "books.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```yaml\n(game: hex  .*?)^```$", document, re.DOTALL | re.MULTILINE)
    game = catalogue.load("hex:11")
    bridge, opening = written(tmp_path, text, game)
    assert moves(game, after(game, "a2"), opening.at(after(game, "a2"))) == {"f6"}
    state = after(game, "f6 a1 e8")
    assert moves(game, state, bridge.at(state)) == {"e7", "f7"}


def test_images_of_a_grid_keep_neighbours() -> None:
    square = {(1, 0), (-1, 0), (0, 1), (0, -1)}
    for images, neighbours, count in ((SQUARE, square, 8), (HEXAGONAL, set(STEPS), 12)):
        assert len(set(images)) == count
        assert all({apply(image, *step) for step in neighbours} == neighbours for image in images)


@pytest.mark.parametrize("name", ["tic_tac_toe", "hex:5", "go:5"])
def test_a_board_counts_cells_as_its_game_does(name: str) -> None:
    game: Any = catalogue.load(name)
    board = board_of(game)
    assert board is not None
    state = game.initial_state()
    for action in list(game.legal_actions(state))[: board.columns * board.rows]:
        assert board.stones(game.next_state(state, action)) == (1 << action, 0)


def test_a_tree_names_its_replies_and_knows_no_others(tmp_path: Path) -> None:
    game = catalogue.load("hex:5")
    text = "game: hex\nmacros:\n  - {name: a, position: start, moves: c3, replies: {c4: b4, b4: {play: c4}}}\n"
    (macro,) = written(tmp_path, text, game)
    state = after(game, "c3")
    steps = macro.at(state)
    assert moves(game, state, steps) == {"c4", "b4"}
    assert not any(step.ours for step in steps)
    for step in steps:
        reply = game.next_state(state, step.action)
        (answer,) = step.then(reply)
        assert answer.ours
        assert answer.then(game.next_state(reply, answer.action)) == []
    assert macro.at(after(game, "c3 a1")) == ()


@pytest.mark.parametrize("name", ["tic_tac_toe", "hex:5", "go:5", "connect_four"])
def test_a_position_serves_all_its_images(tmp_path: Path, name: str) -> None:
    game: Any = catalogue.load(name)
    rng = random.Random(3)
    assert isinstance(game, HasSymmetries)
    for _ in range(5):
        state, words = game.initial_state(), list[str]()
        for _ in range(5):
            action = rng.choice(list(game.legal_actions(state))[:-1])
            words.append(action_to_text(game, state, action))
            state = game.next_state(state, action)
        if game.returns(state) is not None:
            continue
        *before, play, reply, follow = words
        text = f"macros:\n  - name: line\n    game: '{name}'\n    position: start\n    moves: {' '.join(before)}\n"
        text += f"    play: {play}\n    replies: {{{reply}: {follow}}}\n"
        (macro,) = written(tmp_path, text, game)
        start = after(game, " ".join(before))
        for symmetry in game.symmetries():
            image = symmetry.state(start)
            steps = macro.at(image)
            for _ in range(3):
                (step,) = steps
                image = game.next_state(image, step.action)
                steps = step.then(image)
            assert steps == []
            images = {_book(game, one.state(state)) for one in game.symmetries()}
            assert _book(game, image) in images


def _book(game: Any, state: Any) -> str:
    return str(game.book_text(game.book_state(state)) if hasattr(game, "book_text") else game.state_to_text(state))


def test_an_edge_of_nobody_is_drawn(tmp_path: Path) -> None:
    game = catalogue.load("go:5")
    (macro,) = written(tmp_path, f"game: go\nmacros:\n  - {{name: a, pattern: '{EDGE} a X', play: a}}\n", game)
    state = after(game, "b3 c3")
    assert moves(game, state, macro.at(state)) == {"A3"}
