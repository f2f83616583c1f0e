"""GTP played click by click, as GoGui plays games whose moves need several points."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from playout.games.catalogue import BUILT_IN, load
from playout.protocols.gtp.gogui.steps import StepBoard, board_of
from playout.protocols.gtp.protocol import Gtp

from ..fake_session import FakeSession, info, move_info
from ..transcript import check
from .test_gtp import Controller

TRANSCRIPTS = {"gtp_gogui_chess.txt": "chess", "gtp_gogui_backgammon.txt": "backgammon"}


@pytest.mark.parametrize(("name", "game"), TRANSCRIPTS.items())
def test_transcript(name: str, game: str) -> None:
    session: Any = FakeSession(load(game))
    gtp = Gtp(session)
    check(name, gtp, session)
    assert gtp.closed


@dataclass(frozen=True)
class Breakthrough:
    """A user's game with no more than it needs for GoGui. A state: the men of each player, and who moves."""

    width: int = 3
    height: int = 4

    name = "breakthrough"

    def initial_state(self) -> Any:
        top = range(self.width * (self.height - 1), self.width * self.height)
        return frozenset(range(self.width)), frozenset(top), 0

    def current_player(self, state: Any) -> int:
        return int(state[2])

    def legal_actions(self, state: Any) -> Sequence[tuple[int, int]]:
        if self.returns(state) is not None:
            return []
        own, other, step = state[state[2]], state[1 - state[2]], -self.width if state[2] else self.width
        return [
            (man, man + step + aside)
            for man in sorted(own)
            for aside in (-1, 0, 1)
            if 0 <= man % self.width + aside < self.width
            if man + step + aside not in (own if aside else own | other)
        ]

    def next_state(self, state: Any, action: tuple[int, int]) -> Any:
        own, other = state[state[2]] - {action[0]} | {action[1]}, state[1 - state[2]] - {action[1]}
        return (other, own, 0) if state[2] else (own, other, 1)

    def returns(self, state: Any) -> tuple[float, float] | None:
        if not state[1] or any(man >= self.width * (self.height - 1) for man in state[0]):
            return 1.0, -1.0
        return (-1.0, 1.0) if not state[0] or any(man < self.width for man in state[1]) else None

    def cells(self, state: Any, clicked: Sequence[tuple[int, int]]) -> list[list[int | None]]:
        cells = [0 if cell in state[0] else 1 if cell in state[1] else None for cell in range(self.width * self.height)]
        return [cells[start : start + self.width] for start in range(0, len(cells), self.width)]

    def steps(self, state: Any, action: tuple[int, int]) -> list[list[tuple[int, int]]]:
        return [[(cell % self.width, cell // self.width) for cell in action]]


GAMES = [*(name for name in BUILT_IN if hasattr(load(name), "steps")), "breakthrough"]


@pytest.mark.parametrize("name", GAMES)
def test_random_clicks_along_the_legal_ones_make_legal_moves_up_to_the_end(name: str) -> None:
    session: Any = FakeSession(Breakthrough() if name == "breakthrough" else load(name))
    board = board_of(session)
    assert isinstance(board, StepBoard)
    board.begin_clicks()
    rng = random.Random(1)
    clicks: list[tuple[int, Any]] = []
    before: list[tuple[Any, tuple[str, ...]]] = []
    while choices := board.choices():
        player = max(board.mover or 0, 0)
        step = rng.choice(choices)
        clicks.append((player, step))
        before.append((board.clicked, session.move_texts))
        board.click(player, step)
        assert (board.mover == player) or not board.clicked
    assert board.over
    assert len(clicks) >= 6

    # A ruler that is told the clicks alone comes to the same game, whatever the dice.
    ruler = board_of(FakeSession(session.game))  # type: ignore[arg-type]
    assert isinstance(ruler, StepBoard)
    for player, step in clicks:
        ruler.click(player, step)
    assert ruler.record().moves == board.record().moves

    # Each click can be taken back.
    for stood in reversed(before):
        board.undo(1)
        assert (board.clicked, session.move_texts) == stood


@pytest.mark.parametrize("game", [load("chess"), load("backgammon"), Breakthrough()])
def test_whole_moves_are_not_clicked(game: Any) -> None:
    send = Controller(game)
    if game.name == "backgammon":
        send("play b 31")
    legal = send("all_legal_moves")[0][2:]
    move = {"chess": "e2e4", "backgammon": "8/5,6/5"}.get(game.name, "(0, 3)")
    assert move in legal
    send("genmove b")
    assert send.finish(move) == [f"= {move}"]
    assert send("undo", "reg_genmove b") == ["= "]
    assert send.finish(move) == [f"= {move}"]
    assert send(f"play b {move}", "showboard")[0] == "= "


def test_a_pawn_move_in_short_is_no_click() -> None:
    send = Controller(load("chess"))
    assert send("play b e4", "play w E5", "last_move") == ["= ", "? illegal move", "= black e2e4"]
    assert send("play w e5", "genmove b") == ["= "]
    assert send.finish("g1f3") == ["= g1f3"]
    assert send("play w B8", "play w C6", "genmove b") == ["= ", "= "]
    assert send.finish("f1b5") == ["= F1"]


def test_after_half_a_move_the_engine_searches_moves_that_go_on_from_it() -> None:
    send = Controller(load("chess"))
    send("play b G1", "genmove b")
    assert sorted(send.session.limits[-1].search_moves) == ["g1f3", "g1h3"]
    assert send.finish("g1h3") == ["= H3"]
    assert send("last_move") == ["= black g1h3"]


def test_half_a_move_keeps_what_was_searched() -> None:
    send = Controller(load("chess"))
    send("gogui-rules_game_id", "playout-best_moves b")
    found = info([move_info("e2e4", 0.2), move_info("e2e3", 0.1), move_info("g1f3", 0.0)])
    assert send.finish("e2e4", info=found) == ["= E2 60 G1 50"]
    assert send("play b E2", "playout-best_moves b") == ["= ", "= E4 60 E3 55"]


def test_a_failed_sequence_leaves_half_a_move_as_it_was() -> None:
    send = Controller(load("chess"))
    assert send("gogui-play_sequence b E2 b E4 w E7", "gogui-play_sequence w E5 b G1 b G5") == ["= ", "? illegal move"]
    assert send("gogui-rules_legal_moves", "undo", "gogui-rules_side_to_move") == ["= E5 E6", "= ", "= white"]
    assert send("play w d7d5", "undo", "undo", "undo", "undo") == ["= ", "= ", "= ", "= ", "? cannot undo"]


def test_a_whole_move_in_the_middle_of_one_is_refused() -> None:
    send = Controller(load("chess"))
    assert send("play b E2", "play b e2e4", "play b E4") == ["= ", "? illegal move", "= "]


def test_the_engine_throws_the_first_dice_where_it_likes() -> None:
    send = Controller(load("backgammon"))
    points = send("gogui-rules_legal_moves")[0][2:].split()
    assert send("genmove b")[0][2:] in points
    assert len(send("move_history")[0].splitlines()) == 1


def test_the_end_is_told() -> None:
    send = Controller(load("chess"))
    send("gogui-play_sequence b f2 b f3 w e7 w e5 b g2 b g4 w d8 w h4")
    assert send("gogui-rules_legal_moves", "gogui-rules_final_result") == ["= ", "= White wins"]
    assert send("genmove b", "undo", "undo", "gogui-rules_legal_moves") == ["= pass", "= ", "= ", "= E7 F6 G5 H4"]


@pytest.mark.parametrize("line", ["play b", "play b Z9", "play b E26", "play b I5", "play b pass", "play x E2"])
def test_bad_clicks_are_one_line_each_and_change_nothing(line: str) -> None:
    send = Controller(load("chess"))
    before = send("gogui-rules_board", "gogui-rules_legal_moves")
    (reply,) = send(line)
    assert reply.startswith("? ")
    assert send("gogui-rules_board", "gogui-rules_legal_moves") == before
