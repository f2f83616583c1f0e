"""Life and death in Go: positions with seki, and games that GNU Go has judged."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playout.engine.judge.life import Judgement, judge
from playout.engine.options.config import option_defaults, search_config
from playout.engine.options.table import Options
from playout.games.go import Go

GAMES = [json.loads(line) for line in (Path(__file__).parent / "golden" / "gnugo_games.jsonl").read_text().splitlines()]
"""Games of GNU Go 3.8 against itself, levels 1 to 4, after some random moves, and its judgement of the ends."""

ALIVE = ["X.XXXOO.O", "XXXXXOOOO", "X.XXXOO.O", "XXXXXOOOO"]
"""The upper part of a board: Black's chain on the left and White's on the right live."""
TWO_LIBERTIES = [*ALIVE, "XXXXXOOOO", "XXXXXOOOO", "XOOOOXXXO", "XOOO.XXXO", "XOOO.XXXO"]
ONE_EYE_EACH = [
    "O.OXX.XX.",
    "OOOXXXXX.",
    "O.OX.XXXX",
    *["OOOXXXXX."] * 3,
    "OOOXXXX..",
    "XXXOOOX..",
    ".X.O.OX..",
]
NEUTRAL = ["X.XX.OO.O", "XXXXXOOOO", "X.XX.OO.O", "XXXXXOOOO", "XXXX.OOOO", "XXXX.OOOO", *["XXXXXOOOO"] * 3]


def judged(game: Go, text: str | None, words: list[str], state: Any) -> Judgement:
    config = search_config(game, Options("go", option_defaults(game)))
    return judge(game, text, words, state, config=replace(config, threads=1))


def fates(rows: list[str], mover: str) -> dict[str, str]:
    """The fate of each chain, by its first point."""
    game = Go(9)
    text = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows) + f" {mover}"
    state = game.state_from_text(text)
    judgement = judged(game, text, [], state)
    return {game.action_to_text(state, chain.points[0]): chain.fate for chain in judgement.chains}


@pytest.mark.parametrize("mover", ["b", "w"])
def test_chains_that_share_two_liberties_live_in_seki(mover: str) -> None:
    assert fates(TWO_LIBERTIES, mover) == {"A1": "alive", "F1": "seki", "B1": "seki", "J1": "alive"}


def test_chains_with_an_eye_each_and_a_liberty_between_live_in_seki() -> None:
    """Playouts alone take Black's chain for dead: they see a nakade where there is none."""
    assert fates(ONE_EYE_EACH, "b") == {"B1": "seki", "G1": "alive", "D1": "seki", "A3": "alive"}


def test_neutral_points_beside_living_chains_are_no_seki() -> None:
    assert set(fates(NEUTRAL, "b").values()) == {"alive"}


@pytest.mark.long
@pytest.mark.parametrize("record", GAMES, ids=lambda record: f"seed-{record['seed']}")
def test_games_are_judged_as_gnu_go_does(record: dict[str, Any]) -> None:
    game = Go(9)
    state, words = game.initial_state(), []
    for move in record["moves"]:
        action = game.text_to_action(state, move)
        words.append(game.action_to_text(state, action))
        state = game.next_state(state, action)
    judgement = judged(game, None, words, state)
    assert {game.action_to_text(state, point) for point in judgement.dead} == set(record["dead"])
    assert not judgement.of("seki")
    lead = game.score(state, judgement.dead)
    assert f"{'B' if lead > 0 else 'W'}+{abs(lead):.1f}" == record["score"]
