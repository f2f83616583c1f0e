"""The events of a tournament, ready to be played: players, form, openings, and the pairs of each round."""

from __future__ import annotations

import functools
import itertools
import math
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import msgspec

from playout.arena.file.openings import OpeningBook
from playout.arena.file.source import FieldError, Place
from playout.arena.file.types import SPRT_GAMES, Bounds, Engine, Event, Openings, Tournament
from playout.arena.forms.everyone import Gauntlet, RoundRobin
from playout.arena.forms.form import Form, Meeting
from playout.arena.forms.knockout import Knockout
from playout.arena.forms.sprt import SprtMatch
from playout.arena.forms.swiss import Swiss
from playout.arena.terms.job import Adjudication, Job, Player, PlayerBook, ProtocolName
from playout.arena.terms.pace import Pace, read_pace
from playout.engine.statistics.sprt import Sprt
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.games.game import Game, points_scale
from playout.games.nearest import nearest
from playout.protocols.transport.address import is_name

MQTT = re.compile(r"mqtts?://")
LONGEST_NAME = 60
"""Letters of the longest name of an event; messages bound the ids of its games."""
PROGRAMS: Mapping[str, ProtocolName] = {"gnubg": "gnubg", "gnugo": "gtp"}
"""Protocols of programs that speak no other. Only those stand here that do not speak UCI."""
INSIDE_PACE = Pace(movetime=0.1)
"""Bounds of playout's own engines where the file gives none."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An event that can be played."""

    name: str
    game: str
    """Name of the game, by which the catalogue loads it."""
    players: tuple[Player, ...]
    form: Form
    openings: OpeningBook
    adjudication: Adjudication
    games: int
    """Games of a pair: 2, or 1 without the exchange of colours."""
    seed: int
    points: int
    """Points that a result of 1 stands for; more than 1 in a game that is won by points."""
    told: Callable[[FieldError], PlayoutError]
    """Gives an error of a field of the event its place in the tournament's file."""

    @property
    def total(self) -> int | None:
        """Number of games, at most; None if it depends on results, as in an SPRT that has no limit of its own."""
        if self.form.waits or (isinstance(self.form, SprtMatch) and self.form.pairs * self.games >= SPRT_GAMES):
            return None
        pairs = 0
        for number in itertools.count():
            meetings = self.form.draw([], number)
            if meetings is None:
                return pairs * self.games
            pairs += sum(meeting.pairs for meeting in meetings)
        raise AssertionError

    def jobs(self, round_: int, meetings: Sequence[Meeting], opening: int) -> list[Job]:
        """Returns the pairs of a round, whose first opening has the number ``opening``. All meetings of a round have
        the same openings.

        Raises:
            PlayoutError: if an opening cannot be played.
        """
        found = list[Job]()
        for meeting in meetings:
            for pair in range(meeting.pairs):
                number = len(found)
                found.append(
                    Job(
                        id=f"{self.name}/{round_ + 1}/{number + 1}",
                        game=self.game,
                        players=(self.players[meeting.first], self.players[meeting.second]),
                        opening=self.openings[opening + pair],
                        adjudication=self.adjudication,
                        seed=self.seed + 1_000_003 * round_ + pair,
                        games=self.games,
                    )
                )
        return found


def plans_of(tournament: Tournament, folder: Path) -> list[Plan]:
    """Returns the events of a tournament. Paths in it are seen from ``folder``.

    Raises:
        PlayoutError: one line about the event and the field that cannot be.
    """
    plans, names = list[Plan](), set[str]()
    for number, event in enumerate(tournament.events):
        told = functools.partial(_told, tournament, number)
        try:
            if not tournament.engines:
                raise FieldError(("engines",), "none")
            plan = _plan(tournament, event, folder, told)
            if plan.name in names:
                raise FieldError(("event",), f"two are called {plan.name!r}; each needs a name")
        except FieldError as error:
            raise told(error) from error
        names.add(plan.name)
        plans.append(plan)
    return plans


