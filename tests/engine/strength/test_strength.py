"""Below full strength a search is shorter and, at the lower levels, its move is drawn."""

from __future__ import annotations

import itertools
import queue
from typing import Any

import pytest

from playout.engine.session import Session
from playout.engine.strength.levels import SEEING, STEADY, handicap
from playout.engine.terms.info import SearchInfo, SearchResult
from playout.engine.terms.limits import Clock, Limits, Reports
from playout.engine.terms.line import Line
from playout.engine.terms.ratings import ELO, FULL, level_of
from playout.games import catalogue
from playout.games.game import CHANCE, HasChance, action_to_text, is_over

from ...patience import PATIENCE
from ..tasks import task_of


class Player:
    """A session at a level."""

    def __init__(self, game: Any, **options: Any) -> None:
        self.events: queue.SimpleQueue[SearchInfo | SearchResult] = queue.SimpleQueue()
        self.session = Session(game, post=self.events.put)
        for name, value in {"Hash": 16, "OwnBook": "false", **options}.items():
            self.session.set_option(name, str(value))

    def think(self, **limits: Any) -> SearchResult:
        self.session.go(Limits(**limits))
        while not isinstance(event := self.events.get(timeout=PATIENCE), SearchResult):
            pass
        self.session.wait()
        return event


@pytest.mark.parametrize("name", catalogue.BUILT_IN)
def test_each_level_searches_more_than_the_one_below_and_the_last_as_long_as_there_is_time(name: str) -> None:
    game: Any = catalogue.load(name)
    line = Line.start(game)
    if game.current_player(line.state) == CHANCE:
        assert isinstance(game, HasChance)
        line = line.played(game, action_to_text(game, line.state, game.chance_outcomes(line.state)[0][0]))
    found = []
    for level in range(FULL):
        given = handicap(task_of(game, line, Level=str(level)))
        assert given is not None
        assert (given.temperature > 0) == (level < STEADY)
        found.append(given)
    assert all(a.simulations < b.simulations for a, b in itertools.pairwise(found))
    seen = [given.positions for given in found if given.positions is not None]
    assert len(seen) == (FULL - SEEING if name == "chess" else 0), "alpha-beta finds the moves of the upper levels"
    assert all(a < b for a, b in itertools.pairwise(seen))
    assert all(a.temperature >= b.temperature for a, b in itertools.pairwise(found))
    assert all(a.prior_heat >= b.prior_heat >= 1 for a, b in itertools.pairwise(found))
    assert all(1 > a.noise >= b.noise >= 0 for a, b in itertools.pairwise(found))
    assert (found[0].noise > 0) == (name in ("backgammon", "chess", "go")), "their priors alone play too well"
    assert handicap(task_of(game, line, Level=str(FULL))) is None
    assert handicap(task_of(game, line, Limits(infinite=True), Level="0")) is None, "analysis is done at full strength"


@pytest.mark.parametrize(("name", "first"), [("go:5", 4 + 26), ("go:13", 4 + 32), ("hex:11", 4)])
def test_level_0_tries_more_moves_where_priors_are_flattened(name: str, first: int) -> None:
    game: Any = catalogue.load(name)
    given = handicap(task_of(game, Line.start(game), Level="0"))
    assert given is not None
    assert given.simulations == first
    assert (given.prior_heat > 1) == (first > 4)


def test_the_lower_of_level_and_skill_level_holds() -> None:
    game: Any = catalogue.load("chess")
    line = Line.start(game)

    def simulations(**options: str) -> int | None:
        given = handicap(task_of(game, line, **options))
        return None if given is None else given.simulations

    low, high = simulations(Level="5"), simulations(Level="9")
    skill = {"Skill Level": "5"}
    assert simulations(**skill) == low == simulations(**skill, Level="9")
    assert simulations(**{"Skill Level": "9"}, Level="5") == low != high
    assert simulations(**{"Skill Level": str(FULL)}) is None


@pytest.mark.long
def test_a_level_with_a_look_ahead_bounds_its_positions() -> None:
    """Not the time that there is, nor the threads, but the level decides; without a look-ahead the tree is bounded."""
    player = Player(catalogue.load("chess"), Level=SEEING, Threads=2)
    for limits in ({"movetime": 3600.0}, {"clock": Clock(360_000.0)}):
        player.session.new_game()
        result = player.think(**limits)
        assert result.reason == "nodes"
        assert 0 <= result.info.simulations - 16_384 < 64
    for options, bounds in (({}, {"nodes": 10**9}), ({"LookAhead": 0}, {"movetime": 3600.0})):
        tree = Player(catalogue.load("chess"), Level=SEEING, **options)
        result = tree.think(**bounds)
        assert result.reason == "nodes"
        assert result.info.simulations == round(4 * (131072 / 4) ** (SEEING / FULL))


@pytest.mark.long
@pytest.mark.parametrize(("nets", "first"), [("shipped", 4), ("", 4 + 7)], ids=["priors", "none"])
def test_a_level_bounds_every_search_but_analysis(nets: str, first: int) -> None:
    """Level 0 has 4 simulations, and one for each of 7 moves where no priors say which of them to try."""
    player = Player(catalogue.load("connect_four"), Level=3, EvalFile=nets)
    for limits in ({"movetime": 3600.0}, {"clock": Clock(360_000.0)}, {"nodes": 10**9}):
        player.session.new_game()
        result = player.think(**limits)
        assert result.reason == "nodes"
        assert result.info.simulations == round(first * (131072 / first) ** (3 / 20))
    player.session.go(Limits(infinite=True, reports=Reports(interval=0.02)))
    while isinstance(event := player.events.get(timeout=PATIENCE), SearchInfo) and event.simulations <= 1000:
        pass
    assert isinstance(event, SearchInfo)
    player.session.stop()
    player.session.wait()
    player.session.close()


def test_ratings_are_levels() -> None:
    levels = [level_of(elo) for elo in range(ELO[0][0] - 100, ELO[-1][0] + 100, 10)]
    assert levels == sorted(levels)
    assert (levels[0], levels[-1]) == (ELO[0][1], ELO[-1][1])
    for elo, level in ELO:
        assert level_of(elo) == pytest.approx(level)
    player = Player(catalogue.load("chess"), UCI_LimitStrength="true", UCI_Elo=ELO[0][0])
    weak = player.think(nodes=10**9).info.simulations
    player.session.set_option("UCI_Elo", str(ELO[-1][0]))
    assert weak < player.think(nodes=10**9).info.simulations
    player.session.close()


@pytest.mark.long
@pytest.mark.parametrize(("low", "high"), [(2, 8), (6, 12)])
def test_a_higher_level_wins(low: int, high: int) -> None:
    game: Any = catalogue.load("connect_four")
    players = [Player(game, Level=low), Player(game, Level=high)]
    score = 0.0
    for number in range(8):
        sides = players if number % 2 else players[::-1]
        for player in players:
            player.session.new_game()
            player.session.set_option("Seed", str(number))
        words: list[str] = []
        while not is_over(game, sides[0].session.state):
            mover = sides[game.current_player(sides[0].session.state)]
            words.append(str(mover.think(nodes=10**9).move))
            for player in players:
                player.session.set_position(None, words)
        result = game.returns(sides[0].session.state)
        score += (1 + result[sides.index(players[1])]) / 2
    assert score >= 5.5
    for player in players:
        player.session.close()
