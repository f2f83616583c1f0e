"""Macros in the search: the kernel's matcher against the definition's, and macros that the search meets below its root."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from playout.books.macros.macro import Macro, MacroStep, read_macros, shipped_macros
from playout.engine.known.compiled_macros import drawn_macros, exact_hints
from playout.engine.options.config import search_config
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.game import Game, action_to_text, text_to_action

GAMES = ("tic_tac_toe", "hex:5", "hex:7,swap=true", "go:5", "go:7x4", "connect_four", "connect_four:5,rows=4")
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
    """Compares the moves that macros begin with, at all positions of random games. Returns the number of hints."""
    searcher = with_macros(game, macros)
    hints = 0
    for played in games(game, rng, count):
        words = list[str]()
        for state, action in played:
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
    assert (the_same_is_known(game, macros, random.Random(2), 20) > 0) == begins


@pytest.mark.parametrize("name", GAMES)
def test_drawings_match_as_they_are_defined(name: str, tmp_path: Path) -> None:
    game: Any = catalogue.load(name)
    rng = random.Random(name)
    hints = 0
    for _ in range(12):
        hints += the_same_is_known(game, written(tmp_path, macro_file(name, rng), game), rng, 3)
    assert hints > 100


@pytest.mark.parametrize("name", GAMES)
def test_trees_are_followed_as_they_are_defined(name: str, tmp_path: Path) -> None:
    """After each move of random games the lines of all trees go on, while the search knows them from its graph."""
    game: Any = catalogue.load(name)
    rng = random.Random(name)
    followed = 0
    for _ in range(12):
        macros = written(tmp_path, macro_file(name, rng), game)
        searcher = with_macros(game, macros, TreePolicy="flat")
        (played,) = games(game, rng, 1)
        words, through = list[str](), list[MacroStep]()
        for state, action in played[:30]:
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


ONLY = "game: hex\nmacros:\n  - {name: a, pattern: 'X X a', play: a, only: true}\n"


def test_a_macro_is_known_deep_below_the_root(tmp_path: Path) -> None:
    """Five plies below the root, after moves that no macro names, only the macro's moves are searched."""
    game: Any = catalogue.load("hex:5")
    macros = written(tmp_path, ONLY, game)
    searcher = with_macros(game, macros, TreePolicy="ucb1", PlayoutPolicy="uniform", Symmetries=False, ExpandVisits=1)
    searcher.set_position(None, [])
    searcher.prepare()
    searcher.run(nodes=20_000)
    checked = 0
    for played in games(game, random.Random(1), 400):
        state, words = game.initial_state(), list[str]()
        for _, action in played[:5]:
            words.append(action_to_text(game, state, action))
            state = game.next_state(state, action)
        searcher.set_position(None, words)
        visited = {move.move for move in searcher.report(25).moves if move.visits}
        allowed = {action_to_text(game, state, step.action) for macro in macros for step in macro.at(state)}
        if visited and allowed:
            checked += 1
            assert visited <= allowed, words
    assert checked > 3