def _told(tournament: Tournament, number: int, error: FieldError) -> PlayoutError:
    """Returns an error of the event with a number, whose place is seen from the event, with its place in the file."""
    place = error.place if error.place[0] == "engines" else ("events", number, *error.place)
    if tournament.source is not None:
        return tournament.source.told(FieldError(place, error.said))
    if len(tournament.events) > 1:
        event = tournament.events[number]
        return PlayoutError(f"event {event.event or event.game}: {error}")
    return error


def player_of(name: str, engine: Engine, event: Event, folder: Path) -> Player:
    """Returns an engine as it takes part in an event.

    Raises:
        FieldError: if its command or its bounds cannot be.
    """
    place: Place = ("engines", name)
    words, directory = _command(name, engine), engine.directory
    protocol = engine.protocol or ("ugi" if engine.enters else "inside" if not words else protocol_of(words))
    if engine.connect:
        directory = directory or "."  # from where the files of its arguments are seen
        if MQTT.match(engine.connect) and "--protocol" not in words:
            words = (*words, "--protocol", protocol)
    if engine.enters and protocol != "ugi":
        raise FieldError(place, f"it enters, so its protocol is ugi, not {protocol}")
    if not words and not engine.enters and protocol not in ("inside", "gnubg"):
        raise FieldError(place, f"protocol {protocol} needs a command")
    if words and protocol == "inside":
        raise FieldError(place, "protocol inside has no command: it is playout itself")
    pace = _pace(engine, place) if engine.given else _pace(event, ())
    if not pace.bounded and protocol != "gtp":
        if protocol not in ("inside", "gnubg"):
            raise FieldError(place, "no time control: time, movetime, nodes or depth")
        pace = INSIDE_PACE
    if engine.protocol is None and protocol == "gtp" and not any("gtp" in word.lower() for word in words[1:]):
        raise FieldError(place, "GNU Go speaks GTP with the words --mode gtp only")
    if protocol == "gtp" and (pace.nodes is not None or pace.depth is not None):
        raise FieldError(place, "GTP knows neither nodes nor depth; use its command line or `commands`")
    directory = str((folder / directory).absolute()) if directory else ""
    margin = engine.margin if engine.margin is not None else event.margin
    return Player(
        name=name,
        command=tuple(_seen_from(folder, words)),
        protocol=protocol,
        options=engine.options,
        directory=directory,
        pace=pace,
        margin=margin,
        keep=engine.keep,
        commands=engine.commands,
        enters=engine.enters,
        book=_book(engine.book, folder),
    )


def _book(book: str | PlayerBook, folder: Path) -> PlayerBook | None:
    """Returns an engine's book, its file seen from ``folder``; None without one."""
    named = PlayerBook(book) if isinstance(book, str) else book
    return msgspec.structs.replace(named, file=str((folder / named.file).absolute())) if named.file else None


def _command(name: str, engine: Engine) -> tuple[str, ...]:
    """Returns the words of the command line; none for an engine inside the arena, or one that enters.

    Raises:
        FieldError: if there is more than one way to the engine, or its name cannot be entered under.
    """
    place: Place = ("engines", name)
    given = [word for word in ("command", "connect", "enters") if getattr(engine, word)]
    if len(given) > 1:
        raise FieldError(place, f"{' and '.join(given)}: only one of them")
    if engine.enters and not is_name(name):
        raise FieldError(place, "it enters, so its name has no blanks and no / + # $")
    try:
        if engine.connect:
            return ("playout", "connect", *shlex.split(engine.connect))
        return tuple(shlex.split(engine.command)) if isinstance(engine.command, str) else engine.command
    except ValueError as error:
        raise FieldError((*place, *given), f"{error}".lower()) from error


def _pace(bounds: Bounds, place: Place) -> Pace:
    """Returns the bounds that stand at a place as a pace.

    Raises:
        FieldError: if the time control has no meaning, or stands beside ``movetime``.
    """
    if bounds.time is not None and bounds.movetime is not None:
        raise FieldError((*place, "movetime"), "only one of time and movetime")
    try:
        pace = Pace() if bounds.time is None else read_pace(bounds.time)
    except PlayoutError as error:
        raise FieldError((*place, "time"), str(error)) from error
    return Pace(
        time=pace.time,
        increment=pace.increment,
        moves=pace.moves,
        periods=pace.periods,
        period=pace.period,
        movetime=bounds.movetime,
        nodes=bounds.nodes,
        depth=bounds.depth,
    )


