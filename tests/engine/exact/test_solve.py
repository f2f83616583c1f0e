"""Exact solving: facts of the field, and agreement with plain recursion over the Python definitions."""

from __future__ import annotations

import signal
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from playout.engine.exact.solving import METHODS, Solution, SolverMemory, solve
from playout.games import catalogue
from playout.games.errors import BadOption, GameError, IllegalMove
from playout.games.game import CHANCE

from ...patience import PATIENCE

MNK = f"{Path(__file__).parents[2] / 'users' / 'mnk.py'}:Mnk"


def first_moves(name: str, value: float, **options: Any) -> list[str]:
    """The first moves with this value for the player who makes them."""
    found = solve(catalogue.load(name), all_moves=True, **options)
    assert len(found.moves) == len(catalogue.load(name).legal_actions(catalogue.load(name).initial_state()))
    return [one.move for one in found.moves if one.value == value]


@pytest.mark.parametrize("method", METHODS)
def test_tic_tac_toe_is_a_draw(method: str) -> None:
    found = solve(catalogue.load("tic_tac_toe"), method=method)
    assert (found.value, found.first_value, found.plies) == (0.0, 0.0, None)


@pytest.mark.parametrize(("board", "value"), [("4,4", 0), ("5,4", 0), ("4,5", 0), ("6,4", -1), ("5,5", 0)])
def test_connect_four_on_small_boards(board: str, value: float) -> None:
    """Columns, rows. The solver's own values; alpha-beta, which shares no code with it, agrees."""
    assert solve(catalogue.load(f"connect_four:{board}")).value == value


@pytest.mark.parametrize(("moves", "value", "plies"), [("dddeeeedbba", -1, 2), ("ddee", 1, 3)])
def test_connect_four_scores(moves: str, value: float, plies: int) -> None:
    """Pons' scores of these positions are -15 and 18: the winner's seventh disc, and fourth."""
    found = solve(catalogue.load("connect_four"), moves=moves)
    assert (found.value, found.plies, len(found.line)) == (value, plies, plies)


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 2), (3, 5), (4, 4)])
def test_hex_first_moves_that_win(size: int, count: int) -> None:
    """Counted by exhaustive search of others too; they lie about the short diagonal."""
    wins = first_moves(f"hex:{size}", 1.0)
    assert len(wins) == count
    if size == 4:
        assert sorted(wins) == ["a4", "b3", "c2", "d1"]


def test_the_centre_wins_on_hex_5() -> None:
    """As MoHex finds too; one of 13 openings that win."""
    found = solve(catalogue.load("hex:5"), moves=["c3"])
    assert (found.value, found.first_value, found.player, found.method) == (-1.0, 1.0, 1, "proof-number")


@pytest.mark.long
@pytest.mark.parametrize("method", ["alpha-beta", "proof-number"])
@pytest.mark.parametrize(
    ("name", "moves", "first"),
    [
        ("go:2,komi=0.5", [], 1.0),
        ("go:2,komi=1", [], 0.0),
        ("go:2,komi=1.5", [], -1.0),
        ("go:3,komi=8.5", ["B2"], 1.0),
        ("go:3,komi=9.5", ["B2"], -1.0),
    ],
)
def test_small_go(name: str, moves: Sequence[str], first: float, method: str) -> None:
    """Black is worth 1 point on 2x2 and all 9 on 3x3 with the centre, by area and positional superko."""
    assert solve(catalogue.load(name), moves=moves, method=method).first_value == first


def test_a_users_game_is_solved() -> None:
    """Three in a row, without a key: a draw on 3x3; on 4x4 the first player has three by the fifth ply."""
    assert solve(catalogue.load(MNK)).value == 0.0
    found = solve(catalogue.load(f"{MNK}:4,4,3"), moves=["5"])
    assert (found.first_value, found.plies) == (1.0, 4)


class Dice:
    """Each player in turn rolls 1, 2 or 3 (2 half of the time) and takes as many from a heap, or one. The last wins."""

    name = "dice"

    def __init__(self, heap: int = 6, back: bool = False) -> None:
        self.heap = heap
        self.back = back

    def initial_state(self) -> tuple[int, int, int]:
        return (self.heap, 0, 0)

    def current_player(self, state: tuple[int, int, int]) -> int:
        return state[1] if state[2] else CHANCE

    def legal_actions(self, state: tuple[int, int, int]) -> list[int]:
        heap, _, roll = state
        if heap == 0:
            return []
        return sorted({min(roll, heap), 1} | ({0} if self.back else set())) if roll else [1, 2, 3]

    def chance_outcomes(self, state: tuple[int, int, int]) -> list[tuple[int, float]]:
        return [(1, 0.25), (2, 0.5), (3, 0.25)]

    def next_state(self, state: tuple[int, int, int], action: int) -> tuple[int, int, int]:
        heap, player, roll = state
        return (heap - action, 1 - player, 0) if roll else (heap, player, action)

    def returns(self, state: tuple[int, int, int]) -> tuple[float, float] | None:
        heap, player, _ = state
        if heap:
            return None
        return (-1.0, 1.0) if player == 0 else (1.0, -1.0)


@cache
def expectation(heap: int, player: int, roll: int) -> float:
    """Player 0's, by the definition."""
    game = Dice()
    state = (heap, player, roll)
    returns = game.returns(state)
    if returns is not None:
        return returns[0]
    after = {action: expectation(*game.next_state(state, action)) for action in game.legal_actions(state)}
    if not roll:
        return sum(chance * after[outcome] for outcome, chance in game.chance_outcomes(state))
    return max(after.values()) if player == 0 else min(after.values())


