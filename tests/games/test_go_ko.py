"""Go: ko, superko and suicide."""

from __future__ import annotations

import pytest

from playout.games.go import Go

from .go_positions import KO, KO_RULES, SENDING_TWO, objection, play, position


@pytest.mark.parametrize("ko", KO_RULES)
def test_a_ko_may_not_be_retaken_at_once(ko: str) -> None:
    game = Go(5, ko=ko)
    taken = play(game, position(game, KO), "C2")
    assert taken.captures == (1, 0) and game.action_to_text(taken, taken.ko or 0) == "B2"
    assert objection(game, taken, "B2") == "illegal move: 'B2' (ko)"
    exchanged = play(game, taken, "E5 E4")
    assert exchanged.ko is None
    assert play(game, exchanged, "B2").captures == (1, 1)


def test_taking_one_of_two_kos_leaves_the_other_open() -> None:
    game = Go(7)
    rows = [".......", ".......", ".......", ".......", ".XO.XO.", "XO.OX.X", ".XO.XO."]
    state = play(game, position(game, rows), "C2")
    assert objection(game, state, "B2") == "illegal move: 'B2' (ko)"
    assert 1 * 7 + 5 in game.legal_actions(state)


def test_sending_two_returning_one() -> None:
    outcomes = {}
    for ko in KO_RULES:
        game = Go(5, ko=ko)
        state = play(game, position(game, SENDING_TWO, "w"), "A1 C1")
        assert state.captures == (2, 0) and state.ko is None
        outcomes[ko] = game.action_to_text(state, 1) if 1 in game.legal_actions(state) else "banned"
        if ko == "positional":
            assert objection(game, state, "B1") == "illegal move: 'B1' (superko)"
        elif ko == "situational":
            again = play(game, state, "B1 pass")
            assert game.returns(again) is None
            assert objection(game, again, "A1") == "illegal move: 'A1' (superko)"
        else:
            drawn = play(game, state, "B1")
            assert drawn.repeated and game.returns(drawn) == (0.0, 0.0) and game.legal_actions(drawn) == ()
            assert "game is over" in objection(game, drawn, "pass")
            resumed = game.without_claim(drawn)
            assert resumed is not None and game.returns(resumed) is None
            assert play(game, resumed, "pass A1 C1").captures == (4, 1)
            assert game.without_claim(play(game, resumed, "pass pass")) is None
    assert outcomes == {"positional": "banned", "situational": "B1", "simple": "B1"}


def test_triple_ko() -> None:
    rows = ["." * 13] * 9 + [".XO..XO..XO..", "XO.OX.XOXO.O.", ".XO..XO..XO..", "." * 13]
    for ko, legal in [("positional", False), ("situational", False), ("simple", True)]:
        game = Go(13, ko=ko)
        state = play(game, position(game, rows), "C3 F3 L3 B3 G3")
        assert (2 * 13 + 9 in game.legal_actions(state)) == legal
        assert legal or objection(game, state, "K3") == "illegal move: 'K3' (superko)"
    assert play(game, state, "K3").repeated


def test_snapback_is_no_ko() -> None:
    game = Go(5)
    state = play(game, position(game, [".....", ".....", "OOO..", "XXXO.", "..XO."], "w"), "B1 A1")
    assert state.captures == (1, 0) and state.ko is None
    state = play(game, state, "B1")
    assert state.captures == (1, 5) and state.ko is None
    assert state.board == position(game, [".....", ".....", "OOO..", "...O.", ".O.O."]).board


@pytest.mark.parametrize("ko", KO_RULES)
def test_a_lone_stone_is_never_suicide(ko: str) -> None:
    for suicide in (False, True):
        game = Go(3, ko=ko, suicide=suicide)
        state = position(game, [".X.", "X.X", ".X."], "w")
        assert objection(game, state, "B2") == "illegal move: 'B2' (suicide)"
        assert game.legal_actions(state) == [9]


def test_suicide_of_a_chain() -> None:
    rows = [".X..", "XOX.", "X.X.", ".X.."]
    assert "suicide" in objection(Go(4), position(Go(4), rows, "w"), "B2")
    for ko in KO_RULES:
        game = Go(4, ko=ko, suicide=True)
        state = play(game, position(game, rows, "w"), "B2")
        assert state.board == position(game, [".X..", "X.X.", "X.X.", ".X.."]).board
        assert state.captures == (2, 0) and state.ko is None and state.player == 0


def test_suicide_that_recreates_a_board_is_superko() -> None:
    rows = [".X..", "X.X.", "X.X.", ".X.."]
    for ko, legal in [("positional", False), ("situational", True), ("simple", True)]:
        game = Go(4, ko=ko, suicide=True)
        state = play(game, position(game, rows, "w"), "B3 pass")
        assert (1 * 4 + 1 in game.legal_actions(state)) == legal
        if legal:
            assert play(game, state, "B2").repeated == (ko == "simple")


def test_capturing_comes_before_suicide() -> None:
    game = Go(3)
    state = play(game, position(game, ["OO.", "OXX", "OXX"]), "C3")
    assert state.board == position(game, ["..X", ".XX", ".XX"]).board and state.captures == (4, 0)
