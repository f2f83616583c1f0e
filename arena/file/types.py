"""The types of a tournament's file. Their fields are the words of the YAML; ``docs/arena.md`` has them in a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from playout.arena.terms.job import Adjudication, Count, Keep, OptionValue, PlayerBook, ProtocolName

if TYPE_CHECKING:
    from playout.arena.file.source import FileText

SOURCE = "source"
Seconds = Annotated[float, msgspec.Meta(gt=0)]
FormName = Literal["round-robin", "gauntlet", "swiss", "knockout", "sprt"]
SPRT_GAMES = 100_000
"""Most games of an SPRT where nobody gives a number; the test of 0 against 5 normalised Elo needs some 40,000."""


class FromFile(msgspec.Struct, frozen=True, dict=True):
    """The content of a file, with the file's text if it was read from one."""

    @property
    def source(self) -> FileText | None:
        """The text of the file. It is no field: it is not compared, and not stored."""
        return self.__dict__.get(SOURCE)


class Bounds(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Time and other bounds of a player's moves."""

    time: str | None = None
    """Time control: ``40/60+0.6``, ``1:30+1``, ``60+5x10`` or ``inf``."""
    movetime: Seconds | None = None
    """Seconds for each move."""
    nodes: Count | None = None
    depth: Count | None = None
    margin: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """Seconds by which a move may be late."""

    @property
    def given(self) -> bool:
        """Whether anything is given that bounds a move."""
        return any(one is not None for one in (self.time, self.movetime, self.nodes, self.depth))


class Engine(Bounds, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An engine of the tournament. Bounds that it does not name are the event's."""

    command: str | tuple[str, ...] = ""
    """Command line; without one the engine is playout itself, inside the arena. ``{game}`` stands for the game."""
    connect: str = ""
    """Address of an engine on another machine, and what else ``playout connect`` takes; instead of a command."""
    enters: bool = False
    """Whether it enters by itself, at the broker, by ``playout enter``; instead of a command."""
    protocol: ProtocolName | None = None
    """None: ``inside`` without a command; with one the first word of a protocol's name in it, otherwise ``uci``."""
    options: dict[str, OptionValue] = {}
    directory: str = ""
    keep: Keep = False
    """Whether it keeps what it learned from the first game of a pair to the second, or always."""
    commands: tuple[str, ...] = ()
    """Lines of the protocol that are sent after the options."""
    book: str | PlayerBook = ""
    """File of a book whose moves the arena plays for the engine."""


class Openings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Beginnings of the games; each pair has one. Without a file, and with ``random`` 0, every game begins alike."""

    file: str = ""
    """EPD, FEN, PGN, SGF, ``.games`` or YAML."""
    order: Literal["sequential", "random"] = "sequential"
    start: Count = 1
    """Number of the first opening that is used."""
    plies: Count | None = None
    """Plies of each game of the file that are used; all by default."""
    random: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    """Number of random plies, after the file's opening if there is one."""


class Test(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bounds and errors of a sequential test of the first engine against the second."""

    elo0: float = 0.0
    elo1: float = 5.0
    alpha: float = 0.05
    beta: float = 0.05
    model: Literal["normalized", "logistic"] = "normalized"


class Event(Bounds, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One event: a game, engines and the form in which they meet."""

    event: str = ""
    """Name; by default that of the game."""
    game: str
    """Name of the game with its parameters: ``chess``, ``go:9,komi=7``, ``my.py:Mine``."""
    players: tuple[str, ...] = ()
    """Names of the engines that take part; all by default. In a gauntlet the first ones meet the others; in an SPRT the
    first is tested against the second; in a knock-out and a Swiss tournament they are in the order of the seeds."""
    form: FormName = "round-robin"
    games: Count = 0
    """Games of each two players who meet, in pairs with one opening and both colours; 2 if no number is given. An SPRT
    plays at most as many, ``SPRT_GAMES`` by default."""
    rounds: Count | None = None
    """Rounds of a Swiss tournament; by default the least number that finds a winner."""
    seeds: Count = 1
    """Number of engines at the head of a gauntlet."""
    swap: bool = True
    """Whether each opening is played twice, with the colours exchanged."""
    sprt: Test = Test()
    openings: Openings = Openings()
    adjudication: Adjudication = Adjudication()

    def __post_init__(self) -> None:
        if not self.games:
            msgspec.structs.force_setattr(self, "games", SPRT_GAMES if self.form == "sprt" else 2)


class Tournament(FromFile, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tournament."""

    name: str = "tournament"
    seed: int = 1
    concurrency: Count = 1
    """Pairs that are played at a time on one machine."""
    engines: dict[str, Engine]
    events: tuple[Event, ...]
    """In a file with one event its fields may stand at the top instead. Fields that stand at the top beside ``events``
    hold for each event that does not name them."""
