"""Matches: openings, scores, workers."""

from __future__ import annotations

import dataclasses
import math
import random

import pytest

from playout.engine.experiments.base import match
from playout.games import catalogue
from playout.games.errors import GameError

PACE = match.Pace(nodes=60)


def test_the_score_counts_pairs() -> None:
    score = match.Score((1.0, 0.5, 0.5, 0.0))
    assert (score.games, score.mean) == (8, 0.5)
    assert score.error == pytest.approx(math.sqrt(0.5 / 4 / 3))
    difference, least, most = score.elo
    assert difference == pytest.approx(0)
    assert least == pytest.approx(-most)
    assert least < -100


def test_elo_is_the_logistic_scale() -> None:
    assert match.elo(10 / 11) == pytest.approx(400)
    assert match.elo(0.75) == pytest.approx(190.85, abs=0.01)
    assert (match.elo(0.0), match.elo(1.0)) == (-math.inf, math.inf)


def test_a_side_that_wins_all_has_an_interval() -> None:
    difference, least, most = match.Score((1.0,) * 10).elo
    assert difference == math.inf == most
    assert 0 < least < 400


def test_openings_are_legal_and_go_on() -> None:
    for name in ("hex:4", "backgammon"):
        game, rng = catalogue.load(name), random.Random(3)
        for plies in range(4):
            state, moves = game.initial_state(), match.random_opening(game, plies, rng)
            for text in moves:
                state = game.next_state(state, match.text_to_action(game, state, text))
            assert game.returns(state) is None
            assert len(moves) >= plies


def test_a_match_is_the_same_with_a_seed() -> None:
    game = catalogue.load("hex:4")
    sides = match.configuration(game, ["exploration=1.0"]), match.configuration(game, ["exploration=0.1"])
    to_play = match.pairs("hex:4", sides, games=6, pace=PACE, plies=1, seed=1)
    assert len(to_play) == 3
    scores = list(match.play_all(to_play))
    assert scores == list(match.play_all(to_play))
    turned = [dataclasses.replace(one, first=one.second, second=one.first) for one in to_play]
    assert list(match.play_all(turned)) == [1 - score for score in scores]


def test_a_search_that_only_explores_loses() -> None:
    game = catalogue.load("hex:5")
    strong = match.configuration(game, ["proof_visits=0"])  # proofs find the moves whatever is explored
    weak = dataclasses.replace(strong, exploration=100.0)
    to_play = match.pairs("hex:5", (strong, weak), games=20, pace=match.Pace(nodes=300), plies=1, seed=1)
    assert match.Score(tuple(match.play_all(to_play))).mean > 0.6


@pytest.mark.parametrize("setting", ["explosion=1", "exploration=much", "solver=perhaps"])
def test_a_wrong_setting_is_refused(setting: str) -> None:
    with pytest.raises(GameError, match=r"^[^\n]+$"):
        match.configuration(catalogue.load("hex:4"), [setting])
