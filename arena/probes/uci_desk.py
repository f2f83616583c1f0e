"""The desk for engines that speak UCI or UGI: options, positions, searches and their reports."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from playout.arena.drivers.fault import Fault
from playout.arena.probes.desk import Desk, shown
from playout.arena.probes.finding import NotApplicable, Wrong
from playout.arena.probes.positions import VARIOUS
from playout.games.game import HasChess960

OPTION = re.compile(r"option\s+name\s+(?P<name>\S.*?)\s+type\s+(?P<kind>\S+)(?P<rest>(\s.*)?)")
_FIELD = re.compile(r"\s(default|min|max|var)(?=\s|$)")
CLOCKS = {"uci": ("wtime", "btime", "winc", "binc"), "ugi": ("p1time", "p2time", "p1inc", "p2inc")}
COUNTS = ("depth", "seldepth", "time", "nodes", "multipv", "currmovenumber", "hashfull", "nps", "tbhits", "sbhits")
"""Fields of ``info`` that are whole numbers."""
KEYS = frozenset((*COUNTS, "pv", "score", "currmove", "string", "refutation", "currline", "wdl"))
"""Words that begin a field of an ``info`` line."""
QUICK = ("movetime 30", "depth 1", "nodes 50", "wtime 1000 btime 1000")
"""Limits of short searches; the first one that the engine obeys is used wherever another is not examined."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option as an engine declares it; ``fields`` has the values of ``default``, ``min``, ``max`` and ``var``."""

    line: str
    name: str
    kind: str
    fields: dict[str, list[str]]

    def value(self, key: str) -> str | None:
        """Returns the value of a field, or None if it is missing."""
        return self.fields[key][0] if key in self.fields else None


def option_of(line: str) -> Option | None:
    """Returns the option that a line declares, or None if it does not have the form of one."""
    found = OPTION.fullmatch(line.strip())
    if found is None:
        return None
    _, *parts = _FIELD.split(found["rest"])
    fields: dict[str, list[str]] = {}
    for key, value in zip(parts[::2], parts[1::2], strict=True):
        fields.setdefault(key, []).append(value.strip())
    return Option(line, found["name"], found["kind"], fields)


@dataclass(frozen=True, slots=True)
class Place:
    """A position as the protocol names it: a start (None: the game's own) and the moves since."""

    start: str | None = None
    moves: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The command that sets it up."""
        start = "startpos" if self.start is None else f"fen {self.start}"
        return f"position {start}{''.join([' moves', *(f' {move}' for move in self.moves)]) if self.moves else ''}"


@dataclass(frozen=True, slots=True)
class Search:
    """A search that is over: its lines, the last of which begins with ``bestmove``, and the seconds that it took."""

    place: Place
    lines: list[str]
    seconds: float
    infos: list[dict[str, list[str]]] = field(default_factory=list)
    """Fields of each ``info`` line, with the words of each."""

    @property
    def best(self) -> str:
        """The move; empty if the line has none."""
        return (self.lines[-1].split()[1:2] or [""])[0]

    @property
    def answer(self) -> str:
        """The line of the move."""
        return self.lines[-1]


def info_of(line: str) -> dict[str, list[str]]:
    """Returns the fields of an ``info`` line with their words; the last field of a name counts."""
    found: dict[str, list[str]] = {}
    words, key = line.split()[1:], ""
    for number, word in enumerate(words):
        if word == "string":
            found[word] = words[number + 1 :]
            break
        if word in KEYS:
            key, found[word] = word, []
        elif key:
            found[key].append(word)
    return found


def is_best(line: str) -> bool:
    """Returns whether a line ends a search."""
    return line.split()[:1] == ["bestmove"]


def is_number(words: Sequence[str] | None) -> bool:
    """Returns whether the first of a field's words is a whole number."""
    return words is not None and len(words) > 0 and words[0].removeprefix("-").isdecimal()


