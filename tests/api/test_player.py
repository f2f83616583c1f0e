"""``playout.Engine``: a game, its search, its options, its errors."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import playout
from playout.games import catalogue

from ..patience import PATIENCE
from .nim import Nim

QUICK: dict[str, Any] = {"own_book": False, "hash": 16, "seed": 7}


def engine(game: Any = "hex:5", **options: Any) -> playout.Engine:
    """An engine without books that searches the same way every time."""
    return playout.Engine(game, **{**QUICK, **options})


def test_a_search_of_three_lines() -> None:
    with playout.Engine("hex:11", threads=2) as one:
        one.play("f6")
        result = one.think(nodes=500)
    assert result.reason == "nodes"
    assert result.simulations >= 500
    assert result.move == result.moves[0].move == result.pv[0]
    assert result.value is not None
    assert -1 <= result.value <= 1


def test_a_seed_and_a_number_of_nodes_repeat() -> None:
    def moves() -> tuple[playout.MoveInfo, ...]:
        with engine("go:5") as one:
            return one.think(nodes=300).moves

    assert moves() == moves()


def test_moves_are_played_and_taken_back() -> None:
    with engine("tic_tac_toe") as one:
        one.play("b2", "a1")
        assert one.moves == ("b2", "a1")
        assert one.player == 0
        before = one.position
        one.undo()
        assert one.moves == ("b2",)
        assert before.moves == ("b2", "a1"), "a position is a value"
        one.new_game()
        assert one.moves == ()
        assert len(one.legal_moves()) == 9
        one.set_position("x2/1o1/3 x", ["a1"])
        assert one.position.text == "x2/1o1/x2 o"


def test_a_wrong_move_changes_nothing() -> None:
    with engine("tic_tac_toe") as one:
        with pytest.raises(playout.IllegalMove):
            one.play("z9")
        with pytest.raises(playout.IllegalMove):
            one.set_position(None, ["b2", "b2"])
        with pytest.raises(playout.GameError):
            one.set_position("nonsense")
        assert one.moves == ()


@pytest.mark.parametrize("name", catalogue.names())
def test_whole_games_of_every_game(name: str) -> None:
    """With dice, to the end; the result is the position's."""
    dice = random.Random(3)
    with engine("hex:4" if name == "hex" else "go:3" if name == "go" else name) as one:
        while not one.over and len(one.moves) < 400:
            if one.player == playout.CHANCE:
                one.roll(dice)
            else:
                move = one.think(nodes=5).move
                assert move is not None
                one.play(move)
        if one.over:
            assert one.result is not None
            assert sum(one.result) == 0
            assert one.player is None
            assert (one.think(nodes=5).move is None) or name == "chess", "a draw at chess is to be claimed"


def test_a_finished_game_has_no_move_and_no_value() -> None:
    with engine("tic_tac_toe") as one:
        one.play(*["a1", "b1", "a2", "b2", "a3"])
        result = one.think(nodes=10)
        assert (result.move, result.value, result.pv, result.reason) == (None, None, (), "over")
        assert list(one.analyse(nodes=10)) == []


def test_a_book_move_has_no_value() -> None:
    with playout.Engine("chess") as one:
        result = one.think(nodes=10)
        assert result.reason == "book"
        assert result.value is None
        assert result.pv == (result.move,)
        assert result.book is not None


def test_an_analysis_needs_no_books() -> None:
    with playout.Engine("chess") as one:
        *_, last = one.analyse(nodes=50)
        assert last.simulations >= 50
        assert one.think(nodes=10).reason == "book", "the option is the user's own again"


def test_only_some_moves() -> None:
    with engine("hex:5") as one:
        result = one.think(nodes=200, root_moves=["a1", "A2"])
        assert {move.move for move in result.moves} <= {"a1", "a2"}
        with pytest.raises(playout.IllegalMove):
            one.think(nodes=200, root_moves=["a1", "z9"])


def test_several_lines() -> None:
    with engine("connect_four") as one:
        result = one.think(nodes=2000, lines=3)
        assert [bool(move.pv) for move in result.moves[:3]] == [True] * 3
        assert not any(move.pv for move in result.moves[3:])


def test_clocks_bound_a_search() -> None:
    with engine("go:5") as one:
        assert one.think(clock=playout.Clock(remaining=0.5)).move is not None


