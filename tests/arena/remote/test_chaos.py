"""Real processes over a real broker that are killed in the middle: each game is recorded once."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...needs import require
from .chaos import Chaos


@pytest.mark.opponents
@pytest.mark.long
@pytest.mark.parametrize("broker", ["embedded", "mosquitto"])
def test_each_game_is_recorded_once_although_every_part_is_killed(tmp_path: Path, broker: str) -> None:
    require(*(["mosquitto"] if broker == "mosquitto" else []), "aiomqtt", "amqtt")
    said: list[str] = []
    chaos = Chaos(tmp_path, 100, broker=broker, workers=2, seed=3, say=said.append)
    chaos.run(faults=4)
    chaos.check()
    assert chaos.faults.total() >= 1, said
