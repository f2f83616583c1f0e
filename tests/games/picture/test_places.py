"""Places of pictures: each legal move can be clicked, and the clicks of one are never the beginning of another's."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from playout import CHANCE
from playout.games import catalogue
from playout.games.game import action_to_text, text_to_action
from playout.games.picture.picture import svg
from playout.games.picture.places import clicks, places
from playout.games.support.outcome import outcome, spoken

OTHELLO = Path(__file__).parents[3] / "examples" / "othello.py"
WORDED = {"pass"}
"""Moves that have no place."""
GAMES = (*catalogue.names(), "hex:5,swap=true", "go:7x4", "chess:chess960=true", f"{OTHELLO}:Othello")


def states(game: Any, plies: int, seed: int) -> list[Any]:
    """Positions of a random game in which a player is to move."""
    rng, state, found = random.Random(seed), game.initial_state(), []
    while game.returns(state) is None and len(found) < plies:
        if game.current_player(state) == CHANCE:
            state = game.next_state(state, rng.choice([roll for roll, _ in game.chance_outcomes(state)]))
        else:
            found.append(state)
            state = game.next_state(state, rng.choice(game.legal_actions(state)))
    return found


@pytest.mark.parametrize("name", GAMES)
def test_every_move_has_clicks_of_its_own(name: str) -> None:
    game = catalogue.load(name)
    for state in states(game, 60, seed=4)[::6]:
        there, ways = places(game, state), dict[tuple[str, ...], str]()
        found = re.search(r"viewBox=.0 0 ([\d.]+) ([\d.]+)", svg(game, state))
        assert found is not None
        for x, y, width, height in there.values():
            assert x >= 0
            assert y >= 0
            assert x + width <= float(found[1])
            assert y + height <= float(found[2])
        for action in game.legal_actions(state):
            text = action_to_text(game, state, action)
            own = [tuple(way) for way in clicks(game, state, action)]
            is_roll = name == "backgammon" and text.isdigit()
            assert own or text in WORDED or is_roll, text
            for way in own:
                assert set(way) <= set(there)
                assert ways.setdefault(way, text)[:4] == text[:4], "promotions alone share clicks"
        for way in ways:
            assert not any(way[:length] in ways for length in range(1, len(way)))


def test_a_swap_is_a_click_on_the_stone() -> None:
    game = catalogue.load("hex:5,swap=true")
    state = game.next_state(game.initial_state(), 7)
    assert [clicks(game, state, action) for action in (7, 25) if action in game.legal_actions(state)] == [[["c2"]]]


def test_a_hop_of_backgammon_has_two_clicks() -> None:
    game: Any = catalogue.load("backgammon")
    state = game.state_from_text("4HPwATDgc/ABMA 0 31")
    assert clicks(game, state, game.text_to_action(state, "8/5 6/5")) == [["8", "5", "6", "5"], ["6", "5", "8", "5"]]
    assert ["24", "23", "23", "20"] in clicks(game, state, game.text_to_action(state, "24/20"))


ENDINGS = [
    ("chess", "7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "White wins by checkmate"),
    ("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "Draw by stalemate"),
    ("chess", "7k/8/6K1/8/8/8/8/8 b - - 0 1", "Draw by insufficient material"),
    ("chess", "7k/8/6K1/8/8/8/8/R7 b - - 100 80", "Draw by fifty moves"),
    ("chess", "7k/8/6K1/8/8/8/8/R7 b - - 0 80", ""),
    ("tic_tac_toe", "xxx/oo1/3 o", "Black wins"),
]


@pytest.mark.parametrize(("name", "text", "said"), ENDINGS)
def test_results_in_words(name: str, text: str, said: str) -> None:
    game: Any = catalogue.load(name)
    assert outcome(game, game.state_from_text(text)) == said


def test_results_by_points_in_words() -> None:
    game: Any = catalogue.load("go:5,komi=0.5")
    state = game.initial_state()
    for text in ("C3", "pass", "pass"):
        state = game.next_state(state, game.text_to_action(state, text))
    assert outcome(game, state) == "Black wins by 24.5 points"


def test_a_draw_by_repetition_in_words() -> None:
    game: Any = catalogue.load("chess")
    state = game.initial_state()
    for text in ("g1f3", "g8f6", "f3g1", "f6g8") * 2:
        state = game.next_state(state, game.text_to_action(state, text))
    assert outcome(game, state) == "Draw by repetition"


@pytest.mark.parametrize("name", GAMES)
def test_moves_as_people_write_them_can_be_read(name: str) -> None:
    game = catalogue.load(name)
    for state in states(game, 40, seed=5)[::8]:
        for action in game.legal_actions(state):
            said = spoken(game, state, action_to_text(game, state, action))
            assert text_to_action(game, state, said) == action


def test_moves_of_chess_are_san() -> None:
    game: Any = catalogue.load("chess")
    state = game.initial_state()
    assert [spoken(game, state, text) for text in ("g1f3", "Nf3", "e2e4")] == ["Nf3", "Nf3", "e4"]
