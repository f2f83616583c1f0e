"""Branching and depth of the games, and backgammon's plays of a roll."""

from __future__ import annotations

import pytest

from playout.engine.experiments import branching
from playout.games import catalogue
from playout.games.errors import GameError


@pytest.fixture(scope="module")
def result() -> branching.Branching:
    return branching.run(game=("tic_tac_toe", "connect_four", "chess", "backgammon"), games=2, nodes=20)


def test_the_first_positions(result: branching.Branching) -> None:
    assert {name: first for name, first, _, _ in result.played} == {
        "tic_tac_toe": 9,
        "connect_four": 7,
        "chess": 20,
        "backgammon": 18,
    }
    assert len(catalogue.load("go:19").legal_actions(catalogue.load("go:19").initial_state())) == 362, "and pass"


def test_six_five_has_seven_plays_at_the_start(result: branching.Branching) -> None:
    """Sixes are 24/18, 13/7 and 8/2, fives 13/8 and 8/3: 24/19 and 6/1 are blocked. That makes six pairs, and 24/13 is
    the seventh play; 13/2 is 13/8 8/2 again."""
    opening = {roll: plays for roll, plays, _, _ in result.rolls}
    assert opening["6-5"] == 3 * 2 + 1
    assert opening["mean"] == pytest.approx(17.7, abs=0.05)
    assert max(opening, key=lambda roll: opening[roll]) == "2-2"


def test_chess_games_of_the_engine_are_nearer_to_the_literature(result: branching.Branching) -> None:
    chess = {name: (chance, engine) for name, _, chance, engine in result.played}["chess"]
    assert 15 < chess[1].actions < 45
    assert chess[1].plies < chess[0].plies


def test_every_turn_has_between_one_and_the_most_actions(result: branching.Branching) -> None:
    for name, first, chance, engine in result.played:
        for games in (chance, engine):
            assert games.games == 2
            assert 1 <= games.actions <= games.most, name
            assert games.most >= first or name == "chess" or name == "backgammon"


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(GameError, match="no game 'checkers'"):
        branching.run(game=["checkers"])
