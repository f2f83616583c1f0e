"""A small engine in Python: it wins if it can, blocks if it must, and otherwise plays near the middle. It speaks UGI.

It knows connect four as ``four.py`` has it: a move is the number of a column.
"""

import random
import sys

from four import COLUMNS, Four

GAME = Four()


def best(state, rng):
    """Returns the column to play."""
    moves = GAME.legal_actions(state)
    player = GAME.current_player(state)
    wins = [move for move in moves if (GAME.returns(GAME.next_state(state, move)) or (0, 0))[player] == 1]
    if wins:
        return wins[0]
    safe = [move for move in moves if not _loses(GAME.next_state(state, move), player)]
    return min(safe or moves, key=lambda move: (abs(move - COLUMNS // 2), rng.random()))


def _loses(state, player):
    """Whether the opponent, who is to move, wins at once."""
    replies = [GAME.returns(GAME.next_state(state, move)) for move in GAME.legal_actions(state)]
    return any(result is not None and result[player] == -1 for result in replies)


def main():
    """Answers the lines of UGI until ``quit`` or the end of the input."""
    state, rng = GAME.initial_state(), random.Random(1)
    for line in sys.stdin:
        words = line.split()
        if words[:1] == ["ugi"]:
            print("id name Greedy\nid author playout\nugiok", flush=True)
        elif words[:1] == ["isready"]:
            print("readyok", flush=True)
        elif words[:2] == ["position", "startpos"]:
            state = GAME.initial_state()
            for move in words[3:]:
                state = GAME.next_state(state, int(move))
        elif words[:1] == ["go"]:
            print(f"bestmove {best(state, rng)}", flush=True)
        elif words[:1] == ["quit"]:
            return


if __name__ == "__main__":
    main()
