"""Records, ratings from records, standings and the report."""

from __future__ import annotations

import io
import math
from html.parser import HTMLParser
from pathlib import Path

import chess.pgn
import msgspec
import pytest

from playout.arena.play.referee import play
from playout.arena.report.page import Account, page
from playout.arena.report.recorded import Result, pairings, results_of
from playout.arena.report.records import RecordFile, comment
from playout.arena.report.standings import PairScore, standings
from playout.arena.terms.end import End
from playout.arena.terms.job import Move, Opening, Played
from playout.arena.terms.pace import Pace
from playout.books.past import lines
from playout.games import catalogue
from playout.games.errors import PlayoutError

from .players import ScriptedDriver, answer, job


def chess_game(**fields: object) -> Played:
    """A short game of chess."""
    wanted = job("chess", moves=["e2e4"], pace=Pace(time=10.0, increment=0.1), id="cup/1/1")
    drivers = ScriptedDriver([answer("g1f3", 1.5, 31), "resign"]), ScriptedDriver([answer("e7e5", 0.25, -20), "b8c6"])
    return msgspec.structs.replace(play(catalogue.load("chess"), wanted, 0, drivers), **fields)


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Move("e2e4", 0.12, centipawns=10, depth=12), "+0.10/12 0.12s"),
        (Move("e2e4", 12.345, centipawns=-250, depth=3), "-2.50/3 12.3s"),
        (Move("e2e4", 1.0, mate=5, depth=20), "+M5/20 1s"),
        (Move("e2e4", 1.0, mate=-2), "-M2/0 1s"),
        (Move("e2e4", 0.5), "0.5s"),
        (Move("31"), ""),
    ],
)
def test_comments_are_as_cutechess_writes_them(move: Move, text: str) -> None:
    assert comment(move) == text


def test_a_record_of_chess_has_clocks_and_evaluations(tmp_path: Path) -> None:
    file = RecordFile(tmp_path / "g.pgn", catalogue.load("chess"), "cup")
    file.rewrite([chess_game()])
    file.append(chess_game(end=End.TIME, detail="b8c6 late", at_fault=1))
    with (tmp_path / "g.pgn").open() as stream:
        one, two = chess.pgn.read_game(stream), chess.pgn.read_game(stream)
    assert one is not None and two is not None
    assert {
        name: one.headers[name] for name in ("Event", "Round", "White", "TimeControl", "Termination", "Result")
    } == {
        "Event": "cup",
        "Round": "1/1/0",
        "White": "one",
        "TimeControl": "10+0.1",
        "Termination": "normal",
        "Result": "0-1",
    }
    assert [node.comment for node in one.mainline()] == ["book", "-0.20/0 0.25s", "+0.31/0 1.5s", "resign"]
    assert two.headers["Termination"] == "time forfeit"
    assert [node.comment for node in two.mainline()][-1] == "time forfeit: b8c6 late"


@pytest.mark.parametrize(("name", "ending"), [("hex:3", ".sgf"), ("go:5", ".sgf"), ("tic_tac_toe", ".games")])
def test_other_games_have_their_own_records(name: str, ending: str, tmp_path: Path) -> None:
    game = catalogue.load(name)
    resigned = ScriptedDriver(lambda _: "resign"), ScriptedDriver(lambda _: "resign")
    file = RecordFile(tmp_path / f"g{ending}", game, "cup")
    file.rewrite([])
    file.append(play(game, job(name, moves=["a1"]), 0, resigned))
    text = (tmp_path / f"g{ending}").read_text()
    if ending == ".sgf":
        assert "PB[one]" in text and "PW[two]" in text and "RE[B+]" in text
    else:
        [past] = lines.read_games(tmp_path / "g.games", game)
        assert getattr(past, "result", None) == 1


def test_a_record_of_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match=r"g\.pgn"):
        RecordFile(tmp_path / "g.pgn", catalogue.load("hex:3"), "cup")


def pair(first: int, second: int, *results: float, games: int = 2) -> PairScore:
    return PairScore(first, second, results, len(results) == games, games)


def test_the_standings_count_games_and_pairs() -> None:
    table = standings(["a", "b"], [pair(0, 1, 1.0, 0.0), pair(1, 0, 1.0, 1.0), pair(0, 1, 1.0)])
    a, b = table.scores
    assert (a.wins, a.draws, a.losses, a.points, a.pairs) == (2, 1, 2, 2.5, [0.75, 0.0])
    assert (b.wins, b.draws, b.losses, b.points, b.pairs) == (2, 1, 2, 2.5, [0.25, 1.0])
    assert table.order == [0, 1]
    assert table.elo[0].value == -table.elo[1].value
    assert table.elo[0].value == pytest.approx(400 * math.log10(0.375 / 0.625))


