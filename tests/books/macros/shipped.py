"""The shipped macros, and positions for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playout.books.macros.macro import Macro, shipped_macros
from playout.books.macros.reader import parse_macros
from playout.books.text.yaml_nodes import Source
from playout.games.game import action_to_text, text_to_action


def after(game: Any, moves: str, state: Any = None) -> Any:
    """The state after moves."""
    state = game.initial_state() if state is None else state
    for word in moves.split():
        state = game.next_state(state, text_to_action(game, state, word))
    return state


def moves(game: Any, state: Any, steps: Any) -> set[str]:
    """The actions of steps, as texts."""
    return {action_to_text(game, state, step.action) for step in steps}


def named(name: str, game: Any) -> Macro:
    """The shipped macro called ``name``."""
    return next(macro for macro in shipped_macros(game) if macro.name == name)


def parsed(name: str, game: str) -> Any:
    """The shipped macro called ``name``, as its file has it."""
    text = (Path(__file__).parents[3] / "books" / "data" / "macros" / f"{game}.yaml").read_text(encoding="utf-8")
    return next(macro for macro in parse_macros(Source(Path(f"{game}.yaml"), text)) if macro.name == name)
