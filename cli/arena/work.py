"""``playout arena work``: plays for a tournament on another machine."""

from __future__ import annotations

import hashlib
import logging
import os
import signal
import socket
from pathlib import Path
from typing import Annotated

import typer

from playout.cli.arena import broker as brokers
from playout.cli.arena.affinity import Affinity
from playout.cli.output import LogFile, start_log

logger = logging.getLogger(__name__)


def command(
    url: Annotated[str, typer.Option("--broker", metavar="URL", help="mqtt[s]://[USER@]HOST[:PORT][/NAME]")],
    name: Annotated[str | None, typer.Option(help="Name, unique. [default: host and process]")] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", "-c", min=1, help="Pairs at a time.")] = 1,
    affinity: Affinity = False,
    log_file: LogFile = None,
    key_file: brokers.KeyFile = None,
    password_file: brokers.PasswordFile = None,
    trusted: brokers.Trusted = None,
    spool: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="For games that the coordinator does not have yet.")
    ] = None,
) -> int:
    """Plays pairs that a coordinator gives out, until the tournament is over. Status 130: it was stopped."""
    import sys

    from playout.arena.remote.spool import Spool
    from playout.arena.remote.working import Worker
    from playout.arena.terms.job import Played
    from playout.cli.console import console

    start_log(log_file)
    place = brokers.meeting(url, key_file, password_file, trusted)
    called = name or f"{socket.gethostname()}-{os.getpid()}"

    def ended(played: Played) -> None:
        said = f": {played.detail}" if played.detail else ""
        line = f"{played.id}: {' - '.join(played.names)}: {played.end}{said}"
        logger.info("%s", line)
        console().print(line, soft_wrap=True)
        sys.stdout.flush()

    paths = (("--password-file", password_file), ("--ca", trusted))
    files = [word for option, path in paths if path is not None for word in (option, str(path.absolute()))]
    stopped = False
    with Spool(spool or usual_spool(str(place.broker))) as kept:
        worker = Worker(
            place.broker,
            called,
            concurrency,
            kept,
            key=place.key,
            tls=place.tls,
            files=tuple(files),
            ended=ended,
            affinity=affinity,
        )

        def stop(_number: int, _frame: object) -> None:
            nonlocal stopped
            stopped = True
            worker.stop()
            signal.signal(signal.SIGINT, signal.default_int_handler)

        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)
        worker.run()
    return 130 if stopped else 0


def usual_spool(broker: str) -> Path:
    """Returns the folder for games that are not acknowledged, in the user's cache."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "playout" / "arena" / hashlib.sha256(broker.encode()).hexdigest()[:16]
