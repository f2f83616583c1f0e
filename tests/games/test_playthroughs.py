"""A golden playthrough of each game: a random game, position by position.

``PLAYOUT_UPDATE_GOLDEN=1 pytest tests/games/test_playthroughs.py`` writes the files anew.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from playout.games import catalogue
from playout.games.game import CHANCE

FOLDER = Path(__file__).parent.parent / "playthroughs"
LONGEST = 60
GAMES = {"chess": "chess", "go": "go:7", "hex": "hex:5,swap=true"}
"""The parameters that make a playthrough short."""


def playthrough(game: Any) -> str:
    rng = random.Random(2026)
    state = game.initial_state()
    blocks = [f"# {game.name}"]
    for ply in range(LONGEST + 1):
        actions = list(game.legal_actions(state))
        lines = [f"# ply {ply}", game.state_to_text(state), game.render(state)]
        returns = game.returns(state)
        if returns is not None:
            blocks.append("\n".join([*lines, f"returns {' '.join(f'{value:.4f}' for value in returns)}"]))
            break
        texts = [game.action_to_text(state, action) for action in actions]
        chosen = rng.randrange(len(actions))
        player = game.current_player(state)
        mover = "chance" if player == CHANCE else f"player {player}"
        blocks.append("\n".join([*lines, f"{mover}: {' '.join(texts)}", f"plays {texts[chosen]}"]))
        state = game.next_state(state, actions[chosen])
    return "\n\n".join(blocks) + "\n"


@pytest.mark.parametrize("name", catalogue.BUILT_IN)
def test_playthrough(name: str) -> None:
    text = playthrough(catalogue.load(GAMES.get(name, name)))
    file = FOLDER / f"{name}.txt"
    if os.environ.get("PLAYOUT_UPDATE_GOLDEN"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text