@pytest.mark.parametrize("heap", range(1, 12))
def test_means_are_exact_where_there_is_chance(heap: int) -> None:
    found = solve(Dice(heap))
    assert (found.method, found.player, found.plies) == ("expectimax", CHANCE, None)
    assert found.value == pytest.approx(expectation(heap, 0, 0), abs=1e-6)
    rolled = solve(Dice(heap), moves=["2"], all_moves=True)
    assert rolled.value == pytest.approx(expectation(heap, 0, 2), abs=1e-6)
    assert {one.move: one.value for one in rolled.moves} == {
        str(move): pytest.approx(expectation(heap - move, 1, 0), abs=1e-6) for move in {min(2, heap), 1}
    }


def refusal(game: Any, **options: Any) -> str:
    with pytest.raises(GameError) as raised:
        solve(game, **options)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_what_has_no_exact_value_is_refused_by_name() -> None:
    assert refusal(Dice(), method="proof-number").startswith("dice: proof-number search cannot solve a game with dice")
    assert "comes back to a position" in refusal(Dice(6, back=True))
    assert "dice" in refusal(catalogue.load("backgammon"), method="proof-number")
    assert "history" in refusal(catalogue.load("go:5"), method="proof-number")


def test_bad_input_is_refused() -> None:
    game = catalogue.load("tic_tac_toe")
    with pytest.raises(BadOption, match="no method 'magic': one of auto"):
        solve(game, method="magic")
    with pytest.raises(IllegalMove):
        solve(game, moves=["b2", "b2"])
    with pytest.raises(GameError, match="not a tic-tac-toe position"):
        solve(game, "x")
    with pytest.raises(GameError, match="over"):
        solve(game, moves=["a1", "b1", "a2", "b2", "a3", "b3"])
    with pytest.raises(GameError, match="no texts"):
        solve(catalogue.load(MNK), "x")


def test_a_fault_of_a_users_game_is_one_line() -> None:
    class Faulty(Dice):
        def next_state(self, state: tuple[int, int, int], action: int) -> tuple[int, int, int]:
            if state[0] < 3:
                raise RuntimeError("no\nmore")
            return super().next_state(state, action)

    assert refusal(Faulty()) == "next_state((2, 0, 0), 1) raised RuntimeError: no more"


def test_a_time_limit_gives_what_is_known() -> None:
    found = solve(catalogue.load("connect_four"), seconds=0.05, all_moves=True, hash_mib=8)
    assert found.value is None
    assert found.lower < found.upper
    assert len(found.moves) == 7
    finished = solve(catalogue.load("tic_tac_toe"), moves=["a1", "b1", "a2", "b2", "a3"])
    assert (finished.value, finished.plies, finished.line, finished.player) == (1.0, 0, (), 0)


def test_an_interrupt_gives_what_is_known() -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    before = threading.active_count()
    found = solve(catalogue.load("connect_four"), hash_mib=8, on_progress=interrupt)
    assert (found.value, found.lower, found.upper) == (None, -1.0, 1.0)
    assert threading.active_count() == before


def test_ctrl_c_while_it_waits_gives_what_is_known() -> None:
    main = threading.main_thread()
    assert threading.current_thread() is main

    def interrupt() -> None:
        assert waits.wait(PATIENCE)
        signal.pthread_kill(main.ident or 0, signal.SIGINT)

    def waiting(_: object) -> None:
        waits.set()

    waits = threading.Event()
    other = threading.Thread(target=interrupt)
    # A shell starts what runs in its background with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        other.start()
        found = solve(catalogue.load("connect_four"), hash_mib=8, on_progress=waiting)
        other.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert (found.value, found.lower, found.upper) == (None, -1.0, 1.0)


def test_threads_find_the_same() -> None:
    game = catalogue.load("connect_four")
    one, two = (solve(game, moves=[*"ddddddcbeef"], all_moves=True, threads=threads) for threads in (1, 2))

    def known(found: Solution) -> list[tuple[Any, ...]]:
        return sorted((m.move, m.value, m.plies) for m in found.moves)

    assert known(one) == known(two)
    assert one.value is not None


def test_a_memory_saves_work_and_changes_no_answer() -> None:
    game = catalogue.load("connect_four")
    memory = SolverMemory(game)

    def solved(moves: str, memory: SolverMemory | None) -> Solution:
        return solve(game, moves=[*moves], all_moves=True, hash_mib=64, memory=memory)

    for moves in ("ddddddbbecceb", "ddddddbbecce", "ddddddbbeccea"):
        kept, fresh = solved(moves, memory), solved(moves, None)
        assert (kept.moves, kept.plies) == (fresh.moves, fresh.plies)
        assert fresh.value is not None
    assert solved("ddddddbbeccea", memory).nodes < fresh.nodes / 10


def test_an_interrupted_memory_goes_on() -> None:
    game = catalogue.load("connect_four")
    memory = SolverMemory(game)
    assert solve(game, hash_mib=8, seconds=0.05, memory=memory).value is None
    assert solve(game, moves=[*"ddddddbbecce"], hash_mib=8, memory=memory).value is not None


def test_a_winning_line_is_played_to_the_end() -> None:
    game = catalogue.load("connect_four:6,4")
    found = solve(game, moves=["a"])
    assert found.value == 1.0
    assert found.plies == len(found.line)
    state = game.initial_state()
    for move in ("a", *found.line):
        assert game.returns(state) is None
        state = game.next_state(state, "abcdef".index(move))
    assert game.returns(state) == (-1, 1)


@pytest.mark.parametrize(
    ("position", "plies"),
    [("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1), ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3)],
)
def test_short_mates_in_chess(position: str, plies: int) -> None:
    """A mate on the back rank, and Morphy's problem in two."""
    found = solve(catalogue.load("chess"), position)
    assert (found.value, found.plies, len(found.line)) == (1.0, plies, plies)
