"""Protocols ask a game for what it declares (``games/game.py``, ``games/board_hooks.py``), never which game it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.games import board_hooks, catalogue, game

ROOT = Path(__file__).parent.parent.parent
HOOKS = {name for module in (game, board_hooks) for name in vars(module) if name.startswith("Has")}
CLASSES = {path.partition(":")[2] for path in catalogue.BUILT_IN.values()}

ONE_GAME = {
    "protocols/backgammon/table.py": "UBGI and gnubg's external protocol speak of nothing but backgammon positions",
    "protocols/xboard/protocol.py": "XBoard's protocol, as it is spoken here, is that of chess",
}
"""Files that may ask for the class of a game, each because its protocol is a protocol for that game alone."""


def questions(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The places where a module looks at a game's kernel, compares something with a game's name, or asks for the class
    of a game."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "kernel":
            yield node.lineno, "kernel"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            if node.func.id in ("getattr", "hasattr") and "kernel" in texts:
                yield node.lineno, "kernel"
            if node.func.id == "isinstance":
                names = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
                yield from ((node.lineno, name) for name in sorted(names & CLASSES))
        elif isinstance(node, ast.Compare):
            parts = [part for side in (node.left, *node.comparators) for part in ast.walk(side)]
            words = {word(part) for part in parts}
            names = {
                part.value for part in parts if isinstance(part, ast.Constant) and part.value in catalogue.BUILT_IN
            }
            if words & {"kernel", "kernel_of"} or (names and "game" in words):
                yield node.lineno, ", ".join(sorted(names)) or "kernel"


def word(node: ast.AST) -> str:
    """The identifier that a name or an attribute is, without leading underscores."""
    return (node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else "").lstrip("_")


def found(path: Path) -> list[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [f"{path.relative_to(ROOT)}:{line}: {what}" for line, what in questions(tree)]


def test_no_protocol_asks_which_game_it_plays() -> None:
    paths = [path for path in sorted((ROOT / "protocols").rglob("*.py")) if str(path.relative_to(ROOT)) not in ONE_GAME]
    assert len(paths) > 60
    assert [question for path in paths for question in found(path)] == []


@pytest.mark.parametrize("path", ONE_GAME)
def test_an_exception_is_needed(path: str) -> None:
    assert len(found(ROOT / path)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "game.kernel == 'go'",
        "getattr(game, 'kernel', '') == 'chess'",
        "kernel_of(game) in names",
        "kernel not in ('go', 'hex')",
        "self._game.name.partition(':')[0] == 'backgammon'",
        "isinstance(game, Chess)",
        "isinstance(self.session.game, (Hex, Go))",
    ],
)
def test_the_reader_of_questions_sees_every_form(line: str) -> None:
    assert len({number for number, _ in questions(ast.parse(line))}) == 1


@pytest.mark.parametrize("line", ["isinstance(game, HasSwap)", "isinstance(board, StepBoard)", "command.name == 'go'"])
def test_questions_about_capabilities_are_none(line: str) -> None:
    assert list(questions(ast.parse(line))) == []


DECLARED = {
    "go": {"HasPoints", "HasSetup", "HasStones", "HasTerritory", "HasGoRules", "HasHandicap", "HasSgf"},
    "hex": {"HasPoints", "HasSetup", "HasStones", "HasSwap", "HasSgf"},
    "chess": {"HasColours", "HasChess960"},
    "backgammon": {"HasPointsScale"},
    "connect_four": set(),
    "tic_tac_toe": set(),
}
"""The capabilities by which protocols tell games apart."""


@pytest.mark.parametrize(("name", "declared"), DECLARED.items())
def test_what_the_games_declare(name: str, declared: set[str]) -> None:
    made = catalogue.load(name)
    asked = set().union(*DECLARED.values())
    assert asked <= HOOKS
    has = {hook for hook in asked if isinstance(made, getattr(board_hooks, hook, None) or getattr(game, hook))}
    assert has == declared


def test_every_hook_of_boards_is_declared_by_a_game() -> None:
    hooks = {name for name in vars(board_hooks) if name.startswith("Has")}
    assert hooks <= set().union(*DECLARED.values())


def test_every_hook_of_boards_is_documented() -> None:
    text = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
    assert [name for name in HOOKS if name in vars(board_hooks) and f"`{name}`" not in text] == []
