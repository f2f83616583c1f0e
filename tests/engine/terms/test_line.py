"""Lines of play: many moves at once give the same line as move after move."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from playout.engine.terms.growth import CHUNK, FEW
from playout.engine.terms.line import Line
from playout.games import catalogue
from playout.games.errors import GameError, IllegalMove
from playout.games.game import action_to_text, is_over

CHESS: Any = catalogue.load("chess")
SHUFFLE = ["g1f3", "g8f6", "f3g1", "f6g8"]


def one_by_one(game: Any, words: Sequence[str], line: Line | None = None) -> Line:
    line = line or Line.start(game)
    for word in words:
        line = line.played(game, word)
    return line


def random_game(seed: int, plies: int, spell: Any) -> list[str]:
    """A game of chess whose draws nobody claims; ``spell`` writes its moves."""
    rng = random.Random(seed)
    line, texts = Line.start(CHESS), []
    while len(texts) < plies and not is_over(CHESS, line.taken_up(CHESS).state):
        state = line.taken_up(CHESS).state
        quiet = [
            action for action in CHESS.legal_actions(state) if rng.random() < 0.8 and not state.board.halfmove_clock
        ]
        action = rng.choice(quiet or CHESS.legal_actions(state))
        texts.append(spell(rng, state, action))
        line = line.played(CHESS, texts[-1])
    return texts


def exact(_: random.Random, state: Any, action: int) -> str:
    return action_to_text(CHESS, state, action)


def mixed(rng: random.Random, state: Any, action: int) -> str:
    word = action_to_text(CHESS, state, action)
    return rng.choice([word, word, word, word.upper(), CHESS.action_to_san(state, action), f" {word} "])


def assert_same(line: Line, other: Line) -> None:
    assert line.words == other.words
    assert line.resumed == other.resumed
    assert line.state == other.state
    assert line.path(CHESS) == other.path(CHESS)
    assert list(line.states) == list(other.states)
    assert line.state.board.fen() == other.state.board.fen()


@pytest.mark.parametrize("spell", [exact, mixed])
@pytest.mark.parametrize("seed", range(2))
def test_many_moves_give_the_line_of_single_ones(seed: int, spell: Any) -> None:
    moves = random_game(seed, 250, spell)
    assert len(moves) > FEW
    whole = Line.start(CHESS).extended(CHESS, moves)
    assert_same(whole, one_by_one(CHESS, moves))


def test_draws_that_nobody_claims_are_passed_over_alike() -> None:
    moves = (SHUFFLE * 120)[: 2 * (2 * CHUNK // 5)]
    whole, single = Line.start(CHESS).moved_to(CHESS, None, moves), one_by_one(CHESS, moves)
    assert len(whole.resumed) > 50
    assert_same(whole, single)
    assert_same(whole.first(101), single.first(101))
    assert_same(whole.first(99).extended(CHESS, moves[99:]), single)
    assert_same(whole.taken_up(CHESS).extended(CHESS, ["b1c3"]), single.played(CHESS, "b1c3"))


def test_a_state_is_right_whichever_is_read_first() -> None:
    moves = random_game(9, 150, exact)
    single = list(one_by_one(CHESS, moves).states)
    for seed in range(3):
        states = Line.start(CHESS).extended(CHESS, moves).states
        places = random.Random(seed).sample(range(len(states)), 20)
        assert [states[place] for place in places] == [single[place] for place in places]


def test_lines_with_a_common_beginning_leave_each_other_alone() -> None:
    moves = random_game(3, 120, exact)
    stem = Line.start(CHESS).extended(CHESS, moves[:60])
    straight = stem.extended(CHESS, moves[60:])
    words = (action_to_text(CHESS, stem.state, action) for action in CHESS.legal_actions(stem.state))
    branch = stem.played(CHESS, next(word for word in words if word != moves[60]))
    assert_same(straight, one_by_one(CHESS, moves))
    assert_same(branch, one_by_one(CHESS, [*moves[:60], branch.words[-1]]))
    assert_same(straight.moved_to(CHESS, None, branch.words), branch)


@pytest.mark.parametrize("before", [0, 30, 2 * CHUNK + 3])
def test_an_illegal_move_is_named_by_its_number(before: int) -> None:
    moves = [*(SHUFFLE * 300)[:before], "e2e5", *SHUFFLE * 10]
    with pytest.raises(IllegalMove, match=f"^move {before + 1}: illegal move: 'e2e5'"):
        Line.start(CHESS).moved_to(CHESS, None, moves)


def test_nothing_follows_mate() -> None:
    mate = ["f2f3", "e7e5", "g2g4", "d8h4"]
    with pytest.raises(IllegalMove, match=r"^move 25: .*the game is over"):
        Line.start(CHESS).moved_to(CHESS, None, SHUFFLE * 5 + mate + SHUFFLE * 10)


def test_a_long_line_from_a_position_is_the_same() -> None:
    text = "4k2r/8/8/8/8/8/4P3/4K3 w k - 3 30"
    moves = ["e2e4", "e8g8", *["e1e2", "g8h8", "e2e1", "h8g8"] * 40, "e4e5"]
    start = Line.start(CHESS, text)
    whole = start.moved_to(CHESS, text, moves)
    assert_same(whole, one_by_one(CHESS, moves, start))
    assert len(whole.path(CHESS)[1]) < 20


def test_the_number_of_moves_has_room_for_the_longest_lines() -> None:
    line = Line.start(CHESS).extended(CHESS, SHUFFLE * 5003)
    assert line.state.move_number == 10_007
    text, words = line.path(CHESS)
    assert len(words) < 8
    assert Line.start(CHESS, text).extended(CHESS, words).state == line.state


def test_a_bound_counts_the_new_moves_that_python_plays() -> None:
    hex7: Any = catalogue.load("hex:7")
    cells = [f"{column}{row}" for row in range(1, 8) for column in "abcdefg"]
    line = Line.start(hex7).moved_to(hex7, None, cells[:20], 20)
    assert line.moved_to(hex7, None, cells[:24], 4).words == tuple(cells[:24])
    with pytest.raises(GameError, match=r"^move 25: at most 4 new moves at a time"):
        line.moved_to(hex7, None, cells[:25], 4)
    assert len(Line.start(CHESS).moved_to(CHESS, None, SHUFFLE * 100, 0).words) == 400