class UniversalDesk(Desk):
    """One engine that speaks UCI or UGI."""

    def __init__(self, command: Sequence[str], protocol: str, game: Any, patience: float) -> None:
        super().__init__(command, protocol, game, patience)
        self.introduction: list[str] = []
        """Lines of the answer to ``uci``."""
        self.options: dict[str, Option] = {}
        """By their names in lower case."""
        self._quick: str | None = None
        self._samples: list[Search] | None = None

    def greet(self) -> None:
        self.send(self.protocol)
        self.introduction = self.until(lambda line: line.strip() == f"{self.protocol}ok", f"{self.protocol}ok")
        found = filter(None, map(option_of, self.introduction))
        self.options = {option.name.lower(): option for option in found}
        self.said(*(["setoption name OwnBook value false"] if "ownbook" in self.options else []))

    def settle(self) -> None:
        self.said()

    def said(self, *lines: str) -> list[str]:
        """Sends lines; returns what the engine says before it is ready again."""
        self.send(*lines, "isready")
        sent = self._sent = f"{lines[-1]}, isready" if lines else "isready"
        found = self.until(lambda line: line.strip() == "readyok", "readyok")
        self._sent = sent
        return found[:-1]

    def unasked(self, *lines: str, listen: bool = True) -> None:
        """Sends lines, listens for a moment if it is to ``listen``, and checks that no ``bestmove`` comes."""
        answers = self.said(*lines) + (self.quiet() + self.said() if listen else [])
        if wrong := [line for line in answers if is_best(line)]:
            raise Wrong(f"{shown(wrong[0])} after {lines[-1] if lines else 'isready'!r}")

    def set_option(self, name: str, value: str) -> None:
        """Sets an option, if the engine has it."""
        if name.lower() in self.options:
            self.said(f"setoption name {self.options[name.lower()].name} value {value}")

    def needs(self, name: str) -> Option:
        """Returns an option of the engine.

        Raises:
            NotApplicable: if it has none of the name.
        """
        if name.lower() not in self.options:
            raise NotApplicable(f"no option {name}")
        return self.options[name.lower()]

    def chess(self) -> None:
        """Returns if the game is chess.

        Raises:
            NotApplicable: if it is another one.
        """
        if not isinstance(self.game, HasChess960):
            raise NotApplicable("for chess only")

    def clock(self, own: int, other: int | None = None, more: str = "") -> str:
        """Returns the words of ``go`` for the clocks of White (or player 1) and Black, in milliseconds."""
        words = CLOCKS[self.protocol]
        return f"{words[0]} {own}" + (f" {words[1]} {other}" if other is not None else "") + more

    def state(self, place: Place) -> Any:
        """Returns the state of a position by playout's rules."""
        game: Any = self.game
        return self.after(
            game.initial_state() if place.start is None else game.state_from_text(place.start), place.moves
        )

    def quick(self) -> str:
        """Returns a limit for a short search that the engine obeys.

        Raises:
            Wrong: if it obeys none of ``QUICK``.
        """
        if self._quick is None:
            for limit in QUICK:
                self.send(Place().line, f"go {limit}")
                try:
                    self.until(is_best, "bestmove")
                except (Wrong, Fault):
                    self.close()
                    self.open()
                    continue
                self._quick = limit
                break
            else:
                self._quick = ""
        if not self._quick:
            raise NotApplicable("it answers no search")
        return self._quick

    def search(self, place: Place | None = None, limit: str | None = None) -> Search:
        """Searches a position, the game's start by default, under a limit, a short one by default."""
        at, words = place or Place(), limit or self.quick()
        self.said(at.line)
        return self.wait(at, f"go {words}")

    def wait(self, place: Place, *lines: str) -> Search:
        """Sends lines, and waits for the end of a search of ``place``."""
        began = time.monotonic()
        self.send(*lines)
        found = self.until(is_best, "bestmove")
        seconds = time.monotonic() - began
        return Search(place, found, seconds, [info_of(line) for line in found if line.split()[:1] == ["info"]])

    def check_best(self, search: Search, allowed: Callable[[str], bool] | None = None) -> None:
        """Checks that the move of a search is legal, and ``allowed``.

        Raises:
            Wrong: if it is not.
        """
        if search.best not in self.legal(self.state(search.place)):
            raise Wrong(f"{shown(search.answer)}, which is no legal move, after {shown(search.place.line)}")
        if allowed is not None and not allowed(search.best):
            raise Wrong(f"{shown(search.answer)} after {self.sent!r} at {shown(search.place.line)}")

    def answers(self, *limits: str, place: Place | None = None) -> None:
        """Checks that searches under each of the limits end with a legal move."""
        for limit in limits:
            self.check_best(self.search(place, limit))

    def places(self) -> list[Place]:
        """Returns positions that need various moves."""
        found = [Place(None, self.line_of_play(plies, seed)) for plies, seed in ((0, 1), (3, 2), (8, 3))]
        return found + [Place(fen) for fen in VARIOUS if isinstance(self.game, HasChess960)]

    def samples(self) -> list[Search]:
        """Returns short searches of various positions, made once.

        Raises:
            NotApplicable: if they have failed before.
        """
        if self._samples is None:
            self._samples = []
            self._samples = [self.search(place) for place in self.places()]
        if not self._samples:
            raise NotApplicable("it answers no search")
        return self._samples
