"""Tables of the page, without sockets: games with the engine, walks, analyses, and what cannot be done."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from playout.engine.terms.rights import Rights
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.web.hall import Hall
from playout.web.messages import (
    Analyse,
    Answer,
    Go,
    Grown,
    Hint,
    Info,
    Judged,
    Load,
    New,
    Note,
    Play,
    Resign,
    Review,
    Said,
    Save,
    Sides,
    Tree,
    Undo,
    View,
    Written,
)
from playout.web.table import Table

from ..patience import PATIENCE

QUICK = 0.05
"""Seconds of the engine for a move."""
NIM = Path(__file__).parents[1] / "api" / "nim.py"
A = TypeVar("A", bound=Answer)


class Page:
    """A page at a table."""

    def __init__(self, game: str) -> None:
        self.heard: list[Answer] = []
        self.table = Table(game, Rights(files=False), random.Random(1))
        self.news = asyncio.Event()

    def hear(self, answer: Answer) -> None:
        self.heard.append(answer)
        self.news.set()

    async def take(self, said: Said) -> None:
        """Says something; only what comes of it is heard from then on."""
        self.heard.clear()
        await self.table.take(said)

    @property
    def view(self) -> View:
        """The last one."""
        return next(answer for answer in reversed(self.heard) if isinstance(answer, View))

    async def until(self, kind: type[A], wanted: Callable[[A], bool] = lambda _: True) -> A:
        """Waits for an answer that has not been looked at yet."""
        async with asyncio.timeout(PATIENCE):
            while True:
                while self.heard:
                    answer = self.heard.pop(0)
                    if isinstance(answer, kind) and wanted(answer):
                        self.heard.insert(0, answer)
                        return answer
                self.news.clear()
                await self.news.wait()

    async def to_move(self) -> View:
        """Waits until the user may move, or the game is over."""
        return await self.until(View, lambda view: bool(view.legal or view.result))


def at(game: str, play: Callable[[Page], Awaitable[None]]) -> None:
    """Runs a test at a table."""

    async def run() -> None:
        page = Page(game)
        await page.table.join(page.hear)
        try:
            await play(page)
        finally:
            await page.table.close()

    asyncio.run(run())


@pytest.mark.parametrize("name", [*catalogue.names(), f"{NIM}:Nim"])
def test_the_engine_answers_in_every_game(name: str) -> None:
    async def play(page: Page) -> None:
        await page.take(New(game=name, seconds=QUICK, side="first"))
        view = await page.to_move()
        assert view.player == 0
        await page.take(Play(move=view.legal[0].text))
        view = await page.to_move()
        assert view.result or view.player == 0
        assert "<svg" in view.svg
        assert len(view.line) >= 2

    at("tic_tac_toe", play)


def test_a_game_to_its_end_and_back() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="tic_tac_toe", seconds=QUICK, side="second"))
        while not (view := await page.to_move()).result:
            await page.take(Play(move=view.legal[0].text))
        assert view.legal == []
        assert view.result in ("Black wins", "Draw")
        with pytest.raises(PlayoutError, match="the game is over"):
            await page.take(Play(move="a1"))
        await page.take(Undo())
        again = await page.to_move()
        assert again.player == 1
        assert again.line == view.line[: len(again.line)]

    at("tic_tac_toe", play)


def test_neither_side_is_the_users() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="tic_tac_toe", seconds=QUICK, side="none"))
        assert (await page.until(View, lambda view: bool(view.result))).result == "Draw"

    at("tic_tac_toe", play)


def test_walks_and_a_move_that_drops_the_rest() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="chess", side="both", moves=["e2e4", "e7e5", "g1f3"]))
        assert page.view.last == ["g1", "f3"]
        await page.take(Go(ply=1))
        assert (page.view.ply, page.view.line, page.view.last) == (1, ["e2e4", "e7e5", "g1f3"], ["e2", "e4"])
        await page.take(Go(ply=99))
        assert page.view.ply == 3
        await page.take(Go(ply=1))
        await page.take(Play(move="c5"))
        assert (page.view.ply, page.view.line) == (2, ["e2e4", "c7c5"])

    at("chess", play)


def test_an_analysis_follows_the_position() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="connect_four", side="first"))
        await page.take(Analyse(on=True))
        first = await page.until(Info, lambda info: info.ply == 0)
        assert first.lines[0].clicks == [first.lines[0].move]
        assert sum(line.share for line in first.lines) == pytest.approx(1, abs=0.05)
        await page.take(Play(move="d"))
        await page.take(Play(move="d"))
        assert (page.view.thinking, page.view.player) == (False, 0)
        await page.until(Info, lambda info: info.ply == 2)
        await page.take(Analyse(on=False))
        await page.take(Go(ply=1))
        assert all(isinstance(answer, View) for answer in page.heard)

    at("connect_four", play)


def test_values_are_those_of_the_first_player() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="tic_tac_toe", start="xx1/oo1/3 o", side="both"))
        await page.take(Analyse(on=True))
        info = await page.until(Info, lambda info: info.lines[0].proven)
        assert (info.lines[0].move, info.lines[0].value) == ("c2", -1.0)
        assert info.lines[0].wdl == (0.0, 0.0, 1.0)

    at("tic_tac_toe", play)


def test_a_hint_is_not_played() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="tic_tac_toe", start="xx1/oo1/3 x", side="first", seconds=QUICK))
        await page.take(Hint())
        assert (await page.until(Info)).hint == "c3"
        assert page.table._line == ()

    at("tic_tac_toe", play)


def test_a_user_may_resign_and_take_it_back() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="chess", side="first"))
        await page.take(Resign())
        assert (page.view.result, page.view.legal) == ("White resigns; Black wins", [])
        await page.take(Undo())
        assert page.view.result == ""
        assert len(page.view.legal) == 20

    at("chess", play)


def test_dice_are_rolled_here_and_chosen_in_an_analysis() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="backgammon", side="both"))
        view = await page.to_move()
        assert len(view.line) == 1
        assert view.line[0].isdigit()
        await page.take(Analyse(on=True))
        await page.take(Go(ply=0))
        assert page.view.player == -1
        await page.take(Play(move="31"))
        assert page.view.line == ["31"]
        await page.until(Info)

    at("backgammon", play)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (Play(move="e2e5"), "illegal move: 'e2e5'"),
        (Undo(), "nothing has been played"),
        (New(game="ches"), "no game 'ches'"),
        (New(game="chess", start="nonsense"), "nonsense"),
        (New(game="chess", moves=["e2e5"]), "e2e5"),
        (New(game="go:99"), "99"),
    ],
)
def test_what_cannot_be_done_changes_nothing(said: Any, why: str) -> None:
    async def play(page: Page) -> None:
        await page.take(Sides(side="both"))
        before = page.view
        with pytest.raises(PlayoutError, match=why) as caught:
            await page.table.take(said)
        assert "\n" not in str(caught.value)
        await page.take(Sides())
        assert page.view == before

    at("chess", play)


def test_it_is_not_the_users_move() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="chess", side="second", seconds=60))
        assert page.view.thinking
        with pytest.raises(PlayoutError, match="it is the engine's move"):
            await page.take(Play(move="e2e4"))
        await page.take(Sides(seconds=QUICK))
        view = await page.to_move()
        assert (view.player, len(view.line)) == (1, 1)

    at("chess", play)


def test_a_user_without_rights_reads_no_files(tmp_path: Path) -> None:
    async def play(page: Page) -> None:
        with pytest.raises(PlayoutError):
            page.table._engine.set_option("BookFile", str(tmp_path / "x.book"))

    at("chess", play)


FAILING = """
class Failing:
    def initial_state(self):
        return 0

    def current_player(self, state):
        return state % 2

    def legal_actions(self, state):
        return [0, 1]

    def next_state(self, state, action):
        if state:
            raise RuntimeError("a mistake")
        return 1

    def returns(self, state):
        return None
