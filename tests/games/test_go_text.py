"""Go: moves, positions and parameters as text."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from playout.games.catalogue import load
from playout.games.errors import GameError
from playout.games.go import Go, State

from .go_positions import KO, KO_RULES, objection, play, position, random_game


def test_moves_as_text() -> None:
    game, state = Go(9), Go(9).initial_state()
    assert game.action_to_text(state, 0) == "A1" and game.action_to_text(state, 8) == "J1"
    assert game.action_to_text(state, 81) == "pass"
    for text in ("d4", " D4 ", "D4"):
        assert game.text_to_action(state, text) == 3 * 9 + 3
    assert game.text_to_action(state, "PASS") == game.text_to_action(state, "pass") == 81
    for text in ("I5", "i5", "K1", "A10", "A0", "A01", "", "44", "resign", "A1 A2", "\uff211"):
        assert "a point from A1 to J9, without I, or pass" in objection(game, state, text)
    assert objection(game, play(game, state, "E5"), "e5") == "illegal move: 'e5' (occupied)"
    assert Go(25).action_to_text(Go(25).initial_state(), 624) == "Z25"
    wide = Go("13x9")
    assert (
        wide.action_to_text(wide.initial_state(), 116) == "N9" and wide.text_to_action(wide.initial_state(), "b2") == 14
    )
    for text in ("O1", "A10"):
        assert "a point from A1 to N9" in objection(wide, wide.initial_state(), text)


@pytest.mark.long
def test_positions_as_text() -> None:
    game = Go(9)
    assert game.state_to_text(game.initial_state()) == "9/9/9/9/9/9/9/9/9 b - 0 0 0 0"
    for ko, size in product(KO_RULES, (2, 5, "11x2")):
        game = Go(size, ko=ko)
        for state, _ in random_game(game, random.Random(1)):
            read = game.state_from_text(game.state_to_text(state))
            assert game.state_to_text(read) == game.state_to_text(state)
            assert game.returns(read) == game.returns(state)
    five = Go(5)
    assert five.state_from_text(" 5/5/2x2/5/1o3  W ") == State("." + "O" + "." * 10 + "X" + "." * 12, 1)
    taken = play(five, position(five, KO), "C2")
    assert five.state_to_text(taken) == "5/5/1XO2/X1XO1/1XO2 w B2 0 1 0 1"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "rows, b or w"),
        ("5/5/5/5/5", "rows, b or w"),
        ("5/5/5/5/5 b - 0 0 0 0 0", "rows, b or w"),
        ("5/5/5/5 b", "5 rows of 5"),
        ("5/5/5/5/5/5 b", "5 rows of 5"),
        ("5/5/6/5/5 b", "5 rows of 5"),
        ("5/5/05/5/5 b", "5 rows of 5"),
        ("5/5/0/5/5 b", "5 rows of 5"),
        ("5/5/99999999999999/5/5 b", "5 rows of 5"),
        ("5/5/2Z2/5/5 b", "5 rows of 5"),
        ("5/5/23/5/5 b", "5 rows of 5"),
        ("5/5/5/O4/XO3 b", "the stone at A1 has no liberty"),
        ("5/5/5/5/5 x", "'x' moves"),
        ("5/5/5/5/5 b C3", "no ko at 'C3'"),
        ("5/5/5/5/5 b I3", "no ko at 'I3'"),
        ("5/5/1XO2/X1XO1/1XO2 b B2", "no ko at 'B2'"),
        ("5/5/1XO2/X1XO1/1XO2 w B2 1", "no ko at 'B2'"),
        ("5/5/5/5/5 b - 3", "passes '3'"),
        ("5/5/5/5/5 b - =", "passes '='"),
        ("5/5/5/5/5 b - 0 -1", "'-1' is not a number"),
        ("5/5/5/5/5 b - 0 0 1000000", "'1000000' is not a number"),
        ("5/5/5/5/5 b - 0 0 0 ²", "'²' is not a number"),
    ],
)
def test_malformed_positions(text: str, what: str) -> None:
    with pytest.raises(GameError, match="not a go position") as caught:
        Go(5).state_from_text(text)
    assert what in str(caught.value) and "\n" not in str(caught.value)


def test_mutilated_positions_are_refused_or_sound() -> None:
    game, rng = Go(5, ko="simple"), random.Random(3)
    texts = [game.state_to_text(state) for state, _ in random_game(game, rng)]
    for _ in range(1000):
        text = list(rng.choice(texts))
        for _ in range(rng.randrange(1, 4)):
            text[rng.randrange(len(text))] = rng.choice("XOxobw/1234567890 -=.ABCEé")
        try:
            state = game.state_from_text("".join(text))
        except GameError as error:
            assert "\n" not in str(error)
        else:
            assert game.state_from_text(game.state_to_text(state)) == state


def test_render() -> None:
    game = Go(7)
    drawn = game.render(play(game, game.initial_state(), "D4 C3"))
    assert drawn.split("\n") == [
        "   A B C D E F G",
        " 7 . . . . . . . 7",
        " 6 . . . . . . . 6",
        " 5 . . + . + . . 5",
        " 4 . . . X . . . 4",
        " 3 . . O . + . . 3",
        " 2 . . . . . . . 2",
        " 1 . . . . . . . 1",
        "   A B C D E F G",
        "Black (X) to move; captures: Black 0, White 0",
    ]
    wide = Go("8x3").render(Go("8x3").initial_state()).split("\n")
    assert wide[:2] == ["   A B C D E F G H", " 3 . . . . . . . . 3"] and len(wide) == 6
    assert "ko at B2" in Go(5).render(play(Go(5), position(Go(5), KO), "C2"))


def test_names() -> None:
    assert Go().name == "go:9"
    assert Go(19, 6).name == "go:19,komi=6"
    full = Go(13, 5.5, "simple", "territory", True)
    assert full.name == "go:13,komi=5.5,ko=simple,scoring=territory,suicide=true"
    assert Go("13x9", 6.5).name == "go:13x9,komi=6.5" and load("go:13x9,6.5") == Go("13X9", 6.5) == load(
        "go:size=13x9,komi=6.5"
    )
    assert load("go:9x9") == Go("9") == Go() and Go("9x9").name == "go:9"
    assert load(full.name) == full and load("go") == Go() and load("go:5,ko=situational") == Go(5, ko="situational")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"size": 1}, "size=1 is not within 2 and 25"),
        ({"size": 26}, "size=26 is not within 2 and 25"),
        ({"size": "26x9"}, "size=26x9 is not within 2 and 25"),
        ({"size": "9x1"}, "size=9x1 is not within 2 and 25"),
        ({"size": "9x"}, "size='9x' is not a number from 2 to 25, nor two of them such as 13x9"),
        ({"komi": float("nan")}, "komi=nan is not within -1000 and 1000"),
        ({"komi": 1e9}, "is not within -1000 and 1000"),
        ({"ko": "super"}, "ko='super' is not one of positional, situational, simple"),
        ({"scoring": "stones"}, "scoring='stones' is not one of area, territory"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(GameError, match=r"^go: ") as caught:
        Go(**parameters)
    assert message in str(caught.value)
