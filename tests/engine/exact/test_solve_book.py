"""Books of exact values: right, whole, and made in pieces."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from playout.books.base.canonical import Places
from playout.books.base.entry import BookEntry
from playout.books.formats import entries, open_book
from playout.books.shipped import FOLDER
from playout.cli.main import main
from playout.engine.exact import bearoff
from playout.engine.exact.book import solve_book
from playout.engine.exact.solving import solve
from playout.games import catalogue
from playout.games.game import action_to_text, is_over, text_to_action


@pytest.mark.long
def test_tic_tac_toe_is_whole_and_right(tmp_path: Path) -> None:
    game: Any = catalogue.load("tic_tac_toe")
    file = tmp_path / "own.book"
    tree = solve_book(file, game, everything=True)
    assert (tree.solved, tree.known, tree.whole) == (627, 0, True), "765 positions but for symmetries, 138 of them over"
    book = open_book(file, game)
    values: dict[Any, float] = {}

    def value(state: Any) -> float:
        """By the rules alone, for the player to move."""
        if state not in values:
            if is_over(game, state):
                values[state] = game.returns(state)[game.current_player(state)]
            else:
                values[state] = max(-value(game.next_state(state, a)) for a in game.legal_actions(state))
        return values[state]

    value(game.initial_state())
    for state in [state for state in values if not is_over(game, state)][::7]:
        moves = book.lookup(state)
        assert moves
        for move in moves:
            worth = -value(game.next_state(state, move.action))
            assert move.value == worth
            assert move.weight == 0 or worth == value(state)
    book.close()


def test_best_lines_hold_the_best_play_of_both_and_nothing_else(tmp_path: Path) -> None:
    game: Any = catalogue.load("connect_four:4,4")
    file = tmp_path / "own.book"
    tree = solve_book(file, game, plies=4, best_lines=True)
    assert tree.whole
    book = open_book(file, game)
    waiting, seen = [(game.initial_state(), 0)], set()
    while waiting:
        state, ply = waiting.pop()
        seen.add(Places(game).of(state).key)
        best = [move.action for move in book.lookup(state) if move.weight > 0]
        assert best, game.state_to_text(state)
        if ply < 4:
            waiting += [(game.next_state(state, action), ply + 1) for action in best]
    assert len(seen) == tree.solved


def test_one_who_plays_by_the_book_never_leaves_it(tmp_path: Path) -> None:
    game: Any = catalogue.load("connect_four:4,4")
    file = tmp_path / "own.book"
    assert solve_book(file, game, plies=4).whole
    book = open_book(file, game)
    for player in (0, 1):
        waiting = [(game.initial_state(), 0)]
        while waiting:
            state, ply = waiting.pop()
            moves = book.lookup(state)
            mine = game.current_player(state) == player
            assert moves or not mine, game.state_to_text(state)
            if ply < 4:
                actions = [move.action for move in moves if move.weight > 0] if mine else game.legal_actions(state)
                waiting += [(game.next_state(state, action), ply + 1) for action in actions]
    book.close()


def test_a_book_for_one_side_has_no_positions_of_the_other(tmp_path: Path) -> None:
    game: Any = catalogue.load("connect_four:4,4")
    both, first = tmp_path / "both.book", tmp_path / "first.book"
    solve_book(both, game, plies=4)
    solve_book(first, game, plies=4, players=[0])
    places = Places(game)

    def values(file: Path) -> dict[int, list[tuple[float | None, float]]]:
        rows = {places.of(one.state).key: one.moves for one in entries(file, game)}
        return {key: sorted((move.value or 0.0, move.weight) for move in moves) for key, moves in rows.items()}

    found, of_both = values(first), values(both)
    assert all(game.current_player(entry.state) == 0 for entry in entries(first, game))
    assert 10 < len(found) < len(of_both)
    assert found.items() <= of_both.items()


@pytest.mark.long
def test_it_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    game = catalogue.load("hex:3")
    whole, parts = tmp_path / "whole.book", tmp_path / "parts.book"
    everything = solve_book(whole, game, plies=2)

    def stop(done: int, _: int) -> None:
        if done % 10 == 9 and done > solved:
            raise KeyboardInterrupt

    solved = 0
    for _ in range(200):
        tree = solve_book(parts, game, plies=2, on_progress=stop)
        solved += tree.solved
        if tree.whole:
            break
    assert tree.whole and solved == everything.solved

    def content(file: Path) -> list[tuple[str, list[tuple[Any, ...]]]]:
        def rows(entry: BookEntry) -> list[tuple[Any, ...]]:
            return sorted((move.action, move.weight, move.value, move.depth) for move in entry.moves)

        return sorted((str(entry.state), rows(entry)) for entry in entries(file, game))

    assert content(parts) == content(whole)


@pytest.mark.parametrize("moves", ["", "c3"])
def test_the_command(moves: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "own.book"
    assert main(["book", "solve", str(file), "--game", "hex:4", "--moves", moves, "--plies", "1"]) == 0
    assert "positions solved" in capsys.readouterr().out
    game = catalogue.load("hex:4")
    state = game.initial_state()
    if moves:
        state = game.next_state(state, text_to_action(game, state, moves))
    exact = {move.move: move.value for move in solve(game, moves=tuple(moves.split()), all_moves=True).moves}
    book = open_book(file, game)
    assert {
        action_to_text(game, state, move.action): move.value for move in book.lookup(state)
    }.items() <= exact.items()
    book.close()


@pytest.mark.long
def test_backgammon_is_its_bear_off_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel's solver is tested with the format."""
    whole = (FOLDER / "backgammon.bearoff").read_bytes()
    asked: list[int] = []

    def solved(checkers: int, on_progress: Callable[[float], None]) -> bytes:
        asked.append(checkers)
        on_progress(0.5)
        return whole

    monkeypatch.setattr(bearoff, "_core", SimpleNamespace(solve_bearoff=solved))
    assert main(["book", "solve", str(tmp_path / "a.bearoff"), "--game", "backgammon", "--checkers", "1"]) == 0
    assert asked == [1] and (tmp_path / "a.bearoff").read_bytes() == whole
    assert main(["book", "solve", str(tmp_path / "a.book"), "--game", "backgammon"]) == 2
    assert "must end in .bearoff" in capsys.readouterr().err
