"""The contract of a game: five methods, and optional hooks.

A game is an object with pure functions over immutable, hashable states. ``Game`` names the five that every game has.
Each hook below that a game also implements gives it more: a ``key`` gives it a transposition graph, ``symmetries``
merge equivalent positions, texts and drawings serve its users. Hooks are found by name; nothing has to be inherited.
Games on boards of points, such as variants of Go and Hex, have more hooks in ``board_hooks.py``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from playout.games.errors import IllegalMove

CHANCE = -1
"""Value of ``current_player`` where dice or cards decide."""

S = TypeVar("S")
A = TypeVar("A", bound=Hashable)


class Game(Protocol[S, A]):
    """A zero-sum game of two players with perfect information, with or without dice. Player 0 moves first, then 1."""

    @property
    def name(self) -> str:
        """Name in the catalogue, with parameters: ``"hex:11"``."""

    def initial_state(self) -> S:
        """The state in which the game starts."""

    def current_player(self, state: S) -> int:
        """The player to move: 0, 1 or ``CHANCE``. Not called after the end of the game."""

    def legal_actions(self, state: S) -> Sequence[A]:
        """The legal actions in a fixed order, or the outcomes of a chance state; empty exactly if the game is over."""

    def next_state(self, state: S, action: A) -> S:
        """The state after a legal action or a possible outcome."""

    def returns(self, state: S) -> Sequence[float] | None:
        """Results of player 0 and player 1, each in [-1, 1], with the sum 0; None while the game goes on."""


@dataclass(frozen=True)
class Symmetry(Generic[S, A]):
    """A pair of invertible maps phi (of states) and psi (of actions) under which the rules do not change:
    ``phi(next_state(s, a)) == next_state(phi(s), psi(a))``. The player to move and the result stay the same.
    """

    name: str
    state: Callable[[S], S]
    action: Callable[[A], A]
    inverse_state: Callable[[S], S]
    inverse_action: Callable[[A], A]


@runtime_checkable
class HasKey(Protocol):
    """Makes transpositions share a node of the search. Without a key the search builds a plain tree."""

    def key(self, state: Any) -> Hashable:
        """A value that states share exactly if their futures are equal: player to move, legal actions, results.

        If the rules depend on history (repetition, ko), the key contains that part of the history.
        """


@runtime_checkable
class HasBookState(Protocol):
    """Lets books recognise a position whatever moves led to it."""

    def book_state(self, state: Any) -> Any:
        """The position without its history: no move counters, repetitions or earlier boards."""

    def book_text(self, state: Any) -> str:
        """A text that only this ``book_state`` has. It is the same in every run, and quick to make."""


@runtime_checkable
class HasBookName(Protocol):
    """Lets games that differ only in some parameters share books."""

    @property
    def book_name(self) -> str:
        """The game's name without the parameters that change neither positions nor moves, such as Go's komi."""


@runtime_checkable
class HasSymmetries(Protocol):
    """Lets positions that are images of each other share a node of the search."""

    def symmetries(self) -> Sequence[Symmetry[Any, Any]]:
        """The whole group of symmetries, the identity first; at most 12."""


@runtime_checkable
class HasChance(Protocol):
    """Needed by a game whose ``current_player`` can be ``CHANCE``."""

    def chance_outcomes(self, state: Any) -> Sequence[tuple[Any, float]]:
        """Each possible outcome with its probability; the probabilities add up to 1."""


@runtime_checkable
class HasActionText(Protocol):
    """The game's notation; without it an action is written ``str(action)``."""

    def action_to_text(self, state: Any, action: Any) -> str:
        """A legal action or outcome of ``state`` in the game's notation: one or more words on one line."""

    def text_to_action(self, state: Any, text: str) -> Any:
        """The legal action or outcome that ``text`` names. Case and common variants of the notation are accepted.

        Raises:
            IllegalMove: if ``text`` names no legal action.
        """


