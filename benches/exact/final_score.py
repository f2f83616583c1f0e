"""Agreement of the final score and the dead stones of Go games with GNU Go's.

GNU Go plays itself on 9x9 after a few random moves; ``final_score`` and ``final_status_list`` judge the end, by
playouts alone and by search: ``benches/exact/final_score.py --games 60``.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from dataclasses import dataclass, replace

from playout.engine.judge.life import NODES, judge
from playout.engine.judge.ownership import PLAYOUTS, OwnershipPlayouts, is_dead
from playout.engine.options.config import options_for, search_config
from playout.engine.terms.line import Line
from playout.games.go import Go
from playout.games.support.columns import COLUMNS
from playout.games.support.go.board import Stones

SIZE = 9
LONGEST = 200
RANDOM_MOVES = (2, 8)


@dataclass(frozen=True)
class Record:
    """A game and GNU Go's verdict: the score, and its dead and seki stones."""

    moves: list[str]
    score: str
    dead: set[str]
    seki: set[str]


class GnuGo:
    """GNU Go on pipes."""

    def __init__(self, level: int, seed: int) -> None:
        command = ["gnugo", "--mode", "gtp", "--chinese-rules", "--level", str(level), "--seed", str(seed)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command: str) -> str | None:
        """Returns the text of the response; None if it is a failure."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        lines = [self._process.stdout.readline().rstrip()]
        while lines[-1]:
            lines.append(self._process.stdout.readline().rstrip())
        text = "\n".join(lines).strip()
        return text[1:].strip() if text.startswith("=") else None

    def game(self, rng: random.Random) -> Record | None:
        """Plays a game against itself; returns None if it is resigned or does not end."""
        for command in (f"boardsize {SIZE}", "komi 7.5", "clear_board"):
            self.ask(command)
        moves: list[str] = []
        for _ in range(rng.randrange(*RANDOM_MOVES)):
            point = f"{COLUMNS[rng.randrange(SIZE)]}{rng.randrange(SIZE) + 1}"
            if self.ask(f"play {'bw'[len(moves) % 2]} {point}") is not None:
                moves.append(point)
        while moves[-2:] != ["PASS", "PASS"]:
            move = self.ask(f"genmove {'bw'[len(moves) % 2]}")
            if move is None or move == "resign" or len(moves) > LONGEST:
                return None
            moves.append(move)
        lists = [set((self.ask(f"final_status_list {status}") or "").split()) for status in ("dead", "seki")]
        return Record(moves, self.ask("final_score") or "", *lists)

    def close(self) -> None:
        """Ends the process."""
        self.ask("quit")
        self._process.wait()


def main() -> None:
    """Plays, compares and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--nodes", type=int, default=NODES)
    arguments = parser.parse_args()
    game = Go(SIZE)
    config = replace(search_config(game, options_for(game, {})), threads=1)
    ways = ("uniform", "playouts", "search")
    scores, chains_right, seconds = dict.fromkeys(ways, 0), dict.fromkeys(ways, 0), dict.fromkeys(ways, 0.0)
    games = chains = 0
    for seed in range(1, arguments.games + 1):
        gnugo = GnuGo(1 + seed % 4, seed)
        record = gnugo.game(random.Random(seed))
        gnugo.close()
        if record is None:
            continue
        games += 1
        state, words = game.initial_state(), []
        for move in record.moves:
            action = game.text_to_action(state, move)
            words.append(game.action_to_text(state, action))
            state = game.next_state(state, action)
        board = Stones.of(SIZE, game.stones(state))
        every = [(player, chain) for player in (0, 1) for chain in board.chains(player)]
        chains += len(every)
        for way in ways:
            began = time.perf_counter()
            if way == "uniform":
                owners = OwnershipPlayouts(game, Line.start(game).extended(game, words)).owners(PLAYOUTS, 0)
                found = ["dead" if is_dead(chain, player, owners) else "alive" for player, chain in every]
            else:
                nodes = 0 if way == "playouts" else arguments.nodes
                found = [chain.fate for chain in judge(game, None, words, state, config=config, nodes=nodes).chains]
            seconds[way] += time.perf_counter() - began
            dead = {point for fate, (_, chain) in zip(found, every, strict=True) if fate == "dead" for point in chain}
            lead = game.score(state, dead)
            score = "0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):.1f}"
            scores[way] += score == record.score
            for fate, (_, chain) in zip(found, every, strict=True):
                first = game.action_to_text(state, chain[0])
                wanted = "dead" if first in record.dead else "seki" if first in record.seki else "alive"
                chains_right[way] += fate == wanted
    for way in ways:
        sys.stdout.write(
            f"{way}: {scores[way]} of {games} scores, {chains_right[way]} of {chains} chains as GNU Go, "
            f"{seconds[way] / games:.2f} s a game\n"
        )


if __name__ == "__main__":
    main()
