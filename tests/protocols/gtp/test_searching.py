"""GTP's analysis over real searches: the contents of its lines are correct."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any

import pytest

from playout.engine.session import Session
from playout.games.catalogue import load
from playout.games.game import text_to_action
from playout.protocols.gtp.protocol import Gtp

from ...patience import PATIENCE

ENOUGH = 100
"""Visits after which a report shows what a search is for."""


class Talk:
    """Sends lines and collects what comes back, reports of the search included."""

    def __init__(self, game: Any) -> None:
        self._events: SimpleQueue[Any] = SimpleQueue()
        self.session = Session(game, post=self._events.put)
        options = {"BookFile": "", "Hash": "16", "Seed": "3", "OwnBook": "false", "MaxNodes": "2000"}
        for name, text in (options | {"MoveTime": "3600000"}).items():
            self.session.set_option(name, text)
        self.gtp = Gtp(self.session)

    def __call__(self, line: str) -> list[str]:
        """Sends a line and waits until nothing is owed."""
        replies = list(self.gtp.handle_line(line, time.monotonic()))
        while self.gtp.busy:
            replies += self.gtp.handle_event(self._events.get(timeout=PATIENCE))
        return replies

    def analyse(self, line: str, reports: int = 2) -> list[str]:
        """The lines of an analysis that a blank line ends after ``reports`` reports, and all later lines.

        The last report is of a search that has tried a move. A proof suffices, because no report need follow it.
        """
        replies = list(self.gtp.handle_line(line, time.monotonic()))
        while True:
            event = self._events.get(timeout=PATIENCE)
            replies += self.gtp.handle_event(event)
            count = sum(reply.startswith("info ") for reply in replies)
            if event.moves[:1] and (event.moves[0].proven or (count >= reports and event.visits >= ENOUGH)):
                return [*replies, *self("")]

    def next(self, seconds: float) -> Sequence[str]:
        """The reply to the next report of the search, if one arrives in time."""
        try:
            return self.gtp.handle_event(self._events.get(timeout=seconds))
        except Empty:
            return ()


@contextmanager
def talk(name: str) -> Iterator[Talk]:
    made = Talk(load(name))
    try:
        yield made
    finally:
        made.session.close()


def entries(line: str) -> list[dict[str, Any]]:
    found = []
    for part in line.partition(" rootInfo ")[0].partition(" ownership ")[0].split("info ")[1:]:
        head, _, pv = part.strip().partition(" pv ")
        words = head.split()
        found.append({**dict(zip(words[::2], words[1::2], strict=True)), "pv": pv.split()})
    return found


@pytest.mark.parametrize("name", ["go:5", "hex:4", "connect_four", "tic_tac_toe", "chess"])
def test_lines_are_legal_and_numbers_agree(name: str) -> None:
    with talk(name) as engine:
        first, *lines, last = engine.analyse("4 kata-analyze 3 rootInfo true")
        assert (first, last) == ("=4", "")
        assert lines
        game, start = engine.session.game, engine.session.state
        for line in lines:
            found = entries(line)
            assert [int(entry["order"]) for entry in found] == list(range(len(found)))
            assert len({entry["move"] for entry in found}) == len(found)
            root = int(line.partition("rootInfo visits ")[2].split()[0])
            assert sum(int(entry["visits"]) for entry in found) <= root
            for entry in found:
                assert entry["pv"][0] == entry["move"]
                assert float(entry["lcb"]) <= float(entry["winrate"]) + 1e-6
                state = start
                for text in entry["pv"]:
                    state = game.next_state(state, text_to_action(game, state, text))
        assert engine.session.state == start


def test_moves_kept_out_are_not_searched() -> None:
    with talk("go:5") as engine:
        line = engine.analyse("lz-analyze b 3 avoid b C3,B3 10 avoid w D4 1")[-2]
        moves = {entry["move"] for entry in entries(line)}
        assert moves
        assert not {"C3", "B3"} & moves
        line = engine.analyse("lz-analyze b 3 allow b C3,B3 1")[-2]
        assert {entry["move"] for entry in entries(line)} == {"C3", "B3"}


@pytest.mark.parametrize(("name", "moves"), [("go:5", "C3 C2 B3 pass"), ("hex:4", "b2 c2 b3"), ("chess", "e7e5 d7d5")])
def test_moves_kept_out_of_the_first_plies_are_in_no_line(name: str, moves: str) -> None:
    with talk(name) as engine:
        rules = f"avoid w {moves.replace(' ', ',')} 4 avoid b a1 2"
        for entry in entries(engine.analyse(f"kata-analyze b 3 {rules}", reports=1)[-2]):
            assert entry["move"].lower() != "a1"
            assert not set(moves.split()) & set(entry["pv"][1:4:2])
        assert engine.analyse("kata-analyze b 3", reports=1)[-2].startswith("info ")


def test_visits_are_shown_along_the_variations() -> None:
    with talk("connect_four") as engine:
        line = engine.analyse("kata-analyze b 3 pvVisits true pvEdgeVisits true")[-2]
        for part in line.split("info ")[1:]:
            head, _, rest = part.partition(" pv ")
            pv, _, rest = rest.partition(" pvVisits ")
            visits, _, taken = rest.partition(" pvEdgeVisits ")
            assert len(pv.split()) == len(visits.split()) == len(taken.split())
            assert taken.split()[0] == head.split()[3]
            assert all(int(all_) >= int(some) for all_, some in zip(visits.split(), taken.split(), strict=True))


def test_moves_without_visits_fill_up_what_was_asked_for() -> None:
    with talk("go:5") as engine:
        engine("gogui-play_sequence b C3 w C2")
        for line in engine.analyse("lz-analyze b 3 minmoves 24")[1:-1]:
            found = entries(line)
            assert len(found) == 24
            assert sum(int(entry["prior"]) for entry in found) == pytest.approx(10000, abs=24)
            assert len(entries(line)) == len({entry["move"] for entry in found})
        assert all(len(entries(line)) == 3 for line in engine.analyse("lz-analyze b 3 maxmoves 3")[1:-1])


def test_ownership_follows_the_side_to_move() -> None:
    """White's wall on the right is White's, whoever asks."""
    with talk("go:5") as engine:
        engine("gogui-setup b C1 w D1 b C2 w D2 b C3 w D3 b C4 w D4 b C5 w D5")
        for colour, sign in (("b", 1), ("w", -1)):
            line = engine.analyse(f"kata-analyze {colour} 5 ownership true maxmoves 1", 1)[-2]
            holds = [float(word) for word in line.partition(" ownership ")[2].split()]
            assert len(holds) == 25
            # Few playouts from positions where the other side has come in: the sign alone is certain.
            assert sign * holds[2] > 0 > sign * holds[3]


def test_a_generated_move_is_the_one_played() -> None:
    with talk("go:5") as engine:
        *_, line, played, blank = engine("lz-genmove_analyze b 5")
        assert line.startswith("info move ")
        move = played.removeprefix("play ")
        assert engine.session.move_texts == (move,)
        assert blank == ""
        assert engine("explain")[0].startswith(f"= Black played {move}. ")
        *_, searched, _ = engine("kata-search_analyze w 5")
        assert searched.startswith("play ")
        assert engine.session.move_texts == (move,)


def test_a_search_serves_all_the_drawings_of_its_position() -> None:
    with talk("go:5") as engine:
        pairs = engine("playout-best_moves")[0].removeprefix("= ").split()
        variation = engine("playout-variation")[0].removeprefix("= ").split()
        board = engine("playout-visits")[1:-1]
        assert variation[0] == pairs[0]
        assert [len(row.split()) for row in board] == [5] * 5
        assert sum(cell.startswith("#") for row in board for cell in row.split()) >= len(pairs) // 2


LINES = (
    *("lz-analyze 1", "kata-analyze b 2 ownership true", "analyze w 1 maxmoves 2", "kata-search_cancellable b"),
    *("kata-search_analyze_cancellable w 1", "lz-genmove_analyze b 1", "genmove w", "undo", "play b C3", "explain"),
    *("playout-best_moves w", "playout-visits", "gogui-play_sequence b A1 w A2", "name", "clear_board", "foo"),
)
SILENT = ("", "# a comment", "# interrupt")


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_whenever_lines_arrive_each_command_gets_its_one_response_in_order(seed: int) -> None:
    rng = random.Random(seed)
    with talk("go:5") as engine:
        engine("playout-set_option MaxNodes 200")
        replies: list[str] = []
        sent = 0
        for _ in range(60):
            line = rng.choice(LINES if rng.random() < 0.8 else SILENT)
            if line not in SILENT:
                sent += 1
                line = f"{sent} {line}"
            replies += engine.gtp.handle_line(line, time.monotonic())
            for _ in range(rng.randrange(3)):
                replies += engine.next(rng.choice([0.0, 0.001, 0.02]))
        replies += engine(f"{sent + 1} quit")
        assert engine.gtp.closed
    heads = [reply for reply in replies if reply[:1] in ("=", "?")]
    assert [int(re.match(r"[=?](\d+)", head)[1]) for head in heads] == list(range(1, sent + 2))  # type: ignore[index]
    assert replies.count("") == sent + 1
    assert not [head for head in heads if "internal" in head]
    assert all(
        head.endswith("unknown command") or head[0] == "=" or "illegal" in head or "undo" in head for head in heads
    )


@pytest.mark.parametrize(
    ("position", "moves"),
    [
        ("5/5/XXO2/XXOO1/1O1O1 w", "w A1 b C1 w B1"),
        (f"5/5/2X2/5/5 w - 0 0 0 {3 * 25 + 59}", "w D4"),
    ],
    ids=["repetition", "length"],
)
def test_a_controller_plays_on_where_the_game_would_end(position: str, moves: str) -> None:
    with talk("go:5,ko=simple") as engine:
        engine.session.set_position(position, ())
        words = moves.split()
        for player, point in zip(words[::2], words[1::2], strict=True):
            assert engine(f"play {player} {point}") == ["= ", ""]
        game = engine.session.game
        assert game.returns(engine.session.state) is not None, "a game by the rules has ended"
        assert "A5" in engine("all_legal_moves")[0].split()
        assert engine("play b A5") == ["= ", ""]
        assert engine("play w B5") == ["= ", ""]
        (answer, _) = engine("genmove b")
        assert answer.startswith("= ") and answer != "= pass"
        assert engine("final_status_list alive")[0].startswith("=")
        assert engine("undo") == engine("undo") == engine("undo") == ["= ", ""]
