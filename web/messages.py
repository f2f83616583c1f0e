"""Messages between the page and the server: JSON over one websocket, a message a frame.

The page speaks first: ``sit``, with the mark of the table at which it sat before, if there was one. Then each side says
what it wants. ``docs/web.md`` has the messages in a table.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

LARGEST = 2**16
"""Bytes of a message from the page."""

Side = Literal["first", "second", "both", "none"]
"""Whom the user plays; the engine plays the others."""
Text = Annotated[str, msgspec.Meta(max_length=10_000)]
Seconds = Annotated[float, msgspec.Meta(ge=0.05, le=600)]
Budget = Annotated[float, msgspec.Meta(ge=1, le=86_400)]
Increment = Annotated[float, msgspec.Meta(ge=0, le=3600)]
Ply = Annotated[int, msgspec.Meta(ge=0)]


class Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag=str.lower, forbid_unknown_fields=True):
    """A message from the page."""


class Sit(Message, frozen=True):
    """Takes a seat at a table; at a new one if there is none of that mark (any more)."""

    table: Text = ""
    token: Text = ""
    """What the server's token file holds, where it has one."""


class New(Message, frozen=True):
    """Begins another game."""

    game: Text
    start: Text | None = None
    """The text of a position; None is the game's own start."""
    moves: Annotated[list[Text], msgspec.Meta(max_length=2000)] = []
    side: Side = "first"
    seconds: Seconds | None = None
    """Time of the engine for a move; None leaves it."""
    level: Annotated[int, msgspec.Meta(ge=0, le=20)] | None = None
    """Strength of the engine; None leaves it."""
    books: bool | None = None
    """Whether the engine plays from books; None leaves it."""
    handicap: Annotated[int, msgspec.Meta(ge=0, le=9)] = 0
    """Handicap stones in games that have them; 0 and 1 are none."""
    clock: tuple[Budget, Increment] | None = None
    """Seconds of each player for the game, and what each move adds; None plays without clocks, the engine then by its
    time for a move."""


class Load(Message, frozen=True):
    """Takes up a game or a position that was pasted: PGN, SGF, lines of moves, FEN, XGID and the like."""

    text: Annotated[str, msgspec.Meta(max_length=LARGEST)]


class Save(Message, frozen=True):
    """Asks for the record of the game."""


class Review(Message, frozen=True):
    """Asks for the values of all positions of the line."""


class Tree(Message, frozen=True):
    """Asks for the tree of what the searches so far know of the position that is shown."""


class Play(Message, frozen=True):
    """Makes a move, in the game's notation, at the position that is shown; later moves of the line are dropped."""

    move: Text


class Undo(Message, frozen=True):
    """Takes the user's last move back, and what followed."""


class Resign(Message, frozen=True):
    """The player to move gives up."""


class Hint(Message, frozen=True):
    """Asks for the engine's move, which is not made."""


class Go(Message, frozen=True):
    """Shows the position after a number of moves of the line."""

    ply: Ply


class Again(Message, frozen=True):
    """Begins the game anew after a number of moves of the line, with the same settings."""

    ply: Ply = 0
    exchange: bool = False
    """Whether the user and the engine exchange sides."""


class Analyse(Message, frozen=True):
    """Begins or ends an analysis of the position that is shown, whichever it becomes."""

    on: bool
    ownership: bool = False
    """Whether it tells who will own each point, in Go and Hex."""


class Sides(Message, frozen=True):
    """Changes whom the user plays, the engine's time and strength, and its books. None leaves something as it is."""

    side: Side | None = None
    seconds: Seconds | None = None
    level: Annotated[int, msgspec.Meta(ge=0, le=20)] | None = None
    books: bool | None = None


Said = Sit | New | Load | Save | Review | Tree | Play | Undo | Resign | Hint | Go | Again | Analyse | Sides


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag=str.lower):
    """A message from the server."""


