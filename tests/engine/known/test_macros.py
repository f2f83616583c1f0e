"""Macros in the search: the kernel's matcher against the definition's, and macros below the root."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import playout
from playout.books.macros.macro import Macro, MacroStep, read_macros, shipped_macros
from playout.engine.known.compiled_macros import drawn_macros, exact_hints
from playout.engine.options.config import search_config
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.game import Game, action_to_text, text_to_action

GAMES = ("tic_tac_toe", "hex:4", "hex:5,swap=true", "go:4", "go:5x3", "connect_four", "connect_four:5,rows=4")
SYMBOLS = "XO.?#*"
LETTERS = "abcd"

Known = dict[str, tuple[float, int, float, bool]]
"""Weight, visits, value and whether it is banned, by move."""


def drawing(rng: random.Random) -> str:
    """A random drawing in which each of the letters stands once, as rows of words."""
    columns, rows = rng.choice([(4, 1), (3, 2), (2, 3), (4, 2), (3, 3)])
    cells = [*LETTERS, *(rng.choice(SYMBOLS if rng.random() < 0.4 else "?") for _ in range(columns * rows - 4))]
    rng.shuffle(cells)
    return "\n".join(" ".join(cells[row * columns : (row + 1) * columns]) for row in range(rows))


def macro_file(game: str, rng: random.Random) -> str:
    """A file of random macros: moves, trees with replies of ours and theirs, and moves that ban all others."""
    trees = [
        "play: a",
        "play: a\n    replies: {b: c, d: {play: b}, else: d}",
        "replies: {a: b, b: {play: a, replies: {c: d, else: c}}}",
        "replies: {c: d, else: a}",
    ]
    text = f"game: {game.partition(':')[0]}\nmacros:\n"
    for number in range(8):
        lines = "\n".join(f"        {row}" for row in drawing(rng).splitlines())
        text += f"  - name: m{number}\n    pattern: |\n{lines}\n    {rng.choice(trees)}\n"
        text += f"    weight: {rng.randint(1, 9)}\n    visits: {number + 1}\n    value: 0.{number}\n"
        text += "    only: true\n" if number == 7 else ""
    return text


def expected(game: Any, state: Any, through: Sequence[MacroStep], begun: Sequence[MacroStep]) -> Known:
    """The hints of the steps of trees that led to ``state``, and of those that begin there."""
    legal = list(game.legal_actions(state))
    own, theirs = dict[Any, tuple[float, int, float, bool]](), dict[Any, tuple[float, int, float, bool]]()
    only = False
    for step in (*through, *(step for step in begun if step.ours)):
        if step.action in legal and step.ours:
            macro = step.macro
            only |= macro.only
            weight, visits, value, _ = own.get(step.action, (0.0, -1, 0.0, False))
            if macro.visits > visits:
                visits, value = macro.visits, macro.value
            own[step.action] = (max(weight, macro.weight), visits, value, False)
        elif step.action in legal:
            theirs[step.action] = (1.0, 0, 0.0, False)
    if only:
        own |= {action: (0.0, 0, 0.0, True) for action in legal if action not in own}
    return {action_to_text(game, state, action): known for action, known in (own or theirs).items()}


def found(searcher: Searcher) -> Known:
    """The hints of the searcher's root."""
    return {hint.move: (hint.weight, hint.visits, pytest.approx(hint.value), hint.banned) for hint in searcher.hints()}


def with_macros(game: Game[Any, Any], macros: Sequence[Macro], **options: Any) -> Searcher:
    """A searcher that has the macros and no other knowledge."""
    searcher = Searcher(game, search_config(game, {"Hash": 16, "Solver": False, "Seed": 1, **options}))
    searcher.set_macros(*drawn_macros(game, macros))
    searcher.guide(exact_hints(game, macros), lasting=True)
    return searcher


def games(game: Any, rng: random.Random, count: int) -> Iterator[list[tuple[Any, Any]]]:
    """Random games, as states with the actions played there."""
    for _ in range(count):
        state, played = game.initial_state(), list[tuple[Any, Any]]()
        while game.returns(state) is None:
            action = rng.choice(list(game.legal_actions(state)))
            played.append((state, action))
            state = game.next_state(state, action)
        yield played


def the_same_is_known(game: Any, macros: Sequence[Macro], rng: random.Random, count: int) -> int:
    """Compares the moves that macros begin with, at positions of random games. Returns the number of hints."""
    searcher = with_macros(game, macros)
    hints = 0
    for played in games(game, rng, count):
        compared, words = rng.sample(range(len(played)), min(len(played), 12)), list[str]()
        for number, (state, action) in enumerate(played):
            if number in compared:
                searcher.set_position(None, words)
                known = expected(game, state, (), [step for macro in macros for step in macro.at(state)])
                assert found(searcher) == known, (words, state)
                hints += len(known)
            words.append(action_to_text(game, state, action))
    return hints


def written(tmp_path: Path, text: str, game: Any) -> tuple[Macro, ...]:
    """The macros of a file with this text."""
    file = tmp_path / "own.yaml"
    file.write_text(text, encoding="utf-8")
    return read_macros(file, game)


@pytest.mark.parametrize("name", GAMES)
def test_shipped_drawings_match_as_they_are_defined(name: str) -> None:
    game: Any = catalogue.load(name)
    macros = [macro for macro in shipped_macros(game) if macro.is_drawn]
    begins = any(macro.text.turn.play is not None for macro in macros)
    hints = the_same_is_known(game, macros, random.Random(2), 8)
    # The shapes of Go are too rare for random games.
    assert (hints > 0) == begins or name.startswith("go")


