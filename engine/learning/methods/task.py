"""Tasks, from which is learned: those of one agent, and games of two players.

Each transition has a discount of its own, and all methods go by it. It is gamma where the same player decides next,
-gamma where the opponent does, because what is good for one is bad for the other, and 0 where the episode ends. So a
value is always that of the player to move, and no method knows how many players there are.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from playout.games.game import CHANCE, Game

S = TypeVar("S", bound=Hashable)
A = TypeVar("A", bound=Hashable)
S_in = TypeVar("S_in", bound=Hashable, contravariant=True)


class Outcome(NamedTuple, Generic[S]):
    """The consequences of an action."""

    reward: float
    """For the player who acted."""
    discount: float
    """Factor of the next state's value in that of the state before, in [-1, 1]; 0 ends the episode."""
    state: S | None
    """The next state; None at the end of the episode."""


class Task(Protocol[S, A]):
    """A Markov decision process. It is episodic if some transitions have the discount 0, else continuing."""

    def start(self, rng: random.Random) -> S:
        """The first state of an episode."""

    def actions(self, state: S) -> Sequence[A]:
        """The actions that are possible there, at least one, always in the same order."""

    def step(self, state: S, action: A, rng: random.Random) -> Outcome[S]:
        """Acts, and draws what happens."""


class Policy(Protocol[S_in, A]):
    """The choice of actions."""

    def chances(self, state: S_in) -> Mapping[A, float]:
        """The probability of each action of ``state``; they add up to 1."""


def drawn(chances: Mapping[A, float], rng: random.Random) -> A:
    """Draws an action by its probability."""
    return rng.choices(list(chances), list(chances.values()))[0]


@dataclass(frozen=True)
class GameTask(Generic[S, A]):
    """A game of two players as a task: each state is one in which a player decides; dice are part of a transition."""

    game: Game[S, A]
    gamma: float = 1.0
    """Discount of a ply, in (0, 1]."""

    def start(self, rng: random.Random) -> S:
        """The initial state, after the first roll in a game with dice."""
        return self._rolled(self.game.initial_state(), rng)

    def actions(self, state: S) -> Sequence[A]:
        """The legal actions."""
        return self.game.legal_actions(state)

    def step(self, state: S, action: A, rng: random.Random) -> Outcome[S]:
        """Plays the action, and rolls. The reward is the game's result for the player who moved, 0 before its end."""
        mover = self.game.current_player(state)
        after = self._rolled(self.game.next_state(state, action), rng)
        result = self.game.returns(after)
        if result is not None:
            return Outcome(result[mover], 0.0, None)
        same = self.game.current_player(after) == mover
        return Outcome(0.0, self.gamma if same else -self.gamma, after)

    def _rolled(self, state: S, rng: random.Random) -> S:
        game: Any = self.game
        while game.returns(state) is None and game.current_player(state) == CHANCE:
            state = game.next_state(state, drawn(dict(game.chance_outcomes(state)), rng))
        return state
