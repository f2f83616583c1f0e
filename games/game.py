"""What a game is: five methods, and hooks for more.

A game is an object with pure functions over immutable, hashable states. ``Game`` names the five that every game has;
a game that implements more of the hooks below gets more: a ``key`` gives it a transposition graph, ``symmetries`` merge
equivalent positions, texts and drawings serve its users. Hooks are found by name; nothing has to be inherited. Games on
boards of points, such as variants of Go and Hex, have more hooks in ``board_hooks.py``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from playout.games.errors import IllegalMove

CHANCE = -1
"""What ``current_player`` returns where dice or cards decide."""

S = TypeVar("S")
A = TypeVar("A", bound=Hashable)


class Game(Protocol[S, A]):
    """A game of two players, numbered 0 (who moves first) and 1, with perfect information and, perhaps, dice."""

    @property
    def name(self) -> str:
        """What the registry calls it, parameters included: ``"hex:11"``."""

    def initial_state(self) -> S:
        """The state in which a game starts."""

    def current_player(self, state: S) -> int:
        """Who decides: 0, 1 or ``CHANCE``. Not asked of a finished game."""

    def legal_actions(self, state: S) -> Sequence[A]:
        """The legal actions in a fixed order, empty exactly if the game is over; at a chance state, the outcomes."""

    def next_state(self, state: S, action: A) -> S:
        """The state after a legal action or a possible outcome."""

    def returns(self, state: S) -> Sequence[float] | None:
        """The result for player 0 and player 1, each in [-1, 1], adding up to 0; None while the game goes on."""


@dataclass(frozen=True)
class Symmetry(Generic[S, A]):
    """A pair of invertible maps phi (states) and psi (actions) under which the rules do not change:

    ``phi(next_state(s, a)) == next_state(phi(s), psi(a))``; mover, length and result are the same.
    """

    name: str
    state: Callable[[S], S]
    action: Callable[[A], A]
    inverse_state: Callable[[S], S]
    inverse_action: Callable[[A], A]


@runtime_checkable
class HasKey(Protocol):
    """Gives a transposition graph; without it the search builds a plain tree."""

    def key(self, state: Any) -> Hashable:
        """Equal keys mean equal futures: mover, legal actions, results and, where the rules look back, repetition."""


@runtime_checkable
class HasBookState(Protocol):
    """Lets books know a position whatever line led to it."""

    def book_state(self, state: Any) -> Any:
        """The position without what only its line tells: clocks, repetitions, what superko remembers."""

    def book_text(self, state: Any) -> str:
        """A text of a ``book_state`` that no other has, the same in every run; quick to make."""


@runtime_checkable
class HasBookName(Protocol):
    """Lets a game with other parameters use the same book."""

    @property
    def book_name(self) -> str:
        """The game's name less the parameters that change neither positions nor moves (Go's komi)."""


@runtime_checkable
class HasSymmetries(Protocol):
    """Lets positions that are images of each other share what the search learns."""

    def symmetries(self) -> Sequence[Symmetry[Any, Any]]:
        """All of them, a group, the identity first; at most 12."""


@runtime_checkable
class HasChance(Protocol):
    """Needed by a game whose ``current_player`` can be ``CHANCE``."""

    def chance_outcomes(self, state: Any) -> Sequence[tuple[Any, float]]:
        """(outcome, probability) for each outcome that can occur, adding up to 1."""


@runtime_checkable
class HasActionText(Protocol):
    """The game's notation; without it an action is written ``str(action)``."""

    def action_to_text(self, state: Any, action: Any) -> str:
        """A legal action (or outcome) of ``state`` in the game's notation: one word or words, never a newline."""

    def text_to_action(self, state: Any, text: str) -> Any:
        """The legal action (or outcome) that ``text`` names, tolerant of case and of known variants.

        Raises:
            IllegalMove: if it names none.
        """


@runtime_checkable
class HasStateText(Protocol):
    """Positions as one line of text, FEN or its like."""

    def state_to_text(self, state: Any) -> str:
        """The position (not the history) on one line."""

    def state_from_text(self, text: str) -> Any:
        """The state that ``text`` describes.

        Raises:
            GameError: one line that says what is wrong with it.
        """


@runtime_checkable
class HasRender(Protocol):
    """A drawing for people."""

    def render(self, state: Any) -> str:
        """The board in lines of text with its coordinates, no trailing newline."""


@runtime_checkable
class HasCells(Protocol):
    """Lets GUIs for Go (GoGui) play a game each of whose moves names one cell of a rectangular board, of 25 columns and
    rows at most, on which men stay."""

    def cells(self, state: Any) -> Sequence[Sequence[int | None]]:
        """Rows from the bottom, cells from the left: whose man is there, None for an empty cell."""

    def cell(self, state: Any, action: Any) -> tuple[int, int] | None:
        """Column and row, from 0, of the cell that a legal action takes; None for one that takes none, as a pass.
        ``text_to_action`` knows it as a point of Go: column letter from A without I, row number from 1."""


Cell = tuple[int, int]
"""Column and row of a rectangular board, from 0; rows from the bottom."""

GAP = -2
"""In a row of cells: no cell of the board, although its rectangle has one there."""


