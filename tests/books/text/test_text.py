"""The text book: what is written is read, what people write is understood, and a mistake is shown where it is."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playout.books.base.book import BookMove
from playout.books.base.entry import BookEntry
from playout.books.text import yaml_book
from playout.books.text.yaml_nodes import LARGEST
from playout.games import catalogue
from playout.games.errors import BookError
from playout.games.game import HasSymmetries, action_to_text, is_over, text_to_action

from ..random_books import content, random_entries

ROOT = Path(__file__).parents[3]
MNK = f"{ROOT}/tests/users/mnk.py:Mnk"
GAMES = ("tic_tac_toe", "connect_four", "hex:5", "hex:5,swap=true", "go:5", "chess", "backgammon")
DOCUMENT = (ROOT / "docs" / "books.md").read_text(encoding="utf-8").partition("## The text book")[2]
BLOCKS = re.findall(r"^```yaml\n((?:#[^\n]*\n)?game: .*?)^```$", DOCUMENT, re.DOTALL | re.MULTILINE)
EXAMPLES = [block for block in BLOCKS if re.search("^(lines|positions):", block, re.MULTILINE)]
"""Text books; the others are a configuration and a file of macros."""
GOLDEN = Path(__file__).parent / "golden"


def state_after(game: Any, words: str, start: str | None = None) -> Any:
    state = game.initial_state() if start is None else game.state_from_text(start)
    for word in words.split():
        state = game.next_state(state, text_to_action(game, state, word))
    return state


def answers(book: Any, game: Any, words: str, start: str | None = None) -> dict[str, float]:
    state = state_after(game, words, start)
    return {action_to_text(game, state, move.action): move.weight for move in book.lookup(state)}


def opened(tmp_path: Path, game: Any, source: str) -> Any:
    file = tmp_path / "book.yaml"
    file.write_text(source, "utf-8")
    return yaml_book.open_book(file, game)


@pytest.mark.long
@pytest.mark.parametrize("name", [*GAMES, MNK])
@settings(
    max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 2**32))
def test_what_is_written_is_read(name: str, tmp_path: Path, seed: int) -> None:
    game = catalogue.load(name)
    entries = random_entries(game, random.Random(seed), 3, 8, gaps=name != MNK)
    file = tmp_path / "book.yaml"
    yaml_book.write_book(file, game, entries)
    assert content(game, yaml_book.entries(file, game)) == content(game, entries)
    first = file.read_bytes()
    yaml_book.write_book(file, game, reversed(list(yaml_book.entries(file, game))))
    assert yaml_book.problems(file, game) == []
    assert content(game, yaml_book.entries(file, game)) == content(game, entries)
    if not isinstance(game, HasSymmetries):
        assert file.read_bytes() == first


@pytest.mark.parametrize("source", EXAMPLES, ids=lambda source: re.findall("game: (.*)", source)[0])
def test_the_examples_of_the_document(source: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Each is read; those of the games' sections are written as the golden files have it."""
    game = catalogue.load(re.findall("game: (.*)", source)[0])
    book = opened(tmp_path, game, source)
    assert len(book) > 1
    yaml_book.write_book(tmp_path / "again.yaml", game, yaml_book.entries(tmp_path / "book.yaml", game))
    written = (tmp_path / "again.yaml").read_text("utf-8")
    assert content(game, yaml_book.entries(tmp_path / "again.yaml", game)) == content(
        game, yaml_book.entries(tmp_path / "book.yaml", game)
    )
    number = EXAMPLES.index(source)
    golden = GOLDEN / f"{number}_{game.name.partition(':')[0]}.yaml"
    assert golden.read_text("utf-8") == written


def test_every_game_has_an_example() -> None:
    games = {re.findall(r"game: (\w+)", source)[0] for source in EXAMPLES}
    assert games == set(catalogue.BUILT_IN)


def test_a_line_is_known_in_all_its_images(tmp_path: Path) -> None:
    game: Any = catalogue.load("go:9")
    book = opened(tmp_path, game, "game: go:9\nlines:\n- D4 F6:2 {far}\n- D4 G4\n")
    state = state_after(game, "D4")
    for symmetry in game.symmetries():
        moves = book.lookup(symmetry.state(state))
        assert [(move.weight, move.comment) for move in moves] == [(2.0, "far"), (1.0, "")]
        best = symmetry.inverse_action(moves[0].action)
        assert action_to_text(game, state, best) == "F6"
    assert {action_to_text(game, game.initial_state(), move.action) for move in book.lookup(game.initial_state())} < {
        f"{column}{row}" for column in "DF" for row in "46"
    }


