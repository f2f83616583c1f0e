"""Books and macros in play: which are asked, what is played, what the search is told, what is learned."""

from __future__ import annotations

import os
import queue
import sys
import time
import types
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from playout.books import formats
from playout.books.book import BookMove
from playout.engine.books import Books
from playout.engine.guidance import MACRO_POSITIONS, MOST_COUNT, Entry, Guide
from playout.engine.info import SearchInfo, SearchResult
from playout.engine.limits import Clock, Limits
from playout.engine.line import Line
from playout.engine.options import Options
from playout.engine.session import Session
from playout.games import registry
from playout.games.errors import BookError, IllegalMove
from playout.games.game import CHANCE, text_to_action
from playout.protocols.gtp import Gtp
from playout.protocols.uci import Uci

PATIENCE = 30.0
OPENED: list[str] = []


class Words:
    """A book in a file of lines ``MOVES: MOVE WEIGHT WINS DRAWS LOSSES``, without symmetries."""

    def __init__(self, path: Path, game: Any) -> None:
        self.name, self.learned = path.name, list[tuple[list[str], float]]()
        self._game, self._positions = game, dict[Any, list[BookMove]]()
        OPENED.append(path.name)
        if not path.exists():
            raise BookError(f"{path}: no such file")
        for number, row in enumerate(path.read_text().splitlines(), 1):
            before, _, rest = row.partition(":")
            state = game.initial_state()
            try:
                for word in before.split():
                    state = game.next_state(state, text_to_action(game, state, word))
                word, *numbers = rest.split()
                move = BookMove(text_to_action(game, state, word), float(numbers[0]), *map(int, numbers[1:]))
            except (IllegalMove, ValueError, IndexError) as error:
                raise BookError(f"{path}:{number}:1: {error}: {row!r}") from error
            self._positions.setdefault(state, []).append(move)

    def lookup(self, state: Any) -> Sequence[BookMove]:
        return self._positions.get(state, [])

    def learn(self, moves: Sequence[tuple[Any, Any]], result: float) -> None:
        self.learned.append(([self._game.action_to_text(state, action) for state, action in moves], result))

    def close(self) -> None:
        OPENED.append(f"closed {self.name}")


