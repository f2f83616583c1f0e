"""``playout.Position`` and ``playout.solve``."""

from __future__ import annotations

import pytest

import playout
from playout.games import catalogue

from .nim import Nim


def test_a_position_is_a_value() -> None:
    start = playout.Position("tic_tac_toe")
    after = start.play("b2")
    assert (start.moves, after.moves) == ((), ("b2",))
    assert (start.player, after.player) == (0, 1)
    assert after == playout.Position("tic_tac_toe", moves=["b2"])
    assert len({start, after, playout.Position("tic_tac_toe")}) == 2
    assert eval(repr(after), {"playout": playout}) == after


def test_texts_moves_and_results() -> None:
    position = playout.Position("chess", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    assert "a1a8" in position.legal_moves()
    mate = position.play("a1a8")
    assert mate.over
    assert (mate.player, mate.result, mate.legal_moves()) == (None, (1.0, -1.0), [])
    assert mate.text.startswith("R5k1/")
    assert str(playout.Position("tic_tac_toe")).endswith("a b c")
    with pytest.raises(playout.GameError, match="nim has no texts"):
        _ = playout.Position(Nim()).text


def test_rolls_have_probabilities() -> None:
    position = playout.Position("backgammon")
    assert position.player == playout.CHANCE
    assert sum(position.rolls().values()) == pytest.approx(1)
    assert set(position.rolls()) == set(position.legal_moves())
    assert playout.Position("hex:3").rolls() == {}


@pytest.mark.parametrize("name", [*catalogue.names(), "nim"])
def test_notebooks_show_positions_and_engines(name: str) -> None:
    game = Nim() if name == "nim" else name
    position = playout.Position(game)
    assert position._repr_svg_().startswith("<svg")
    with playout.Engine(game) as one:
        assert one._repr_svg_() == position.svg()


def test_positions_are_solved() -> None:
    solution = playout.solve("tic_tac_toe")
    assert (solution.value, solution.plies) == (0.0, None)
    assert playout.solve("tic_tac_toe", "oo1/3/xx1 x").value == 1.0
    assert playout.solve(Nim).value == 1.0
    assert playout.solve(Nim(), moves=["3"]).value == -1.0
    moves = playout.solve("connect_four:4,4", all_moves=True).moves
    assert sorted(move.move for move in moves) == ["a", "b", "c", "d"]


def test_what_cannot_be_solved_gets_one_line() -> None:
    with pytest.raises(playout.BadOption, match="no method 'guess'"):
        playout.solve("tic_tac_toe", method="guess")
    with pytest.raises(playout.IllegalMove):
        playout.solve("tic_tac_toe", moves=["b2", "b2"])
    with pytest.raises(playout.GameError, match="lacks"):
        playout.solve(object())  # type: ignore[arg-type]


def test_games_are_listed_and_loaded() -> None:
    assert playout.game_names()[:6] == list(catalogue.BUILT_IN)
    assert playout.load_game("hex:7").name == "hex:7"
    assert playout.load_game(Nim).name == "nim"