def test_the_rolls_are_drawn_by_their_probability() -> None:
    with engine("backgammon") as one:
        assert one.player == playout.CHANCE
        with pytest.raises(playout.PlayoutError, match="dice"):
            one.think(nodes=1)
        roll = one.roll(random.Random(1))
        assert one.moves == (roll,)
        with pytest.raises(playout.IllegalMove, match="no dice"):
            one.roll()


# An analysis.


def test_an_analysis_ends_with_its_result() -> None:
    with engine("hex:9") as one:
        found = list(one.analyse(nodes=3000, interval=0.01))
        assert isinstance(found[-1], playout.Result)
        assert not any(isinstance(info, playout.Result) for info in found[:-1])
        assert [info.simulations for info in found] == sorted(info.simulations for info in found)


def test_an_analysis_without_a_bound_ends_where_the_position_is_solved() -> None:
    with engine("tic_tac_toe") as one:
        *_, last = one.analyse()
        assert isinstance(last, playout.Result)
        assert (last.reason, last.value) == ("proven", 0.0)


def leave_by_break(one: playout.Engine) -> None:
    for _ in one.analyse(interval=0.01):
        break


def leave_by_exception(one: playout.Engine) -> None:
    def fail() -> None:
        for info in one.analyse(interval=0.01):
            raise KeyError(info.move)

    with pytest.raises(KeyError):
        fail()


def leave_by_close(one: playout.Engine) -> None:
    infos = one.analyse(interval=0.01)
    next(infos)
    assert one.searching
    infos.close()


@pytest.mark.parametrize("leave", [leave_by_break, leave_by_exception, leave_by_close])
def test_leaving_an_analysis_stops_the_search(leave: Callable[[playout.Engine], None]) -> None:
    with engine("hex:11") as one:
        leave(one)
        assert not one.searching
        one.play("f6")
        assert one.think(nodes=10).reason == "nodes"


def test_an_analysis_that_nobody_asks_searches_nothing() -> None:
    with engine("hex:11") as one:
        infos = one.analyse()
        assert not one.searching
        infos.close()


def test_stop_comes_from_any_thread() -> None:
    with engine("hex:11") as one:
        found = []
        for info in one.analyse(interval=0.01):
            found.append(info)
            thread = threading.Thread(target=one.stop)
            thread.start()
            thread.join(PATIENCE)
        last = found[-1]
        assert isinstance(last, playout.Result)
        assert last.reason == "stop"


INTERRUPTED = """
import os, signal, threading, time
import playout

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has it ignored
engine = playout.Engine("hex:11", own_book=False)

def interrupt():
    while not engine.searching:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    engine.think(nodes=10**12)
except KeyboardInterrupt:
    print("searching" if engine.searching else "stopped")
"""


def test_an_interrupt_stops_the_search() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.stdout, done.stderr) == ("stopped\n", "")


def test_what_changes_the_position_is_refused_while_a_search_is_under_way() -> None:
    with engine("hex:11") as one:
        for _ in one.analyse(interval=0.01):
            for change in (one.new_game, one.tree, lambda: one.play("f6"), lambda: one.think(nodes=1)):
                with pytest.raises(playout.PlayoutError, match="a search is under way"):
                    change()
            break
        assert one.moves == ()


def test_a_search_that_was_told_to_stop_is_waited_for() -> None:
    with engine("hex:11") as one:
        infos = one.analyse(interval=0.01)
        next(infos)
        one.stop()
        one.play("f6")
        assert one.think(nodes=10).reason == "nodes"


def test_engines_search_side_by_side() -> None:
    """Each has a search under way while the other reports."""
    with engine("hex:11") as one, engine("hex:11") as other:
        first, second = one.analyse(interval=0.01), other.analyse(interval=0.01)
        next(first)
        next(second)
        assert one.searching
        assert other.searching
        assert next(first).simulations > 0
        assert next(second).simulations > 0
        first.close()
        assert not one.searching
        assert other.searching
        second.close()


def test_the_end_of_the_block_ends_the_search() -> None:
    with engine("hex:11") as one:
        next(infos := one.analyse(interval=0.01))
    assert not one.searching
    one.close()
    with pytest.raises(playout.PlayoutError, match="closed"):
        one.think(nodes=1)
    infos.close()


# Options.


def test_options_have_names_of_python() -> None:
    with playout.Engine("hex:5", multi_pv=2, multipv=3, move_overhead=20, tree_policy="puct", own_book=False) as one:
        options = one.options
        assert (options["multi_pv"], options["move_overhead"], options["tree_policy"]) == (3, 20, "puct")
        assert options["own_book"] is False
        one.configure(exploration=0.5, solver=False)
        assert (one.options["exploration"], one.options["solver"]) == (0.5, False)


