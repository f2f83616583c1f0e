"""``playout match``: two engines play each other."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from playout.cli.arena.affinity import Affinity
from playout.cli.output import LogFile, check_output, start_log
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.arena.file.plan import Plan
    from playout.arena.file.types import Test

GAMES = 100
"""Games of a match without a test."""
SETTING = re.compile(r"([A-Za-z][\w ]*)=(.*)", re.DOTALL)
"""A word NAME=VALUE at the end of an engine's command line."""
PROTOCOL = "protocol"
"""The name of such a word that is no option."""

Words = Annotated[
    str,
    typer.Argument(
        metavar="ENGINE",
        help="'playout NAME=VALUE ...', or a command line such as 'stockfish Hash=64' or 'crafty protocol=xboard'.",
    ),
]


def command(
    first: Words,
    second: Words,
    game: Annotated[str, typer.Option("--game", "-g", help="chess, go:9, hex:11, my.py:Mine, ...")] = "chess",
    games: Annotated[
        int | None, typer.Option("--games", "-n", min=1, help="At most. [default: 100; with --sprt no limit]")
    ] = None,
    time: Annotated[str | None, typer.Option(metavar="TC", help="40/60+0.6, 1:30+1, 60+5x10 or inf.")] = None,
    movetime: Annotated[float | None, typer.Option(metavar="SECONDS", help="For each move.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="For each move.")] = None,
    margin: Annotated[
        float | None,
        typer.Option(min=0, metavar="SECONDS", help="By which a move may be late. [default: 0.1 with --movetime]"),
    ] = None,
    openings: Annotated[Path | None, typer.Option(metavar="FILE", help="EPD, FEN, PGN, SGF, .games or YAML.")] = None,
    plies: Annotated[
        int | None, typer.Option(min=0, help="Random plies of each opening. [default: 4 without a file]")
    ] = None,
    sprt: Annotated[str | None, typer.Option(metavar="ELO0,ELO1", help="Ends when a sequential test decides.")] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1, help="Games at a time.")] = 1,
    affinity: Affinity = False,
    seed: Annotated[int, typer.Option(min=0, help="Of openings, dice and playout's own engines.")] = 1,
    most_plies: Annotated[int | None, typer.Option("--max-plies", min=1, help="A longer game is a draw.")] = None,
    adjudicate: Annotated[
        bool, typer.Option("--adjudicate", help="By the engines' scores, as docs/arena.md says.")
    ] = False,
    records: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Games: .pgn, .sgf, .games.")
    ] = None,
    state: Annotated[Path | None, typer.Option(metavar="FILE", help="Goes on where this file has the match.")] = None,
    log_file: LogFile = None,
) -> int:
    """Plays two engines against each other, with both colours of each opening, and prints Elo with its error."""
    from playout.arena.cup import Cup
    from playout.arena.file.types import Engine, Event, Openings, Test, Tournament
    from playout.arena.terms.job import Adjudication, DrawRule, ResignRule
    from playout.cli.arena.running import Running

    check_output("--out", records)
    start_log(log_file)
    names, engines = [], {}
    for words in (first, second):
        name, engine = engine_of(words)
        while name in engines:
            name += " (2)"
        names.append(name)
        engines[name] = Engine(**engine)
    random = plies if plies is not None else 0 if openings else 4
    event = Event(
        game=game,
        players=tuple(names),
        form="round-robin" if sprt is None else "sprt",
        games=games or (GAMES if sprt is None else 0),
        time=time,
        movetime=movetime,
        nodes=nodes,
        margin=margin,
        openings=Openings(file="" if openings is None else str(openings.absolute()), random=random),
        sprt=Test() if sprt is None else _test(sprt),
        adjudication=Adjudication(
            plies=most_plies,
            draw=DrawRule() if adjudicate else None,
            resign=ResignRule() if adjudicate else None,
        ),
    )
    tournament = Tournament(name="match", seed=seed, concurrency=concurrency, engines=engines, events=(event,))
    with Cup(tournament, Path.cwd(), state, records, _check) as cup:
        running = Running(cup)
        running.play(concurrency, affinity=affinity)
        running.print()
        return running.status


def engine_of(words: str) -> tuple[str, dict[str, Any]]:
    """Returns the name and the fields of an engine, as a tournament's file has them, from a command line.

    Words NAME=VALUE at its end are options, but for ``protocol=NAME``. ``playout`` alone is the engine of this process.

    Raises:
        PlayoutError: if nothing is left of it, or there is no such protocol.
    """
    try:
        parts = shlex.split(words)
    except ValueError as error:
        raise PlayoutError(f"engine {words!r}: {error}") from error
    options: dict[str, str] = {}
    while len(parts) > 1 and (found := SETTING.fullmatch(parts[-1])) is not None:
        options = {found[1]: found[2], **options}
        parts.pop()
    if not parts:
        raise PlayoutError("engine '': a command line, or playout, expected")
    named = {PROTOCOL: _protocol(words, options.pop(PROTOCOL))} if PROTOCOL in options else {}
    if parts == ["playout"]:
        return words.strip(), {"options": options, **named}
    shown = " ".join([Path(parts[0]).name, *parts[1:], *(f"{name}={value}" for name, value in options.items())])
    return shown, {"command": tuple(parts), "options": options, **named}


def _protocol(words: str, name: str) -> str:
    """Returns the name of a protocol if there is such a one."""
    from playout.arena.terms.job import ProtocolName
    from playout.games.nearest import nearest

    known = get_args(ProtocolName)
    if name not in known:
        said = nearest(name, known) or f": one of {', '.join(known)} expected"
        raise PlayoutError(f"engine {words!r}: no protocol {name!r}{said}")
    return name


def _check(plans: Sequence[Plan]) -> None:
    """Checks that every engine starts.

    Raises:
        PlayoutError: one line about the first that does not; it says how another protocol than UCI is named.
    """
    from playout.arena.trial import check_engines

    try:
        check_engines(plans)
    except PlayoutError as error:
        hint = f"; {PROTOCOL}=NAME among its words names another protocol" if "uciok" in str(error) else ""
        raise PlayoutError(f"{error}{hint}") from error


def _test(text: str) -> Test:
    from playout.arena.file.types import Test

    low, comma, high = text.partition(",")
    try:
        if comma:
            return Test(elo0=float(low), elo1=float(high))
    except ValueError:
        pass
    raise PlayoutError(f"--sprt {text!r}: ELO0,ELO1 expected, such as 0,5")