@runtime_checkable
class HasStateText(Protocol):
    """Positions can be written as one line of text, such as FEN."""

    def state_to_text(self, state: Any) -> str:
        """The position, without its history, on one line."""

    def state_from_text(self, text: str) -> Any:
        """The state that ``text`` describes.

        Raises:
            GameError: if ``text`` is not a position; the message is one line that gives the reason.
        """


@runtime_checkable
class HasRender(Protocol):
    """The board can be drawn as text for people."""

    def render(self, state: Any) -> str:
        """The board with its coordinates, in lines of text without a newline at the end."""


@runtime_checkable
class HasSvg(Protocol):
    """A picture for notebooks and web pages. Without this hook the picture shows the game's cells or its drawing."""

    def svg(self, state: Any) -> str:
        """The position as an SVG document."""


Box = tuple[float, float, float, float]
"""A rectangle in a picture: left, top, width and height, in the units of its ``viewBox``."""


@runtime_checkable
class HasPlaces(Protocol):
    """Lets people make moves by clicks on the picture of ``svg``. Without this hook the page offers the moves as words,
    and in games that have cells and no ``svg`` of their own also as clicks on the cells."""

    def places(self, state: Any) -> Mapping[str, Box]:
        """The places that can be clicked on, by the names that people have for them: ``"e4"``."""

    def clicks(self, state: Any, action: Any) -> Sequence[Sequence[str]]:
        """The sequences of places that make a legal action; none for what has no place, such as a pass or a roll.

        Actions may share a sequence, as promotions do; the user then chooses by their texts.
        """


@runtime_checkable
class HasCells(Protocol):
    """Lets GoGui play a game whose moves name at most one cell each, on a board of at most 25 columns and rows."""

    def cells(self, state: Any) -> Sequence[Sequence[int | None]]:
        """The owner of the man on each cell, or None for an empty cell: rows from the bottom, cells from the left."""

    def cell(self, state: Any, action: Any) -> tuple[int, int] | None:
        """Column and row, from 0, of the cell that a legal action takes; None if it takes none, such as a pass.

        ``text_to_action`` reads the cell as a point of Go: a column letter from A without I, a row number from 1.
        """


Cell = tuple[int, int]
"""Column and row of a rectangular board, from 0; rows from the bottom."""

GAP = -2
"""Mark in a row of cells: the rectangle has a cell here, but the board has none."""


@runtime_checkable
class HasSteps(Protocol):
    """Lets GoGui play a game whose moves need several cells: a move is played as several clicks. The board is a
    rectangle of at most 25 columns and rows."""

    def cells(self, state: Any, clicked: Sequence[Cell]) -> Sequence[Sequence[int | None]]:
        """The owner of the man on each cell, None for an empty cell, or ``GAP``: rows from the bottom, cells from the
        left.

        ``clicked`` holds the cells of a move that have been clicked so far. A game may show the move partly made.
        """

    def steps(self, state: Any, action: Any) -> Sequence[Sequence[Cell]]:
        """The sequences of clicks that make a legal action (not a chance outcome), the engine's own first.

        A cell is never clicked twice in a row. No sequence begins with another one. The empty sequence is a pass.
        """


@runtime_checkable
class HasLabels(Protocol):
    """GUIs write labels on the cells of a game with steps."""

    def labels(self, state: Any, clicked: Sequence[Cell]) -> Mapping[Cell, str]:
        """Labels by cell: one or two characters without blanks. ``clicked`` is as in ``cells``."""


@runtime_checkable
class HasShades(Protocol):
    """GUIs colour the cells of a game with steps."""

    def shades(self) -> Mapping[str, Sequence[Cell]]:
        """Cells by colour, ``"#rrggbb"``. Other cells keep the GUI's colour."""


@runtime_checkable
class HasCaptures(Protocol):
    """Lets GUIs count prisoners."""

    def captures(self, state: Any) -> tuple[int, int]:
        """Numbers of men that player 0 and player 1 have captured."""


