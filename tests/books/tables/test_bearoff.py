"""The bear-off database: its file, its readers here and in the kernel, the plays that it finds, the search with it."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import pytest

from playout.books.formats import format_module, format_of
from playout.books.formats import open_book as open_any
from playout.books.tables.bearoff import Bearoff, open_book, rank
from playout.engine import _core
from playout.engine.exact.bearoff import write_bearoff
from playout.engine.options.config import SearchConfig, preset
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.backgammon import ROLLS, State
from playout.games.errors import BookError

from ...needs import module

MOST = 2
GAME: Any = catalogue.load("backgammon")
SINGLE: Any = catalogue.load("backgammon:gammons=false")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("books") / "small.bearoff"
    seen: list[float] = []
    write_bearoff(path, MOST, seen.append)
    assert seen == sorted(seen) and 0 <= seen[0] <= seen[-1] <= 1
    return path


@pytest.fixture(scope="module")
def tables(file: Path) -> Bearoff:
    return Bearoff(file)


def side(*home: int) -> tuple[int, ...]:
    """Checkers on points 1, 2, ...; the others are off."""
    return (15 - sum(home), *home, *[0] * (25 - len(home)))


def random_side(rng: random.Random, least: int, most: int) -> tuple[int, ...]:
    home = [0] * 6
    for _ in range(rng.randint(least, most)):
        home[rng.randrange(6)] += 1
    return side(*home)


@pytest.mark.long
def test_rolls_of_well_known_positions(tables: Bearoff) -> None:
    for home, mean in [((0, 0, 0, 0, 0, 1), 1.25), ((7, 5, 3), 6.9844), ((0, 0, 0, 0, 0, 15), 12.2663)]:
        chances = tables.rolls(side(*home))
        assert chances is not None
        assert sum(chances) == pytest.approx(1)
        assert sum(rolls * chance for rolls, chance in enumerate(chances)) == pytest.approx(mean, abs=4e-4)
    assert tables.rolls(side(0, 0, 0, 0, 0, 0, 1)) is None


def test_ranks_begin_with_the_empty_board_and_rise_with_the_rear_point() -> None:
    assert [rank(home, 2) for home in [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)]] == list(range(6))


@pytest.mark.long
@pytest.mark.parametrize("game", [GAME, SINGLE], ids=["gammons", "single"])
def test_the_kernel_reads_the_same(game: Any, tables: Bearoff) -> None:
    rng = random.Random(1)
    for least, most in [(1, 2)] * 12 + [(3, 14)] * 12 + [(15, 15)] * 12:
        sides = (random_side(rng, least, most), random_side(rng, least, 15))
        state = State(sides, rng.randrange(2), None)
        own, other = sides[state.player], sides[1 - state.player]
        kernel = _core.Position(
            "backgammon",
            {"gammons": str(game.gammons).lower()},
            game.state_to_text(state),
            [tables.path],
        )
        points = tables.points(own, other, game.gammons)
        assert kernel.evaluate() == pytest.approx(points / game.points_scale, abs=1e-6)
        wins = tables.wins(own, other)
        if wins is None:
            assert kernel.known() is None
        else:
            sign = 1 - 2 * state.player
            assert kernel.known() == pytest.approx(sign * (2 * wins - 1) / game.points_scale, abs=1e-6)


def test_exact_values_at_hand(tables: Bearoff) -> None:
    one, six, two_sixes = side(1), side(0, 0, 0, 0, 0, 1), side(0, 0, 0, 0, 0, 2)
    assert tables.wins(one, six) == 1
    assert tables.wins(six, one) == pytest.approx(27 / 36, abs=1e-6)
    assert tables.wins(two_sixes, one) == pytest.approx(4 / 36, abs=1e-6)
    assert tables.wins(six, six) == pytest.approx(27 / 36 + 9 / 36 * 9 / 36, abs=1e-6)
    assert tables.wins(side(3), one) is None
    full = side(3, 3, 3, 2, 2, 2)
    assert tables.points(one, full) == pytest.approx(2)
    assert tables.points(one, full, gammons=False) == pytest.approx(1)


def test_the_book_plays_what_a_search_of_all_plays_finds(file: Path, tables: Bearoff) -> None:
    book = open_any(file, GAME)
    rng = random.Random(2)
    for least, most in [(1, 2)] * 40 + [(3, 15)] * 10:
        high, low = divmod(rng.choice(ROLLS), 10)
        state = State((random_side(rng, least, most), random_side(rng, least, most)), rng.randrange(2), (high, low))

        def worth(action: int, state: Any = state) -> float:
            after = GAME.next_state(state, action)
            returns = GAME.returns(after)
            if returns is not None:
                return float(3 * returns[state.player])
            points = tables.points(after.checkers[1 - state.player], after.checkers[state.player])
            assert points is not None
            return -points

        moves = book.lookup(state)
        values = {action: worth(action) for action in GAME.legal_actions(state)}
        assert {move.action for move in moves} == {a for a, value in values.items() if value == max(values.values())}
        assert all(move.weight == 1 for move in moves)
    book.close()
    assert book.lookup(state) == ()


def test_it_knows_nothing_before_the_roll_or_with_a_checker_outside(file: Path) -> None:
    book = open_book(file, GAME)
    assert book.lookup(GAME.initial_state()) == ()
    assert book.lookup(State((side(1), side(1)), 0, None)) == ()
    assert book.lookup(State((side(1), side(0, 0, 0, 0, 0, 0, 1)), 0, (2, 1))) == ()
    assert len(book.lookup(State((side(1), side(2)), 0, (2, 1)))) == 1


def test_the_search_takes_exact_values_and_proves_the_best_play(file: Path, tables: Bearoff) -> None:
    state = State((side(0, 1, 0, 0, 1), side(0, 0, 0, 0, 2)), 0, (2, 1))
    for config in (SearchConfig(), preset("backgammon").search, SearchConfig(solver=False)):
        searcher = Searcher(GAME, config)
        searcher.set_tables([file])
        searcher.set_position(GAME.state_to_text(state), [])
        searcher.prepare()
        result = searcher.run(nodes=400, lines=3)
        best = {GAME.action_to_text(state, move.action) for move in open_book(file, GAME).lookup(state)}
        assert result.move in best
        assert (result.reason == "proven") == config.solver
        other = state.checkers[1]
        for info in result.info.moves:
            after = GAME.next_state(state, GAME.text_to_action(state, info.move))
            points = tables.points(other, after.checkers[0])
            assert points is not None
            assert info.value == pytest.approx(-points / 3, abs=1e-6)
            assert info.plies is None


def test_the_root_is_searched_though_the_tables_know_it(file: Path) -> None:
    """After a search that met it as a position with a known value, too."""
    searcher = Searcher(GAME, SearchConfig())
    searcher.set_tables([file])
    text = GAME.state_to_text(State((side(0, 0, 0, 0, 0, 2), side(0, 0, 0, 0, 2)), 0, (2, 1)))
    for moves in ([], ["6/3"], ["6/3", "41"]):
        searcher.set_position(text, moves)
        searcher.prepare()
        result = searcher.run(nodes=300)
        assert result.move is not None
        assert -1 / 3 <= result.info.value <= 1 / 3


def test_a_saved_graph_keeps_values_from_tables(file: Path, tmp_path: Path) -> None:
    text = GAME.state_to_text(State((side(0, 1, 0, 0, 1), side(0, 0, 0, 0, 2)), 0, (2, 1)))
    first = Searcher(GAME, SearchConfig())
    first.set_tables([file])
    first.set_position(text, [])
    first.prepare()
    found = first.run(nodes=400)
    first.save(tmp_path / "graph")
    second = Searcher(GAME, SearchConfig())
    second.load(tmp_path / "graph")
    second.set_position(text, [])
    second.prepare()
    again = second.run(nodes=50)
    assert (again.reason, again.move, again.info.value) == ("proven", found.move, found.info.value)
    second.set_position(text, [str(found.move)])
    second.prepare()
    assert second.run(nodes=50).reason == "nodes", "the root is searched"


def test_tables_are_put_away_and_looked_up_from_a_depth_on(file: Path) -> None:
    state = State((side(0, 1, 0, 0, 1), side(0, 0, 0, 0, 2)), 0, (2, 1))
    searcher = Searcher(GAME, SearchConfig())

    def reason() -> str:
        searcher.set_position(GAME.state_to_text(state), [])
        searcher.prepare()
        return searcher.run(nodes=20).reason

    searcher.set_tables([file])
    assert reason() == "proven"
    searcher.set_tables([file], depth=2)
    assert reason() == "nodes"
    searcher.set_tables([])
    assert reason() == "nodes"


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: b"", "not a bear-off database"),
        (lambda data: b"GIF89a" + data, "not a bear-off database"),
        (lambda data: data[:30], "cut short in its first 44 bytes"),
        (lambda data: data[:-1], "bytes instead of"),
        (lambda data: data + b"\0", "bytes instead of"),
        (lambda data: data[:16] + struct.pack("<I", 2) + data[20:], "of version 2, not 1"),
        (lambda data: data[:20] + struct.pack("<I", 7) + data[24:], "of 7 points"),
        (lambda data: flipped(data, 41), "damaged: the checksum is another"),
        (lambda data: flipped(data, len(data) - 1), "damaged: the checksum is another"),
        (lambda data: flipped(data, len(data) // 2), "damaged: the checksum is another"),
    ],
)
def test_a_wrong_file_is_one_line_for_both_readers(change: Any, words: str, file: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.bearoff"
    wrong.write_bytes(change(file.read_bytes()))
    searcher = Searcher(GAME)
    for read in (lambda: open_any(wrong, GAME), lambda: searcher.set_tables([wrong])):
        with pytest.raises(BookError) as raised:
            read()
        assert str(raised.value).startswith(f"{wrong}: ")
        assert words in str(raised.value)
        assert "\n" not in str(raised.value)


@pytest.mark.long
def test_other_games_other_files_and_wrong_sizes_are_refused(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BookError, match="for backgammon, not chess"):
        open_any(file, catalogue.load("chess"))
    for game in ("hex:5", "chess"):
        with pytest.raises(BookError):
            Searcher(catalogue.load(game)).set_tables([file])
    with pytest.raises(BookError, match="2 files instead of one"):
        Searcher(GAME).set_tables([file, file])
    with pytest.raises(BookError, match="nowhere"):
        open_any(tmp_path / "nowhere.bearoff", GAME)
    with pytest.raises(BookError, match="1 to 9"):
        write_bearoff(tmp_path / "x.bearoff", 10)
    monkeypatch.setattr(_core, "solve_bearoff", lambda *_: pytest.fail("it is solved before the folder is looked for"))
    with pytest.raises(BookError, match="nowhere"):
        write_bearoff(tmp_path / "nowhere" / "x.bearoff", 1)
    module = format_module(format_of(file))
    with pytest.raises(BookError, match="no list of moves"):
        module.entries(file, GAME)
    with pytest.raises(BookError, match="no list of moves"):
        module.write_book(file, GAME, [])
    assert list(tmp_path.iterdir()) == []


def test_solving_stops_when_its_caller_raises(tmp_path: Path) -> None:
    def stop(done: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_bearoff(tmp_path / "x.bearoff", 6, stop)
    assert list(tmp_path.iterdir()) == []


def test_rolls_and_wins_are_gnubg_s(tables: Bearoff) -> None:
    """GNU Backgammon rounds to 16 bits at every position, and may choose differently among plays of equal mean."""
    gnubg_nn: Any = module("gnubg_nn")
    rng = random.Random(4)
    for _ in range(300):
        own, other = random_side(rng, 1, 15), random_side(rng, 1, 2)
        theirs, ours = gnubg_nn.bearoff_probabilities(own[1:7]), tables.rolls(own)
        assert ours is not None
        length = max(len(theirs) + 1, len(ours))
        padded = ((0.0, *theirs, *[0.0] * length)[:length], (*ours, *[0.0] * length)[:length])
        assert padded[1] == pytest.approx(padded[0], abs=5e-4)
        few = random_side(rng, 1, 2)
        wins, *_ = gnubg_nn.probabilities([list(other[1:]), list(few[1:])], 0)
        assert tables.wins(few, other) == pytest.approx(wins, abs=1e-4)
