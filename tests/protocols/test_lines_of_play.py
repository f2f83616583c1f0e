"""Principal variations of real searches: legal to their end, and not beyond the end of the game."""

from __future__ import annotations

import random
import re
import time
from queue import SimpleQueue
from typing import Any

import chess
import pytest

from playout.engine.session import Session
from playout.games.catalogue import load
from playout.games.game import action_to_text, is_over, text_to_action
from playout.protocols.uci.uci import Uci

from ..patience import PATIENCE

CHESS = (
    "8/8/8/4k3/8/8/4K2R/8 w - - 96 80",
    "8/8/8/8/8/2k5/7r/K7 b - - 96 80",
    "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "7k/8/5K2/6Q1/8/8/8/8 w - - 97 90",
    "8/P6k/8/8/8/8/7p/K7 w - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 90 60",
)
SHUFFLE = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1"
"""One move before the start position comes for the third time."""


class Desk:
    """A session under UCI."""

    def __init__(self, game: Any) -> None:
        self.events: SimpleQueue[Any] = SimpleQueue()
        self.session = Session(game, post=self.events.put)
        self.uci = Uci(self.session)

    def send(self, line: str) -> list[str]:
        """The replies to a line and, if it starts a search, all that the search says."""
        replies = [*self.uci.handle_line(line, time.monotonic())]
        while self.uci.busy:
            replies += self.uci.handle_event(self.events.get(timeout=PATIENCE))
        return replies


@pytest.fixture
def desk(request: pytest.FixtureRequest) -> Any:
    made = Desk(load(request.param))
    for option in ("OwnBook value false", "Hash value 16", "MultiPV value 3", "UCI_ShowWDL value true"):
        assert made.send(f"setoption name {option}") == []
    yield made
    made.session.close()


def lines(replies: list[str]) -> list[tuple[str, list[str]]]:
    """The score and the variation of each report."""
    reports = [reply for reply in replies if " pv " in reply]
    return [(re.search(r"score (\S+ \S+)", line)[1], line.partition(" pv ")[2].split()) for line in reports]  # type: ignore[index]


def check_lines(desk: Desk, replies: list[str]) -> None:
    game, root = desk.session.game, desk.session.state
    reports = lines(replies)
    assert reports
    for _, variation in reports:
        state = root
        for move in variation:
            assert not is_over(game, state), variation
            state = game.next_state(state, text_to_action(game, state, move))
    best = replies[-1].split()
    last = [line for line in replies if " multipv 1 " in line][-1]
    assert last.partition(" pv ")[2].split()[: (len(best)) // 2] == best[1::2]


@pytest.mark.parametrize("desk", ["chess"], indirect=True)
def test_lines_of_chess_are_what_python_chess_says(desk: Desk) -> None:
    """Nor do they go on after a third occurrence or 50 moves, and a mate is as long as it says."""
    positions = [f"fen {fen}" for fen in CHESS] + [f"startpos moves {SHUFFLE}", f"startpos moves {SHUFFLE} f6g8"]
    mates = 0
    for position in positions:
        desk.send("ucinewgame")
        assert desk.send(f"position {position}") == []
        replies = desk.send("go nodes 3000")
        start, _, moves = position.partition(" moves ")
        board = chess.Board() if start == "startpos" else chess.Board(start[4:])
        for move in moves.split():
            board.push_uci(move)
        claimed = board.is_repetition(3)
        for score, variation in lines(replies):
            line = board.copy()
            for move in variation:
                assert line.outcome() is None
                assert line.halfmove_clock < 100
                assert claimed or not line.is_repetition(3)
                line.push_uci(move)
            kind, number = score.split()
            if kind == "mate":
                mates += 1
                plies = 2 * int(number) - 1 if int(number) > 0 else -2 * int(number)
                assert len(variation) == plies
                assert line.is_checkmate()
        assert replies[-1].split()[1] == lines(replies)[-3 if " multipv 3 " in replies[-2] else -1][1][0]
    assert mates


@pytest.mark.parametrize("desk", ["tic_tac_toe", "connect_four", "hex:5", "go:5", "chess", "backgammon"], indirect=True)
def test_lines_of_every_game_are_legal_to_their_end(desk: Desk) -> None:
    game, rng = desk.session.game, random.Random(7)
    for plies in (0, 3, 8, 15, 40):
        state, moves = game.initial_state(), []
        while len(moves) < plies and len(actions := game.legal_actions(state)) > 0:
            action = rng.choice(actions)
            following = game.next_state(state, action)
            if is_over(game, following):
                break
            moves.append(action_to_text(game, state, action))
            state = following
        if game.current_player(state) == -1:
            roll = rng.choice(game.legal_actions(state))
            moves.append(action_to_text(game, state, roll))
        assert desk.send(f"position startpos moves {' '.join(moves)}") == []
        check_lines(desk, desk.send("go nodes 400"))
