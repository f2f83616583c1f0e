"""Clocks of a game on the page, and games that are begun anew."""

from __future__ import annotations

from playout.engine.terms.ratings import ELO, level_of, ratings
from playout.web.clocks import Clocks
from playout.web.messages import Again, Analyse, Go, New, Play, Resign, Sides, Undo, View

from .seated import QUICK, Page, at


class Time:
    """A time that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_each_player_spends_his_own_time() -> None:
    time = Time()
    clocks = Clocks(60.0, 2.0, time)
    clocks.run(0, 0)
    time.now += 10
    assert (clocks.left, clocks.running) == ((50.0, 60.0), 0)
    clocks.moved(0)
    clocks.run(1, 1)
    time.now += 5
    assert clocks.left == (52.0, 55.0)
    clocks.moved(1)
    clocks.run(0, 2)
    time.now += 100
    assert clocks.left == (0.0, 57.0)


def test_clocks_go_back_with_the_line() -> None:
    time = Time()
    clocks = Clocks(60.0, 0.0, time)
    for ply in range(4):
        clocks.run(ply % 2, ply)
        time.now += 10
        clocks.moved(ply)
    assert clocks.left == (40.0, 40.0)
    clocks.back(1)
    assert (clocks.left, clocks.running) == ((50.0, 60.0), None)
    clocks.run(1, 1)
    time.now += 1
    clocks.moved(1)
    clocks.run(0, 2)
    assert clocks.left == (50.0, 59.0)


def test_a_clock_that_stands_takes_no_time() -> None:
    time = Time()
    clocks = Clocks(60.0, 5.0, time)
    clocks.run(0, 0)
    clocks.run(None, 0)
    time.now += 1000
    clocks.moved(0)
    assert clocks.left == (60.0, 60.0)
    assert clocks.face(1).remaining == 60.0


def test_the_engine_plays_by_the_clock() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="tic_tac_toe", side="first", clock=(60.0, 1.0)))
        assert page.view.timer is not None
        assert page.view.timer.running == 0
        await page.take(Play(move="b2"))
        view = await page.to_move()
        assert view.timer is not None
        first, second = view.timer.left
        assert 0 < first <= 61
        assert 0 < second <= 61
        assert view.timer.running == 0

    at("tic_tac_toe", play)


def test_who_oversteps_has_lost() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="chess", side="first", clock=(1.0, 0.0)))
        view = await page.until(View, lambda view: bool(view.result))
        assert (view.result, view.legal) == ("Black wins on time", [])
        assert view.timer is not None
        assert view.timer.left[0] == 0
        assert view.timer.running is None
        await page.take(Analyse(on=True))
        assert page.view.result == "Black wins on time"
        await page.take(Undo())  # there is no move: the game goes on from its start
        assert page.view.result == ""

    at("chess", play)


def test_clocks_stand_where_nobody_is_to_move() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="chess", side="both", clock=(60.0, 0.0)))
        await page.take(Play(move="e2e4"))
        for said, running in ((Analyse(on=True), None), (Analyse(on=False), 1), (Go(ply=0), 1), (Resign(), None)):
            await page.take(said)
            assert page.view.timer is not None
            assert page.view.timer.running == running
        await page.take(Undo())
        await page.take(Sides(side="first"))
        await page.take(Go(ply=0))
        assert page.view.timer is not None
        assert page.view.timer.running is None  # the engine rests while an earlier position is shown
        await page.table.leave(page.hear)
        assert page.table._alarm is None

    at("chess", play)


def test_a_game_is_begun_anew_from_its_start_or_a_position() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="hex:4", side="both", seconds=QUICK, clock=(100.0, 1.0)))
        for move in ("a1", "b2", "c3"):
            await page.take(Play(move=move))
        await page.take(Resign())
        await page.take(Again(ply=2))
        view = page.view
        assert (view.game, view.line, view.result, view.side) == ("hex:4", ["a1", "b2"], "", "both")
        assert view.timer is not None
        assert view.timer.left[1] == 100.0
        await page.take(Sides(side="second"))
        await page.take(Again(exchange=True))
        assert (page.view.line, page.view.side, page.view.seconds) == ([], "first", QUICK)

    at("tic_tac_toe", play)


def test_a_game_begun_anew_keeps_its_position() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="tic_tac_toe", start="xx1/oo1/3 x", side="both"))
        await page.take(Play(move="c3"))
        await page.take(Again())
        assert (page.view.text, page.view.line) == ("xx1/oo1/3 x", [])

    at("tic_tac_toe", play)


def test_levels_have_the_ratings_of_chess() -> None:
    found = ratings()
    assert {elo: found[int(level)] for elo, level in ELO} == {elo: elo for elo, _ in ELO}
    assert found == sorted(found)
    for level, elo in enumerate(found):
        assert round(level_of(elo)) == level


def test_only_calibrated_games_have_ratings() -> None:
    async def play(page: Page) -> None:
        await page.take(New(game="chess", side="both"))
        assert page.view.ratings == ratings()
        await page.take(New(game="hex:4", side="both"))
        assert page.view.ratings == []

    at("tic_tac_toe", play)