@pytest.mark.parametrize("name", GAMES)
def test_drawings_match_as_they_are_defined(name: str, tmp_path: Path) -> None:
    game: Any = catalogue.load(name)
    rng = random.Random(name)
    hints = 0
    for _ in range(4):
        hints += the_same_is_known(game, written(tmp_path, macro_file(name, rng), game), rng, 2)
    assert hints > 50


@pytest.mark.parametrize("name", GAMES)
def test_trees_are_followed_as_they_are_defined(name: str, tmp_path: Path) -> None:
    """After each move of random games the lines of all trees go on, while the search knows them from its graph."""
    game: Any = catalogue.load(name)
    rng = random.Random(name)
    followed = 0
    for _ in range(4):
        macros = written(tmp_path, macro_file(name, rng), game)
        searcher = with_macros(game, macros, TreePolicy="flat")
        (played,) = games(game, rng, 1)
        words, through = list[str](), list[MacroStep]()
        for state, action in played[:12]:
            searcher.set_position(None, words)
            begun = [step for macro in macros for step in macro.at(state)]
            known = expected(game, state, through, begun)
            seen = found(searcher)
            assert set(known) <= set(seen), (words, state)
            for move, (weight, visits, _, banned) in known.items():
                assert seen[move][0] >= weight and seen[move][1] >= visits and (banned or not seen[move][3])
            followed += len(through)
            searcher.restrict([action_to_text(game, state, action)])
            searcher.prepare()
            searcher.run(nodes=3)
            words.append(action_to_text(game, state, action))
            after = game.next_state(state, action)
            if game.returns(after) is None:
                steps = [step for step in (*through, *begun) if step.action == action]
                through = [step for before in steps for step in before.then(after)]
    assert followed > 20


def test_a_macro_is_known_deep_below_the_root(tmp_path: Path) -> None:
    """Three plies below the root, after moves that no macro names, and wherever else it applies in the tree."""
    file = tmp_path / "own.yaml"
    file.write_text("game: tic_tac_toe\nmacros:\n  - {name: a, pattern: 'O O a', play: a, only: true}\n")
    search: Any = {"solver": False, "symmetries": False, "tree_policy": "epsilon-greedy", "greedy_epsilon": 1}
    game: Any = catalogue.load("tic_tac_toe")
    (macro,) = read_macros(file, game)
    with playout.Engine("tic_tac_toe", hash=16, seed=1, book_file="", macro_file=str(file), **search) as engine:
        engine.think(nodes=10_000)
        tree = engine.tree(4)
    checked = 0
    for words, node in below(tree, ()):
        state = game.initial_state()
        for word in words:
            state = game.next_state(state, text_to_action(game, state, word))
        allowed = {action_to_text(game, state, step.action) for step in macro.at(state)}
        if len(words) == 3 and allowed and node.visits > 10:
            checked += 1
            # An edge is made with one simulation, whatever its move.
            assert {child.move for child in node.children if child.visits > 1} <= allowed, words
    assert checked > 100


def below(node: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The nodes of a tree with the moves that lead to them."""
    yield words, node
    for child in node.children:
        yield from below(child, (*words, child.move))


EXACT = """
game: hex
macros:
  - {name: a, position: start, moves: c3 b2 d4, play: e5, replies: {a1: a2}, weight: 7}
"""


@pytest.mark.parametrize(
    ("line", "known"),
    [("c3 b2 d4", {"e5": 7}), ("d4 b2 c3", {"e5": 7}), ("d4 a1 c3 e5 b5 b2", {}), ("d4 e5 c3 b2 a1", {"a2": 7})],
)
def test_exact_macros_are_known_in_whatever_order_of_moves(tmp_path: Path, line: str, known: dict[str, int]) -> None:
    game: Any = catalogue.load("hex:5")
    searcher = with_macros(game, written(tmp_path, EXACT, game))
    searcher.set_position(None, line.split())
    assert {hint.move: hint.weight for hint in searcher.hints()} == known


def test_a_macro_that_lies_is_given_up(tmp_path: Path) -> None:
    """It praises each move beside the one that wins, with the most that a file can say."""
    file = tmp_path / "own.yaml"
    file.write_text(
        "game: tic_tac_toe\nmacros:\n  - {name: a, pattern: X . a, play: a, weight: 1000000, visits: 10000, value: 1}\n"
    )
    with playout.Engine("tic_tac_toe", hash=16, seed=1, book_file="", macro_file=str(file), solver=False) as engine:
        engine.set_position(None, ["a1", "b2", "b1", "c3"])
        assert engine.think(nodes=40_000).move == "c1"


MANY = {
    "patterns": "  - {name: a, pattern: X a, play: a}\n",
    "positions": "  - {name: a, position: start, moves: a1, play: c3}\n",
    "trees": "  - {name: a, position: start, replies: {else: {play: a1, replies: {else: {play: b1}}}}}\n",
}


@pytest.mark.parametrize("kind", MANY)
def test_a_hundred_thousand_macros_cost_one_line(tmp_path: Path, kind: str) -> None:
    """A file that is too large is not used, and play goes on; the largest file that is read has bounded hints."""
    file = tmp_path / "own.yaml"
    file.write_text("game: hex\nmacros:\n" + MANY[kind] * 100_000)
    with playout.Engine("hex:5", hash=16, seed=1, book_file="", macro_file=str(file)) as engine:
        result = engine.think(nodes=20)
        assert result.reason == "nodes"
        (remark,) = result.remarks
        assert str(file) in remark and "\n" not in remark


def test_positions_of_exact_macros_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.engine.known.compiled_macros.MOST_POSITIONS", 50)
    game: Any = catalogue.load("hex:5")
    macros = written(tmp_path, "game: hex\nmacros:\n" + MANY["trees"] * 3, game)
    assert len(exact_hints(game, macros)) == 49
