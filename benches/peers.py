"""Matches of a game's preset against another program, on both sides of each random opening.

    python benches/peers.py go:9 --games 10 --seconds 0.5 -- /usr/games/gnugo --mode gtp --level 10 --chinese-rules
    python benches/peers.py chess --games 20 --seconds 0.2 --option UCI_LimitStrength=true -- /usr/games/stockfish

Go is played over GTP, chess over UCI. The level of GNU Go determines its time; a UCI engine gets the same time as
playout. Games of Go are scored by area with all stones alive, so both programs must capture dead ones. playout uses no
books here.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import subprocess
import sys
from typing import Any

import chess
import chess.engine

from playout.engine.experiments.base.match import Score, configuration
from playout.engine.search.searcher import Searcher
from playout.games import catalogue
from playout.games.game import action_to_text, text_to_action

LONGEST = 400
"""Plies after which a game is a draw."""


class GtpPeer:
    """A program that speaks GTP."""

    def __init__(self, command: list[str], game: Any) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        square = game.columns == game.rows
        board = f"boardsize {game.rows}" if square else f"rectangular_boardsize {game.columns} {game.rows}"
        self.setup = (board, "clear_board", f"komi {game.komi}")

    def ask(self, command: str) -> str:
        """Returns the reply."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        reply = ""
        while line := self.process.stdout.readline().rstrip("\n"):
            reply += line
        if not reply.startswith("="):
            raise RuntimeError(f"{command}: {reply or 'no reply'}")
        return reply[1:].strip()

    def begin(self) -> None:
        """Starts a new game."""
        for command in self.setup:
            self.ask(command)

    def move(self, moves: list[str]) -> str:
        """Returns its move after ``moves``, the last of which it has not received, or resign."""
        return self.ask(f"genmove {'bw'[len(moves) % 2]}").lower()

    def see(self, moves: list[str]) -> None:
        """Passes on the last move, by the other side or of the opening."""
        self.ask(f"play {'bw'[(len(moves) - 1) % 2]} {moves[-1]}")


class UciPeer:
    """A program that speaks UCI."""

    def __init__(self, command: list[str], seconds: float, options: dict[str, Any]) -> None:
        self.engine = chess.engine.SimpleEngine.popen_uci(command)
        self.engine.configure(options)
        self.seconds = seconds

    def begin(self) -> None:
        """Starts a new game."""

    def see(self, moves: list[str]) -> None:
        """Does nothing: UCI sends all moves with the next ``go``."""

    def move(self, moves: list[str]) -> str:
        """Returns its move."""
        board = chess.Board()
        for move in moves:
            board.push_uci(move)
        played = self.engine.play(board, chess.engine.Limit(time=self.seconds)).move
        return "resign" if played is None else played.uci()


def play(game: Any, searcher: Searcher, peer: GtpPeer | UciPeer, opening: list[str], own: int, seconds: float) -> float:
    """Plays one game as player ``own``; returns our score."""
    state, moves = game.initial_state(), []
    peer.begin()
    searcher.clear()
    while (returns := game.returns(state)) is None and len(moves) < LONGEST:
        from_opening = len(moves) < len(opening)
        if from_opening:
            move = opening[len(moves)]
        elif len(moves) % 2 == own:
            searcher.set_position(None, moves)
            searcher.prepare()
            searcher.set_deadline(None, seconds)
            move = searcher.run().move or ""
        else:
            move = peer.move(moves)
            if move == "resign":
                return 1.0
        peers = not from_opening and len(moves) % 2 != own
        state = game.next_state(state, text_to_action(game, state, move))
        moves.append(move)
        if not peers:
            peer.see(moves)
    return 0.5 if returns is None else (returns[own] + 1) / 2


def main() -> None:
    """Plays the match that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", help="go:N or chess")
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=0.5, help="a move")
    parser.add_argument("--plies", type=int, default=2, help="random plies of the opening")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="for playout")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="for a UCI engine")
    parser.add_argument("peer", nargs="+", help="the command, after --")
    words = parser.parse_args()
    game: Any = catalogue.load(words.game)
    if words.game.startswith("chess"):
        options = dict(option.split("=", 1) for option in words.option)
        peer: GtpPeer | UciPeer = UciPeer(words.peer, words.seconds, options)
    else:
        peer = GtpPeer(words.peer, game)
    searcher = Searcher(game, dataclasses.replace(configuration(game, words.set), seed=words.seed))
    rng = random.Random(words.seed)
    pairs: list[float] = []
    for _ in range(words.games // 2):
        state, opening = game.initial_state(), []
        while len(opening) < words.plies:
            action = rng.choice(game.legal_actions(state))
            opening.append(action_to_text(game, state, action).lower())
            state = game.next_state(state, action)
        pairs.append(sum(play(game, searcher, peer, opening, own, words.seconds) for own in (0, 1)) / 2)
        score = Score(tuple(pairs))
        sys.stdout.write(f"{words.game}: {score.mean:.1%} +- {score.error:.1%} of {score.games} games\n")
        sys.stdout.flush()
    sys.exit(0)


if __name__ == "__main__":
    main()
