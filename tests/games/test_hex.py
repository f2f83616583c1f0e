"""Hex: the definition against OpenSpiel, the rules' corners, and the texts."""

from __future__ import annotations

import random
from typing import Any

import pytest

from playout.engine import _core
from playout.games.catalogue import load
from playout.games.errors import GameError, IllegalMove
from playout.games.hex import Hex, State

from ..needs import module

GAMES = [Hex(1), Hex(1, swap=True), Hex(2), Hex(2, swap=True), Hex(3, swap=True), Hex(6), Hex(11, swap=True), Hex(26)]


def play(game: Hex, moves: str) -> State:
    state = game.initial_state()
    for name in moves.split():
        state = game.next_state(state, game.text_to_action(state, name))
    return state


def random_game(game: Hex, rng: random.Random) -> list[State]:
    """The states of a random game, the last one finished."""
    states = [game.initial_state()]
    while game.returns(states[-1]) is None:
        states.append(game.next_state(states[-1], rng.choice(game.legal_actions(states[-1]))))
    return states


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 11])
def test_random_games_are_openspiel_s(size: int, swap: bool) -> None:
    pyspiel: Any = module("pyspiel")
    oracle = pyspiel.load_game(f"hex(board_size={size},swap={swap})")
    game, rng = Hex(size, swap), random.Random(size)
    for number in range(20):
        state, theirs = game.initial_state(), oracle.new_initial_state()
        while not theirs.is_terminal():
            assert game.returns(state) is None
            assert game.current_player(state) == theirs.current_player()
            legal = list(game.legal_actions(state))
            assert legal == theirs.legal_actions()
            swap_now = number % 2 == 0 and game.swap_action in legal
            action = game.swap_action if swap_now else rng.choice(legal)
            if action != game.swap_action:
                assert game.action_to_text(state, action) == theirs.action_to_string(action)
            state = game.next_state(state, action)
            theirs.apply_action(action)
        assert list(game.returns(state) or ()) == theirs.returns()
        assert game.legal_actions(state) == ()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_game_has_a_winner_in_time(game: Hex) -> None:
    rng = random.Random(1)
    for _ in range(3):
        states = random_game(game, rng)
        assert len(states) - 1 <= game.max_game_length
        assert game.returns(states[-1]) in ((1.0, -1.0), (-1.0, 1.0))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_a_full_board_has_exactly_one_winner(size: int) -> None:
    game, rng = Hex(size), random.Random(2)
    for _ in range(50):
        board = "".join(rng.choices("bw", k=size * size))
        alone = [board.replace(other, ".") for other in "wb"]
        results = [game.returns(State(stones, 0)) is not None for stones in alone]
        assert sorted(results) == [False, True]
        assert game.returns(State(board, 0)) is not None


@pytest.mark.parametrize(
    ("size", "moves", "result"),
    [
        (1, "a1", (1.0, -1.0)),
        (2, "a1 b1 a2", (1.0, -1.0)),
        (2, "b1 a1 a2", (1.0, -1.0)),
        (2, "a1 b1 b2", None),
        (2, "a1 b1 b2 a2", (-1.0, 1.0)),
        (3, "a1 a2 b1 b2 a3 c2", (-1.0, 1.0)),
        (3, "c1 a1 b2 a2 a3", (1.0, -1.0)),
        (3, "a1 a3 b2 b1 c3", None),
    ],
)
def test_black_joins_top_and_bottom_white_left_and_right(size: int, moves: str, result: object) -> None:
    game = Hex(size)
    state = play(game, moves)
    assert game.returns(state) == result
    assert bool(game.legal_actions(state)) == (result is None)


def wins(game: Hex, state: State, solved: dict[State, bool]) -> bool:
    """Whether the player to move wins."""
    if state not in solved:
        result = game.returns(state)
        if result is not None:
            solved[state] = result[state.player] > 0
        else:
            after = (game.next_state(state, action) for action in game.legal_actions(state))
            solved[state] = any(not wins(game, child, solved) for child in after)
    return solved[state]


