"""Knowledge from earlier games is of use early in a game, and costs memory."""

from __future__ import annotations

import pytest

from playout.engine.experiments import continual


@pytest.fixture(scope="module")
def found() -> continual.Continual:
    return continual.run(games=30, nodes=60, matches=2)


@pytest.mark.parametrize("place", range(len(continual.GAMES)), ids=continual.GAMES)
def test_early_positions_become_known_and_later_ones_do_not(found: continual.Continual, place: int) -> None:
    _, played = found.games[place]
    first, last = played[: len(played) // 4], played[-len(played) // 4 :]

    def known(games: list[continual.Played] | tuple[continual.Played, ...], move: int) -> float:
        counts = [one.known[move] for one in games if move < len(one.known)]
        return sum(counts) / len(counts)

    assert known(last, 0) > 4 * known(first, 0) > 0
    assert known(last, 1) > 2 * known(first, 1)
    assert known(last, 5) < 0.2 * found.nodes


def test_each_game_begins_where_the_one_before_ended(found: continual.Continual) -> None:
    for _, played in found.games:
        assert played[0].known[0] == 0 and len(played) == 60
        assert sorted({one.number for one in played}) == list(range(30))


def test_memory_grows_with_the_games(found: continual.Continual) -> None:
    for _, played in found.games:
        memory = [one.memory for one in played]
        assert memory[-1] > 4 * memory[0]
