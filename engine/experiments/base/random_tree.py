"""A game with a uniform tree and random results, about which only search gives information."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from playout.games.game import CHANCE

Node = tuple[int, int]
"""Depth, and index among the nodes of that depth."""


class UniformTree:
    """The shape of a tree of ``depth`` plies with ``branching`` actions at each node."""

    branching: int
    depth: int

    def initial_state(self) -> Node:
        return 0, 0

    def legal_actions(self, state: Node) -> Sequence[int]:
        return range(self.branching) if state[0] < self.depth else ()

    def next_state(self, state: Node, action: int) -> Node:
        return state[0] + 1, state[1] * self.branching + action

    def key(self, state: Node) -> Node:
        return state


@dataclass(frozen=True)
class RandomTree(UniformTree):
    """A tree of ``depth`` plies with ``branching`` actions at each node; a hash gives each leaf a value in [-1, 1].

    Player 0 and player 1 move in turn. With ``chance`` a uniform chance node follows each move, and counts as a ply.
    """

    branching: int = 4
    depth: int = 5
    seed: int = 0
    chance: bool = False

    @property
    def name(self) -> str:
        return f"random-tree:{self.branching},{self.depth},{self.seed}" + (",chance=true" if self.chance else "")

    @property
    def max_game_length(self) -> int:
        return self.depth

    def current_player(self, state: Node) -> int:
        if self.chance:
            return (0, CHANCE, 1, CHANCE)[state[0] % 4]
        return state[0] % 2

    def returns(self, state: Node) -> tuple[float, float] | None:
        if state[0] < self.depth:
            return None
        digest = hashlib.blake2b(f"{self.seed} {state[1]}".encode(), digest_size=8).digest()
        value = int.from_bytes(digest, "little") / 2**63 - 1
        return value, -value

    def chance_outcomes(self, state: Node) -> Sequence[tuple[int, float]]:
        return [(outcome, 1 / self.branching) for outcome in range(self.branching)]
