"""Words of patterns by game: bad files are refused with one line that names the place and what is allowed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from playout.books.macros.macro import read_macros
from playout.books.macros.words import phrase_of, words_of
from playout.games import catalogue
from playout.games.errors import BookError

CHESS = "game: chess\nmacros:\n  - name: a\n"
DICE = "game: backgammon\nmacros:\n  - name: a\n"
HEX = "game: hex\nmacros:\n  - name: a\n"
BAD: list[tuple[str, tuple[str, ...]]] = [
    (CHESS + "    pattern: n:N Z\n    play: n-a\n", ("line 4, column 14:", "'Z'", "pieces of one side as N or qr")),
    (CHESS + "    pattern: n:N qR\n    play: n-a\n", ("line 4, ", "'qR'")),
    (CHESS + "    pattern: a b\n    play: a\n", ("line 4, ", "'a' is no cell")),
    (CHESS + "    pattern: n:N a:#\n    play: n-a\n", ("line 4, ", "'a:#'")),
    (CHESS + "    pattern: n:N n:.\n    play: n-a\n", ("line 4, ", "letter n stands twice")),
    (CHESS + "    pattern: N .\n    play: n-a\n", ("line 4, ", "no letter in the pattern")),
    (CHESS + "    pattern: n:N a:.\n    play: a\n", ("line 5, column 11:", "not a move", "'n-a' or 'p-a=Q'")),
    (CHESS + "    pattern: n:N a:.\n    play: n-a=K\n", ("line 5, column 11:", "not a move")),
    (CHESS + "    pattern: n:N a:.\n    play: n-b\n", ("line 5, column 11:", "no such letter", "line 4", "'n-b'")),
    (CHESS + "    pattern: n:N a:.\n    replies: {n-a: a-n}\n", ("line 5, column 15:", "begins with our move")),
    (
        CHESS + "    pattern: n:N a:.\n    play: n-a\n    where: n-a sound\n",
        ("line 6, column 12:", "relations here: moves, "),
    ),
    (
        CHESS + "    pattern: n:N a:.\n    play: n-a\n    where: [n safe]\n",
        ("line 6, column 13:", "'a-b safe'", "'n safe'"),
    ),
    (
        CHESS + "    pattern: n:N a:.\n    play: n-a\n    where: [x attacked]\n",
        ("line 6, ", "no such letter", "'x attacked'"),
    ),
    (
        CHESS + "    pattern: n:N a:.\n    play: n-a\n    where: [n moves n]\n",
        ("line 6, column 13:", "different cells", "'n moves n'"),
    ),
    (
        CHESS + "    pattern: n:N a:.\n    play: n-a\n    where: [n is q]\n",
        ("line 6, column 13:", "letter n stands twice", "'n is q'"),
    ),
    (
        CHESS + "    pattern: n:N a:.\n    play: n-a\n    where: [x is q, x is r]\n",
        ("line 6, column 21:", "letter x stands twice", "'x is r'"),
    ),
    (
        CHESS + "    pattern: n:N a:.\n    play: n-a\n    where: [x is Z]\n",
        ("line 6, ", "a man is a letter and", "'x is Z'"),
    ),
    (
        CHESS + "    pattern: n:N a:.\n    play: n-a\n    replies:\n      else: {play: a-n, where: x is N}\n",
        ("line 7, column 32:", "men are named in the first where"),
    ),
    (CHESS + "    pattern: n:N a:.\n    play: n-a\n    replies: {else: []}\n", ("line 6, ", "no answer in it")),
    (
        CHESS + "    position: start\n    play: e4\n    where: e attacked\n",
        ("line 6, ", "where is for our moves in patterns"),
    ),
    (DICE + "    pattern: X2+ N\n    play: a/b\n", ("line 4, ", "'N'", "checkers as X2, O1, X3+ or X1-2")),
    (DICE + "    pattern: a:X0 .\n    play: a/b\n", ("line 4, ", "'a:X0'")),
    (DICE + "    pattern: a:X3-2 .\n    play: a/b\n", ("line 4, ", "'a:X3-2'")),
    (DICE + "    pattern: a:X b:.\n    play: a-b\n", ("line 5, ", "not a move", "'bar/a,b/c'")),
    (DICE + "    pattern: a:X b:.\n    play: a/b(3),a/b(2)\n", ("line 5, ", "not a move")),
    (DICE + "    pattern: a:X b:.\n    play: a/b\n    replies: {a/b: a/b}\n", ("line 6, ", "dice follow our move")),
    (DICE + "    pattern: |\n      a:X b:.\n      ? ?\n    play: a/b\n", ("line 4, ", "4 points", "all 24")),
    (DICE + "    pattern: a:X b:." + " ?" * 23 + "\n    play: a/b\n", ("line 4, ", "25 points", "at most 24")),
    (HEX + "    pattern: X N\n    play: a\n", ("line 4, column 14:", "'N' is no cell: one of X O . * ? #")),
    (HEX + "    pattern: X a\n    play: a\n    where: a attacked\n", ("line 6, ", "chess and backgammon")),
]


@pytest.mark.parametrize(("text", "parts"), BAD, ids=[str(number) for number in range(len(BAD))])
def test_a_bad_pattern_is_one_line_with_the_place(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(text, encoding="utf-8")
    game = catalogue.load(text.split()[1].replace("hex", "hex:5"))
    with pytest.raises(BookError) as caught:
        read_macros(file, game)
    message = str(caught.value)
    assert message.startswith(str(file)) and "\n" not in message
    for part in parts:
        assert part in message, message


def test_a_pattern_of_another_game_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("game: chess\nmacros:\n  - {name: a, pattern: 'n:N a:.', play: n-a}\n", encoding="utf-8")
    with pytest.raises(BookError, match="no macro for hex:5; games that it has macros for: chess"):
        read_macros(file, catalogue.load("hex:5"))


@pytest.mark.parametrize("name", ["chess", "backgammon"])
def test_the_example_of_the_document_is_read(tmp_path: Path, name: str) -> None:
    document = (Path(__file__).parents[3] / "docs" / "books.md").read_text(encoding="utf-8")
    (text,) = re.findall(rf"^```yaml\n(game: {name}\nmacros:.*?)^```$", document, re.DOTALL | re.MULTILINE)
    file = tmp_path / "own.yaml"
    file.write_text(text, encoding="utf-8")
    (macro,) = read_macros(file, catalogue.load(name))
    assert macro.is_drawn


@pytest.mark.parametrize("name", ["chess", "backgammon"])
def test_every_form_of_a_relation_is_read(name: str) -> None:
    words = words_of(name)
    for relation, forms in words.relations.items():
        for form in forms:
            for negated in (False, True):
                phrase = phrase_of(words, "not " * negated + form)
                assert not isinstance(phrase, str)
                assert (phrase.relation, phrase.negated) == (relation, negated)
                assert phrase.names == tuple("abc"[: len(phrase.names)])