def test_without_games_nothing_is_known() -> None:
    table = standings(["a", "b", "c"], [])
    assert [elo.value for elo in table.elo] == [0.0, 0.0, 0.0]
    assert all(math.isinf(elo.high) for elo in table.elo)


def test_more_than_two_are_rated_together() -> None:
    pairs = (
        [pair(0, 1, 1.0, 0.0)] * 6
        + [pair(1, 0, 1.0, 0.0)] * 2
        + [pair(1, 2, 1.0, 0.0)] * 6
        + [pair(2, 1, 1.0, 0.0)] * 2
    )
    table = standings(["a", "b", "c"], pairs)
    assert table.order[0] == 0
    assert sum(elo.value for elo in table.elo) == pytest.approx(0.0, abs=1e-6)
    assert table.elo[0].value > table.elo[1].value > table.elo[2].value


def test_single_games_need_no_pairs() -> None:
    table = standings(["a", "b"], [pair(0, 1, 1.0, games=1)] * 3 + [pair(1, 0, 1.0, games=1)])
    assert (table.scores[0].wins, table.scores[0].losses) == (3, 1)
    assert math.isfinite(table.elo[0].error)


class Reader(HTMLParser):
    """Checks that every element is closed, and collects what could load something."""

    VOID = frozenset({"meta", "line", "circle", "polyline"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.links += [str(value) for name, value in attributes if name in ("src", "href", "action")]
        self.ids += [str(value) for name, value in attributes if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_report_is_one_file_with_every_game() -> None:
    games = [chess_game(id=f"cup/1/{number}/0") for number in range(3)]
    games.append(chess_game(id="cup/2/1/0", end=End.CRASH, detail="<status 1>", at_fault=0, result=-1.0))
    table = standings(["one", "two"], [pair(0, 1, -1.0, 1.0)] * 2)
    text = "".join(page("A & B", [("cup", "chess", table, games)], [("void", "cup/3/1/0", "no power")], "finished"))
    reader = Reader()
    reader.feed(text)
    assert (reader.open, reader.links) == ([], [])
    assert reader.ids == [game.id for game in games]
    for said in ("A &amp; B", "&lt;status 1&gt;", "no power", "crash", "g1f3", "+0.31/0 1.5s"):
        assert said in text


def test_the_account_of_time_is_by_engine_and_move() -> None:
    account = Account(["two", "one"])
    account.add(chess_game())
    assert account.seconds == [[0.25], [1.5]]
    assert (account.games, account.ends, account.plies) == (1, {"resign": 1}, 4)


# Ratings from records.

PGN = """\
[White "a"]
[Black "b"]
[Result "{}"]

*

[White "b"]
[Black "a"]
[Result "{}"]

*

"""


def test_results_are_read_from_pgn_and_sgf(tmp_path: Path) -> None:
    (tmp_path / "g.pgn").write_text(PGN.format("1-0", "1/2-1/2") + PGN.format("*", "0-1"))
    assert list(results_of(tmp_path / "g.pgn")) == [
        Result(("a", "b"), 1.0),
        Result(("b", "a"), 0.5),
        Result(("b", "a"), 0.0),
    ]
    (tmp_path / "g.sgf").write_text("(;GM[1]PB[a]PW[b]RE[W+R])(;PB[a]PW[b]RE[?])(;PB[b]PW[a]RE[B+3.5])(;RE[0])")
    assert list(results_of(tmp_path / "g.sgf")) == [
        Result(("a", "b"), 0.0),
        Result(("b", "a"), 1.0),
        Result(("?", "?"), 0.5),
    ]


@pytest.mark.parametrize(("name", "said"), [("g.txt", ".pgn or .sgf expected"), ("none.pgn", "No such file")])
def test_a_file_without_results_is_told(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(PlayoutError, match=said):
        list(results_of(tmp_path / name))


def test_games_with_exchanged_colours_are_pairs() -> None:
    results = [
        Result(("a", "b"), 1.0),
        Result(("b", "a"), 0.5),
        Result(("a", "b"), 1.0),
        Result(("a", "b"), 0.0),
        Result(("a", "a"), 1.0),
    ]
    [whole, single] = pairings(results, pairs=True)
    assert (whole.pairs.counts, whole.games.games) == ((0, 0, 0, 1, 0), 0)
    assert (single.first, single.games.wins, single.games.losses, single.starts) == ("a", 1, 1, True)
    assert sum(one.games.games for one in pairings(results, pairs=False)) == 4


def test_a_game_in_the_report_can_be_long_and_without_a_start() -> None:
    played = chess_game(opening=Opening(start="8/8/8/8/8/2k5/8/K6Q w - - 0 1"), moves=())
    account = Account(["one", "two"])
    account.add(played)
    assert "8/8/8/8/8/2k5/8/K6Q" in io.StringIO("".join(account.lines)).read()
