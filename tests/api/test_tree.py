"""Reading the graph, saving it, loading it."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

import playout

from .nim import Nim


def engine(game: str = "connect_four", **options: str | int) -> playout.Engine:
    return playout.Engine(game, own_book=False, hash=16, seed=7, **options)


def test_the_tree_has_the_numbers_of_the_result() -> None:
    with engine() as one:
        result = one.think(nodes=3000)
        root = one.tree(depth=3)
        assert (root.visits, root.value) == (result.visits, result.value)
        assert [(node.move, node.visits, node.value) for node in root.children] == [
            (move.move, move.visits, move.value) for move in result.moves
        ]
        assert max(len(path(root, node.move)) for node in root.children) == 1
        assert root.children[0].children[0].children[0].children == ()


def path(root: playout.Node, move: str | None) -> list[str | None]:
    return [child.move for child in root.children if child.move == move]


def test_reading_leaves_the_search_as_it_was() -> None:
    with engine() as one, engine() as other:
        one.think(nodes=1000)
        other.think(nodes=1000)
        assert len(list(one.tree(depth=3))) > 50
        assert one.think(nodes=1000).moves == other.think(nodes=1000).moves


def test_values_are_the_roots_players_all_through() -> None:
    """X wins at once by a: after it the game is over; after b and then O's win the value is O's."""
    with engine("tic_tac_toe", symmetries="false") as one:
        one.set_position("oo1/3/xx1 x")
        one.think(nodes=3000)
        root = one.tree(depth=2)
        assert (root.value, root.lower, root.upper, root.proven) == (1.0, 1.0, 1.0, True)
        moves = {node.move: node for node in root.children}
        assert (moves["c1"].value, moves["c1"].plies, moves["c1"].children) == (1.0, 0, ())
        one.set_position("oo1/3/x2 x", [])
        one.think(nodes=3000)
        moves = {node.move: node for node in one.tree(depth=2).children}
        lost = next(child for child in moves["b1"].children if child.move == "c3")
        assert (lost.value, lost.lower, lost.upper, lost.plies) == (-1.0, -1.0, -1.0, 0)


def test_dice_stand_in_the_tree() -> None:
    with engine("backgammon") as one:
        one.play("31")
        result = one.think(nodes=3000)
        assert one.player == 0 or one.player == 1
        root = one.tree(depth=3, visits=5)
        move = root.children[0]
        assert move.value == result.moves[0].value
        assert {roll.move for roll in move.children} <= set(one.position.play(str(move.move)).legal_moves())
        mean = sum(roll.value * roll.visits for roll in move.children) / sum(roll.visits for roll in move.children)
        assert mean == pytest.approx(move.value, abs=0.15)
        assert all(node.visits >= 5 for node in root)


def test_a_solved_position_is_proven_though_moves_are_equal_by_symmetry() -> None:
    with engine("tic_tac_toe") as one:
        one.think(nodes=100_000)
        root = one.tree()
        assert (root.lower, root.upper) == (0.0, 0.0)


def test_moves_equal_by_symmetry_are_named() -> None:
    with engine("tic_tac_toe") as one:
        one.think(nodes=1000)
        found = {(node.move, *node.images) for node in one.tree().children}
        assert {frozenset(moves) for moves in found} == {
            frozenset({"a1", "a3", "c1", "c3"}),
            frozenset({"a2", "b1", "b3", "c2"}),
            frozenset({"b2"}),
        }


def test_without_symmetries_no_move_has_images() -> None:
    with engine("tic_tac_toe", symmetries="false") as one:
        one.think(nodes=1000)
        assert [node.images for node in one.tree().children] == [()] * 9


@pytest.mark.parametrize("merged", [True, False])
def test_transpositions_and_images_have_one_number(merged: bool) -> None:
    with engine("connect_four", symmetries=str(merged).lower()) as one:
        one.think(nodes=5000)
        numbers: dict[tuple[str, ...], set[int]] = {}
        for path, node in paths(one.tree(depth=3)):
            after = functools.reduce(playout.Position.play, path, one.position)
            rows = after.text.split()[0].split("/")
            mirrored = tuple(row[::-1] for row in rows)
            numbers.setdefault(min(tuple(rows), mirrored) if merged else tuple(rows), set()).add(node.position)
        assert all(len(found) == 1 for found in numbers.values())
        assert len({number for found in numbers.values() for number in found}) == len(numbers) > 20
        assert len(numbers) < len(list(one.tree(depth=3)))  # some were reached twice


def paths(node: playout.Node, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], playout.Node]]:
    """Yields all positions below the root with the moves that lead there."""
    for child in node.children:
        path = (*before, str(child.move))
        yield path, child
        yield from paths(child, path)


def test_positions_of_a_game_without_a_key_are_all_different() -> None:
    with playout.Engine(Nim()) as one:
        one.think(nodes=500)
        numbers = [node.position for node in one.tree(depth=3)]
        assert len(set(numbers)) == len(numbers)


def test_a_tree_before_any_search_is_empty() -> None:
    with engine() as one:
        root = one.tree(depth=2)
        assert (root.visits, root.children, root.proven) == (0, (), False)
        assert str(root) == "root  0 visits  +0.000"


def test_games_in_python_have_trees() -> None:
    with playout.Engine(Nim(5)) as one:
        one.think(nodes=500)
        assert {node.move: node.proven for node in one.tree(depth=2).children}["1"]


def test_what_was_learned_is_saved_and_loaded(tmp_path: Path) -> None:
    file = tmp_path / "learned.graph"
    with engine() as one:
        one.think(nodes=2000)
        before = one.tree(depth=2)
        one.save(file)
    with engine() as other:
        other.load(file)
        assert other.tree(depth=2) == before
        assert other.think(nodes=10).visits == before.visits + 10


def test_what_cannot_be_saved_or_loaded_gets_one_line(tmp_path: Path) -> None:
    with playout.Engine(Nim()) as one:
        one.think(nodes=10)
        with pytest.raises(playout.GameError, match=r"none.nim\.graph: cannot save"):
            one.save(tmp_path / "none" / "nim.graph")
    with engine() as one, pytest.raises(playout.GameError, match=r"no\.graph"):
        one.load(tmp_path / "no.graph")
