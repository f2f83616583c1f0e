"""The nouns that coordinator, worker and referee share. They are plain data that also travels as JSON."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from playout.arena.terms.end import End
from playout.arena.terms.pace import Pace

ProtocolName = Literal["uci", "ugi", "gtp", "ubgi", "xboard", "gnubg", "inside"]
OptionValue = bool | int | float | str
Count = Annotated[int, msgspec.Meta(ge=1)]
Centipawns = Annotated[int, msgspec.Meta(ge=0)]
Said = Annotated[int, msgspec.Meta(ge=-(10**18), le=10**18)]
"""A number that an engine has said."""
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e8)]
Keep = bool | Literal["always"]
Seat = Annotated[int, msgspec.Meta(ge=0, le=1)]


MOVETIME_MARGIN = 0.1
"""Seconds; a fixed time a move is an order, which engines measure by their own clocks, not a resource."""


class PlayerBook(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A book whose moves the arena plays for an engine, drawn by their weights."""

    file: str
    """Path of a book of any format that playout reads."""
    plies: Count | None = None
    """Plies of a game, those of its opening included, for which the book is asked; None for all."""


class Player(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An engine as it takes part: how it is started, and the bounds under which it plays."""

    name: str
    command: tuple[str, ...] = ()
    """Words of the command line; empty for playout inside the process. ``{game}`` stands for the game's name."""
    protocol: ProtocolName = "uci"
    options: dict[str, OptionValue] = {}
    directory: str = ""
    """Folder in which it is started; empty for the arena's own."""
    pace: Pace = Pace()
    margin: float | None = None
    """Seconds by which a move may be late before the player loses on time. None: ``MOVETIME_MARGIN`` where each move
    has a fixed time, 0 on a clock."""
    keep: Keep = False
    """Whether it keeps what it learned from one game of a pair to the next (no ``ucinewgame`` and the like), or from
    one pair to the next as well, as long as its process runs."""
    commands: tuple[str, ...] = ()
    """Lines sent after the options, as they are."""
    enters: bool = False
    """Whether it enters by itself, at the broker; it then has no command."""
    book: PlayerBook | None = None

    @property
    def allowance(self) -> float:
        """Seconds by which a move may be late."""
        if self.margin is not None:
            return self.margin
        return 0.0 if self.pace.movetime is None else MOVETIME_MARGIN


class DrawRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game is a draw if, from move ``number`` on, both players' scores stayed within ``score`` for ``moves`` moves
    of each."""

    number: Count = 34
    moves: Count = 8
    score: Centipawns = 20
    """Centipawns."""


class ResignRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A player loses whose own score was at most ``-score`` for ``moves`` of his moves in a row."""

    moves: Count = 3
    score: Centipawns = 600
    """Centipawns."""
    both: bool = True
    """Whether the opponent's scores must agree: at least ``score`` in the same moves."""


class Adjudication(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Rules by which the referee ends a game before the rules of the game do."""

    draw: DrawRule | None = None
    resign: ResignRule | None = None
    plies: Count | None = None
    """A game of this many plies, the opening included, is a draw."""
    tables: tuple[str, ...] = ()
    """Folders or files of tables of solved positions, which give the result."""
    solve: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """Seconds after each move for the exact solver, which gives the result if it finds it; None is without."""


class Opening(msgspec.Struct, frozen=True, omit_defaults=True):
    """Beginning of a game: a position, and moves from it that nobody thinks about."""

    start: str | None = None
    """Text of the position; None is the game's own start."""
    moves: tuple[str, ...] = ()
    name: str = ""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A pair of games, or a single one, from one opening; the unit that a worker takes."""

    id: str
    """``EVENT/ROUND/NUMBER``; the games are ``ID/0`` and ``ID/1``."""
    game: str
    """Name of the game with its parameters, as the catalogue has it."""
    players: tuple[Player, Player]
    """In the first game ``players[0]`` is player 0 of the game."""
    opening: Opening = Opening()
    adjudication: Adjudication = Adjudication()
    seed: int = 0
    """Source of the dice, which are the same in both games, and of the option Seed of playout's own engines."""
    games: int = 2
    """Number of games, 1 or 2; in the second one the players have exchanged their sides."""
    grace: float = 2.0
    """Seconds for an engine that is too late to answer ``stop``; after that it hangs and is ended."""
    patience: float = 600.0
    """Seconds for a move that nothing else bounds."""


class Move(msgspec.Struct, frozen=True, array_like=True):
    """A move of a game that was played, or a roll."""

    text: str
    """In the game's notation."""
    seconds: Seconds = 0.0
    """Time that the move took; 0 for moves of the opening and rolls."""
    centipawns: Said | None = None
    """The player's score, from its own point of view."""
    mate: Said | None = None
    """Moves to the player's win, negative if it loses."""
    depth: Said | None = None
    nodes: Said | None = None
    left: Seconds | None = None
    """Seconds that the clock showed after the move, increment included."""
    player: Seat | None = None
    """The player who moved, 0 or 1; None for moves of the opening and rolls."""
    book: bool = False
    """Whether the arena found the move in the player's book."""

    @property
    def score(self) -> int | None:
        """The player's score in centipawns; a mate counts as ``MATE`` less its length. None without a score."""
        if self.mate is not None:
            return (MATE - self.mate) if self.mate > 0 else (-MATE - self.mate)
        return self.centipawns


MATE = 30_000
"""Score of a mate on the board, in centipawns."""


class Played(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A game that was played."""

    id: str
    game: str
    names: tuple[str, str]
    """The engines, player 0 first."""
    opening: Opening
    moves: tuple[Move, ...]
    """All moves, those of the opening first."""
    result: float | None
    """Result of player 0 in [-1, 1]; None if the game is void."""
    end: End
    detail: str = ""
    """One line for people: the illegal move, the exit status, the seconds by which a move was late."""
    at_fault: Seat | None = None
    """Player who lost by a fault of the program."""
    began: str = ""
    """Time of day in UTC, ISO 8601."""
    seconds: Seconds = 0.0
    """Duration of the game."""
    paces: tuple[str, str] = ("-", "-")
    """Time controls, player 0's first."""
    still: Seconds = 0.0
    """Seconds in which the machine ran no program while an engine was thinking."""
    remarks: Annotated[tuple[str, ...], msgspec.Meta(max_length=20)] = ()
    """Breaches of the protocol that cost nothing, such as a second ``bestmove``; one line each, at most 20."""
