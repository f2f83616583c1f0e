"""Perft tables: whole in Rust, as far as 5,000 leaves in Python. The tables are data, tests/perft/*.perft."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from playout.engine import _core
from playout.engine.options.config import kernel_of
from playout.engine.terms.kernel import kernel_params
from playout.games import catalogue
from playout.games.game import CHANCE

FOLDER = Path(__file__).parent.parent / "perft"
PYTHON_LEAVES = 5_000


@dataclass(frozen=True)
class Row:
    """One count of a table."""

    id: str
    game: str
    position: str | None
    depth: int
    leaves: int


def rows() -> Iterator[Row]:
    for file in sorted(FOLDER.glob("*.perft")):
        id, game, position = "", "", None
        for line in file.read_text("utf-8").splitlines():
            word, _, rest = line.strip().partition(" ")
            if word == "id":
                id, position = rest, None
            elif word == "game":
                game = rest
            elif word == "position":
                position = rest
            elif word == "perft":
                depth, leaves = rest.split()
                yield Row(id, game, position, int(depth), int(leaves))


ROWS = list(rows())
IDS = [f"{row.game}-{row.id}-{row.depth}" for row in ROWS]


def test_every_kernel_has_a_table() -> None:
    assert set(catalogue.BUILT_IN) == {row.game.partition(":")[0] for row in ROWS}


@pytest.mark.long
@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_kernel(row: Row) -> None:
    game = catalogue.load(row.game)
    kernel = kernel_of(game)
    assert kernel is not None
    assert _core.Position(kernel, kernel_params(game), row.position).perft(row.depth) == row.leaves


@pytest.mark.long
@pytest.mark.parametrize(
    "row",
    [row for row in ROWS if row.leaves <= PYTHON_LEAVES],
    ids=[i for i, r in zip(IDS, ROWS, strict=True) if r.leaves <= PYTHON_LEAVES],
)
def test_definition(row: Row) -> None:
    game: Any = catalogue.load(row.game)
    state = game.initial_state() if row.position is None else game.state_from_text(row.position)
    assert count(game, state, row.depth) == row.leaves


def count(game: Any, state: Any, depth: int) -> int:
    if depth == 0:
        return 1
    actions = game.legal_actions(state)
    chance = bool(actions) and game.current_player(state) == CHANCE
    if depth == 1 and not chance:
        return len(actions)
    return sum(count(game, game.next_state(state, action), depth - (not chance)) for action in actions)