@pytest.fixture(autouse=True)
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers the format of ``Words`` under .words."""
    OPENED.clear()
    module = types.ModuleType("words")
    module.open_book = Words  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "words_of_test", module)
    info = formats.FormatInfo("words", (".words",), "words_of_test")
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, info))


class Desk:
    """A session with its reports."""

    def __init__(self, game: str, **options: Any) -> None:
        self.events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.session = Session(registry.load(game), post=self.events.put)
        for name, value in {"Hash": 16, "BookFile": "", **options}.items():
            self.session.set_option(name, str(value).lower() if isinstance(value, bool) else str(value))

    def think(self, moves: str = "", **limits: Any) -> SearchResult:
        self.session.set_position(None, moves.split())
        self.session.go(Limits(**(limits or {"nodes": 20})))
        return self.result()

    def result(self) -> SearchResult:
        while not isinstance(event := self.events.get(timeout=PATIENCE), SearchResult):
            assert isinstance(event, SearchInfo)
        assert self.session.wait(PATIENCE)
        return event


@pytest.fixture
def desk() -> Iterator[Any]:
    """Makes desks, and closes them."""
    made: list[Desk] = []

    def make(game: str = "tic_tac_toe", **options: Any) -> Desk:
        made.append(Desk(game, **options))
        return made[-1]

    yield make
    for one in made:
        one.session.close()


def book(folder: Path, name: str, *rows: str) -> str:
    """A book of ``rows`` in a file, whose path is returned."""
    file = folder / f"{name}.words"
    file.write_text("\n".join(rows))
    return str(file)


def entries(session: Session, *moves: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """The hints for the position after ``moves``, by line."""
    session.set_position(None, moves)
    line = Line.start(session.game)
    for word in moves:
        line = line.played(session.game, word)
    found: list[Entry] | None = Guide().refresh(
        session.game, line, session.books, session.options, apart=False, seconds=None
    )
    return {tuple(words): {hint.move: hint for hint in hints} for _, words, hints in found or ()}


def test_books_are_asked_in_order(desk: Any, tmp_path: Path) -> None:
    one = book(tmp_path, "one", ": b2 1")
    two = book(tmp_path, "two", ": a1 9", "b2: c3 2")
    d = desk(BookFile=f"{one}; {two}")
    assert d.think().book == "one.words: b2 weight 1"
    assert d.think("b2").book == "two.words: c3 weight 2"
    assert d.think("a1").reason == "nodes"
    d.session.set_option("BookFile", f"{two};{one}")
    assert d.think().move == "a1"
    d.session.set_option("BookFile", "")
    assert d.think().reason == "nodes"


def test_books_are_opened_when_the_option_or_the_game_changes_and_not_for_every_move(desk: Any, tmp_path: Path) -> None:
    one, two = (book(tmp_path, name, ": b2 1") for name in ("one", "two"))
    d = desk("hex:5", BookFile=one)
    for _ in range(3):
        d.think()
    d.session.new_game()
    d.session.set_option("Seed", "5")
    assert OPENED == ["one.words"]
    d.session.set_option("BookFile", f"{one};{two}")
    assert OPENED == ["one.words", "two.words"]
    d.session.set_option("BookFile", two)
    assert OPENED[2:] == ["closed one.words"]
    d.session.set_game(registry.load("hex:6"))
    assert OPENED[3:] == ["closed two.words", "two.words"]
    d.session.close()
    assert OPENED[-1] == "closed two.words"


def test_a_book_that_changed_on_disk_is_opened_again(desk: Any, tmp_path: Path) -> None:
    path = book(tmp_path, "one", ": b2 1")
    d = desk(BookFile=path)
    assert d.think().move == "b2"
    os.replace(book(tmp_path, "other", ": a1 1"), path)
    assert d.think().move == "a1"
    assert OPENED == ["one.words", "one.words", "closed one.words"]


@pytest.mark.parametrize("rows", [None, [": b2"], [": z9 1"], ["b2 b2: a1 1"]])
def test_a_book_that_cannot_be_used_costs_one_line_and_the_others_are_used(
    desk: Any, tmp_path: Path, rows: list[str] | None
) -> None:
    bad = str(tmp_path / "bad.words") if rows is None else book(tmp_path, "bad", *rows)
    good = book(tmp_path, "good", ": b2 1")
    d = desk(BookFile=f"{bad};{good}")
    result = d.think()
    assert result.move == "b2"
    (remark,) = result.remarks
    assert remark.startswith("BookFile is not used: ")
    assert bad in remark
    assert d.think().remarks == ()


def test_an_unknown_format_and_a_defect_are_one_line_too(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    d = desk(BookFile=str(tmp_path / "a.doc"))
    assert d.think().remarks[0].count("a.doc") == 1
    path = book(tmp_path, "one", ": b2 1")
    d.session.set_option("BookFile", path)
    assert d.session.remarks() == ()
    monkeypatch.setattr(Words, "lookup", lambda *_: 1 / 0)
    result = d.think()
    assert result.reason == "nodes"
    assert result.remarks == ("book one.words is not used: ZeroDivisionError: division by zero",)
    assert "Traceback" in caplog.text
    assert d.think().remarks == ()


def test_uci_tells_of_a_bad_book_at_once_and_names_the_book_of_a_move(tmp_path: Path) -> None:
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    session = Session(registry.load("tic_tac_toe"), post=events.put)
    try:
        uci = Uci(session)
        (line,) = uci.handle_line(f"setoption name BookFile value {tmp_path}/none.words", time.monotonic())
        assert line.startswith("info string BookFile is not used: ")
        path = book(tmp_path, "one", ": b2 1")
        assert list(uci.handle_line(f"setoption name BookFile value {path}", time.monotonic())) == []
        uci.handle_line("go nodes 10", time.monotonic())
        lines = list(uci.handle_event(events.get(timeout=PATIENCE)))
        assert lines[0] == "info string book: one.words: b2 weight 1"
        assert lines[-1] == "bestmove b2"
    finally:
        session.close()


def test_analysis_and_pondering_show_no_book_move(desk: Any, tmp_path: Path) -> None:
    d = desk(BookFile=book(tmp_path, "one", ": b2 1"))
    for limits in ({"infinite": True}, {"ponder": True}):
        d.session.set_position(None, [])
        d.session.go(Limits(**limits))
        d.session.stop()
        assert d.result().reason != "book"
    d.session.set_option("UCI_AnalyseMode", "true")
    assert d.think().reason != "book"
    d.session.set_option("UCI_AnalyseMode", "false")
    assert d.think(clock=Clock(10.0)).reason == "book"
    d.session.set_option("OwnBook", "false")
    assert d.think().reason != "book"


def test_the_depth_of_books_counts_plies_from_the_start(desk: Any, tmp_path: Path) -> None:
    d = desk(BookFile=book(tmp_path, "one", ": b2 1", "b2: a1 1", "b2 a1: c3 1"), BookDepth=2)
    assert [d.think(moves).reason for moves in ("", "b2", "b2 a1")] == ["book", "book", "nodes"]
    assert set(entries(d.session)) == {(), ("b2",)}
    d.session.set_option("BookDepth", "0")
    assert d.think("b2 a1").reason == "book"
    assert set(entries(d.session)) == {(), ("b2",), ("b2", "a1")}


def test_variety_draws_by_weight_or_evenly_and_repeats_with_the_seed(desk: Any, tmp_path: Path) -> None:
    path = book(tmp_path, "one", ": b2 6", ": a1 2", ": b1 0")

    def drawn(variety: str, seed: int) -> list[str]:
        d = desk(BookFile=path, BookVariety=variety, Seed=seed)
        return [d.think().move for _ in range(200)]

    assert set(drawn("best", 1)) == {"b2"}
    weighted, uniform = Counter(drawn("weighted", 1)), Counter(drawn("uniform", 1))
    assert set(weighted) == set(uniform) == {"b2", "a1"}
    assert 120 <= weighted["b2"] <= 180
    assert 75 <= uniform["b2"] <= 125
    assert drawn("weighted", 2) == drawn("weighted", 2) != drawn("weighted", 3)


def test_a_move_of_no_weight_is_not_played(desk: Any, tmp_path: Path) -> None:
    d = desk(BookFile=book(tmp_path, "one", ": b2 0"))
    assert d.think().reason == "nodes"


def test_hints_have_the_results_of_the_book_and_ban_what_only_lost(desk: Any, tmp_path: Path) -> None:
    rows = [": b2 3 6 3 1", ": a1 0 0 0 5", ": b1 0 1 0 5", "b2: a1 1", "b2 a1: c3 1 900 0 100"]
    d = desk(BookFile=book(tmp_path, "one", *rows))
    hints = entries(d.session)
    assert set(hints) == {(), ("b2",), ("b2", "a1")}
    assert set(hints[()]) == {"b2", "a1"}
    best, lost = hints[()]["b2"], hints[()]["a1"]
    assert (best.visits, best.value, best.banned) == (10, 0.5, False)
    assert (lost.weight, lost.banned) == (0, True)
    long = hints["b2", "a1"]["c3"]
    assert (long.visits, long.value) == (MOST_COUNT, 0.8)


def test_tables_are_asked_before_books_and_at_any_depth(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module: Any = types.ModuleType("syzygy")
    module.split_paths = lambda text: [Path(part) for part in text.split(os.pathsep)]

    def open_syzygy(paths: Sequence[Path], game: Any) -> Words:
        assert [path.name for path in paths] == ["one", "two"]
        return Words(tmp_path / "tables.words", game)

    module.open_syzygy = open_syzygy
    monkeypatch.setitem(sys.modules, "playout.books.syzygy", module)
    book(tmp_path, "tables", "e2e4: e7e5 1")
    d = desk("chess", BookFile=book(tmp_path, "one", "e2e4: c7c5 1", ": d2d4 1"), BookDepth=1)
    d.session.set_option("SyzygyPath", f"{tmp_path}/one;{tmp_path}/two")
    assert [d.think(moves).move for moves in ("", "e2e4")] == ["d2d4", "e7e5"]
    assert set(entries(d.session)) == {()}, "the search asks tables by itself"
    d.session.set_option("OwnBook", "false")
    assert [d.think(moves).reason for moves in ("", "e2e4")] == ["nodes", "book"]
    d.session.set_option("SyzygyPath", "")
    assert d.think("e2e4").reason == "nodes"


def test_a_searched_value_goes_before_results(desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = [
        BookMove(4, 1.0, losses=3, value=0.25),
        BookMove(0, 0.0, losses=3, value=-0.5),
        BookMove(1, 0.0, value=-1.0),
    ]
    d = desk(BookFile=book(tmp_path, "one"))
    monkeypatch.setattr(Words, "lookup", lambda _, state: known if state == d.session.game.initial_state() else [])
    hints = entries(d.session)[()]
    assert {(hint.move, hint.visits, hint.value, hint.banned) for hint in hints.values()} == {
        ("b2", MOST_COUNT, 0.25, False),
        ("b1", MOST_COUNT, -1.0, True),
    }


def test_the_search_seeds_and_bans_by_the_book(desk: Any, tmp_path: Path) -> None:
    rows = ["b2: b1 0 0 0 9", "b2: c2 0 0 0 9", "b2: a2 0 0 0 9", "b2: b3 0 0 0 9"]
    d = desk(BookFile=book(tmp_path, "one", *rows), Symmetries=False, Solver=False)
    assert d.think("b2", nodes=300).reason == "nodes"
    d.session.set_option("BookFile", "")
    free = {move.move: move.visits for move in d.think("b2", nodes=300).info.moves}
    d.session.new_game()
    d.session.set_option("BookFile", book(tmp_path, "two", *rows))
    banned = {move.move: move.visits for move in d.think("b2", nodes=300).info.moves}
    assert all(banned.get(edge, 0) <= 1 for edge in ("b1", "c2", "a2", "b3"))
    assert sum(free[edge] for edge in ("b1", "c2", "a2", "b3")) > 4


def test_a_search_with_books_and_macros_repeats(desk: Any, tmp_path: Path) -> None:
    path = book(tmp_path, "one", "b2: a1 1 5 1 1", "b2 a1: c3 1")

    def visits() -> list[tuple[str, int]]:
        d = desk(BookFile=path, Macros=True, Seed=4)
        return [(move.move, move.visits) for move in d.think("b2 b3", nodes=500).info.moves]

    assert visits() == visits()


def test_macros_guide_the_search_and_end_with_the_option(desk: Any) -> None:
    d = desk(Macros=True)
    hints = entries(d.session, "a1", "b2", "a2")
    assert hints["a1", "b2", "a2"]["a3"].weight == 100
    assert "a3" in hints["a1", "b2", "a2", "c3"]
    d.session.set_option("Macros", "false")
    assert entries(d.session, "a1", "b2", "a2") == {}


def test_a_macro_that_fails_costs_one_line(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.books.ladders.Ladder.move", lambda *_: 1 / 0)
    d = desk("go:5", Macros=True)
    result = d.think()
    assert (result.reason, result.remarks) == ("nodes", ("macros are not used: ZeroDivisionError: division by zero",))
    assert d.think("C3").remarks == ()


def test_only_moves_leave_no_other(desk: Any) -> None:
    d = desk("chess", Macros=True)
    d.session.set_position("8/8/8/4k3/8/8/8/KR6 w - - 0 1", [])
    plies = 0
    while d.session.game.returns(d.session.state) is None:
        d.session.go(Limits(nodes=5))
        d.session.play(d.result().move or "")
        plies += 1
    assert plies <= 31
    assert d.session.game.returns(d.session.state) == (1.0, -1.0)


def test_the_walk_is_bounded_and_its_lines_are_legal(desk: Any) -> None:
    for game, moves in (("hex:11", ["f6", "d4", "e8", "h3"]), ("go:9", ["E5", "D5"]), ("tic_tac_toe", ["b2"])):
        d = desk(game, Macros=True)
        hints = entries(d.session, *moves)
        assert len(hints) <= MACRO_POSITIONS + 1
        d.session.set_option("MaxNodes", "5")
        assert d.think(" ".join(moves)).remarks == ()


def test_dice_have_no_hints(desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game: Any = registry.load("backgammon")

    def lookup(_: Words, state: Any) -> Sequence[BookMove]:
        assert game.current_player(state) != CHANCE
        return [BookMove(game.legal_actions(state)[0], 1.0)]

    monkeypatch.setattr(Words, "lookup", lookup)
    d = desk("backgammon", BookFile=book(tmp_path, "one"))
    monkeypatch.setattr("playout.engine.guidance.MOST_POSITIONS", 400)
    hints = entries(d.session)
    assert len(hints) > 100
    for words in list(hints)[::20]:
        state = game.initial_state()
        for word in words:
            state = game.next_state(state, text_to_action(game, state, word))
        assert game.current_player(state) != CHANCE


def learned(d: Desk) -> list[tuple[list[str], float]]:
    """What the session's first book has learned."""
    return d.session.books._books[0].learned  # type: ignore[attr-defined, no-any-return]