def test_notations_of_chess(tmp_path: Path) -> None:
    game = catalogue.load("chess")
    source = "game: chess\nlines:\n- 1.e4 e5 2. Nf3 Nc6:4 {a} 3. Bc4 Bc5 4.O-O\n- e2e4 e7e5 g1f3 d7d6? f1c4\n"
    book = opened(tmp_path, game, source)
    assert answers(book, game, "e4 e5 Nf3") == {"b8c6": 4.0, "d7d6": 0.0}
    assert answers(book, game, "e4 e5 Nf3 Nc6 Bc4 Bc5") == {"e1g1": 1.0}


def test_weights_and_variations(tmp_path: Path) -> None:
    game = catalogue.load("connect_four")
    source = """
game: connect_four
lines:
  - &main d:
      d: 3 {solid}
      c:2 d:
        - [e, "f:7+3=2-1~-4"]
        - e g: .5
  - a: [*main]
  - d b
"""
    book = opened(tmp_path, game, source.replace("&main d:", "d: &main").replace("[*main]", "*main"))
    assert answers(book, game, "d") == {"d": 3.0, "c": 2.0, "b": 1.0}
    assert answers(book, game, "a") == {"d": 3.0, "c": 2.0}
    assert answers(book, game, "d c d e") == {"f": 7.0, "g": 0.5}
    (best, _) = book.lookup(state_after(game, "d c d e"))
    assert (best.wins, best.draws, best.losses, best.learn) == (3, 2, 1, -4)
    assert book.lookup(state_after(game, "d"))[0].comment == "solid"
    book.close()
    assert book.lookup(game.initial_state()) == ()


def test_dice_are_followed_but_are_no_moves(tmp_path: Path) -> None:
    game: Any = catalogue.load("backgammon")
    book = opened(tmp_path, game, 'game: backgammon\nlines:\n- ["31", "8/5 6/5:2", 66, 24/18(2) 13/7(2)]\n')
    assert answers(book, game, "31") == {"8/5,6/5": 2.0}
    assert book.lookup(game.initial_state()) == ()
    assert book.lookup(state_after(game, "31 8/5,6/5")) == ()


def test_a_finished_game_has_no_moves(tmp_path: Path) -> None:
    game = catalogue.load("tic_tac_toe")
    book = opened(tmp_path, game, "game: tic_tac_toe\nlines: a1 b1 a2 b2 a3\n")
    state = state_after(game, "a1 b1 a2 b2 a3")
    assert is_over(game, state) and book.lookup(state) == ()


def test_moves_that_a_line_names_again_keep_their_weight(tmp_path: Path) -> None:
    """Also where the line is another and the position the same."""
    game = catalogue.load("chess")
    source = "game: chess\nlines:\n- d4 Nf6 c4 e6:5\n- c4 Nf6 d4 e6\n- c4 Nf6 d4 e6:5 Nc3\n"
    assert answers(opened(tmp_path, game, source), game, "c4 Nf6 d4") == {"e7e6": 5.0}


