"""A guessed line is a plan that the opponent disturbs."""

from __future__ import annotations

import random

import pytest

from playout.engine.experiments import random_search
from playout.engine.experiments.base.kernel_games import start
from playout.engine.experiments.random_search import LinePlayer, play
from playout.games.errors import GameError


@pytest.fixture(scope="module")
def matches() -> dict[tuple[str, str], random_search.Match]:
    result = random_search.run(game=("tic_tac_toe", "connect_four"), games=60, nodes=60)
    return {(one.game, one.opponent): one for one in result.matches}


def test_guessed_lines_beat_random_play_and_lose_to_a_tree(
    matches: dict[tuple[str, str], random_search.Match],
) -> None:
    for game in ("tic_tac_toe", "connect_four"):
        assert matches[game, "random"].score > 0.5 + matches[game, "random"].error
        assert matches[game, "ucb1"].score < 0.15


def test_most_lines_are_broken_by_the_first_reply(matches: dict[tuple[str, str], random_search.Match]) -> None:
    for one in matches.values():
        assert 0.7 < one.broken < 1
        assert one.kept < 0.4


def test_a_line_is_kept_while_the_opponent_plays_it_and_guessed_anew_when_not() -> None:
    player = LinePlayer(100, random.Random(1))
    position, played = start("connect_four"), list[int]()

    def plays(action: int) -> None:
        played.append(action)
        position.play(action)

    plays(player(position, played))
    line = list(player._line)
    plays(line[0])
    plays(player(position, played))
    assert played[2] == line[1]
    assert player.kept == [1]
    plays(next(action for action in position.actions() if action != line[2]))
    plays(player(position, played))
    assert player.kept == [1, 0]


def test_a_line_against_an_opponent_who_follows_it_wins() -> None:
    for seed in range(20):
        player = LinePlayer(1000, random.Random(seed))
        result = play(start("connect_four"), (player, lambda _, played, player=player: player._line[0]))  # type: ignore[misc]
        assert result == 1.0
        assert len(player.kept) == 1


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(GameError, match="no game 'chess'"):
        random_search.run(game=["chess"])