def protocol_of(words: Sequence[str]) -> ProtocolName:
    """Returns the protocol that a command line names, as ``playout gtp`` does, or its program's; otherwise UCI."""
    names: tuple[ProtocolName, ...] = get_args(ProtocolName)
    for word in words[1:]:
        for name in names:
            if word.lower().lstrip("-") in (name, f"mode={name}"):
                return name
    return PROGRAMS.get(Path(words[0]).name.lower().removesuffix(".exe"), "uci")


def _seen_from(folder: Path, words: Sequence[str]) -> Sequence[str]:
    """Returns a command line whose program is named by its absolute path if it has a path."""
    if words and "/" in words[0]:
        return (str((folder / words[0]).absolute()), *words[1:])
    return words


def _found_from(folder: Path, game: str) -> str:
    """Returns the name of a game; a file of a user's game gets its absolute path."""
    file, colon, rest = game.partition(":")
    return f"{(folder / file).absolute()}{colon}{rest}" if file.endswith(".py") else game


def _plan(tournament: Tournament, event: Event, folder: Path, told: Callable[[FieldError], PlayoutError]) -> Plan:
    """Returns an event as it is played.

    Raises:
        FieldError: about a field of the event, whose place is seen from it, or of an engine.
    """
    name = event.event or event.game.partition(":")[0].partition(",")[0]
    if "/" in name or not name.strip():
        raise FieldError(("event",), f"{name!r}: a name without / expected")
    if len(name) > LONGEST_NAME:
        raise FieldError(("event",), f"{name[:20]!r}...: a name of at most {LONGEST_NAME} letters expected")
    text = _found_from(folder, event.game)
    game = _game(text)
    wanted = event.players or tuple(tournament.engines)
    for number, one in enumerate(wanted):
        if one not in tournament.engines:
            raise FieldError(("players", number), f"no engine {one!r}{nearest(one, tournament.engines)}")
        if one in wanted[:number]:
            raise FieldError(("players", number), f"{one!r} is named twice")
    if len(wanted) < 2:
        raise FieldError(("players",), "at least two expected")
    players = tuple(player_of(one, tournament.engines[one], event, folder) for one in wanted)
    form = _form(event, len(players))
    tables = tuple(str(folder / table) for table in event.adjudication.tables)
    return Plan(
        name,
        text,
        players,
        form,
        _openings(event.openings, game, folder, tournament.seed),
        msgspec.structs.replace(event.adjudication, tables=tables),
        2 if event.swap else 1,
        tournament.seed,
        points_scale(game),
        told,
    )


def _game(text: str) -> Game[Any, Any]:
    try:
        return catalogue.load(text)
    except PlayoutError as error:
        raise FieldError(("game",), str(error)) from error


def _openings(wanted: Openings, game: Game[Any, Any], folder: Path, seed: int) -> OpeningBook:
    if wanted.file:
        wanted = msgspec.structs.replace(wanted, file=str(folder / wanted.file))
    try:
        return OpeningBook(game, wanted, seed)
    except FieldError:
        raise
    except PlayoutError as error:
        raise FieldError(("openings", "file"), str(error)) from error


def _form(event: Event, players: int) -> Form:
    pairs = math.ceil(event.games / 2) if event.swap else event.games
    match event.form:
        case "round-robin":
            return RoundRobin(players, pairs)
        case "gauntlet":
            if event.seeds >= players:
                raise FieldError(("seeds",), f"{event.seeds} of {players} players leave no opponent")
            return Gauntlet(players, pairs, event.seeds)
        case "swiss":
            return Swiss(players, event.rounds or math.ceil(math.log2(players)), pairs, 2 if event.swap else 1)
        case "knockout":
            return Knockout(players, pairs)
        case "sprt":
            if players != 2:
                raise FieldError(("form",), f"an sprt has two players, not {players}")
            if not event.swap:
                raise FieldError(("swap",), "an sprt counts pairs, in which the colours are exchanged")
            test = event.sprt
            try:
                return SprtMatch(Sprt(test.elo0, test.elo1, test.alpha, test.beta, test.model), pairs)
            except PlayoutError as error:
                raise FieldError(("sprt",), str(error)) from error