MISTAKES = [
    ("game: chess\nlines:\n- e4 e5 Nf6 Nc6", "line 3, column 9: illegal move: 'Nf6'"),
    ("game: chess\r\nlines:\r\n- e4 e5 Nf6 Nc6", "line 3, column 9: illegal move: 'Nf6'"),
    ("game: chess\nlines:\n- 'é' ", "line 3, column 4: illegal move: 'é'"),
    ("game: chess\nlines:\n- >\n  e4 e5\n  Nf3 Ke3", "line 5, column 7: illegal move: 'Ke3'"),
    ("game: chess\nlines:\n- e4:-1 e5", "line 3, column 3: not a weight: '-1'"),
    ("game: chess\nlines:\n- e4 e5:nan", "line 3, column 6: not a weight: 'nan'"),
    ("game: chess\nlines:\n- e4 e5:1e999", "line 3, column 6: not a weight: '1e999'"),
    ("game: chess\nlines:\n- e4:", "line 3, column 6: neither a weight nor moves"),
    ("game: chess\nlines:\n- e4: Nf3", "line 3, column 7: not a weight: 'Nf3'"),
    ("game: chess\nlines:\n- e4: 3 e5", "line 3, column 9: 'e5' after a weight"),
    (
        "game: chess\nlines:\n- e4:2\n- e4: 3",
        "line 4, column 7: 'e4': the same move has another weight in line 3",
    ),
    ("game: hex:5\nlines:\n- a1:2\n- e5:3", "line 4, column 3: 'e5:3': the same move has another weight in line 3"),
    ("game: chess\nlines:\n- {e4: 1, e4: 2}", "line 3, column 11: a duplicate key: 'e4', first in line 3"),
    ("game: chess\nlines:\n- {[e4]: 1}", "line 3, column 4: a list as a key"),
    ("game: chess\nlines:\n- e4 {open e5", "line 3, column 6: a comment that is not closed"),
    ("game: chess\nlines:\n- &x e4:\n- *y", "line 4, column 3: *y names nothing"),
    ("game: chess\nlines:\n- e4: &x\n  - e5: *x", "line 4, column 9: a cycle: *x leads back into itself"),
    ("game: chess\nlines:\n- &x\n  - *x", "line 4, column 5: a cycle: *x"),
    ("game: chess\nlines:\n- [e4, [e5], Nf3]", "line 3, column 14: after the list that ends a line of moves"),
    ("game: chess\nlines:\n- ", "line 3, column 2: an empty line"),
    ("game: chess\nlines:\n\t- e4", "line 3, column 1: indented by a tab"),
    ("game: chess\nlines:\n- e4\n- !!python/name:os.system e5", "line 4, column 3: a tag"),
    ("game: chess\nlines:\n- e4: [e5\n", "line 4, column 1: not YAML"),
    ("game: chess\nlines:\n- e4 e5: d4: 2", "line 3, column 12: not YAML"),
    ("game: chess\nlines: []\n---\ngame: go", "line 3, column 1: a second document"),
    ("game: chess\nlinse: []", "line 2, column 1: an unknown key: 'linse'"),
    ("game: chess\ngame: chess", "line 2, column 1: a duplicate key: 'game'"),
    ("version: 2\ngame: chess", "line 1, column 10: version '2'"),
    ("game: [chess]", "line 1, column 7: game: a list instead of a text"),
    ("lines: [e4]", "line 1, column 1: no game"),
    ("- e4", "line 1, column 1: a list instead of a mapping"),
    ("", "empty, not a book"),
    ("game: chess\nlines:\n- e4 \x00", "line 3, column 6: not a text: the character '\\x00'"),
    ("game: chess\nlines:\n- " + "[" * 101, "column 101: nested deeper than 100 levels"),
    ("game: chess\npositions: [e4]", "line 2, column 12: positions: a list"),
    ("game: chess\npositions:\n  8/8 w - -: {e4: 1}", "line 3, column 3: not a chess position"),
    ("game: tic_tac_toe\npositions:\n  xxx/oo1/3 o: {c1: 1}", "line 3, column 3: the game is over"),
    ("game: backgammon\nlines:\n- 31:2 8/5,6/5", "line 3, column 3: a weight after '31:2'"),
    ("game: go:9\nlines:\n- D4 D4", "line 3, column 6: illegal move: 'D4' (occupied)"),
]


@pytest.mark.parametrize(("source", "message"), MISTAKES)
def test_a_mistake_is_shown_where_it_is(source: str, message: str, tmp_path: Path) -> None:
    game = catalogue.load(found[0] if (found := re.findall(r"^game: ([\w:]+)$", source, re.MULTILINE)) else "chess")
    file = tmp_path / "book.yaml"
    file.write_bytes(source.encode())
    with pytest.raises(BookError) as raised:
        yaml_book.open_book(file, game)
    line = str(raised.value)
    assert line.startswith(f"{file}") and message in line
    assert "\n" not in line
    assert yaml_book.problems(file, game)[0] in line


def test_all_mistakes_are_listed(tmp_path: Path) -> None:
    file = tmp_path / "book.yaml"
    file.write_text("game: chess\nlines:\n- e5 e4\n- e4:x\n- d4: {d5: [d6, c4]}\npositions: {x: {e4: 1}}\n")
    game = catalogue.load("chess")
    places = [re.findall(r"line (\d+), column (\d+)", problem)[0] for problem in yaml_book.problems(file, game)]
    assert places == [("3", "3"), ("4", "3"), ("5", "13"), ("6", "13")]
    with pytest.raises(BookError, match=r"and 3 more; playout book check lists them"):
        yaml_book.open_book(file, game)