@runtime_checkable
class HasColours(Protocol):
    """The names of the players; without it player 0 is Black and player 1 is White."""

    @property
    def colours(self) -> tuple[str, str]:
        """The colours of player 0 and of player 1: ``("white", "black")`` in chess."""


@runtime_checkable
class HasPointsScale(Protocol):
    """A game that is won by a number of points, such as backgammon."""

    @property
    def points_scale(self) -> int:
        """The number of points that a result of 1 stands for; 1 if every win counts the same."""


@runtime_checkable
class HasSpoken(Protocol):
    """Moves as the game's people write them, where that is another notation than the one of the protocols."""

    def spoken(self, state: Any, action: Any) -> str:
        """A legal action: ``"Nf3"`` in chess, for ``"g1f3"``. ``text_to_action`` reads it too."""


@runtime_checkable
class HasEnding(Protocol):
    """Says in words why a game is over."""

    def ending(self, state: Any) -> str:
        """The reason in a word or two, such as ``"stalemate"``, at a position in which the game is over."""


@runtime_checkable
class HasChess960(Protocol):
    """A form of chess with a parameter for Chess960. Interfaces set it by the option UCI_Chess960."""

    @property
    def chess960(self) -> bool:
        """Whether castling is written as the king taking his own rook."""


@runtime_checkable
class HasPlayerChange(Protocol):
    """Lets a colour move twice in a row, as GTP allows."""

    def with_player(self, state: Any, player: int) -> Any:
        """The same state with ``player`` to move; its history is kept."""


@runtime_checkable
class HasClaimedDraws(Protocol):
    """A game in which a player has to claim some draws; without a claim it goes on. Needs state texts."""

    def without_claim(self, state: Any) -> Any | None:
        """The state from which play goes on if nobody claims the draw at ``state``; None if the game is over anyway."""


@runtime_checkable
class HasValue(Protocol):
    """The game has H(s), a static evaluation."""

    def value(self, state: Any) -> float:
        """An estimate of the result in [-1, 1] from the point of view of the player to move."""


@runtime_checkable
class HasActionValues(Protocol):
    """The game has H(s, a), preferences among actions."""

    def action_values(self, state: Any, actions: Sequence[Any]) -> Sequence[float]:
        """One finite number for each action: a logit, higher for actions that promise more to the player to move."""


@runtime_checkable
class HasRolloutAction(Protocol):
    """The game has its own playout policy."""

    def rollout_action(self, state: Any, actions: Sequence[Any], rng: random.Random) -> Any:
        """The action that a playout plays, one of ``actions``."""


@runtime_checkable
class HasExactEffort(Protocol):
    """The game says where exact solving may begin in play; without it the engine estimates that by random lines."""

    def exact_effort(self, state: Any) -> float | None:
        """The number of positions that ``playout solve`` is expected to search at ``state``; None where play is not to
        be solved at all. The engine solves if its time suffices for twice that.

        Positions of equal size differ by factors of ten and more: an upper quartile serves better than a mean.
        """


@runtime_checkable
class HasFeatures(Protocol):
    """The game has inputs for nets that judge positions."""

    def features(self, state: Any) -> Sequence[float]:
        """Finite numbers, in every state as many, for the player to move. Not called at chance nodes or at the end."""


def action_to_text(game: Game[Any, Any], state: Any, action: Any) -> str:
    """``action`` in the game's notation, or ``str(action)`` if the game has none."""
    if not isinstance(game, HasActionText):
        return str(action)
    text: object = game.action_to_text(state, action)
    if not isinstance(text, str):
        raise TypeError(f"action_to_text gives {text!r}, which is not a text")
    return text


def text_to_action(game: Game[Any, Any], state: Any, text: str) -> Any:
    """The legal action of ``state`` that ``text`` names.

    Raises:
        IllegalMove: if ``text`` names none.
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
