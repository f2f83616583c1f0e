"""Connect four: the definition against OpenSpiel, the rules' corners, and the texts."""

from __future__ import annotations

import random
from typing import Any

import pytest

from playout.engine import _core
from playout.games.catalogue import load
from playout.games.connect_four import ConnectFour, State
from playout.games.errors import GameError, IllegalMove

from ..needs import module

SIZES = [(7, 6), (4, 4), (5, 4), (9, 6), (8, 7), (4, 9), (3, 3), (1, 1), (9, 1), (1, 9)]


def play(game: ConnectFour, columns: str) -> State:
    state = game.initial_state()
    for name in columns:
        state = game.next_state(state, game.text_to_action(state, name))
    return state


def random_games(game: ConnectFour, games: int, seed: int) -> list[list[State]]:
    """The states of random games, the last one of each finished."""
    rng = random.Random(seed)
    histories = []
    for _ in range(games):
        states = [game.initial_state()]
        while game.returns(states[-1]) is None:
            states.append(game.next_state(states[-1], rng.choice(game.legal_actions(states[-1]))))
        histories.append(states)
    return histories


@pytest.mark.parametrize(("columns", "rows"), [(7, 6), (4, 4), (5, 4), (6, 7), (4, 6)])
def test_random_games_are_openspiel_s(columns: int, rows: int) -> None:
    pyspiel: Any = module("pyspiel")
    oracle = pyspiel.load_game(f"connect_four(columns={columns},rows={rows})")
    game, rng = ConnectFour(columns, rows), random.Random(4)
    for _ in range(60):
        state, theirs = game.initial_state(), oracle.new_initial_state()
        while not theirs.is_terminal():
            assert game.returns(state) is None
            assert game.current_player(state) == theirs.current_player()
            assert list(game.legal_actions(state)) == theirs.legal_actions()
            action = rng.choice(game.legal_actions(state))
            state = game.next_state(state, action)
            theirs.apply_action(action)
            drawn = str(theirs).split()
            assert drawn == [row.replace(" ", "") for row in _cells(game, state)]
        assert list(game.returns(state) or ()) == theirs.returns()
        assert game.legal_actions(state) == ()


def _cells(game: ConnectFour, state: State) -> list[str]:
    return [line[2:] for line in game.render(state).splitlines()[:-1]]


@pytest.mark.parametrize(
    ("columns", "result"),
    [
        ("aabbccd", (1.0, -1.0)),
        ("abababa", (1.0, -1.0)),
        ("gabbccdcddfd", (-1.0, 1.0)),
        ("gdccbbabaafa", (-1.0, 1.0)),
        ("aabbcc", None),
    ],
)
def test_fours_in_each_direction_win(columns: str, result: tuple[float, float] | None) -> None:
    game = ConnectFour()
    state = play(game, columns)
    assert game.returns(state) == result
    assert bool(game.legal_actions(state)) == (result is None)


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_every_size_ends_in_time(columns: int, rows: int) -> None:
    game = ConnectFour(columns, rows)
    for states in random_games(game, 10, seed=1):
        assert len(states) - 1 <= game.max_game_length
        result = game.returns(states[-1])
        assert result is not None
        assert sum(result) == 0
        if min(columns, rows) < 4 and max(columns, rows) < 4:
            assert result == (0.0, 0.0)


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_mirror_images_obey_the_same_rules(columns: int, rows: int) -> None:
    game = ConnectFour(columns, rows)
    for symmetry in game.symmetries():
        for states in random_games(game, 3, seed=2):
            for state in states:
                image = symmetry.state(state)
                assert symmetry.inverse_state(image) == state
                assert game.returns(image) == game.returns(state)
                assert sorted(map(symmetry.action, game.legal_actions(state))) == list(game.legal_actions(image))
                for action in game.legal_actions(state):
                    assert symmetry.inverse_action(symmetry.action(action)) == action
                    after = symmetry.state(game.next_state(state, action))
                    assert after == game.next_state(image, symmetry.action(action))


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_position_text_round_trips(columns: int, rows: int) -> None:
    game = ConnectFour(columns, rows)
    for states in random_games(game, 5, seed=3):
        for state in states:
            assert game.state_from_text(game.state_to_text(state)) == state