def test_a_finished_game_flows_back_once(desk: Any, tmp_path: Path) -> None:
    d = desk(BookFile=book(tmp_path, "one", ": b2 1"), BookLearn=True)
    game = ["a1", "b1", "a2", "b2", "a3"]
    for word in game:
        d.session.play(word)
    d.session.set_position(None, game)
    assert learned(d) == [(game, 1.0)]
    d.session.new_game()
    d.session.set_position(None, game[:4])
    d.session.new_game()
    assert len(learned(d)) == 1, "nobody knows how that game ended"
    d.session.set_option("BookDepth", "2")
    d.session.set_position(None, game)
    assert learned(d)[1:] == [(game[:2], 1.0)]
    d.session.new_game()
    d.session.set_option("BookLearn", "false")
    d.session.set_position(None, game)
    assert len(learned(d)) == 2


def test_uci_learns_of_the_end_by_its_own_move(tmp_path: Path) -> None:
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    session = Session(registry.load("tic_tac_toe"), post=events.put)
    try:
        uci = Uci(session)
        for line in (
            f"setoption name BookFile value {book(tmp_path, 'one', ': b2 1')}",
            "setoption name BookLearn value true",
            "position startpos moves a1 b1 a2 b2",
            "go nodes 300",
        ):
            uci.handle_line(line, time.monotonic())
        while uci.busy:
            uci.handle_event(events.get(timeout=PATIENCE))
        assert session.books._books[0].learned == [(["a1", "b1", "a2", "b2", "a3"], 1.0)]  # type: ignore[attr-defined]
    finally:
        session.close()


