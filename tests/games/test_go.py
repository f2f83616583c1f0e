"""Go: the definition against OpenSpiel and against its kernel, and the rules' corners."""

from __future__ import annotations

import random
from itertools import count, product
from typing import Any

import pytest

from playout.engine import _core
from playout.games.errors import GameError
from playout.games.go import Go

from ..needs import module
from .go_positions import KO, KO_RULES, SEKI, SENDING_TWO, objection, play, position, random_game


@pytest.mark.long
@pytest.mark.parametrize(("size", "games"), [(3, 80), (4, 60), (5, 40), (7, 5), (9, 4), (13, 1)])
def test_random_games_are_openspiel_s(size: int, games: int) -> None:
    pyspiel: Any = module("pyspiel")
    oracle = pyspiel.load_game(f"go(board_size={size},komi=7.5)")
    game = Go(size, ko="simple")
    for seed in range(games):
        theirs = oracle.new_initial_state()
        for state, action in random_game(game, random.Random(seed)):
            if theirs.is_terminal():  # It stops after 2 * size * size plies; this game goes on longer.
                break
            assert game.current_player(state) == theirs.current_player()
            assert list(game.legal_actions(state)) == sorted(theirs.legal_actions())
            assert action is not None
            colour, vertex = theirs.action_to_string(action).split()
            assert (game.current_player(state), game.action_to_text(state, action)) == (
                "BW".index(colour),
                vertex.lower() if vertex == "PASS" else vertex.upper(),
            )
            theirs.apply_action(action)
        if game.returns(state) is not None:
            assert list(game.returns(state) or ()) == theirs.returns()
        else:
            assert theirs.returns()[0] == (1 if game.score(state) > 0 else -1)


def test_a_repetition_is_openspiel_s_whoever_moves() -> None:
    pyspiel: Any = module("pyspiel")
    game, theirs = Go(5, ko="simple"), pyspiel.load_game("go(board_size=5,komi=7.5)").new_initial_state()
    state = game.initial_state()
    moves = "A2 B1 B2 C2 A3 D1 B3 D2 pass C3 pass A1 C1"
    for text in [*moves.split(), "B1"]:
        assert game.returns(state) is None and not theirs.is_terminal()
        action = game.text_to_action(state, text)
        state = game.next_state(state, action)
        theirs.apply_action(action)
    assert state.repeated and theirs.is_terminal()
    assert game.returns(state) == (0.0, 0.0) and theirs.returns() == [0, 0]


@pytest.mark.long
@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 9, "4x3", "5x7"])
@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("ko", KO_RULES)
def test_the_kernel_plays_the_same_game(ko: str, suicide: bool, size: int | str) -> None:
    for scoring in ("area", "territory"):
        game = Go(size, 1.0, ko, scoring, suicide)
        parameters = {"size": str(size), "komi": "1.0", "ko": ko, "scoring": scoring, "suicide": str(suicide).lower()}
        ours: dict[Any, int] = {}
        theirs: dict[int, Any] = {}
        for seed in range(2 if game.area < 20 else 1):
            rng = random.Random(seed)
            kernel = _core.Position("go", parameters)
            assert kernel.frames() == len(game.symmetries())
            frame, switching = rng.randrange(kernel.frames()), rng.choice([0.0, 0.1])
            symmetry = game.symmetries()[frame]
            state = game.initial_state()
            for ply in count():
                result = game.returns(state)
                assert kernel.actions() == list(game.legal_actions(state))
                assert kernel.result() == (None if result is None else result[0])
                assert kernel.player() == game.current_player(state)
                images = [(state, kernel.key()), (symmetry.state(state), kernel.key(frame))]
                if ply % 5 == 0 or result is not None:
                    text = game.state_to_text(state)
                    images.append((game.state_from_text(text), _core.Position("go", parameters, text).key()))
                for image, number in images:
                    assert ours.setdefault(game.key(image), number) == number
                    assert theirs.setdefault(number, game.key(image)) == game.key(image)
                if rng.random() < switching:
                    player = rng.randrange(2)
                    state = game.with_player(state, player)
                    kernel.set_player(player)
                    continue
                if result is not None:
                    break
                actions = game.legal_actions(state)
                passes = rng.random() < 0.05 or ply > 60
                action = actions[-1] if passes else rng.choice(actions[:-1] or actions)
                state = game.next_state(state, action)
                kernel.play(action)


@pytest.mark.long
@pytest.mark.parametrize(("size", "legal"), [(2, 57), ("2x3", 489), (3, 12675)])
def test_legal_boards_are_those_that_tromp_and_farneback_counted(size: int | str, legal: int) -> None:
    game, found = Go(size), 0
    for stones in product("XO.", repeat=game.area):
        board = "".join(stones)
        try:
            position(game, [board[start : start + game.columns] for start in range(0, game.area, game.columns)])
            found += 1
        except GameError:
            pass
    assert found == legal