def test_position_text_and_drawing() -> None:
    game = ConnectFour()
    state = play(game, "dced")
    assert game.state_to_text(state) == "7/7/7/7/3o3/2oxx2 x"
    assert game.render(state) == (
        "6 . . . . . . .\n"
        "5 . . . . . . .\n"
        "4 . . . . . . .\n"
        "3 . . . . . . .\n"
        "2 . . . o . . .\n"
        "1 . . o x x . .\n"
        "  a b c d e f g"
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7/7/7/7/7/7",
        "7/7/7/7/7/7 w",
        "7/7/7/7/7/7 x x",
        "7/7/7/7/7 x",
        "7/7/7/7/7/8 x",
        "7/7/7/7/7/07 x",
        "7/7/7/7/7/....... x",
        "7/7/7/7/7/\u0667 x",
        "7/7/7/7/x6/7 x",
        "7/7/7/7/xxxx3/oooo3 x",
    ],
)
def test_malformed_positions_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(GameError, match=r"^not a connect four position: [^\n]*$"):
        ConnectFour().state_from_text(text)


def test_garbled_positions_are_read_or_refused() -> None:
    game, rng = ConnectFour(), random.Random(5)
    for _ in range(3000):
        text = list("7/7/7/x6/3o3/2oxx2 x")
        for _ in range(rng.randint(1, 4)):
            text[rng.randrange(len(text))] = rng.choice("xo./ 0123789wé\t")
        try:
            state = game.state_from_text("".join(text))
        except GameError:
            continue
        assert game.state_from_text(game.state_to_text(state)) == state


def test_moves_are_letters_or_numbers() -> None:
    game = ConnectFour()
    state = game.initial_state()
    assert [game.action_to_text(state, action) for action in game.legal_actions(state)] == list("abcdefg")
    assert [game.text_to_action(state, text) for text in ("a", " G ", "1", "7")] == [0, 6, 0, 6]
    assert [game.text_to_action(state, text) for text in ("a1", "G1")] == [0, 6]
    assert game.text_to_action(play(game, "dd"), "D3") == 3
    full = play(game, "aaaaaa")
    for text in ("a", "1"):
        with pytest.raises(IllegalMove, match="column with room: b, c, d, e, f, g"):
            game.text_to_action(full, text)
    for text in ("", "h", "0", "8", "a2", "-1"):
        with pytest.raises(IllegalMove):
            game.text_to_action(state, text)
    with pytest.raises(IllegalMove, match="game over"):
        game.text_to_action(play(game, "abababa"), "a")


def test_either_player_may_be_put_to_move() -> None:
    game = ConnectFour()
    state = game.with_player(play(game, "a"), 0)
    assert game.state_to_text(game.next_state(state, 0)) == "7/7/7/7/x6/x6 o"


@pytest.mark.parametrize(("columns", "rows"), [(0, 6), (10, 1), (7, 0), (1, 10), (9, 7), (9, 9)])
def test_sizes_out_of_range_are_refused(columns: int, rows: int) -> None:
    with pytest.raises(GameError, match=r"^connect_four: "):
        ConnectFour(columns, rows)


@pytest.mark.parametrize("name", ["connect_four", "connect_four:4,rows=4", "connect_four:5", "connect_four:rows=5"])
def test_the_name_loads_the_game(name: str) -> None:
    assert load(name).name == name


def test_the_kernel_judges_positions_and_plays_out_by_knowledge() -> None:
    position = _core.Position("connect_four", {}, None)
    preferences = position.preferences()
    assert preferences is not None and max(preferences) == preferences[3] and preferences == preferences[::-1]
    for action in (0, 1, 0, 1, 0):
        position.play(action)
    preferences, value = position.preferences(), position.evaluate()
    assert preferences is not None and max(preferences) == preferences[0]
    assert value is not None and -1 <= value <= 1
    assert position.playouts(50, 1, knowledge=True) == position.playouts(50, 1, knowledge=True)
