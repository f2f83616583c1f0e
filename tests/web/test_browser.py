"""The page in a browser: games played to their end by clicks, keys and text, analyses, reloads and lost connections."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playout.games import catalogue

from ..needs import needs, program
from ..patience import PATIENCE
from .served import Served, served

pytestmark = [
    *map(needs, ("starlette", "uvicorn", "websockets", "playwright", "chromium")),
    pytest.mark.opponents,
    pytest.mark.long,
]
OTHELLO = Path(__file__).parents[2] / "examples" / "othello.py"
README = Path(__file__).parents[2] / "README.md"
SHORT = {"go": "go:3", "hex": "hex:3", "connect_four": "connect_four:4,4"}
"""Sizes for games that are played to their end."""
PLIES = {"chess": 6, "backgammon": 9}
"""Games that are only begun here: a random one takes too long. Below they end."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program("chromium"))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served(f"{OTHELLO}:Othello:4") as found:
        yield found


@pytest.fixture
def place(server: Served) -> str:
    return server.place


class Page:
    """A tab. The test fails if a script fails, or something is loaded from elsewhere."""

    def __init__(self, context: Any, place: str) -> None:
        self.page = context.new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self.page.on("request", lambda request: self._check(request.url, place))
        self._address = f"http://{place}/"
        self.page.goto(self._address)
        self.ready()

    def _check(self, url: str, place: str) -> None:
        if not url.startswith(("data:", f"http://{place}/", f"ws://{place}/")):
            self.errors.append(url)

    def anew(self) -> None:
        """Loads the page as one who has not been there, which is quicker than a tab of its own."""
        self.page.goto(self._address)
        self.ready()

    def ready(self) -> None:
        """Waits until the page shows a position."""
        self.page.wait_for_selector("body[data-connected=true] #picture[alt*=',']")

    @property
    def status(self) -> str:
        text: str = self.page.inner_text("#status")
        return text

    @property
    def line(self) -> list[str]:
        moves: list[str] = self.page.locator("#line button").all_inner_texts()
        return moves

    def begin(self, game: str, side: str = "both") -> None:
        self.page.select_option("#side", side)
        self.page.fill("#game", game)
        self.page.fill("#seconds", "0.05")
        self.page.click("#new button")
        self.page.wait_for_function("game => document.getElementById('picture').alt.startsWith(`${game},`)", arg=game)

    def played(self, count: int) -> None:
        """Waits until the line has more than a number of moves, or the game is over."""
        self.page.wait_for_function("count => document.querySelectorAll('#line button').length > count", arg=count)

    def move(self) -> None:
        """Makes a move by clicks on the first places that are legal; by the first word where only words are left."""
        before = len(self.line)
        legal, following = self.page.locator(".place.legal"), self.page.locator(".place.next")
        words = self.page.locator("#words button")
        if legal.count():
            legal.first.click()
            while following.count():
                following.first.click()
        if words.count() and len(self.line) == before and self.page.locator(".place.chosen").count() != 1:
            words.first.click()
        self.played(before)

    def say(self, move: str) -> None:
        """Makes a move by its word."""
        before = len(self.line)
        self.page.get_by_role("button", name=move, exact=True).first.click()
        self.played(before)

    def answered(self) -> None:
        """Waits until the user may move, or the game is over."""
        over = "/wins|Draw/.test(document.getElementById('status').textContent)"
        self.page.wait_for_function(f"() => document.querySelector('.place.legal, #words button') || {over}")

    def over(self) -> bool:
        return any(word in self.status for word in ("wins", "Draw"))

    def close(self) -> None:
        self.page.close()
        assert self.errors == []


@pytest.fixture(scope="module")
def tab(browser: Any, server: Served) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    found = Page(context, server.place)
    yield found
    found.close()
    context.close()


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    tab.anew()
    yield tab
    errors, tab.errors = tab.errors, []
    assert errors == []


@pytest.mark.parametrize("name", [*catalogue.names(), f"{OTHELLO}:Othello:4"], ids=lambda name: Path(name).name)
def test_a_game_by_clicks(page: Page, name: str) -> None:
    page.begin(SHORT.get(name, name))
    while not page.over() and len(page.line) < PLIES.get(name, 200):
        if name == "go" and len(page.line) >= 4:
            page.say("pass")
        else:
            page.move()
    assert page.over() or name in PLIES
    if page.over():
        assert page.page.locator(".place.legal").count() == 0


def test_a_game_of_chess_to_its_mate(page: Page) -> None:
    page.begin("chess")
    for ply, (start, end) in enumerate((("f2", "f3"), ("e7", "e5"), ("g2", "g4"), ("d8", "h4"))):
        page.page.click(f"[data-place={start}]")
        page.page.click(f"[data-place={end}]")
        page.played(ply)
    assert page.line == ["f3", "e5", "g4", "Qh4#"]
    assert page.status == "Black wins by checkmate"


