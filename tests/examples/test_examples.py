"""The programs of ``examples/`` run and print what they promise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from playout.games.catalogue import load
from playout.games.check.checker import check

from ..patience import PATIENCE
from ..protocols.transport.network import Server

FOLDER = Path(__file__).parents[2] / "examples"
EXPECTED = {
    "custom_book.py": "d book",
    "othello.py": "results of x and o:",
    "pig.py": "with 12 in hand: ",
}
"""Texts that the output of each program contains."""
NEEDS_A_SERVER = {"tcp_client.py"}


def run(name: str, *arguments: str) -> str:
    """Returns what the program prints."""
    done = subprocess.run(
        [sys.executable, str(FOLDER / name), *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_every_program_is_run() -> None:
    assert {path.name for path in FOLDER.glob("*.py")} == EXPECTED.keys() | NEEDS_A_SERVER


@pytest.mark.long
@pytest.mark.parametrize("name", EXPECTED)
def test_a_program(name: str) -> None:
    assert EXPECTED[name] in run(name)


@pytest.mark.opponents
def test_the_tcp_client_gets_a_legal_move() -> None:
    with Server("--listen", "127.0.0.1:0", "--protocol", "ugi", "--game", "hex:5") as server:
        move = run("tcp_client.py", server.address, "a1", "e5").strip()
    game = load("hex:5")
    state = game.initial_state()
    assert move in {game.action_to_text(state, action) for action in game.legal_actions(state)} - {"a1", "e5"}


@pytest.mark.parametrize("name", ["othello.py:Othello:4", "pig.py:Pig"])
def test_a_game_keeps_its_contract(name: str) -> None:
    assert check(load(f"{FOLDER / name}"), games=3) == []


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook(path: Path) -> None:
    """Runs the cells one after another, as a fresh kernel does, and draws what they end with."""
    names: dict[str, Any] = {}
    shown = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            *before, last = "".join(cell["source"]).split("\n")
            try:
                code = compile(last, path.name, "eval")
            except SyntaxError:  # the cell ends with a statement
                exec("\n".join([*before, last]), names)
                continue
            exec("\n".join(before), names)
            shown.append(eval(code, names))
    assert len(shown) > 2
    assert [value for value in shown if hasattr(value, "_repr_svg_") and "<svg" not in value._repr_svg_()] == []
