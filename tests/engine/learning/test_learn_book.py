"""Books grown by search: right by negamax, the same however often they were stopped, and never damaged."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playout.books import formats
from playout.books.base.canonical import Places
from playout.books.shipped import FOLDER
from playout.books.store.file import Weighting, WeightRules
from playout.books.store.reader import StoreBook, entries, open_book
from playout.books.store.writer import StoreWriter
from playout.engine.exact.book import solve_book
from playout.engine.learning.books import run as opening_run
from playout.engine.learning.books.file import BEST, EXACT, LEARNED
from playout.engine.learning.books.graph import NEVER, BookNode, Edge, Graph, Reply, cautious
from playout.engine.learning.books.positions import Positions
from playout.engine.learning.books.run import Growth, Learned, learn_book
from playout.engine.options.config import kernel_of, option_defaults, search_config
from playout.engine.options.table import Options
from playout.engine.session import Session
from playout.engine.terms.info import SearchResult
from playout.engine.terms.limits import Limits
from playout.games import catalogue
from playout.games.errors import BookError, GameError
from playout.games.game import CHANCE, HasSymmetries, action_to_text, is_over, text_to_action

MNK = f"{Path(__file__).parents[2]}/users/mnk.py:Mnk"
GAMES = ("tic_tac_toe", "connect_four:4,4", "hex:4", "hex:3,swap=true", "go:5", "chess", "backgammon", MNK)
SMALL = Growth(nodes=20, width=2, positions=12)
FEW = {"tic_tac_toe": 10, "hex:3,swap=true": 10, MNK: 6}
"""Number of positions for games whose books are complete soon, or grow slowly."""


def learn(file: Path, name: str, growth: Growth = SMALL, seed: int = 0, **more: Any) -> Learned:
    game = catalogue.load(name)
    options = Options(kernel_of(game), option_defaults(game))
    options.set("Hash", "4")
    options.set("Seed", str(seed))
    return learn_book(file, game, search_config(game, options), growth, **more)


def content(file: Path, game: Any) -> dict[int, list[tuple[Any, ...]]]:
    places = Places(game)
    return {
        places.of(entry.state).key: sorted(
            (move.action, move.weight, move.value, move.depth, move.source) for move in entry.moves
        )
        for entry in entries(file, game)
    }


def worth(game: Any, book: StoreBook, state: Any, mover: int) -> tuple[float, bool] | None:
    """The value of a state for ``mover`` by the book's values of the positions after it, and whether a position of the
    book is among them; None if one is missing."""
    if is_over(game, state):
        return game.returns(state)[mover], False
    if game.current_player(state) == CHANCE:
        found = [
            (worth(game, book, game.next_state(state, outcome), mover), probability)
            for outcome, probability in game.chance_outcomes(state)
        ]
        values = [value[0] * probability for value, probability in found if value is not None]
        return (sum(values), True) if len(values) == len(found) else None
    moves = book.lookup(state)
    if not moves:
        return None
    best = max(move.value for move in moves if move.value is not None)
    return (best if game.current_player(state) == mover else -best), True


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_values_are_backed_up_and_weights_follow_from_them(name: str, tmp_path: Path) -> None:
    game: Any = catalogue.load(name)
    file = tmp_path / "own.book"
    learned = learn(file, name, replace(SMALL, positions=FEW.get(name, 60)))
    assert formats.problems(file, game) == []
    book = open_book(file, game)
    inner = 0
    for entry in entries(file, game):
        mover = game.current_player(entry.state)
        best = max(move.value for move in entry.moves if move.value is not None)
        for move in entry.moves:
            assert move.value is not None and move.source in (LEARNED, *EXACT)
            assert move.weight == pytest.approx(max(0.0, 1 - (best - move.value) / 0.05), abs=1e-4)
            behind = worth(game, book, game.next_state(entry.state, move.action), mover)
            if behind is not None and (move.source == LEARNED or not behind[1]):
                value = behind[0] if move.source != LEARNED else cautious(behind[0])
                assert move.value == pytest.approx(value, abs=1e-6), (entry.line, move)
                inner += behind[1]
    assert inner > 1
    if game.current_player(game.initial_state()) != CHANCE:
        assert learned.value == book.lookup(game.initial_state())[0].value
        assert (
            action_to_text(game, game.initial_state(), book.lookup(game.initial_state())[0].action) == learned.best[0]
        )
    book.close()


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_stopped_and_gone_on_with_it_is_the_same_book(name: str, tmp_path: Path) -> None:
    game: Any = catalogue.load(name)
    whole, parts = tmp_path / "whole.book", tmp_path / "parts.book"
    most = FEW.get(name, SMALL.positions)
    at_once = learn(whole, name, replace(SMALL, positions=most))
    expansions = searches = 0
    for positions in (1, 4, most):
        part = learn(parts, name, replace(SMALL, positions=positions))
        expansions, searches = expansions + part.expansions, searches + part.searches
    assert (part.positions, part.value, part.best) == (at_once.positions, at_once.value, at_once.best)
    assert (expansions, searches) == (at_once.expansions, at_once.searches), "nothing was searched twice"
    assert content(parts, game) == content(whole, game)


@pytest.mark.long
def test_tic_tac_toe_learned_whole_agrees_with_exact_values(tmp_path: Path) -> None:
    game: Any = catalogue.load("tic_tac_toe")
    learned = learn(tmp_path / "own.book", "tic_tac_toe", Growth(nodes=10, width=5))
    assert learned.whole and learned.exact and learned.value == 0 and learned.positions > 20
    exact = open_book(FOLDER / "tic_tac_toe.book", game)
    sure = 0
    places = Places(game)
    for entry in entries(tmp_path / "own.book", game):
        place = places.of(entry.state)
        values = {place.to_book(move.action): move.value for move in exact.lookup(entry.state)}
        for move in entry.moves:
            if move.source in EXACT:
                assert move.value == values[place.to_book(move.action)]
                sure += 1
            if move.source == BEST:
                assert move.value == max(value for value in values.values() if value is not None)
    assert sure > 50
    exact.close()
    assert learn(tmp_path / "own.book", "tic_tac_toe", Growth(nodes=10, width=5)).expansions == 0, "a proof is kept"


def test_a_book_of_exact_values_is_not_searched_again(tmp_path: Path) -> None:
    game = catalogue.load("hex:3")
    solve_book(tmp_path / "own.book", game, plies=2)
    before = content(tmp_path / "own.book", game)
    learned = learn(tmp_path / "own.book", "hex:3", replace(SMALL, positions=None))
    assert (learned.searches, learned.value, learned.exact) == (0, 1.0, True)
    assert content(tmp_path / "own.book", game) == before


@pytest.mark.long
def test_all_opening_rolls_and_the_replies_come(tmp_path: Path) -> None:
    game: Any = catalogue.load("backgammon")
    file = tmp_path / "own.book"
    learned = learn(file, "backgammon", Growth(nodes=40, width=2, positions=15))
    assert learned.value == 0, "the opening roll is fair"
    learn(file, "backgammon", Growth(nodes=40, width=2, positions=120))
    book = open_book(file, game)
    start = game.initial_state()
    replies = 0
    for roll, _ in game.chance_outcomes(start):
        state = game.next_state(start, roll)
        moves = book.lookup(state)
        assert len(moves) >= 2
        for move in moves:
            after = game.next_state(state, move.action)
            known = [book.lookup(game.next_state(after, outcome)) for outcome, _ in game.chance_outcomes(after)]
            replies += all(known)
    assert replies >= 4
    book.close()


@pytest.mark.parametrize("seed", [0, 1])
def test_the_first_move_of_hex_is_one_that_wins(seed: int, tmp_path: Path) -> None:
    # playout solve hex:5 --all-moves
    winning = ["e1", "b2", "c2", "d2", "e2", "b3", "c3", "d3", "a4", "b4", "c4", "d4", "a5"]
    learned = learn(tmp_path / "own.book", "hex:5", Growth(nodes=200, positions=10), seed=seed)
    assert learned.best[0] in winning and learned.value is not None and learned.value > 0.2


def test_images_are_answered(tmp_path: Path) -> None:
    game: Any = catalogue.load("go:5")
    assert isinstance(game, HasSymmetries)
    learn(tmp_path / "own.book", "go:5")
    book = open_book(tmp_path / "own.book", game)
    for entry in list(entries(tmp_path / "own.book", game))[:10]:
        values = sorted(move.value for move in entry.moves if move.value is not None)
        for symmetry in game.symmetries():
            assert sorted(m.value for m in book.lookup(symmetry.state(entry.state)) if m.value is not None) == values
    book.close()


def test_it_starts_where_it_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    game: Any = catalogue.load("backgammon")
    file = tmp_path / "own.book"
    learned = learn(file, "backgammon", replace(SMALL, positions=30), moves=["31", "8/5,6/5"])
    assert learned.positions == 30 and len(content(file, game)) == 30
    assert not caplog.records, "all positions are reached"
    with pytest.raises(GameError, match="the game is over"):
        learn(file, "tic_tac_toe", moves=["a1", "a2", "b1", "b2", "c1"])


@pytest.mark.parametrize("name", ["hex:5", "backgammon"])
def test_ctrl_c_keeps_what_is_done(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening_run, "REPORT_SECONDS", 0.0)
    game: Any = catalogue.load(name)
    file = tmp_path / "own.book"

    def interrupt(so_far: Learned) -> None:
        if so_far.positions >= 2:
            raise KeyboardInterrupt

    learned = learn(file, name, SMALL, on_progress=interrupt)
    assert learned.positions == 2
    assert len(content(file, game)) == learned.positions
    assert learn(file, name, replace(SMALL, positions=1)).positions == learned.positions


@pytest.mark.long
def test_ctrl_c_ends_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening_run, "REPORT_SECONDS", 0.0)
    file = tmp_path / "own.book"
    learn(file, "hex:11", replace(SMALL, positions=3))
    timer = threading.Timer(0.05, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        learned = learn(file, "hex:11", replace(SMALL, nodes=10**9), on_progress=lambda _: timer.start())
    finally:
        signal.signal(signal.SIGINT, before)
    assert (learned.positions, learned.expansions) == (3, 0)
    assert len(content(file, catalogue.load("hex:11"))) == 3


LEARNING = """
import sys
from pathlib import Path
from playout.engine.learning.books import run
from playout.engine.options.config import SearchConfig
from playout.games import catalogue
run.COMMIT_SECONDS = run.REPORT_SECONDS = 0.0
game = catalogue.load("hex:6")
config = SearchConfig(hash_mib=4)
say = lambda so_far: print(so_far.positions, flush=True)
run.learn_book(Path(sys.argv[1]), game, config, run.Growth(nodes=60), on_progress=say)
"""
"""Grows a book without end; every position that it reports is committed."""


@pytest.mark.opponents
def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    game: Any = catalogue.load("hex:6")
    file = tmp_path / "own.book"
    with subprocess.Popen([sys.executable, "-c", LEARNING, str(file)], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        while int(running.stdout.readline()) < 20:
            pass
        running.kill()
    assert formats.problems(file, game) == []
    known = len(content(file, game))
    assert known >= 20
    learned = learn(file, "hex:6", replace(SMALL, positions=known + 10))
    assert (learned.positions, len(content(file, game))) == (known + 10, known + 10)
    assert learned.expansions < known, "only what was not known was searched"


def test_counts_of_games_stay(tmp_path: Path) -> None:
    game: Any = catalogue.load("hex:4")
    file = tmp_path / "own.book"
    learn(file, "hex:4", replace(SMALL, positions=4))
    start = game.initial_state()
    book = open_book(file, game)
    known = book.lookup(start)[0].action
    other = next(a for a in game.legal_actions(start) if a not in [move.action for move in book.lookup(start)])
    book.learn([(start, known)], 1.0)
    book.learn([(start, other)], -1.0)
    learn(file, "hex:4", replace(SMALL, positions=10))
    moves = {move.action: move for move in book.lookup(start)}
    assert (moves[known].wins, moves[known].learn, moves[known].source) == (1, 1, LEARNED)
    assert (moves[other].losses, moves[other].value, moves[other].weight) == (1, None, 0)
    book.close()


def test_a_book_whose_weights_are_counts_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "own.book"
    with StoreWriter(file, catalogue.load("hex:4")) as writer:
        writer.set_rules(WeightRules(Weighting.score, 1))
        writer.commit()
    with pytest.raises(BookError, match=r"own\.book: this book is built from games"):
        learn(file, "hex:4")


def test_the_engine_plays_by_it(tmp_path: Path) -> None:
    game: Any = catalogue.load("hex:5")
    learned = learn(tmp_path / "own.book", "hex:5")
    results: list[Any] = []
    session = Session(game, post=results.append)
    session.set_option("BookFile", str(tmp_path / "own.book"))
    session.set_option("Macros", "false")
    for move in learned.best[:2]:
        session.go(Limits(nodes=10))
        session.wait()
        result = results[-1]
        assert isinstance(result, SearchResult)
        assert (result.reason, result.move) == ("book", move)
        session.play(move)
    session.close()


def test_an_unknown_fault_of_a_users_game_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "faulty.py"
    text = Path(MNK.rpartition(":")[0]).read_text()
    file.write_text(
        text.replace("def returns(self, state):", "def returns(self, state):\n        1 / (9 - len(state.strip('.')))")
    )
    with pytest.raises((GameError, ZeroDivisionError), match="division"):
        learn(tmp_path / "own.book", f"{file}:Mnk")


def edge(action: int, value: float, *keys: int, proven: bool = False) -> Edge:
    """A move; each of ``keys`` is an outcome of equal probability."""
    replies = tuple(Reply((), 1 / len(keys), key, -1.0) for key in keys)
    return Edge(action, value, 100, proven, replies)


def node(key: int, *edges: Edge, alternatives: int = 0) -> BookNode:
    return BookNode(key, None, alternatives or len(edges), list(edges))


def test_the_formula_of_drop_out_expansion() -> None:
    graph = Graph(edge(0, 0.0, 1), alpha=10.0, width=2)
    first, second = edge(1, 0.3, 2), edge(2, 0.1, 3)
    start = node(1, first, second)
    graph.add(start)
    graph.spread([start])
    assert (start.value, start.priority, start.depth) == (0.3, 1.0, 100)
    assert graph.choose(start) is first
    after = node(2, edge(1, -0.35, 4), edge(2, -0.5, 5))
    graph.add(after)
    graph.spread([after])
    # The move followed has priority 1, the other 0 and 10 (0.35 - 0.1).
    assert (start.value, start.priority, start.depth) == (0.35, 2.0, 200)
    other = node(3, edge(1, -0.4, 6), edge(2, 0.2, 7))
    graph.add(other)
    graph.spread([other])
    assert start.value == 0.35 and second.value == -0.2
    later = node(4, edge(1, 0.9, 8), edge(2, 0.0, 9))
    graph.add(later)
    graph.spread([later])
    assert (after.value, after.best().action) == (-0.5, 2), "the move was a mistake"
    assert start.value == 0.5 and graph.root.value == -0.5


def test_a_position_gets_more_moves_as_the_lines_behind_it_grow() -> None:
    graph = Graph(edge(0, 0.0, 1), alpha=1.0, width=1)
    start = node(1, edge(1, 0.0, 2), alternatives=3)
    graph.add(start)
    graph.spread([start])
    for key in range(2, 5):
        assert graph.choose(start) is start.edges[0]
        link = node(key, edge(1, 0.0, key + 1))
        graph.add(link)
        graph.spread([link])
    link = node(5, edge(1, 0.0, 6))
    graph.add(link)
    graph.spread([link])
    assert graph.choose(start) is None


def test_cycles_end() -> None:
    graph = Graph(edge(0, 0.0, 1), alpha=1.0, width=2)
    for one in (node(1, edge(1, 0.1, 2)), node(2, edge(1, 0.2, 3)), node(3, edge(1, 0.7, 1), edge(2, 0.5, 4))):
        graph.add(one)
        graph.spread([one])
    back, on = graph.nodes[3].edges
    assert (back.value, back.priority) == (0.7, NEVER), "its search counts, but it is not followed"
    assert on.priority == 0 and graph.nodes[1].value == 0.7
    with_dice = edge(3, 0.0, 2, 9)
    graph.add_edge(graph.nodes[3], with_dice)
    graph.spread([graph.nodes[3]])
    assert with_dice.priority == NEVER


def test_no_value_is_sure_before_it_is_exact() -> None:
    graph = Graph(edge(0, 0.0, 1), alpha=1.0, width=2)
    for one in (
        node(1, edge(1, 0.1, 2)),
        node(2, edge(1, -1.0, proven=True), edge(2, -1.0, proven=True), alternatives=4),
    ):
        graph.add(one)
        graph.spread([one])
    won = graph.nodes[1].edges[0]
    assert 0.99 < won.value < 1 and not won.exact
    assert graph.nodes[2].priority == 1, "moves that are settled leave room for others at once"


def test_what_is_exact_is_not_expanded() -> None:
    graph = Graph(edge(0, 0.0, 1), alpha=1.0, width=2)
    for one in (node(1, edge(1, 0.1, 2), edge(2, 0.0, 3)), node(2, edge(1, 1.0, proven=True), alternatives=5)):
        graph.add(one)
        graph.spread([one])
    lost, left = graph.nodes[1].edges
    assert (lost.value, lost.exact, lost.priority) == (-1.0, True, NEVER), "a won reply needs no other"
    graph.add(node(3, edge(1, 0.0, proven=True), alternatives=2))
    graph.spread([graph.nodes[3]])
    assert not left.exact, "there is a move that may be better"
    graph.add_edge(graph.nodes[3], edge(2, -1.0, proven=True))
    graph.spread([graph.nodes[3]])
    assert left.exact and graph.root.exact and graph.root.priority == NEVER


def test_a_draw_by_repetition_is_no_fact_of_the_position() -> None:
    game: Any = catalogue.load("chess")
    state = game.initial_state()
    for word in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"]:
        state = game.next_state(state, text_to_action(game, state, word))
    positions = Positions(game)
    made = positions.edge(state, positions.places.of(state), text_to_action(game, state, "f6g8"), 0.3, 10, False)
    assert (made.value, made.exact, made.priority) == (0.0, False, NEVER)
