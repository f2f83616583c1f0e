"""Moves that a search is to avoid, or is confined to."""

from __future__ import annotations

from typing import Any

import pytest

from playout.engine.search.restriction import bounds, named, permitted
from playout.engine.search.searcher import Searcher
from playout.engine.terms.limits import Restriction
from playout.games import catalogue
from playout.games.errors import IllegalMove
from playout.games.tic_tac_toe import TicTacToe


class Plain(TicTacToe):
    """No kernel."""

    kernel = None


def rule(player: int, moves: str, plies: int = 1, *, only: bool = False) -> Restriction:
    return Restriction(player, frozenset(moves.split()), only, plies)


@pytest.mark.parametrize(
    ("name", "moves", "word", "expected"),
    [
        ("go:5", "C3", "c3", "C3"),  # where a stone stands
        ("go:5", "", "PASS", "pass"),
        ("go:5", "", "Z9", None),
        ("hex:4", "b2", "B2", "b2"),
        ("chess", "", "E2E4", "e2e4"),
        ("chess", "", "e7e5", "e7e5"),  # the opponent's
        ("backgammon", "31", "13/7", "13/7"),
    ],
)
def test_words_become_names_of_moves(name: str, moves: str, word: str, expected: str | None) -> None:
    game = catalogue.load(name)
    state: Any = game.initial_state()
    for move in moves.split():
        state = game.next_state(state, game.text_to_action(state, move))
    assert named(game, state, word) == expected


def test_rules_combine() -> None:
    game = TicTacToe()
    state = game.initial_state()
    left = permitted(game, state, [rule(0, "a1"), rule(0, "b1"), rule(1, "c1")])
    assert left == ["c1", "a2", "b2", "c2", "a3", "b3", "c3"]
    only = [rule(0, "a1 b1", only=True), rule(0, "c1", 3, only=True), rule(0, "b1", 2)]
    assert permitted(game, state, only) == ["a1", "c1"]


def test_what_holds_at_the_root_alone_is_a_choice_of_moves() -> None:
    game = TicTacToe()
    state = game.initial_state()
    assert bounds(game, state, []) == ((), ())
    assert bounds(game, state, [rule(1, "a1")]) == ((), ())
    assert bounds(game, state, [rule(0, "a1 b1", only=True)]) == (("a1", "b1"), ())
    deep = (rule(0, "a1 b1", only=True), rule(1, "c1", 2))
    assert bounds(game, state, deep) == ((), deep)
    with pytest.raises(IllegalMove, match="no legal move is left"):
        bounds(game, state, [rule(0, "nothing", 2, only=True)])


@pytest.mark.parametrize("game", [TicTacToe(), Plain()], ids=["kernel", "Python"])
def test_a_game_without_a_kernel_is_restricted_the_same(game: TicTacToe) -> None:
    searcher = Searcher(game)
    searcher.set_position("3/oo1/xx1 x", ())
    assert searcher.keep_out([rule(0, "c1", 3), rule(1, "c2", 2)]) == 4
    searcher.prepare()
    result = searcher.run(nodes=2000)
    assert result.info.moves
    for move in result.info.moves:
        assert "c1" not in move.pv[:3:2]
        assert "c2" not in move.pv[1:2]
    searcher.set_position("3/oo1/xx1 x", ())
    searcher.prepare()
    assert searcher.run(nodes=200).move == "c1"
