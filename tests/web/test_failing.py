"""Users' games that fail at a table."""

from __future__ import annotations

from pathlib import Path

from playout.web.messages import (
    Answer,
    New,
    Note,
    Play,
)

from .seated import Page, at

FAILING = """
class Failing:
    def initial_state(self):
        return 0

    def current_player(self, state):
        return state % 2

    def legal_actions(self, state):
        return [0, 1]

    def next_state(self, state, action):
        if state:
            raise RuntimeError("a mistake")
        return 1

    def returns(self, state):
        return None
"""


def test_a_game_that_fails_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING)

    async def play(page: Page) -> None:
        await page.take(New(game=f"{tmp_path / 'failing.py'}:Failing", side="first", moves=["0"]))
        assert "a mistake" in (await page.until(Note)).text

    at("tic_tac_toe", play)


UNDRAWN = (
    FAILING.replace('        if state:\n            raise RuntimeError("a mistake")\n', "")
    + """
    def svg(self, state):
        if state:
            raise ValueError("no\\npicture")
        return "<svg/>"
"""
)


def test_a_game_that_cannot_be_drawn_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "undrawn.py").write_text(UNDRAWN)

    async def play(page: Page) -> None:
        await page.take(New(game=f"{tmp_path / 'undrawn.py'}:Failing", side="both"))
        await page.take(Play(move="0"))
        assert (await page.until(Note)).text.endswith("ValueError: no picture")
        other: list[Answer] = []
        await page.table.join(other.append)
        assert [type(answer) for answer in other] == [Note]
        await page.table.leave(other.append)

    at("tic_tac_toe", play)
