"""Below full strength a search is shorter and, at the lower levels, its move is drawn."""

from __future__ import annotations

import itertools
import queue
from typing import Any

import pytest

import playout
from playout.engine.session import Session
from playout.engine.strength.levels import STEADY, handicap
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Clock, Limits
from playout.engine.terms.ratings import ELO, FULL, level_of
from playout.games import catalogue
from playout.games.game import CHANCE, HasChance

PATIENCE = 30.0


def player_of(game: Any, **options: Any) -> playout.Engine:
    """An engine without books."""
    return playout.Engine(game, hash=16, own_book=False, **options)


@pytest.mark.parametrize("name", catalogue.BUILT_IN)
def test_each_level_searches_more_than_the_one_below_and_the_last_as_long_as_there_is_time(name: str) -> None:
    game: Any = catalogue.load(name)
    player = player_of(game)
    state, options = player.position.state, player.session.options
    if game.current_player(state) == CHANCE:
        assert isinstance(game, HasChance)
        state = game.next_state(state, game.chance_outcomes(state)[0][0])
    found = []
    for level in range(FULL):
        player.configure(level=level)
        given = handicap(game, state, options)
        assert given is not None
        assert (given.temperature > 0) == (level < STEADY)
        found.append(given)
    assert all(a.simulations < b.simulations for a, b in itertools.pairwise(found))
    assert all(a.temperature >= b.temperature for a, b in itertools.pairwise(found))
    assert all(a.prior_heat >= b.prior_heat >= 1 for a, b in itertools.pairwise(found))
    player.configure(level=FULL)
    assert handicap(game, state, options) is None
    player.close()


@pytest.mark.parametrize("bounds", [{"seconds": 60.0}, {"clock": Clock(600.0)}, {"nodes": 10**9}])
def test_a_level_bounds_every_search_but_analysis(bounds: dict[str, Any]) -> None:
    player = player_of("connect_four", level=3)
    result = player.think(**bounds)
    assert result.reason == "nodes"
    assert result.simulations == round(11 * (131072 / 11) ** (3 / 20)), "4 and one for each of 7 moves, at level 0"
    player.close()
    events: queue.SimpleQueue[SearchInfo | SearchResult] = queue.SimpleQueue()
    session = Session(catalogue.load("connect_four"), post=events.put)
    session.set_option("Level", "3")
    session.go(Limits(infinite=True))
    while not isinstance(event := events.get(timeout=PATIENCE), SearchInfo):
        pass
    assert event.simulations > 1000
    session.close()


def test_ratings_are_levels() -> None:
    levels = [level_of(elo) for elo in range(ELO[0][0] - 100, ELO[-1][0] + 100, 10)]
    assert levels == sorted(levels)
    assert (levels[0], levels[-1]) == (ELO[0][1], ELO[-1][1])
    for elo, level in ELO:
        assert level_of(elo) == pytest.approx(level)
    with player_of("chess", uci_limit_strength=True, uci_elo=ELO[0][0]) as player:
        weak = player.think(seconds=60.0).simulations
        player.configure(uci_elo=ELO[-1][0])
        assert weak < player.think(seconds=60.0).simulations


@pytest.mark.parametrize(("low", "high"), [(2, 8), (8, 14)])
def test_a_higher_level_wins(low: int, high: int) -> None:
    players = [player_of("connect_four", level=low), player_of("connect_four", level=high)]
    score = 0.0
    for number in range(20):
        sides = players if number % 2 else players[::-1]
        for player in players:
            player.new_game()
            player.configure(seed=number)
        while (mover := players[0].player) is not None:
            move = str(sides[mover].think(seconds=60.0).move)
            for player in players:
                player.play(move)
        assert players[0].result is not None
        score += (1 + players[0].result[sides.index(players[1])]) / 2
    assert score >= 14
    for player in players:
        player.close()