def test_a_game_of_backgammon_to_its_last_checker(page: Page) -> None:
    page.begin("backgammon")
    page.page.fill("#text", "xwAAwDEAAAAAAA 0 -")  # five checkers each, in their homes
    page.page.click("#set button[type=submit]")
    page.page.wait_for_function("() => document.getElementById('picture').alt.includes('xwAAwDEAAAAAAA')")
    page.answered()
    while not page.over():
        page.move()
        page.answered()
    assert page.status.endswith("1 point")
    assert page.page.locator(".place.legal").count() == 0


def test_the_game_of_the_readme_to_its_end(browser: Any, tmp_path: Path) -> None:
    [code] = [block for block in README.read_text().split("```python\n")[1:] if "class Mnk" in block]
    (tmp_path / "my.py").write_text(code.split("```")[0])
    context = browser.new_context()
    with served(f"{tmp_path}/my.py:Mnk") as server:
        page = Page(context, server.place)
        page.begin(f"{tmp_path}/my.py:Mnk", "first")
        while not page.over():
            page.move()
            page.answered()
        assert len(page.line) >= 5
        page.close()
    context.close()


def test_the_engine_answers(page: Page) -> None:
    page.begin("tic_tac_toe", "first")
    while not page.over():
        page.move()
        page.answered()
    assert page.status in ("White wins", "Draw")


def test_moves_by_text_and_by_the_keyboard(page: Page) -> None:
    page.begin("chess")
    page.page.fill("#move", "Nf3")
    page.page.press("#move", "Enter")
    page.played(0)
    page.page.locator("[data-place=e7]").focus()
    page.page.keyboard.press("Enter")
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("Enter")
    page.played(1)
    assert page.line == ["Nf3", "e5"]
    page.page.fill("#move", "Ke3")
    page.page.press("#move", "Enter")
    page.page.wait_for_selector("#notes p")
    assert "illegal move: 'Ke3'" in page.page.inner_text("#notes")
    assert page.line == ["Nf3", "e5"]


def test_walks_through_the_game(page: Page) -> None:
    page.begin("tic_tac_toe")
    for _ in range(3):
        page.move()
    page.page.locator("h1").click()
    page.page.keyboard.press("Home")
    page.page.wait_for_selector("#begin:disabled")
    page.page.keyboard.press("ArrowRight")
    page.page.wait_for_selector("#line li:nth-child(1) button[aria-current=true]")
    page.page.locator("#line button").nth(1).click()
    page.page.wait_for_selector("#line li:nth-child(2) button[aria-current=true]")
    assert len(page.line) == 3


def test_an_analysis_starts_moves_and_stops(page: Page) -> None:
    page.begin("connect_four")
    page.page.check("#analyse")
    page.page.wait_for_selector("#lines tbody tr")
    assert page.page.locator("#places .tag").count()
    page.move()
    page.page.wait_for_selector("#lines tbody tr")
    page.page.uncheck("#analyse")
    page.page.wait_for_selector("#lines tbody tr", state="detached")


def test_a_game_with_clocks_and_its_rematch(page: Page) -> None:
    page.begin("tic_tac_toe", "first")
    page.page.fill("#clock", "0.02+0")  # more than a second: the engine answers, the user does not
    page.page.click("#new button")
    page.page.wait_for_selector("#timer .running")
    page.page.wait_for_function("() => document.getElementById('status').textContent === 'White wins on time'")
    assert page.page.inner_text("#first-left") == "Black 0.0"
    page.page.click("#here")
    page.page.wait_for_selector("#timer .running")
    page.page.fill("#clock", "5+3")
    page.page.click("#new button")
    page.page.wait_for_function("() => /[2-5]:\\d\\d/.test(document.getElementById('first-left').textContent)")
    page.move()
    page.answered()
    page.page.click("#rematch")
    page.page.wait_for_function("() => document.getElementById('side').value === 'second'")
    page.answered()
    assert len(page.line) == 1


def test_levels_of_chess_have_their_elo(page: Page) -> None:
    page.begin("chess")
    assert page.page.locator("#level option").nth(8).inner_text() == "8 (1880 Elo)"
    page.page.select_option("#level", "8")
    page.begin("hex:3")
    assert page.page.locator("#level option").nth(8).inner_text() == "8"
    assert page.page.input_value("#level") == "8"
    page.page.select_option("#level", "20")


def test_a_promotion_is_chosen_by_its_word(page: Page) -> None:
    page.begin("chess")
    page.page.fill("#text", "8/P6k/8/8/8/8/8/K7 w - - 0 1")
    page.page.click("#set button")
    page.page.wait_for_selector("[data-place=a7].legal")
    page.page.click("[data-place=a7]")
    page.page.click("[data-place=a8]")
    page.say("a7a8n")
    assert page.line == ["a8=N"]