"""


def test_a_game_that_fails_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING)

    async def play(page: Page) -> None:
        await page.take(New(game=f"{tmp_path / 'failing.py'}:Failing", side="first", moves=["0"]))
        assert "a mistake" in (await page.until(Note)).text

    at("tic_tac_toe", play)


def test_a_hall_has_room_for_so_many_and_forgets_those_that_were_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.web.hall.TABLES", 2)
    now = [0.0]

    async def run() -> None:
        hall = Hall("tic_tac_toe", Rights(), lambda: now[0])
        heard: list[Answer] = []
        first, table = await hall.sit("", heard.append)
        second, _ = await hall.sit("unknown", heard.append)
        assert first != second
        with pytest.raises(PlayoutError, match="all 2 tables are taken"):
            await hall.sit("", heard.append)
        assert await hall.sit(first, print) == (first, table)
        await hall.leave(first, print)
        await hall.leave(first, heard.append)
        assert (await hall.sit(first, heard.append))[1] is table
        await hall.leave(first, heard.append)
        third, _ = await hall.sit("", heard.append)
        assert third not in (first, second)
        assert (await hall.sit(second, print))[0] == second
        await hall.close()

    asyncio.run(run())


@pytest.mark.parametrize("game", ["/etc/passwd", "x.py:Mine", "nothing"])
def test_a_user_may_not_name_files(game: str) -> None:
    async def run() -> None:
        hall = Hall(f"{NIM}:Nim", Rights())
        _, table = await hall.sit("", lambda _: None)
        for said in (New(game=game), Load(text=f"playout games of {game}\n*\t\t1\n")):  # neither is loaded
            with pytest.raises(PlayoutError, match="no game") as caught:
                await table.take(said)
            assert "\n" not in str(caught.value)
        for offered in (f"{NIM}:Nim", "go:13,komi=0.5"):
            await table.take(New(game=offered))
        await hall.close()

    asyncio.run(run())


PGN = '[White "A"]\n[Result "1-0"]\n\n1. e4 e5 {a comment} 2. Nf3 (2. f4) 1-0\n'


@pytest.mark.parametrize(
    ("text", "game", "start", "moves"),
    [
        (PGN, "chess", None, ["e2e4", "e7e5", "g1f3"]),
        ("1. d4 d5 *", "chess", None, ["d2d4", "d7d5"]),
        ("(;GM[1]SZ[9];B[ee];W[gg](;B[cc])(;B[dd]))", "go:9", None, ["E5", "G3", "C7"]),
        ("(;GM[11]SZ[5];B[a1];W[b2])", "hex:5", None, ["a1", "b2"]),
        ("playout games of connect_four\n*\t\td\tc\n", "connect_four", None, ["d", "c"]),
        (" 8/P6k/8/8/8/8/8/K7 w - -\n0 1 ", "chess", "8/P6k/8/8/8/8/8/K7 w - - 0 1", []),
    ],
    ids=["pgn", "moves", "sgf", "hex", "lines", "fen"],
)
def test_what_is_pasted_is_taken_up_and_written_again(
    text: str, game: str, start: str | None, moves: list[str]
) -> None:
    async def play(page: Page) -> None:
        await page.take(Load(text=text))
        view = page.view
        assert (view.game, view.start, view.line) == (game, start, moves)
        await page.take(Save())
        written = await page.until(Written)
        assert written.name.endswith((".pgn", ".sgf", ".games"))
        await page.take(Load(text=written.text))
        assert (page.view.start, page.view.line) == (start, moves)

    at("chess", play)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1. e4 e4 *", "e4"),
        ("(;GM[1]SZ[9];B[ee];W[ee])", "E5"),
        ("(;GM[5])", "no record of Go"),
        ("(" * 5000, "not a chess position"),
        ("(;" * 5000, "record"),
        ("<script>", "not a chess position"),
    ],
)
def test_what_cannot_be_read_is_one_line(text: str, why: str) -> None:
    async def play(page: Page) -> None:
        with pytest.raises(PlayoutError, match=why) as caught:
            await page.table.take(Load(text=text))
        assert "\n" not in str(caught.value)
        assert "/tmp" not in str(caught.value)
        assert page.view.game == "chess"

    at("chess", play)


def test_a_review_finds_the_mistake() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="tic_tac_toe", side="both", moves=["a1", "a2", "b1", "b2", "c1"]))
        await page.take(Review())
        judged = {}
        while len(judged) < 6:
            one = await page.until(Judged)
            page.heard.pop(0)
            judged[one.ply] = one
        assert (judged[0].value, judged[4].value, judged[5].value) == (pytest.approx(0, abs=0.3), 1.0, 1.0)
        assert judged[3].best == "c1"
        assert page.table._movers == [0, 1, 0, 1, 0]

    at("tic_tac_toe", play)


def test_ownership_is_that_of_places() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="go:5", side="both", moves=["C3", "A1", "C2", "pass", "C4", "pass"]))
        places = set(page.view.places)
        await page.take(Analyse(on=True, ownership=True))
        info = await page.until(Info, lambda info: info.simulations > 100)
        assert set(info.ownership) == places
        assert info.ownership["C3"] > 0.5
        assert info.lines[0].way[0] == info.lines[0].clicks

    at("go:5", play)


def test_handicap_books_and_level() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="go:9", side="both", handicap=2, books=False, level=3))
        view = page.view
        assert (view.player, view.books, view.level) == (1, False, 3)
        assert view.text.count("X") == 2
        assert page.table._engine.options["own_book"] is False
        assert page.table._engine.options["level"] == 3
        for wrong in (New(game="chess", handicap=2), New(game="go:9", handicap=2, start=view.text)):
            with pytest.raises(PlayoutError, match="handicap"):
                await page.table.take(wrong)

    at("go:9", play)


def test_the_tree_is_what_searches_know() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="connect_four", side="both", books=False))
        await page.take(Tree())
        assert (await page.until(Grown)).root.children == []
        await page.take(Analyse(on=True))
        await page.until(Info, lambda info: info.simulations > 300)
        await page.take(Tree())
        grown = await page.until(Grown)
        first = grown.root.children[0]
        assert grown.root.visits > first.visits > first.children[0].visits >= 10
        assert 1 < len(grown.root.children) <= 6
        await page.until(Info)

    at("connect_four", play)


def test_without_a_page_the_engine_rests_and_goes_on_with_the_next_one() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="chess", side="first", seconds=QUICK))
        await page.take(Analyse(on=True))
        await page.take(Play(move="e2e4"))
        await page.table.leave(page.hear)
        assert page.table._work is None
        page.heard.clear()
        await page.table.join(page.hear)
        view = await page.to_move()
        assert (view.analysing, len(view.line), view.player) == (False, 2, 0)

    at("chess", play)


def test_a_resignation_is_taken_back_alone_and_stands_in_the_record() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="chess", side="both", moves=["e2e4", "e7e5", "g1f3"]))
        await page.take(Resign())
        await page.take(Save())
        assert (await page.until(Written)).text.rstrip().endswith("1-0")
        await page.take(Go(ply=1))
        await page.take(Undo())
        assert (page.view.ply, page.view.line) == (1, ["e2e4", "e7e5", "g1f3"])

    at("chess", play)


def test_dice_are_not_chosen_in_a_game() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="backgammon", side="both"))
        await page.to_move()
        with pytest.raises(PlayoutError, match="nothing has been played"):
            await page.table.take(Undo())
        await page.take(Go(ply=0))
        assert page.view.legal == []
        with pytest.raises(PlayoutError, match="the dice are rolled here"):
            await page.table.take(Play(move="61"))

    at("backgammon", play)


def test_advice_is_given_at_the_whole_strength() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="connect_four", side="both", level=0, books=False))
        await page.take(Analyse(on=True))
        await page.until(Info, lambda info: info.simulations > 100)
        await page.take(Analyse(on=False))
        assert page.table._engine.options["level"] == 0

    at("connect_four", play)


def test_a_loaded_game_is_nobodys_turn_and_keeps_its_rules() -> None:
    async def play(page: Page) -> None:
        await page.take(Load(text="1. e4 e5 2. Nf3 1-0"))
        assert (page.view.side, page.view.thinking) == ("both", False)
        await page.take(New(game=" go:9,komi=5.5 ", side="both", moves=["E5"]))
        assert page.view.game == "go:9,komi=5.5"
        await page.take(Save())
        written = (await page.until(Written)).text
        await page.take(Load(text=written))
        assert page.view.game == "go:9,komi=5.5"
        await page.take(New(game="chess"))
        await page.take(Load(text=written))
        assert page.view.game == "go:9,komi=5.5"

    at("chess", play)


def test_a_users_game_is_saved_and_loaded() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game=f"{NIM}:Nim", side="both", moves=["3"]))
        await page.take(Save())
        await page.take(Load(text=(await page.until(Written)).text))
        assert (page.view.game, page.view.line) == (f"{NIM}:Nim", ["3"])

    at("chess", play)


def test_a_review_of_a_game_of_dice_says_what_was_given_away() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="backgammon", side="both", moves=["31", "24/20", "66", "24/18(2),13/7(2)"]))
        await page.take(Review())
        first = await page.until(Judged)
        assert (first.ply, first.lost is not None and first.lost >= 0) == (1, True)

    at("backgammon", play)


UNDRAWN = (
    FAILING.replace('        if state:\n            raise RuntimeError("a mistake")\n', "")
    + """
    def svg(self, state):
        if state:
            raise ValueError("no\\npicture")
        return "<svg/>"
"""
)


def test_a_game_that_cannot_be_drawn_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "undrawn.py").write_text(UNDRAWN)

    async def play(page: Page) -> None:
        await page.take(New(game=f"{tmp_path / 'undrawn.py'}:Failing", side="both"))
        await page.take(Play(move="0"))
        assert (await page.until(Note)).text.endswith("ValueError: no picture")
        other: list[Answer] = []
        await page.table.join(other.append)
        assert [type(answer) for answer in other] == [Note]
        await page.table.leave(other.append)

    at("tic_tac_toe", play)