def test_winning_openings_of_small_boards() -> None:
    for size, openings in ((1, "a1"), (2, "b1 a2"), (3, "c1 a2 b2 c2 a3")):
        game = Hex(size)
        start = game.initial_state()
        solved: dict[State, bool] = {}
        winning = [
            game.action_to_text(start, action)
            for action in game.legal_actions(start)
            if not wins(game, game.next_state(start, action), solved)
        ]
        assert winning == openings.split()


def test_with_the_swap_the_second_player_wins() -> None:
    for size in (2, 3):
        game = Hex(size, swap=True)
        assert not wins(game, game.initial_state(), {})


def test_a_swap_recolours_and_reflects_the_first_stone() -> None:
    game = Hex(5, swap=True)
    state = play(game, "b1")
    assert game.legal_actions(state)[-1] == game.swap_action == 25
    assert game.action_to_text(state, 25) == "swap-pieces"
    for name in ("swap-pieces", "Swap", "swap-sides", " SWAP-PIECES "):
        assert game.text_to_action(state, name) == 25
    assert game.state_to_text(game.next_state(state, 25)) == "5/w4/5/5/5 b"
    assert game.state_to_text(play(game, "c3 swap")) == "5/5/2w2/5/5 b"


@pytest.mark.parametrize("moves", ["", "b1 c1", "b1 swap", "b1 swap c1", "b1 c1 d1"])
def test_a_swap_is_open_to_white_s_first_move_only(moves: str) -> None:
    game = Hex(5, swap=True)
    state = play(game, moves)
    assert game.swap_action not in game.legal_actions(state)
    with pytest.raises(IllegalMove):
        game.text_to_action(state, "swap-pieces")


def test_no_swap_without_the_rule_and_none_of_a_won_game() -> None:
    for game, moves in ((Hex(5), "b1"), (Hex(1, swap=True), "a1")):
        with pytest.raises(IllegalMove):
            game.text_to_action(play(game, moves), "swap-pieces")