@runtime_checkable
class HasSteps(Protocol):
    """Lets GUIs for Go (GoGui) play a game whose moves need several cells of a rectangular board, of 25 columns and
    rows at most: a move is played as several clicks."""

    def cells(self, state: Any, clicked: Sequence[Cell]) -> Sequence[Sequence[int | None]]:
        """Rows from the bottom, cells from the left: whose man is there, None for an empty cell, or ``GAP``.

        ``clicked`` are the first cells of a move, as many as have been clicked: a game may show what was moved so far.
        """

    def steps(self, state: Any, action: Any) -> Sequence[Sequence[Cell]]:
        """The ways in which a legal action (no chance outcome) can be clicked, the engine's own first: cells one after
        another, none twice in a row. No way begins with another. The empty way is a pass."""


@runtime_checkable
class HasLabels(Protocol):
    """What GUIs write on the cells of a game that has steps."""

    def labels(self, state: Any, clicked: Sequence[Cell]) -> Mapping[Cell, str]:
        """A letter or two for each cell that has some, without blanks; ``clicked`` as in ``cells``."""


@runtime_checkable
class HasShades(Protocol):
    """How GUIs colour the cells of a game that has steps."""

    def shades(self) -> Mapping[str, Sequence[Cell]]:
        """Cells by their colour, ``"#rrggbb"``; the others are left as they are."""


@runtime_checkable
class HasCaptures(Protocol):
    """Lets GUIs count prisoners."""

    def captures(self, state: Any) -> tuple[int, int]:
        """How many men player 0 and player 1 have taken."""


@runtime_checkable
class HasColours(Protocol):
    """The names of the players; without it player 0 is Black and player 1 is White."""

    @property
    def colours(self) -> tuple[str, str]:
        """The colours of player 0 and of player 1: ``("white", "black")`` in chess."""


@runtime_checkable
class HasPointsScale(Protocol):
    """A game is won by a number of points, as in backgammon."""

    @property
    def points_scale(self) -> int:
        """The number of points that a result of 1 stands for; 1 if every win counts the same."""


@runtime_checkable
class HasChess960(Protocol):
    """Chess, whose start position and notation of castling are a parameter: interfaces set it by UCI_Chess960."""

    @property
    def chess960(self) -> bool:
        """Whether castling is written as the king taking his own rook."""


@runtime_checkable
class HasPlayerChange(Protocol):
    """For interfaces that let a colour move twice in a row (GTP)."""

    def with_player(self, state: Any, player: int) -> Any:
        """The same state with ``player`` to move; its history stands."""


@runtime_checkable
class HasClaimedDraws(Protocol):
    """Some draws of the game are a player's right, not an end: interfaces may play on. Needs state texts."""

    def without_claim(self, state: Any) -> Any | None:
        """The state as which play goes on where the draw at ``state`` is not claimed; None where the game is over."""


@runtime_checkable
class HasValue(Protocol):
    """H(s), a static evaluation."""

    def value(self, state: Any) -> float:
        """An estimate of the result in [-1, 1] from the point of view of the player to move."""


@runtime_checkable
class HasActionValues(Protocol):
    """H(s, a), a preference among actions."""

    def action_values(self, state: Any, actions: Sequence[Any]) -> Sequence[float]:
        """One finite number per action, the higher the more promising for the player to move; used as logits."""


@runtime_checkable
class HasRolloutAction(Protocol):
    """A playout policy of the game's own."""

    def rollout_action(self, state: Any, actions: Sequence[Any], rng: random.Random) -> Any:
        """The one of ``actions`` that a playout plays."""


@runtime_checkable
class HasFeatures(Protocol):
    """Inputs for learned evaluations."""

    def features(self, state: Any) -> Sequence[float]:
        """A vector of fixed length."""


def action_to_text(game: Game[Any, Any], state: Any, action: Any) -> str:
    """``action`` in the game's notation; ``str(action)`` for a game that has none."""
    if not isinstance(game, HasActionText):
        return str(action)
    text: object = game.action_to_text(state, action)
    if not isinstance(text, str):
        raise TypeError(f"action_to_text gives {text!r}, which is not a text")
    return text


def text_to_action(game: Game[Any, Any], state: Any, text: str) -> Any:
    """The legal action of ``state`` that ``text`` names.

    Raises:
        IllegalMove: if it names none.
    """
    if isinstance(game, HasActionText):
        return game.text_to_action(state, text)
    wanted = text.strip().casefold()
    for action in game.legal_actions(state):
        if str(action).casefold() == wanted:
            return action
    raise IllegalMove(f"illegal move: {text.strip()!r}")


def colours(game: Game[Any, Any]) -> tuple[str, str]:
    """The colours of player 0 and of player 1."""
    return game.colours if isinstance(game, HasColours) else ("black", "white")


def points_scale(game: Game[Any, Any]) -> int:
    """The number of points that a result of 1 stands for."""
    return game.points_scale if isinstance(game, HasPointsScale) else 1


def is_over(game: Game[Any, Any], state: Any) -> bool:
    """Whether the game has ended at ``state``."""
    return game.returns(state) is not None
