"""Tables of the page, without sockets: games with the engine, walks, analyses, and what cannot be done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.web.messages import (
    Analyse,
    Go,
    Grown,
    Hint,
    Info,
    New,
    Play,
    Resign,
    Sides,
    Tree,
    Undo,
    View,
)

from .seated import NIM, QUICK, Page, at


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
        assert page.table._round.line == ()

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
            page.table._round.engine.set_option("BookFile", str(tmp_path / "x.book"))

    at("chess", play)


@pytest.mark.parametrize(
    ("game", "moves", "owned"),
    [("go:5", ["C3", "A1", "C2", "pass", "C4", "pass"], "C3"), ("hex:5", ["e1", "a5"], "e1")],
)
def test_ownership_is_that_of_places(game: str, moves: list[str], owned: str) -> None:
    async def play(page: Page) -> None:
        await page.take(New(game=game, side="both", moves=moves))
        places = set(page.view.places)
        await page.take(Analyse(on=True, ownership=True))
        info = await page.until(Info, lambda info: info.simulations > 100)
        assert set(info.ownership) == places
        assert info.ownership[owned] > 0.5
        assert info.lines[0].way[0] == info.lines[0].clicks

    at(game, play)


def test_handicap_books_and_level() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="go:9", side="both", handicap=2, books=False, level=3))
        view = page.view
        assert (view.player, view.books, view.level) == (1, False, 3)
        assert view.text.count("X") == 2
        assert page.table._round.engine.options["own_book"] is False
        assert page.table._round.engine.options["level"] == 3
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
        assert len(first.images) == (first.move != "d")  # the columns are mirrored
        numbers = [grown.root.position, *(child.position for child in grown.root.children)]
        assert len(set(numbers)) == len(numbers)
        await page.until(Info)

    at("connect_four", play)


def test_a_tree_is_written_as_people_write_moves() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="chess", side="both", books=False))
        await page.take(Analyse(on=True))
        await page.until(Info, lambda info: info.simulations > 300)
        await page.take(Tree())
        root = (await page.until(Grown)).root
        assert root.children
        assert {child.move for child in root.children} <= FIRST_MOVES

    at("chess", play)


FIRST_MOVES = {f"{file}{rank}" for file in "abcdefgh" for rank in "34"} | {"Na3", "Nc3", "Nf3", "Nh3"}


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
        assert page.table._round.engine.options["level"] == 0

    at("connect_four", play)
