"""``playout web``: the page in the browser."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from playout.cli.console import console
from playout.cli.output import LogFile, start_log
from playout.games.errors import PlayoutError

PORT = 8090
LOOPBACK = "127.0.0.1"
MESSAGE = 2**17
"""Bytes of the largest frame of a websocket; the page's own bound is lower."""
MOVES = 2000
"""Most new moves that a message may bring where Python plays them."""


def command(
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="NAME", help="Played at first: go:9, my.py:Mine, ...")
    ] = "chess",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="0 takes a free one.")] = PORT,
    host: Annotated[
        str, typer.Option(help="Address to listen at; for other machines with a token and TLS.")
    ] = LOOPBACK,
    names: Annotated[
        list[str] | None, typer.Option("--name", metavar="HOST", help="Name of the server in addresses; repeatable.")
    ] = None,
    token_file: Annotated[Path | None, typer.Option(metavar="FILE", help="Pages must show the token in FILE.")] = None,
    tls_cert: Annotated[Path | None, typer.Option(metavar="FILE", help="Certificate, for https.")] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its key.")] = None,
    cup: Annotated[Path | None, typer.Option(metavar="CUP.yaml", help="A tournament to watch, played or over.")] = None,
    learning: Annotated[
        Path | None, typer.Option("--training", metavar="FOLDER", help="A run of playout learn to watch.")
    ] = None,
    state: Annotated[Path | None, typer.Option(metavar="FILE", help="Its state. [default: CUP.arena]")] = None,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Search threads of a game.")] = 1,
    log_file: LogFile = None,
    memory: Annotated[int, typer.Option(min=1, metavar="MIB", help="Bound of the search graph of a game.")] = 256,
) -> int:
    """Serves a page for play and analysis in the browser. Ctrl-C ends it."""
    from playout.engine.terms.rights import Rights
    from playout.protocols.transport.address import is_loopback
    from playout.protocols.transport.handshake import read_token
    from playout.web.app import library, make_app
    from playout.web.hall import Hall

    if not is_loopback(host) and (token_file is None or tls_cert is None):
        raise PlayoutError(f"web: other machines can reach {host}: it needs --token-file, --tls-cert and --tls-key")
    if (tls_cert is None) != (tls_key is None):
        raise PlayoutError("web: --tls-cert and --tls-key come together")
    library()
    import uvicorn
    from uvicorn.config import LOGGING_CONFIG

    start_log(log_file)

    hall = Hall(game, Rights(files=False, threads=threads, hash_mib=memory, moves=MOVES))
    token = None if token_file is None else read_token(token_file)
    hosts = names or (["localhost", LOOPBACK, "[::1]", host] if is_loopback(host) else ["*"])
    reports = dict[str, Callable[[], str]]()
    if cup is not None:
        reports["tournament"] = _report(cup, state)
    if learning is not None:
        reports["training"] = _training(learning)
    config = uvicorn.Config(
        make_app(hall, hosts, token, reports),
        log_level="warning",
        log_config=LOGGING_CONFIG if log_file is None else None,  # None: its log is part of playout's
        ws="websockets-sansio",
        ws_max_size=MESSAGE,
        ws_per_message_deflate=False,
        ssl_certfile=tls_cert,
        ssl_keyfile=tls_key,
        timeout_graceful_shutdown=1,
    )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family)
    except OSError as error:
        raise PlayoutError(f"web: {host}:{port}: {error.strerror or error}") from error
    with listener:
        shown = f"[{host}]" if ":" in host else host
        query = "?token=TOKEN" if token else ""
        address = f"{'https' if tls_cert else 'http'}://{shown}:{listener.getsockname()[1]}/{query}"
        console().print(f"playout: {address} (Ctrl-C ends)", soft_wrap=True)
        uvicorn.Server(config).run(sockets=[listener])
    return 0


def _report(cup: Path, state: Path | None) -> Callable[[], str]:
    """Returns what gives the report of a tournament.

    Raises:
        PlayoutError: if its files cannot be read.
    """
    from playout.arena.store.live_file import read_live
    from playout.cli.arena.report import opened, page_of
    from playout.cli.arena.run import state_of

    kept = state or state_of(cup)

    def report() -> str:
        with opened(cup, kept) as found:
            return page_of(found, read_live(kept))

    report()
    return report


def _training(folder: Path) -> Callable[[], str]:
    """Returns what gives the report of a run of learning.

    Raises:
        PlayoutError: if no run has begun in the folder.
    """
    from playout.engine.learning.training.run import begun
    from playout.web.training import page

    def report() -> str:
        state = begun(folder)
        if state is None:
            raise PlayoutError(f"{folder}: no run; playout learn GAME --out {folder} begins one")
        return page(state.game, state.settings.first, state.rows)

    report()
    return report
