"""Records, ratings from records, standings and the report."""

from __future__ import annotations

import math
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import chess.pgn
import msgspec
import pytest
from rich.console import Console

from playout.arena.file.plan import plans_of
from playout.arena.file.reader import parse
from playout.arena.forms.form import Places
from playout.arena.play.referee import play
from playout.arena.report.listing import Listing
from playout.arena.report.page import Account, page
from playout.arena.report.picture import picture
from playout.arena.report.recorded import Result, pairings, results_of
from playout.arena.report.records import RecordFile, comment
from playout.arena.report.standings import PairScore, standings
from playout.arena.terms.end import End
from playout.arena.terms.job import Move, Opening, Played
from playout.arena.terms.pace import Pace
from playout.books.past import lines
from playout.cli.arena.table import standings_table, summary
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
        (Move("e2e4", 999.7), "1000s"),
        (Move("e2e4", 1234.5), "1234s"),
        (Move("e2e4", 120.0), "120s"),
        (Move("e2e4", 0.0001), "0.0001s"),
        (Move("e2e4", 0.00002), "0.00002s"),
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


NAMES = ("one \\", 'a "b" \\" c\nd')


def test_any_name_can_stand_in_a_record_of_chess(tmp_path: Path) -> None:
    file = RecordFile(tmp_path / "g.pgn", catalogue.load("chess"), 'the "cup\\')
    file.rewrite([chess_game(names=NAMES), chess_game(names=NAMES[::-1], id="cup/1/1/1")])
    text = (tmp_path / "g.pgn").read_text()
    for line in (r'[White "one \\"]', r'[Black "a \"b\" \\\" c d"]', r'[Event "the \"cup\\"]'):
        assert line in text.splitlines()
    names = NAMES[0], NAMES[1].replace("\n", " ")
    assert [result.names for result in results_of(tmp_path / "g.pgn")] == [names, names[::-1]]


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


def test_points_are_those_of_whole_pairs() -> None:
    pairs = [pair(0, 1, 1 / 3, -1.0), pair(1, 0, 1.0, -1 / 3), pair(0, 1, 1.0)]
    one, two = standings(["a", "b"], pairs, 3).scores
    assert one.margins == pytest.approx([-1 / 3, -1 / 3])
    assert two.margins == pytest.approx([1 / 3, 1 / 3])
    gain = two.gained(3)
    assert gain is not None
    assert (gain.value, gain.error) == (pytest.approx(1.0), pytest.approx(0.0))
    one, _ = standings(["a", "b"], [pair(0, 1, 1.0, 1.0), pair(0, 1, 1 / 3, -1 / 3)], 3).scores
    gain = one.gained(3)
    assert gain is not None
    assert (gain.value, gain.error) == (pytest.approx(1.5), pytest.approx(1.959964 * 1.5))
    assert standings(["a", "b"], [], 3).scores[0].gained(3) is None


@pytest.mark.parametrize(("points", "said"), [(1, False), (3, True)])
def test_points_stand_where_games_are_won_by_points(points: int, said: bool) -> None:
    table = standings(["a", "b"], [pair(0, 1, 1 / 3, -1.0)], points)
    text = "".join(page("cup", [("bg", "backgammon", table, [])], [], "under way"))
    assert ("points a game" in text) is said
    assert ("-1.000" in text) is said
    console = Console(width=200)
    with console.capture() as shown:
        console.print(standings_table("bg", table))
    assert ("points a game" in shown.get()) is said
    assert ("-1.000" in shown.get()) is said


def test_the_table_of_a_knock_out_names_the_winner_first() -> None:
    """Three played: the final was level, and the better seed won it with a smaller share of the points."""
    pairs = [pair(1, 2, 1.0, 1.0), pair(0, 1, 1.0, -1.0)]
    assert standings(["one", "two", "three"], pairs).order[0] == 1
    table = standings(["one", "two", "three"], pairs, places=Places([-2.0, -1.0, 0.0], [0.0] * 3, 0))
    assert (table.order, table.winner) == ([0, 1, 2], "one")
    text = "engines: {one: {}, two: {}, three: {}}\nform: knockout\ngame: tic_tac_toe\n"
    [plan] = plans_of(parse(text, "cup.yaml"), Path())
    assert summary(plan, table) == ["winner: one"]
    assert "<p>Winner: one</p>" in "".join(page("cup", [("ko", "chess", table, [])], [], "finished"))


def test_the_points_of_a_rest_stand_in_the_table() -> None:
    table = standings(["a", "b", "c"], [pair(0, 1, 1.0, 0.0)], places=Places([-1.5, -0.5, -2.0], [0.0, 0.0, 2.0]))
    assert (table.order, table.winner) == ([2, 0, 1], None)
    assert [table.total(player) for player in range(3)] == [1.5, 0.5, 2.0]
    console = Console(width=200)
    with console.capture() as shown:
        console.print(standings_table("swiss", table))
    assert [line.split()[:4] for line in shown.get().splitlines()[2:]] == [
        ["1", "c", "0", "2"],
        ["2", "a", "2", "1.5"],
        ["3", "b", "2", "0.5"],
    ]


