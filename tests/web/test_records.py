"""Games that are pasted, saved and reviewed at a table."""

from __future__ import annotations

import pytest

from playout.games.errors import PlayoutError
from playout.web.messages import (
    Go,
    Judged,
    Load,
    New,
    Resign,
    Review,
    Save,
    Undo,
    Written,
)

from .seated import NIM, Page, at

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
        assert page.table._round.movers == [0, 1, 0, 1, 0]

    at("tic_tac_toe", play)


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