def test_every_option_can_be_set_by_its_name() -> None:
    for name in catalogue.names():
        with playout.Engine(name) as one:
            one.configure(**one.options)


def test_what_was_learned_is_forgotten() -> None:
    with engine("hex:5") as one:
        one.play("c3")
        one.think(nodes=100)
        one.forget()
        assert (one.tree().visits, one.moves) == (0, ("c3",))


def test_files_are_paths_or_lists(tmp_path: Path) -> None:
    book = tmp_path / "my.yaml"
    book.write_text("game: tic_tac_toe\nlines:\n- a1 b2\n", encoding="utf-8")
    with playout.Engine("tic_tac_toe", book_file=book) as one:
        assert one.options["book_file"] == str(book)
        assert one.think(nodes=1).book is not None
        one.configure(book_file=[book, "shipped"])
        assert one.options["book_file"] == f"{book};shipped"


WRONG: list[tuple[str, Callable[[playout.Engine], object]]] = [
    ("no option 'thread': did you mean 'threads'?", lambda e: playout.Engine("hex:5", thread=2)),
    ("option Exploration: 'much' is not a number from", lambda e: playout.Engine("hex:5", exploration="much")),
    ("option Threads: '0' is not between 1 and 256", lambda e: e.configure(threads=0)),
    ("no option 'quite_another': hex:5 has level, hash, threads", lambda e: e.configure(quite_another=0)),
    ("no game 'hexx'", lambda e: playout.Engine("hexx")),
    ("no file 'my.py'", lambda e: playout.Engine("my.py:MyGame")),
    ("int: not a game, it lacks initial_state, current_player", lambda e: playout.Engine(5)),  # type: ignore[arg-type]
    ("seconds=-1: not a number of seconds above 0", lambda e: e.think(seconds=-1)),
    ("seconds=nan: not a number of seconds above 0", lambda e: e.think(seconds=float("nan"))),
    ("seconds='1'", lambda e: e.think(seconds="1")),  # type: ignore[arg-type]
    ("nodes=0: not a whole number of at least 1", lambda e: e.think(nodes=0)),
    ("nodes=1.5", lambda e: e.think(nodes=1.5)),  # type: ignore[arg-type]
    ("lines=True", lambda e: e.analyse(lines=True)),
    ("interval=0: not a number of seconds above 0", lambda e: e.analyse(interval=0)),
    ("clock=60: not a playout.Clock", lambda e: e.think(clock=60)),  # type: ignore[arg-type]
    ("root_moves='a1': not a list of moves", lambda e: e.think(root_moves="a1")),
    ("moves='a1': not a list of moves", lambda e: e.set_position(None, "a1")),
    ("moves='a1': not a list of moves", lambda e: playout.Position(e.game, moves="a1")),
]


@pytest.mark.parametrize(("words", "call"), WRONG, ids=[words for words, _ in WRONG])
def test_a_wrong_argument_gets_one_line(words: str, call: Callable[[playout.Engine], object]) -> None:
    with engine("hex:5") as one:
        with pytest.raises(playout.PlayoutError) as caught:
            call(one)
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)
        assert one.think(nodes=5).reason == "nodes"


# Games of one's own.


def test_an_object_or_a_class_is_a_game() -> None:
    for game in (Nim(), Nim, Nim(9)):
        with playout.Engine(game, seed=1) as one:
            assert one.game.name == "nim"
            result = one.think(nodes=1000)
            assert (result.move, result.value) == ({7: "3", 9: "1"}[one.game.initial_state()[0]], 1.0)
    assert not hasattr(Nim(), "name"), "the user's class stays as it was"


def test_a_class_in_a_file_is_a_game() -> None:
    with playout.Engine(f"{Path(__file__).with_name('nim.py')}:Nim") as one:
        assert one.think(nodes=1000).move == "3"


def test_a_failing_method_is_told_with_its_traceback() -> None:
    class Broken(Nim):
        def next_state(self, state: Any, action: int) -> Any:
            return [][action]

    with playout.Engine(Broken()) as one:
        with pytest.raises(playout.GameError, match=r"broken: the search failed: .*IndexError") as caught:
            one.think(nodes=100)
        assert "in next_state" in "".join(caught.value.__notes__)