class Seated(Answer, frozen=True):
    """The page has a seat."""

    table: str
    """Mark of the table, by which the page finds it again."""
    games: list[str]
    """Names of games that can be begun."""
    version: str
    reports: list[str]
    """What there is to watch, by the address of its report: ``tournament``, ``training``."""


class Choice(msgspec.Struct, frozen=True):
    """A legal move."""

    text: str
    """In the game's notation."""
    clicks: list[list[str]]
    """The sequences of places that make it; none where only its text does."""


class Timer(msgspec.Struct, frozen=True):
    """The clocks of a game as they stand when the message is written. Times are in seconds."""

    left: tuple[float, float]
    running: int | None
    """The player whose clock runs; None while both stand."""


class View(Answer, frozen=True):
    """The position that is shown."""

    game: str
    start: str | None
    svg: str
    size: tuple[float, float]
    """Width and height of the picture's ``viewBox``."""
    places: dict[str, tuple[float, float, float, float]]
    """Left, top, width and height of the places that can be clicked on."""
    line: list[str]
    """All moves and rolls."""
    said: list[str]
    """The line as people write it."""
    movers: list[int]
    """Who made each move of the line: a player, or -1 for a roll."""
    ply: int
    """Number of moves of the line that have been made in the position that is shown."""
    player: int | None
    """The player to move; -1 before a roll, None after the end."""
    colours: tuple[str, str]
    legal: list[Choice]
    """The user's choices; empty while the engine is to move, and after the end."""
    last: list[str]
    """Places of the last move."""
    result: str
    """The result in words; empty while the game goes on."""
    text: str
    """The position as text; empty in games that have none."""
    side: Side
    seconds: float
    level: int
    books: bool
    analysing: bool
    thinking: bool
    """Whether the engine is about to move."""
    timer: Timer | None
    """None in a game without clocks."""
    ratings: list[int]
    """Elo of the levels from 0 on, as far as it is known; empty in games whose levels are not calibrated."""


class Line(msgspec.Struct, frozen=True):
    """A move of an analysis. Values are from the point of view of player 0."""

    move: str
    """As people write it, as are those of ``pv``."""
    clicks: list[str]
    visits: int
    share: float
    """Of the simulations, from 0 to 1."""
    value: float
    wdl: tuple[float, float, float]
    """Shares of games that player 0 wins, draws and loses."""
    proven: bool
    pv: list[str]
    way: list[list[str]]
    """The places of the first moves of ``pv``."""


class Info(Answer, frozen=True):
    """What an analysis, or the search for a move, knows. Values are from the point of view of player 0."""

    ply: int
    """The position, by its number of moves."""
    value: float | None
    simulations: int
    seconds: float
    depth: float
    lines: list[Line]
    """The best moves, best first."""
    hint: str = ""
    """The move that was asked for."""
    ownership: dict[str, float] = {}
    """Expected ownership of each place at the end of the game, in [-1, 1]; 1 is player 0."""


class Judged(Answer, frozen=True):
    """A position of a review."""

    ply: int
    value: float
    """For player 0, in [-1, 1]."""
    best: str
    """The move that the engine prefers; empty after the end."""
    lost: float | None = None
    """With dice: the value that the move which was played from here gives away, for the player who made it. None where
    the next position tells it, or the search did not try the move.
    """


class Branch(msgspec.Struct, frozen=True):
    """A position of a tree, by the move that leads to it; the root has none."""

    move: str
    visits: int
    value: float
    """For player 0, in [-1, 1]."""
    proven: bool
    children: list[Branch]
    """The positions after its best moves, best first."""
    images: list[str]
    """The other moves that lead to images of the position, and are merged in this one."""
    position: int
    """Number of the position in this tree. Transpositions and images have the same one."""


class Grown(Answer, frozen=True):
    """The tree that was asked for."""

    ply: int
    root: Branch


class Written(Answer, frozen=True):
    """The record that was asked for."""

    name: str
    """Name for the file."""
    text: str


class Note(Answer, frozen=True):
    """A line for the user: what was wrong with his message."""

    text: str
