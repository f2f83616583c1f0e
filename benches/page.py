"""The page: time to the first board in a browser, echo of a move, and memory with 100 idle pages.

    python benches/page.py [--pages 100] [--repeats 20] [--chromium PROGRAM] [--pictures FOLDER]

It starts ``playout web`` and needs playwright and the system's Chromium. With ``--pictures`` it only makes the pictures
of the documents.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import connect

GAMES = ("chess", "go:9", "go:19", "hex:11", "backgammon", "connect_four", "tic_tac_toe")
PASTED = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1"
"""A trap, known since the 19th century as the Blackburne Shilling Gambit."""


@contextmanager
def serving() -> Iterator[tuple[str, int]]:
    """A server of its own process; gives its host with port, and its process number."""
    command = [sys.executable, "-m", "playout", "web", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"http://([^/]+)/", server.stdout.readline())
            assert found is not None
            yield found[1], server.pid
        finally:
            server.terminate()


def seat(place: str) -> Any:
    """A websocket at a table of its own."""
    socket = connect(f"ws://{place}/live", origin=f"http://{place}", proxy=None)  # type: ignore[arg-type]
    socket.send('{"t": "sit"}')
    await_view(socket)
    return socket


def await_view(socket: Any, ply: int | None = None) -> None:
    """Waits for a view, after a number of plies."""
    while True:
        found = json.loads(socket.recv(60))
        if found["t"] == "view" and ply in (None, found["ply"]):
            return


def memory(pid: int) -> float:
    """MiB that a process holds."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def said(values: list[float]) -> str:
    """Median and range in milliseconds."""
    times = sorted(1000 * value for value in values)
    return f"{statistics.median(times):.1f} ms ({times[0]:.1f} to {times[-1]:.1f})"


def first_board(place: str, chromium: str, repeats: int) -> list[float]:
    """Seconds from the request of the page to the picture of the board, in new contexts of one browser."""
    from playwright.sync_api import sync_playwright

    found = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium)
        for _ in range(repeats):
            context = browser.new_context()
            page = context.new_page()
            began = time.monotonic()
            page.goto(f"http://{place}/")
            page.wait_for_function(
                "() => document.getElementById('picture').complete && document.querySelector('.place')"
            )
            found.append(time.monotonic() - began)
            context.close()
        browser.close()
    return found


def echo(place: str, game: str, repeats: int) -> list[float]:
    """Seconds from a move to the view after it, over the socket, in a game without the engine."""
    found = []
    with seat(place) as socket:
        for _ in range(repeats):
            socket.send(json.dumps({"t": "new", "game": game, "side": "both"}))
            view: dict[str, Any] = {}
            while view.get("t") != "view" or not view["legal"] or view["ply"] > 1:
                view = json.loads(socket.recv(60))
            began = time.monotonic()
            socket.send(json.dumps({"t": "play", "move": view["legal"][0]["text"]}))
            await_view(socket, view["ply"] + 1)
            found.append(time.monotonic() - began)
    return found


def pictures(place: str, chromium: str, folder: Path) -> None:
    """Makes the pictures of the documents."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium)
        page = browser.new_page(viewport={"width": 1200, "height": 830})
        page.goto(f"http://{place}/")
        page.wait_for_selector(".place")
        page.fill("#text", PASTED)
        page.click("#set button[type=submit]")
        page.wait_for_function("() => document.getElementById('status').textContent.includes('checkmate')")
        page.click("#review")
        page.wait_for_function("() => document.querySelectorAll('#graph .hit').length === 15")
        page.locator("#graph .hit").nth(7).click()
        page.check("#analyse")
        page.wait_for_timeout(3000)
        page.screenshot(path=folder / "page-chess.png")
        page.uncheck("#analyse")
        page.fill("#game", "go:9")
        page.select_option("#side", "both")
        page.click("#new button")
        page.wait_for_selector("[data-place=E5]")
        for point in ("E5", "C3", "G4", "C6", "E7", "F3"):
            page.click(f"[data-place={point}]")
            page.wait_for_selector(f"[data-place={point}].last")
        page.check("#ownership")
        page.check("#analyse")
        page.wait_for_timeout(4000)
        page.screenshot(path=folder / "page-go.png")
        browser.close()


def main() -> None:
    """Prints the figures, or makes the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--chromium", default=shutil.which("chromium"))
    parser.add_argument("--pictures", metavar="FOLDER", type=Path)
    words = parser.parse_args()
    with serving() as (place, pid):
        if words.pictures is not None:
            pictures(place, words.chromium, words.pictures)
            return
        sys.stdout.write(f"first board: {said(first_board(place, words.chromium, words.repeats))}\n")
        for game in GAMES:
            sys.stdout.write(f"echo of a move, {game}: {said(echo(place, game, words.repeats))}\n")
            sys.stdout.flush()
    with serving() as (place, pid), ExitStack() as stack:
        stack.enter_context(seat(place))
        before = memory(pid)
        for _ in range(words.pages - 1):
            stack.enter_context(seat(place))
        sys.stdout.write(f"memory with 1 page: {before:.0f} MiB, with {words.pages}: {memory(pid):.0f} MiB\n")


if __name__ == "__main__":
    main()
