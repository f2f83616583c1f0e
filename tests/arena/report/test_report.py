"""Records, ratings from records, standings and the report."""

from __future__ import annotations

import math
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from playout.arena.report.listing import Listing
from playout.arena.report.page import Account, page
from playout.arena.report.picture import picture
from playout.arena.report.standings import standings
from playout.arena.terms.end import End
from playout.arena.terms.job import Move, Opening, Played

from ..made import chess_game, pair


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
