from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from playout.engine.session import Session
from playout.engine.terms.info import SearchResult
from playout.engine.terms.limits import Limits
from playout.games import catalogue

from ...patience import PATIENCE
from ...protocols.fake_session import info, move_info


@pytest.mark.parametrize(
    ("margin", "value", "visits", "simulated", "hopeless"),
    [
        (0.1, -0.95, 100, None, True),
        (0.1, -0.95, 100, -0.9, True),
        (0.1, -0.95, 100, -0.5, True),
        (0.1, -0.95, 100, -0.3, False),
        (0.1, -0.95, 100, 0.0, False),
        (0.1, -0.85, 100, -0.9, False),
        (0.1, -0.95, 49, -0.9, False),
        (0.0, -1.0, 100, -1.0, False),
    ],
)
def test_a_move_of_many_simulations_that_lose_is_a_reason_to_resign(
    margin: float, value: float, visits: int, simulated: float | None, hopeless: bool
) -> None:
    assert info([move_info("D4", value, visits=visits)], simulated=simulated).hopeless(margin) == hopeless


def test_a_proof_needs_no_simulations() -> None:
    assert info([move_info("D4", -1.0, visits=1, lower=-1.0, upper=-1.0)], simulated=0.0).hopeless(0.1)
    assert not info([]).hopeless(0.1)


def test_a_game_is_not_resigned_because_macros_say_that_the_opponent_wins(tmp_path: Path) -> None:
    """They say it of each position after the second move, where the simulations are far from a decision."""
    file = tmp_path / "lies.yaml"
    lie = "  - {name: NAME, position: start, moves: d NAME, play: e, visits: 10000, value: 1}\n"
    file.write_text("game: connect_four\nmacros:\n" + "".join(lie.replace("NAME", column) for column in "abcdefg"))
    events: SimpleQueue[Any] = SimpleQueue()
    with closing(Session(catalogue.load("connect_four"), post=events.put)) as session:
        for name, text in {"Hash": "64", "Seed": "1", "OwnBook": "false", "MacroFile": str(file)}.items():
            session.set_option(name, text)
        session.play("d")
        session.go(Limits(nodes=1000))
        while not isinstance(result := events.get(timeout=PATIENCE), SearchResult):
            pass
    found = result.info
    assert found.moves[0].value < -0.9
    assert found.simulated is not None and abs(found.simulated) < 0.4
    assert not found.hopeless(0.1)
