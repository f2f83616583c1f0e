"""Pictures of positions: every one is an SVG document, and shows what is on the board."""

from __future__ import annotations

import random
from typing import Any
from xml.etree import ElementTree

import pytest

import playout
from playout.games import catalogue
from playout.games.errors import GameError
from playout.games.game import GAP
from playout.games.picture.picture import svg

LARGE = ("hex:26", "go:25", "go:13x9")
SVG = "{http://www.w3.org/2000/svg}"


def drawn(position: playout.Position) -> ElementTree.Element:
    """The picture, parsed."""
    root = ElementTree.fromstring(position.svg())
    assert root.tag == f"{SVG}svg"
    return root


def circles(root: ElementTree.Element, fill: str) -> int:
    return sum(one.get("fill") == fill for one in root.iter(f"{SVG}circle"))


def texts(root: ElementTree.Element) -> list[str | None]:
    return [one.text for one in root.iter(f"{SVG}text")]


@pytest.mark.long
@pytest.mark.parametrize(
    "name", [*catalogue.names(), "hex:1", "hex:26", "go:2", "go:25", "go:13x9", "connect_four:9,6"]
)
def test_positions_of_a_whole_game_have_pictures(name: str) -> None:
    dice = random.Random(5)
    position = playout.Position(name)
    for ply in range(40 if name in LARGE else 200):
        if position.over or ply % 20 < 2:
            drawn(position)
        if position.over:
            break
        roll = position.player == playout.CHANCE
        position = position.play(position.roll(dice) if roll else dice.choice(position.legal_moves()))


def test_stones_of_go() -> None:
    root = drawn(playout.Position("go:9", moves=["E5", "D5", "C3"]))
    assert (circles(root, "#222222"), circles(root, "#fafafa")) == (2, 1)
    assert texts(root).count("J") == 2
    assert "I" not in texts(root)


def test_stones_of_hex_and_both_players_edges() -> None:
    root = drawn(playout.Position("hex:5", moves=["a1", "b2"]))
    assert (circles(root, "#222222"), circles(root, "#fafafa")) == (1, 1)
    assert len(list(root.iter(f"{SVG}polygon"))) == 25
    assert [one.get("stroke") for one in root.iter(f"{SVG}polyline")] == ["#ffffff", "#ffffff", "#222222", "#222222"]


def test_discs_and_marks() -> None:
    root = drawn(playout.Position("connect_four", moves=["a", "a", "b"]))
    assert (circles(root, "#d33f3f"), circles(root, "#f2c230"), circles(root, "#ffffff")) == (2, 1, 39)
    root = drawn(playout.Position("tic_tac_toe", moves=["a1", "b2", "c3"]))
    assert len(list(root.iter(f"{SVG}polyline"))) == 4
    assert len(list(root.iter(f"{SVG}circle"))) == 1


def test_men_dice_and_numbers_of_backgammon() -> None:
    root = drawn(playout.Position("backgammon", moves=["31"]))
    pips = 4
    assert circles(root, "#222222") + circles(root, "#fafafa") == 30 + pips
    assert {str(point) for point in range(1, 25)} <= set(texts(root))
    assert texts(root)[-1] == "Black to play 31"


def test_chess_is_drawn_by_python_chess() -> None:
    assert "<svg" in playout.Position("chess", moves=["e2e4"]).svg()


class Stones:
    """A game that is never played: one state."""

    name = "stones"

    def initial_state(self) -> Any:
        return "<&>\n\x07 "

    def current_player(self, state: Any) -> int:
        return 0

    def legal_actions(self, state: Any) -> list[int]:
        return [0]

    def next_state(self, state: Any, action: int) -> Any:
        return state

    def returns(self, state: Any) -> None:
        return None


def test_a_game_without_hooks_shows_its_state_in_letters() -> None:
    root = drawn(playout.Position(Stones()))
    assert texts(root) == ["<&>", "\N{REPLACEMENT CHARACTER} "]


def test_a_game_that_draws_itself_in_letters_is_shown_so() -> None:
    class Rendered(Stones):
        def render(self, state: Any) -> str:
            return "ab\ncd"

    assert texts(drawn(playout.Position(Rendered()))) == ["ab", "cd"]


def test_cells_are_shown_as_a_board() -> None:
    class Celled(Stones):
        def cells(self, state: Any) -> Any:
            return [[0, None, 1], [None, 1, None]]

        def cell(self, state: Any, action: Any) -> Any:
            return (1, 0)

    root = drawn(playout.Position(Celled()))
    assert (circles(root, "#222222"), circles(root, "#fafafa")) == (1, 2)
    assert texts(root) == ["a", "b", "c", "1", "2"]


def test_steps_are_shown_with_labels_shades_and_gaps() -> None:
    class Stepped(Stones):
        def cells(self, state: Any, clicked: Any) -> Any:
            return [[0, GAP], [None, 1]]

        def steps(self, state: Any, action: Any) -> Any:
            return [[(0, 0), (0, 1)]]

        def labels(self, state: Any, clicked: Any) -> Any:
            return {(0, 0): "K"}

        def shades(self) -> Any:
            return {"#c8a070": [(0, 1)]}

    root = drawn(playout.Position(Stepped()))
    assert [one.get("fill") for one in root.iter(f"{SVG}rect")] == ["#f3ead7", "#c8a070", "#f3ead7"]
    assert texts(root)[-1] == "K"


def test_a_games_own_picture_is_taken() -> None:
    class Own(Stones):
        def svg(self, state: Any) -> str:
            return "<svg xmlns='http://www.w3.org/2000/svg'/>"

    class Wrong(Stones):
        def svg(self, state: Any) -> str:
            return "a board"

    assert svg(Own(), 0) == "<svg xmlns='http://www.w3.org/2000/svg'/>"
    with pytest.raises(GameError, match="stones: svg gives 'a board', which is not an SVG document"):
        svg(Wrong(), 0)