def test_a_book_of_another_game(tmp_path: Path) -> None:
    file = tmp_path / "book.yaml"
    for name, game, fits in [
        ("hex", "hex:11", True),
        ("hex:size=11", "hex", True),
        ("hex:5", "hex:11", False),
        ("shogi", "chess", False),
        ("somewhere/mnk.py:Mnk:3,3,3", MNK, True),
        ("mnk", MNK, True),
        ("mnk.py:Other", MNK, False),
    ]:
        file.write_text(f"game: {name}\n")
        if fits:
            assert yaml_book.problems(file, catalogue.load(game)) == []
        else:
            assert f"line 1, column 7: a book of {name}, not of" in yaml_book.problems(file, catalogue.load(game))[0]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    game = catalogue.load("chess")
    with pytest.raises(BookError, match=r"nowhere.yaml: No such file"):
        yaml_book.open_book(tmp_path / "nowhere.yaml", game)
    with pytest.raises(BookError, match=r"a folder, not a file"):
        yaml_book.open_book(tmp_path, game)
    file = tmp_path / "large.yaml"
    with file.open("wb") as large:
        os.truncate(large.fileno(), 2 * 2**30)
    with pytest.raises(BookError, match=rf"large.yaml: 2,147,483,648 bytes; a text book has at most {LARGEST:,}"):
        yaml_book.open_book(file, game)
    file.write_bytes(b"game: chess\nlines:\n- e4 \xff\n")
    with pytest.raises(BookError, match=r"large.yaml, line 3: not UTF-8"):
        yaml_book.open_book(file, game)


def test_aliases_cannot_make_a_small_file_endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.books.text.reader.MOST_MOVES", 1000)
    lines = ["game: go:9", "lines:", "- &a0 [pass]"]
    turns = [f"{column}{row}" for row in (1, 2) for column in "ABCDEFGH"]
    for number in range(1, 9):
        one, other = turns[2 * number - 2 : 2 * number]
        lines.append(f"- &a{number} {{{one}: *a{number - 1}, {other}: *a{number - 1}}}")
    file = tmp_path / "book.yaml"
    game = catalogue.load("go:9")
    file.write_text("\n".join(lines))
    assert "more than 1,000 moves" in yaml_book.problems(file, game)[-1]
    for last in ("pass", "[]"):
        tree = "".join(f"  - &b{number}\n    - *b{number - 1}\n    - *b{number - 1}\n" for number in range(1, 40))
        file.write_text(f"game: go:9\nlines:\n  - &b0 {last}\n{tree}  - A1: *b39\n")
        assert "more than 1,000 moves" in yaml_book.problems(file, game)[-1]


def test_aliases_cannot_nest_too_deep(tmp_path: Path) -> None:
    game = catalogue.load("go:9")
    file = tmp_path / "book.yaml"
    for levels in (90, 2000):
        chain = "".join(f"- &a{number}\n  - *a{number - 1}\n" for number in range(1, levels))
        file.write_text(f"game: go:9\nlines:\n- &a0 pass\n{chain}")
        found = yaml_book.problems(file, game)
        assert found == [] if levels == 90 else "nested deeper than 100 levels" in found[0]


def test_positions_without_texts_cannot_be_written(tmp_path: Path) -> None:
    game: Any = catalogue.load(MNK)
    with pytest.raises(BookError, match=r"no position texts"):
        yaml_book.write_book(tmp_path / "book.yaml", game, [BookEntry("x........", [BookMove(1, 1.0)])])
    assert list(tmp_path.iterdir()) == []
    file = tmp_path / "book.yaml"
    file.write_text("game: mnk\npositions:\n  x: {1: 1}\n")
    assert "line 3, column 3: mnk has no position texts" in yaml_book.problems(file, game)[0]


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="e4d5 :?{}[]&*-\n'\"0123~+=.,#!%\\xa", max_size=60))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, body: str) -> None:
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_text(f"game: chess\nlines:\n{body}\n", "utf-8")
    for problem in yaml_book.problems(file, catalogue.load("chess")):
        assert problem.startswith(str(file)) and "\n" not in problem