def test_the_tree_is_walked(page: Page) -> None:
    page.begin("connect_four")
    page.page.click("#grow")
    page.page.wait_for_function("() => document.getElementById('tree').textContent.startsWith('No search')")
    page.page.check("#analyse")
    page.page.wait_for_selector("#lines tbody tr")
    page.page.uncheck("#analyse")
    page.page.click("#grow")
    shut = page.page.locator("#tree .node[aria-expanded=false]")
    page.page.wait_for_selector("#tree .node[aria-expanded=false]")
    before = page.page.locator("#tree .node").count()
    shut.first.click()
    assert page.page.locator("#tree .node").count() > before
    assert page.page.locator("#tree .node", has_text="\u00d72").count()  # moves that are images of each other
    page.page.locator("#tree .node[aria-expanded=true]").first.focus()
    page.page.keyboard.press("Enter")
    assert page.page.evaluate("() => document.activeElement.closest('#tree') !== null")


def test_a_pasted_game_is_reviewed(page: Page) -> None:
    page.begin("tic_tac_toe")
    page.page.fill("#text", "1. f3 e5 2. g4 Qh4# 0-1")
    page.page.click("#set button[type=submit]")
    page.page.wait_for_function("() => document.getElementById('status').textContent === 'Black wins by checkmate'")
    page.page.click("#review")
    page.page.wait_for_selector("#line button.mistake")
    page.page.wait_for_function("() => document.querySelectorAll('#graph .hit').length === 5")
    assert "g4" in page.page.locator("#line button.mistake").all_inner_texts()
    page.page.locator("#graph .hit").nth(2).click()
    page.page.wait_for_selector("#line li:nth-child(2) button[aria-current=true]")


def test_a_game_is_saved(page: Page) -> None:
    page.begin("tic_tac_toe")
    page.move()
    with page.page.expect_download() as saving:
        page.page.click("#save")
    assert saving.value.suggested_filename == "tic-tac-toe.games"
    assert Path(saving.value.path()).read_text().endswith("\ta1\n")


def test_a_link_holds_the_position(browser: Any, place: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = Page(context, place)
    page.begin("chess")
    for move in ("Nf3", "e5"):
        page.page.fill("#move", move)
        page.page.press("#move", "Enter")
        page.played(0 if move == "Nf3" else 1)
    page.page.click("#link")
    page.page.wait_for_function("() => document.getElementById('status').textContent === 'The link is copied'")
    link = page.page.evaluate("() => navigator.clipboard.readText()")
    page.page.goto(link)
    page.ready()
    page.played(1)
    assert page.line == ["Nf3", "e5"]
    page.close()
    context.close()


def test_ownership_and_variations_are_shown_on_the_board(page: Page) -> None:
    page.begin("go:5")
    page.page.check("#ownership")
    page.page.check("#analyse")
    page.page.wait_for_selector("#places .owner")
    page.page.locator("#lines tbody tr").first.hover()
    page.page.wait_for_selector("#places .step")
    page.page.uncheck("#analyse")


def test_a_reload_in_mid_game_loses_nothing(page: Page) -> None:
    page.begin("tic_tac_toe")
    for _ in range(2):
        page.move()
    line = page.line
    page.page.reload()
    page.ready()
    page.played(1)
    assert page.line == line


def test_a_lost_connection_is_opened_again(page: Page, server: Served) -> None:
    page.begin("tic_tac_toe")
    page.move()
    server.drop()
    page.page.wait_for_selector("body[data-connected=false]")
    page.page.wait_for_selector("body[data-connected=true]")
    page.move()
    assert len(page.line) == 2


def test_two_browsers_play_two_games(page: Page, browser: Any, place: str) -> None:
    context = browser.new_context()
    other = Page(context, place)
    page.begin("tic_tac_toe")
    other.begin("hex:3")
    page.move()
    other.move()
    other.move()
    assert (len(page.line), len(other.line)) == (1, 2)
    other.close()
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (800, "light"), (1280, "dark")])
def test_nothing_sticks_out(browser: Any, place: str, width: int, scheme: str, tmp_path: Path) -> None:
    """The pictures are for people: CI keeps them."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, has_touch=width < 800)
    page = Page(context, place)
    kept = Path(os.environ.get("PLAYOUT_PICTURES", tmp_path))
    kept.mkdir(parents=True, exist_ok=True)
    for game in ("backgammon", "go:9", "chess"):
        page.begin(game)
        assert page.page.evaluate("() => document.documentElement.scrollWidth") <= width
        page.page.screenshot(path=kept / f"{game.partition(':')[0]}-{width}-{scheme}.png", full_page=True)
    page.close()
    context.close()


@pytest.mark.parametrize(("name", "scheme"), [("chess", "light"), ("go:9", "dark")])
def test_the_rules_of_accessibility_are_kept(browser: Any, place: str, name: str, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = Page(context, place)
    page.begin(name)
    page.page.check("#analyse")
    page.page.wait_for_selector("#lines tbody tr")
    page.page.uncheck("#analyse")
    found = Axe().run(page.page)
    assert [(one["id"], one["nodes"][0]["html"]) for one in found.response["violations"]] == []
    page.close()
    context.close()
