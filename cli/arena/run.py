"""``playout arena run``: plays the tournament of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playout.cli.arena import broker as brokers
from playout.cli.arena.affinity import Affinity
from playout.cli.output import LogFile, check_output, start_log

File = Annotated[Path, typer.Argument(metavar="CUP.yaml", help="The tournament; docs/arena.md has its fields.")]
State = Annotated[
    Path | None, typer.Option(metavar="FILE", help="State of the tournament. [default: CUP.arena beside the file]")
]


def command(
    file: File,
    state: State = None,
    records: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Games: .pgn, .sgf, .games.")
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="A report, written at the end.")] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", "-c", min=1, help="Pairs at a time. [default: the file's]")
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(
            "--broker", metavar="URL", help="Workers play: embedded[:HOST:PORT], or mqtt[s]://HOST[:PORT][/NAME]"
        ),
    ] = None,
    affinity: Affinity = False,
    log_file: LogFile = None,
    key_file: brokers.KeyFile = None,
    password_file: brokers.PasswordFile = None,
    trusted: brokers.Trusted = None,
) -> int:
    """Plays a tournament, or goes on where it was, and prints its standings.

    Status 1: an event was given up; 130: it was stopped.
    """
    from playout.arena.cup import Cup
    from playout.arena.file.reader import read
    from playout.arena.trial import check_engines
    from playout.cli.arena.report import write_page
    from playout.cli.arena.running import Running

    for option, path in (("--out", records), ("--html", html), ("--state", state)):
        check_output(option, path)
    tournament = read(file)
    start_log(log_file)
    place = None if url is None else brokers.meeting(url, key_file, password_file, trusted)
    folder, kept = file.absolute().parent, state or state_of(file)
    here = check_engines if place is None else lambda _: None  # the workers' programs are not here
    with Cup(tournament, folder, kept, records, here) as cup:
        running = Running(cup)
        if not cup.coordinator.finished:
            if place is None:
                running.play(concurrency or tournament.concurrency, affinity=affinity)
            else:
                running.serve(place)
        running.print()
        if html is not None:
            write_page(cup, html)
        return running.status


def state_of(file: Path) -> Path:
    """Returns the file that has the state of a tournament's file unless another is named."""
    return file.with_suffix(".arena")