def test_two_passes_end_the_game() -> None:
    game = Go(3)
    state = play(game, game.initial_state(), "B2 pass")
    assert state.passes == 1 and game.returns(state) is None
    state = play(game, state, "pass")
    assert game.returns(state) == (1.0, -1.0) and game.score(state) == 1.5
    assert game.legal_actions(state) == () and "game is over" in objection(game, state, "A1")
    assert play(game, game.initial_state(), "pass B2 pass").passes == 1


def test_the_empty_board_is_nobody_s_and_komi_decides() -> None:
    assert Go(3).returns(play(Go(3), Go(3).initial_state(), "pass pass")) == (-1.0, 1.0)
    assert Go(3, 0.0).returns(play(Go(3, 0.0), Go(3).initial_state(), "pass pass")) == (0.0, 0.0)
    assert Go(3, -0.5).returns(play(Go(3, -0.5), Go(3).initial_state(), "pass pass")) == (1.0, -1.0)


def test_the_game_is_scored_at_its_greatest_length() -> None:
    game = Go(3)
    state = game.state_from_text(f"3/1X1/3 w - 0 0 0 {game.max_game_length - 1}")
    assert game.returns(state) is None
    assert game.returns(play(game, state, "A1")) == (-1.0, 1.0)
    assert game.key(play(game, state, "A1")) != game.key(play(game, game.state_from_text("3/1X1/3 w"), "A1"))


def test_area_and_territory() -> None:
    rows = [".XO..", ".XO.O", "XXOO.", "..XO.", "..XO."]
    area, territory = Go(5, 0.5), Go(5, 0.5, scoring="territory")
    assert area.score(position(area, rows)) == 12 - 13 - 0.5
    assert territory.score(position(territory, rows, "b", "- 0 3 1")) == (6 + 3) - (6 + 1) - 0.5


def test_dead_stones_are_taken_before_counting() -> None:
    rows = [".XO..", ".XO.X", "XXOO.", ".OXO.", "..XO."]
    area, territory = Go(5, 0.5), Go(5, 0.5, scoring="territory")
    dead = [1 * 5 + 1, 3 * 5 + 4]
    assert area.score(position(area, rows), dead) == 12 - 13 - 0.5
    assert territory.score(position(territory, rows), dead) == (6 + 1) - (7 + 1) - 0.5
    assert area.score(position(area, rows)) == 9 - 7 - 0.5


def test_points_that_both_reach_in_a_seki_are_nobody_s() -> None:
    game = Go(7, 0.0)
    for mover in "bw":
        state = position(game, SEKI, mover)
        assert {3, 7 + 3} <= set(game.legal_actions(state))
        assert game.score(state) == (17 + 9) - (15 + 6)
        assert game.score(play(game, state, "D1")) == game.score(state) + (1 if mover == "b" else -1)
    assert play(game, position(game, SEKI), "D1 D2").captures == (0, 5)


def test_prisoners_of_territory_are_part_of_the_key() -> None:
    for scoring, same in [("area", True), ("territory", False)]:
        game = Go(5, scoring=scoring)
        keys = {game.key(position(game, SENDING_TWO, "b", f"- 0 {black} {white}")) for black, white in [(0, 0), (2, 1)]}
        assert (len(keys) == 1) == same
        keys = {game.key(position(game, SENDING_TWO, "b", f"- 0 {black} {white}")) for black, white in [(1, 0), (2, 1)]}
        assert len(keys) == 1


def test_keys_hold_what_can_come_back() -> None:
    for game in (Go(5), Go(5, ko="simple")):
        by_cycle = play(game, position(game, SENDING_TWO, "w"), "A1 C1")
        fresh = position(game, [".....", ".....", "XXO..", "XXOO.", "..XO."], "w")
        assert by_cycle.board == fresh.board
        assert game.key(by_cycle) != game.key(fresh)
        assert game.key(play(game, by_cycle, "E5")) == game.key(play(game, fresh, "E5"))


def test_keys_of_small_boards_hold_the_history() -> None:
    for size, same in [(4, False), (5, True), ("5x3", False), ("3x6", True)]:
        game = Go(size)
        ways = [play(game, game.initial_state(), line) for line in ("A1 B2 C3", "C3 B2 A1")]
        assert ways[0].board == ways[1].board
        assert (game.key(ways[0]) == game.key(ways[1])) == same


