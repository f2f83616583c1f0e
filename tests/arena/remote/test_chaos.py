"""Real processes over a real broker that are killed in the middle: each game is recorded once."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...needs import require
from .chaos import Chaos


@pytest.mark.opponents
@pytest.mark.long
@pytest.mark.parametrize(("broker", "faults", "seed"), [("embedded", 2, 8), ("mosquitto", 4, 1051)])
def test_each_game_is_recorded_once_although_every_part_is_killed(
    tmp_path: Path, broker: str, faults: int, seed: int
) -> None:
    """With these seeds, one part of each kind is killed, but no worker at the embedded broker; then one is stopped."""
    require(*(["mosquitto"] if broker == "mosquitto" else []), "aiomqtt", "amqtt")
    said: list[str] = []
    chaos = Chaos(tmp_path, 40, broker=broker, workers=2, seed=seed, say=said.append)
    chaos.run(faults)
    chaos.check()
    assert chaos.faults.total() >= 1, said
