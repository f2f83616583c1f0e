"""Additions to a search: priors, scores, visits along variations; and the search's end."""

from __future__ import annotations

import math
from queue import SimpleQueue
from typing import Any

import pytest

from playout.engine.analyst import AnalysisRequest, Analyst, Findings, Wanted
from playout.engine.judge.ownership import kernel_position
from playout.engine.judge.prior import Priors
from playout.engine.options.config import options_for
from playout.engine.terms.limits import Limits
from playout.games import catalogue
from playout.games.tic_tac_toe import TicTacToe

from ..patience import PATIENCE
from .tasks import line_of


def findings(name: str, *moves: str, **fields: Any) -> Findings:
    """The last findings of a search."""
    game = catalogue.load(name)
    told: SimpleQueue[Analyst] = SimpleQueue()
    request = AnalysisRequest(game, line_of(game, *moves), **{"limits": Limits(nodes=50), "settings": {}, **fields})
    Analyst(request, told.put).start()
    while True:
        found = told.get(timeout=PATIENCE).take()
        if found is not None and found.last:
            return found


class Knowing(TicTacToe):
    """Prefers cells by their number."""

    kernel = None

    def action_values(self, state: Any, actions: Any) -> list[float]:
        return [float(action) for action in actions]


def test_priors_are_the_softmax_of_what_the_game_knows() -> None:
    game = Knowing()
    state = game.initial_state()
    shares = Priors().at(game, line_of(game), options_for(game, {"TreePolicy": "puct", "PriorTemperature": 2.0}))
    assert sum(shares.values()) == pytest.approx(1)
    names = [game.action_to_text(state, action) for action in game.legal_actions(state)]
    assert list(shares) == names
    assert shares[names[3]] / shares[names[1]] == pytest.approx(math.exp(1.0))
    kernel = TicTacToe()
    known = Priors().at(kernel, line_of(kernel), options_for(kernel, {}))
    assert set(known) == set(names)
    assert known["b2"] == max(known.values())


def test_a_game_that_knows_nothing_has_no_priors() -> None:
    class Plain(TicTacToe):
        kernel = None

    assert Priors().at(Plain(), line_of(Plain()), options_for(Plain(), {})) == {}


def test_priors_are_those_of_the_weights_that_are_set() -> None:
    game, priors = catalogue.load("hex:5"), Priors()
    options = options_for(game, {"EvalFile": ""})
    learned = priors.at(game, line_of(game), options)
    options.set("PatternFile", "")
    by_hand = priors.at(game, line_of(game), options)
    assert set(learned) == set(by_hand) and learned != by_hand
    options.set("PatternFile", "shipped")
    assert priors.at(game, line_of(game), options) == learned


def test_visits_are_known_along_a_variation() -> None:
    best = findings("connect_four", "d", limits=Limits(nodes=400)).info.moves[0]
    assert len(best.pv_visits) == len(best.pv_edge_visits) == len(best.pv)
    assert best.pv_edge_visits[0] == best.visits
    assert all(visits >= taken >= 1 for visits, taken in zip(best.pv_visits, best.pv_edge_visits, strict=True))


def test_a_search_that_is_stopped_before_it_begins_finds_nothing() -> None:
    told: SimpleQueue[Analyst] = SimpleQueue()
    game = catalogue.load("go:5")
    analyst = Analyst(AnalysisRequest(game, line_of(game), Limits(nodes=2**50), {}), told.put)
    analyst.stop()
    analyst.start()
    found = told.get(timeout=PATIENCE).take()
    assert found is not None
    assert (found.last, found.info.simulations, found.fault) == (True, 0, None)


def test_findings_that_nobody_took_give_way_to_later_ones() -> None:
    told: SimpleQueue[Analyst] = SimpleQueue()
    game = catalogue.load("go:5")
    settings = {"InfoInterval": "10"}
    analyst = Analyst(AnalysisRequest(game, line_of(game), Limits(infinite=True), settings, reports=True), told.put)
    analyst.start()
    for _ in range(3):
        found = told.get(timeout=PATIENCE).take()
        assert found is not None and not found.last
    analyst.stop()
    found = None
    while found is None or not found.last:
        told.get(timeout=PATIENCE)
        found = analyst.take()
        assert found is not None, "each call has something to take"
    assert told.empty()


@pytest.mark.parametrize("name", ["tic_tac_toe", "go:3"])
def test_a_finished_game_has_its_result(name: str) -> None:
    moves = ("pass", "pass") if name == "go:3" else ("a1", "b1", "a2", "b2", "a3")
    found = findings(name, *moves)
    assert found.reason == "over"
    assert found.returns is not None
    assert found.returns[0] == (-1 if name == "go:3" else 1)
    assert found.score == (-7.5 if name == "go:3" else None)


def test_the_line_is_replayed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaying a game of 200 moves takes longer than the playouts of a root move."""
    replayed = []

    def counted(*arguments: Any) -> Any:
        replayed.append(arguments)
        return kernel_position(*arguments)

    monkeypatch.setattr("playout.engine.judge.ownership.kernel_position", counted)
    found = findings("go:5", "C3", wanted=Wanted(ownership=True, moves_ownership=True))
    assert len(found.moves) > 1
    assert len(replayed) == 1