def test_the_other_colour_may_move_out_of_turn() -> None:
    game = Go(5)
    taken = play(game, position(game, KO), "C2")
    assert game.with_player(taken, 1) is taken
    again = game.with_player(taken, 0)
    assert again.ko is None and again.player == 0 and again.history == taken.history
    assert "superko" in objection(game, game.with_player(again, 1), "B2")
    passed = play(game, game.initial_state(), "pass")
    assert game.with_player(passed, 0).passes == 0
    over = play(game, passed, "pass")
    assert game.legal_actions(game.with_player(over, 0)) and game.returns(game.with_player(over, 1)) is None


def test_helpers_for_interfaces() -> None:
    game = Go(5)
    state = play(game, position(game, KO), "C2")
    black, white = game.stones(state)
    assert {game.action_to_text(state, point) for point in black} == {"B1", "A2", "C2", "B3"}
    assert {game.action_to_text(state, point) for point in white} == {"C1", "D2", "C3"}
    assert game.captures(state) == (1, 0)


@pytest.mark.parametrize(
    ("size", "number", "points"),
    [
        (19, 2, "D4 Q16"),
        (19, 3, "D4 Q16 D16"),
        (19, 4, "D4 Q16 D16 Q4"),
        (19, 5, "D4 Q16 D16 Q4 K10"),
        (19, 6, "D4 Q16 D16 Q4 D10 Q10"),
        (19, 7, "D4 Q16 D16 Q4 D10 Q10 K10"),
        (19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
        (19, 9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        (9, 5, "C3 G7 C7 G3 E5"),
        (7, 4, "C3 E5 C5 E3"),
        (12, 4, "C3 K10 C10 K3"),
        (13, 2, "D4 K10"),
        ("13x9", 7, "D3 K7 D7 K3 D5 K5 G5"),
        ("7x19", 4, "C4 E16 C16 E4"),
    ],
)
def test_fixed_handicap(size: int | str, number: int, points: str) -> None:
    game = Go(size)
    assert " ".join(game.action_to_text(game.initial_state(), p) for p in game.handicap_points(number)) == points


@pytest.mark.parametrize(
    ("size", "number"), [(6, 2), (7, 5), (8, 5), (19, 1), (19, 10), (9, -1), ("19x6", 2), ("9x8", 5)]
)
def test_no_such_handicap(size: int | str, number: int) -> None:
    with pytest.raises(GameError, match=f"no fixed handicap of {number} on size {size}"):
        Go(size).handicap_points(number)


@pytest.mark.long
@pytest.mark.parametrize("ko", KO_RULES)
def test_symmetries_commute_with_play(ko: str) -> None:
    for size in (2, 3, 5, "4x3"):
        game, rng = Go(size, ko=ko), random.Random(2)
        for symmetry in game.symmetries():
            for state, action in random_game(game, rng, passes=0.15):
                image = symmetry.state(state)
                assert symmetry.inverse_state(image) == state
                assert sorted(map(symmetry.action, game.legal_actions(state))) == list(game.legal_actions(image))
                assert game.returns(image) == game.returns(state)
                if action is not None:
                    after = symmetry.state(game.next_state(state, action))
                    assert after == game.next_state(image, symmetry.action(action))
                    assert symmetry.inverse_action(symmetry.action(action)) == action


def kernel(text: str | None = None, **parameters: str) -> Any:
    return _core.Position("go", parameters, text)


def test_the_kernel_prefers_captures_and_knows_who_is_ahead() -> None:
    two_stones_in_atari = kernel("9/9/9/9/2XX5/1XOO5/2XX5/9/9 b")
    preferences = dict(zip(two_stones_in_atari.actions(), two_stones_in_atari.preferences(), strict=True))
    ordinary = two_stones_in_atari.parse_action("G7")
    assert max(preferences, key=preferences.__getitem__) == two_stones_in_atari.parse_action("E4")
    assert preferences[two_stones_in_atari.parse_action("pass")] < preferences[ordinary]
    split = "4XO3/" * 8 + "4XO3"
    assert kernel(f"{split} b", komi="0").evaluate() > 0 > kernel(f"{split} w", komi="0").evaluate()


def test_playouts_by_knowledge_settle_what_uniform_ones_do_not() -> None:
    # Black plays the middle of White's three points, or White does; at komi 40 the life of that corner decides.
    settled = "1X1XXXX/XXXXXXX/XXXXXXX/XXXXXXX/XXXXXXX/OOOOXXX/3OXXX"
    for mover, winner in (("b", 1), ("w", -1)):
        corner = kernel(f"{settled} {mover}", size="7", komi="40")
        results = [corner.playouts(200, seed, knowledge=True) for seed in (1, 1)]
        assert results[0] == results[1]
        assert results[0] * winner > 0.9
        assert results[0] * winner > corner.playouts(200, 1) * winner