def test_single_games_need_no_pairs() -> None:
    table = standings(["a", "b"], [pair(0, 1, 1.0, games=1)] * 3 + [pair(1, 0, 1.0, games=1)])
    assert (table.scores[0].wins, table.scores[0].losses) == (3, 1)
    assert math.isfinite(table.elo[0].error)


class Reader(HTMLParser):
    """Checks that every element is closed, and collects what could load something."""

    VOID = frozenset({"meta", "line", "circle", "polyline", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        loaded = [str(value) for name, value in attributes if name in ("src", "href", "action")]
        self.links += [link for link in loaded if not link.startswith("data:image/svg+xml,")]
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
    assert reader.open == []
    meeting = "cup//0-1"
    assert reader.ids == [meeting, *(game.id for game in games)]
    assert reader.links == [*[f"#{meeting}"] * 2, *(f"#{game.id}" for game in games)]
    assert text.count("<details ") == 4
    for said in ("A &amp; B", "&lt;status 1&gt;", "no power", "crash", "g1f3", "+0.31/0 1.5s"):
        assert said in text


@pytest.mark.parametrize(("form", "head"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_picture_has_every_event(form: str, head: bytes) -> None:
    pytest.importorskip("matplotlib")
    table = standings(["one", "two"], [pair(0, 1, -1.0, 1.0)] * 2)
    three = standings(["a", "b", "c"], [])
    games = [chess_game(id=f"cup/1/{number}/0") for number in range(3)]
    data = picture("Cup", [("rapid", "chess", table, games), ("empty", "hex:5", three, [])], "under way", form)
    assert data.startswith(head)
    if form == "svg":
        for said in (b"rapid: chess", b"empty: hex:5", b"Cup: under way", b"resign 3", b"2/4", b"1. a"):
            assert said in data


def test_the_account_of_time_is_by_engine_and_move() -> None:
    account = Account(["two", "one"])
    account.add(chess_game())
    assert [[list(move) for move in moves] for moves in account.seconds] == [[[0.25]], [[1.5]]]
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


def counts(file: Path) -> list[tuple[int, ...]]:
    """The counts of pairs in a file, and of single games."""
    found = pairings(results_of(file, moves=True), pairs=True)
    return [tuple(one.pairs.counts) for one in found if one.pairs.number] + [
        (one.games.wins, one.games.draws, one.games.losses) for one in found if one.games.games
    ]


GAMES = [("a", "b", "1-0"), ("a", "b", "0-1"), ("b", "a", "1-0"), ("b", "a", "0-1")]
"""Two pairs of two desks: a wins both games of the one to which the first and the last game belong, b those of the
other."""
QUEEN, ROOK = "8/8/8/8/8/2k5/8/K6Q w - - 0 1", "8/8/8/8/8/2k5/8/K6R w - - 0 1"


@pytest.mark.parametrize(
    ("tag", "values", "moves"),
    [
        ("Round", ["1/1/0", "1/2/0", "1/2/1", "1/1/1"], ["1. e4 e5"] * 4),
        ("FEN", [QUEEN, ROOK, ROOK, QUEEN], [""] * 4),
        ("Round", ["1", "2", "3", "4"], ["e4 {book} (d4 d5) e5 Nf3", "e4 e5 d4 exd4", "e4 e5 d4 d6", "e4 e5 Nf3"]),
    ],
    ids=["rounds", "positions", "moves"],
)  # fmt: skip
def test_games_of_several_desks_are_paired_by_their_openings(
    tag: str, values: list[str], moves: list[str], tmp_path: Path
) -> None:
    texts = [
        f'[White "{one}"]\n[Black "{two}"]\n[Result "{result}"]\n[{tag} "{value}"]\n\n{line} {result}\n\n'
        for (one, two, result), value, line in zip(GAMES, values, moves, strict=True)
    ]
    (tmp_path / "g.pgn").write_text("".join(texts))
    assert counts(tmp_path / "g.pgn") == [(1, 0, 0, 0, 1)]


def test_a_game_whose_record_names_a_pair_is_none_of_another(tmp_path: Path) -> None:
    """Rounds of one event are none of another's."""
    results = [
        Result(("a", "b"), 1.0, "cup/1/1"),
        Result(("b", "a"), 0.0, "cup/1/2"),
        Result(("b", "a"), 1.0, "cup 2/1/1"),
        Result(("a", "b"), 1.0),
    ]
    assert all(one.pairs.number == 0 for one in pairings(results, pairs=True))


def test_the_records_of_two_desks_keep_their_pairs(tmp_path: Path) -> None:
    """In SGF too."""
    game = catalogue.load("hex:3")
    file = RecordFile(tmp_path / "g.sgf", game, "cup")
    file.rewrite([])
    for pair_, number in ((1, 0), (2, 0), (2, 1), (1, 1)):
        one, two = ScriptedDriver(["a2"]), ScriptedDriver(["resign"])
        drivers = (one, two) if pair_ == 1 else (two, one)
        file.append(play(game, job("hex:3", id=f"cup/1/{pair_}"), number, drivers))
    assert counts(tmp_path / "g.sgf") == [(1, 0, 0, 0, 1)]


def listed(*games: Played, names: tuple[str, ...] = ("one", "two")) -> str:
    """The list of games on a page."""
    listing = Listing("cup", names)
    for played in games:
        listing.add(played)
    return "".join(listing.parts())


def test_a_game_in_the_report_can_be_long_and_without_a_start() -> None:
    played = chess_game(opening=Opening(start="8/8/8/8/8/2k5/8/K6Q w - - 0 1"), moves=())
    assert "8/8/8/8/8/2k5/8/K6Q" in listed(played)


def test_games_are_listed_by_the_players_who_met() -> None:
    games = [
        chess_game(id=f"cup/{number}/1/0", names=names, result=result)
        for number, (names, result) in enumerate(
            [(("one", "two"), 1.0), (("three", "one"), None), (("two", "one"), -1.0), (("three", "two"), 0.3)]
        )
    ]
    table = standings(["one", "two", "three"], [pair(0, 1, 1.0, 1.0), pair(0, 2, -1.0), pair(1, 2, 0.0)])
    text = "".join(page("c", [("cup", "chess", table, games)], [], "under way"))
    reader = Reader()
    reader.feed(text)
    met = ["cup//0-1", "cup//0-2", "cup//1-2"]
    numbers = [0, 2, 1, 3]
    assert [name for name in reader.ids if name in met] == met
    assert [name for name in reader.ids if name not in met] == [f"cup/{number}/1/0" for number in numbers]
    assert sorted(reader.links) == sorted([f"#{name}" for name in (*met, *met)] + [f"#{game.id}" for game in games])
    for result in "1-0", "*", "0-1", "+0.3":
        assert f">{result}</a>" in text


def test_a_link_leads_to_any_name() -> None:
    text = listed(chess_game(id='a "b" & <c>/1/1/0', names=("<i>", '"')), names=("<i>", '"'))
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    assert [unquote(name) for name in reader.links] == [f"#{reader.ids[-1]}"] == ['#a "b" & <c>/1/1/0']
    assert "<i>" not in text


def test_values_that_cannot_be_do_not_break_the_report() -> None:
    """As a store of an earlier version, or of another program, may have them."""
    good = chess_game()
    moves = (
        Move("e2e4"),
        Move("e7e5", 1.0, centipawns=10**400, player=1),
        Move("g1f3", math.inf, 1, player=0),
        Move("b8c6", math.nan, 1, player=1, left=-1.0),
        Move("b1c3", -1.0, 1, player=0),
        Move("g8f6", 1.0, 1, player=2),
        Move("a2a3", 1e300, 1, player=-3),
        Move("<b>", 1e300, mate=0, player=1),
    )
    odd = [
        chess_game(id="cup/1/2/0", moves=moves, at_fault=2, end=End.CRASH, result=math.nan),
        chess_game(id="cup/1/2/1", names=("one", "nobody")),
        chess_game(id="cup/1/3/1", at_fault=-1, result=None, end=End.VOID),
    ]
    table = standings(["one", "two"], [pair(0, 1, -1.0, 1.0)])
    text = "".join(page("c", [("cup", "chess", table, [good, *odd])], [], "finished"))
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    assert "<b>" not in text
    assert all(game.id in reader.ids for game in odd)
    account = Account(["one", "two"])
    account.add(odd[0])
    assert [[list(times) for times in player] for player in account.seconds] == [[], [[1.0]]]


def test_a_page_of_a_thousand_games_is_small() -> None:
    """The first games have their evaluations, the last ones their moves."""
    moves = tuple(Move("g1f3", 0.123, 31, depth=20, player=ply % 2) for ply in range(160))
    games = [chess_game(id=f"cup/{number}/1/0", moves=moves) for number in range(1000)]
    text = listed(*games)
    assert len(text.encode()) < 2_000_000
    assert text.count("<details") == 1000
    assert 50 < text.count("+0.31/20 0.123s") / 160 < 200
    text = listed(*games, *games)
    assert len(text.encode()) < 2_000_000
    assert 1000 < text.count("<details") < 2000