def test_gtp_learns_of_a_resignation(tmp_path: Path) -> None:
    events: queue.SimpleQueue[Any] = queue.SimpleQueue()
    session = Session(registry.load("tic_tac_toe"), post=events.put)
    try:
        gtp = Gtp(session)
        path = book(tmp_path, "one", ": b2 1")
        for line in (
            f"playout-set_option BookFile {path}",
            "playout-set_option BookLearn true",
            "playout-set_option Resign 1",
            "playout-set_option MaxNodes 500",
            *("play b a1", "play w b1", "play b b2", "genmove w"),
        ):
            gtp.handle_line(line, time.monotonic())
        while gtp.busy:
            replies = gtp.handle_event(events.get(timeout=PATIENCE))
        assert "= resign" in replies
        assert session.books._books[0].learned == [(["a1", "b1", "b2"], 1.0)]  # type: ignore[attr-defined]
    finally:
        session.close()


def test_a_book_without_learning_learns_nothing_and_one_that_fails_says_so(
    desk: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Words, moves: Any, result: float) -> None:
        raise BookError("one.words: disk full")

    monkeypatch.setattr(Words, "learn", refuse)
    d = desk(BookFile=book(tmp_path, "one", ": b2 1"), BookLearn=True)
    d.session.set_position(None, ["a1", "b1", "a2", "b2", "a3"])
    assert d.session.remarks() == ("the game is not learned: one.words: disk full",)
    monkeypatch.delattr(Words, "learn")
    books = Books()
    books.prepare(d.session.game, Options("tic_tac_toe"))
    books.learn(Line.start(d.session.game).played(d.session.game, "a1"), 1.0, Options("tic_tac_toe"))
    assert books.remarks() == (
        "BookLearn: the game is not learned: BookFile names no store (NAME.book) of your own; "
        "playout book convert shipped mine.book --game tic_tac_toe makes one",
    )
    books.learn(Line.start(d.session.game).played(d.session.game, "a1"), 1.0, Options("tic_tac_toe"))
    assert books.remarks() == ()
