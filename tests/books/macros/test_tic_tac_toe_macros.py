"""The shipped macros of tic-tac-toe."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from playout.books.macros.macro import shipped_macros
from playout.games.game import action_to_text
from playout.games.tic_tac_toe import LINES, State, TicTacToe

from .shipped import after, moves, named


def positions() -> Iterator[State]:
    """All positions of tic-tac-toe that are not over."""
    game, todo, seen = TicTacToe(), [TicTacToe().initial_state()], set()
    while todo:
        state = todo.pop()
        if state not in seen and game.returns(state) is None:
            seen.add(state)
            yield state
            todo += [game.next_state(state, action) for action in game.legal_actions(state)]


@pytest.mark.long
def test_tic_tac_toe_wins_blocks_and_forks_where_it_can() -> None:
    game = TicTacToe()
    macros = {macro.name: macro for macro in shipped_macros(game)}

    def completing(board: str, mark: str) -> set[int]:
        return {
            cell
            for line in LINES
            for cell in line
            if board[cell] == "." and [board[other] for other in line].count(mark) == 2
        }

    count = 0
    for state in islice(positions(), 0, None, 3):
        own, other = "xo"[state.player], "ox"[state.player]
        count += 1
        found = {name: {step.action for step in macro.at(state)} for name, macro in macros.items()}
        assert found["win"] == completing(state.board, own)
        assert found["block"] == completing(state.board, other)
        made = {
            cell
            for cell in game.legal_actions(state)
            for lines in [[line for line in LINES if cell in line and sorted(_marks(state, line)) == ["."] * 2 + [own]]]
            if len(lines) >= 2
        }
        assert found["fork"] == made
    assert count == 1507, "a third of 4520"


def _marks(state: State, line: tuple[int, ...]) -> list[str]:
    return [state.board[cell] for cell in line]


def test_a_fork_is_followed_and_dropped_where_the_opponent_leaves() -> None:
    game = TicTacToe()
    fork = named("fork", game)
    state = after(game, "a1 b2 c3 a3")
    step = next(step for step in fork.at(state) if action_to_text(game, state, step.action) == "c1")
    assert step.ours
    forked = game.next_state(state, step.action)
    replies = {action_to_text(game, forked, reply.action): reply for reply in step.then(forked)}
    assert set(replies) == {"b1", "c2", "a2", "b3"}
    for text, reply in replies.items():
        answered = game.next_state(forked, reply.action)
        answers = moves(game, answered, reply.then(answered))
        assert len(answers) == 1
        assert answers <= {"b1", "c2"} - {text}