def test_either_player_may_be_put_to_move() -> None:
    game = Hex(3, swap=True)
    state = game.initial_state()
    for cell in (1, 4):
        state = game.next_state(game.with_player(state, 1), cell)
    assert game.state_to_text(state) == "1w1/1w1/3 b"
    first = play(game, "b2")
    assert game.swap_action not in game.legal_actions(game.with_player(first, 0))
    assert game.with_player(game.with_player(first, 0), 1) == first
    again = game.next_state(game.with_player(first, 0), 0)
    assert game.swap_action not in game.legal_actions(again)
    assert game.state_to_text(again) == "b2/1b1/3 w"


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_half_turn_obeys_the_same_rules(game: Hex) -> None:
    rng = random.Random(3)
    for symmetry in game.symmetries():
        for state in random_game(game, rng)[:: max(1, game.size // 4)]:
            image = symmetry.state(state)
            assert symmetry.inverse_state(image) == state
            assert game.returns(image) == game.returns(state)
            assert sorted(map(symmetry.action, game.legal_actions(state))) == list(game.legal_actions(image))
            for action in rng.sample(game.legal_actions(state), min(9, len(game.legal_actions(state)))):
                assert symmetry.inverse_action(symmetry.action(action)) == action
                after = symmetry.state(game.next_state(state, action))
                assert after == game.next_state(image, symmetry.action(action))


def test_half_turn_and_swap_commute() -> None:
    game = Hex(4, swap=True)
    half_turn = game.symmetries()[1]
    for cell in range(16):
        state = game.next_state(game.initial_state(), cell)
        swapped = half_turn.state(game.next_state(state, game.swap_action))
        assert swapped == game.next_state(half_turn.state(state), half_turn.action(game.swap_action))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_position_text_round_trips(game: Hex) -> None:
    for state in random_game(game, random.Random(4)):
        assert game.state_from_text(game.state_to_text(state)) == state


def test_position_text_and_drawing() -> None:
    assert Hex().state_to_text(Hex().initial_state()) == "/".join(["11"] * 11) + " b"
    game = Hex(10, swap=True)
    assert game.state_to_text(play(game, "b1")) == "1b8/10/10/10/10/10/10/10/10/10 w swap"
    state = play(game, "b2 j1 a10")
    assert game.state_to_text(state) == "9w/1b8/10/10/10/10/10/10/10/b9 w"
    assert game.render(state) == (
        "   a b c d e f g h i j\n"
        " 1 . . . . . . . . . W 1\n"
        "  2 . B . . . . . . . . 2\n"
        "   3 . . . . . . . . . . 3\n"
        "    4 . . . . . . . . . . 4\n"
        "     5 . . . . . . . . . . 5\n"
        "      6 . . . . . . . . . . 6\n"
        "       7 . . . . . . . . . . 7\n"
        "        8 . . . . . . . . . . 8\n"
        "         9 . . . . . . . . . . 9\n"
        "         10 B . . . . . . . . . 10\n"
        "             a b c d e f g h i j"
    )


MALFORMED = [
    "",
    "3/3/3",
    "3/3/3 x",
    "3/3/3 b b",
    "3/3/3 b swap swap",
    "3/3 b",
    "3/3/3/3 b",
    "3/3/4 b",
    "3/3/bbbb b",
    "3/3/03 b",
    "3/3/2.b b",
    "3/3/\u0663 b",
    "3/3/" + "9" * 9999 + " b",
    "3/3/3 b swap",
    "1b1/3/1b1 w swap",
    "1w1/3/3 b swap",
    "3/3/111 b",
]


@pytest.mark.parametrize("text", MALFORMED, ids=range(len(MALFORMED)))
def test_malformed_positions_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(GameError, match=r"^not a hex position: [^\n]*$"):
        Hex(3, swap=True).state_from_text(text)


def test_swap_in_a_position_needs_the_rule() -> None:
    assert Hex(3, swap=True).state_from_text("3/1b1/3 w swap").swap
    assert not Hex(3, swap=True).state_from_text("3/1b1/3 w").swap
    with pytest.raises(GameError, match="swap needs the swap rule"):
        Hex(3).state_from_text("3/1b1/3 w swap")


def test_garbled_positions_are_read_or_refused() -> None:
    game, rng = Hex(3, swap=True), random.Random(5)
    for _ in range(5000):
        text = list(rng.choice(("1b1/3/3 w swap", "1b1/2w/b1w b")))
        for _ in range(rng.randint(1, 4)):
            text[rng.randrange(len(text))] = rng.choice("bw./ 0123456789swapé\t")
        try:
            state = game.state_from_text("".join(text))
        except GameError:
            continue
        assert game.state_from_text(game.state_to_text(state)) == state


def test_cells_are_named_by_letter_and_number() -> None:
    game = Hex()
    state = game.initial_state()
    names = [game.action_to_text(state, action) for action in (0, 8, 10, 110, 120)]
    assert names == ["a1", "i1", "k1", "a11", "k11"]
    assert [game.text_to_action(state, f" {name.upper()}") for name in names] == [0, 8, 10, 110, 120]
    for text in ("", "a", "l1", "a12", "a0", "a01", "1a", "a-1", "swap-pieces", "resign"):
        with pytest.raises(IllegalMove, match="an empty cell from a1 to k11"):
            game.text_to_action(state, text)
    with pytest.raises(IllegalMove):
        game.text_to_action(play(game, "c3"), "c3")
    with pytest.raises(IllegalMove, match="game over"):
        Hex(1).text_to_action(play(Hex(1), "a1"), "a1")
    assert Hex(26).action_to_text(Hex(26).initial_state(), 675) == "z26"


@pytest.mark.parametrize("size", [0, -1, 27])
def test_sizes_out_of_range_are_refused(size: int) -> None:
    with pytest.raises(GameError, match=f"^hex: size={size} is not in 1 to 26$"):
        Hex(size)


@pytest.mark.parametrize("name", ["hex:11", "hex:5", "hex:11,swap=true"])
def test_the_name_loads_the_game(name: str) -> None:
    assert load(name).name == name


def test_the_kernel_judges_positions_and_plays_out_by_knowledge() -> None:
    position = _core.Position("hex", {"size": "9"}, None)
    for text in ("e5", "e7"):
        action = position.parse_action(text)
        assert action is not None
        position.play(action)
    preferences, value = position.preferences(), position.evaluate()
    assert preferences is not None and len(preferences) == len(position.actions()) == 79
    assert value is not None and 0 < value < 1
    assert position.playouts(50, 1, knowledge=True) == position.playouts(50, 1, knowledge=True)
    assert position.playouts(2000, 1, knowledge=True) > 0
