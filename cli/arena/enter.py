"""``playout enter``: an engine plays on a game server of the network."""

from __future__ import annotations

import logging
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.arena import broker as brokers
from playout.cli.arena.match import engine_of
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.arena.terms.job import Player
    from playout.protocols.transport.address import Address

CGOS, MQTT = "cgos://HOST:PORT", "mqtt[s]://[USER@]HOST[:PORT][/NAME]"
"""Addresses of Go servers, and of brokers at which a tournament is played."""

Url = Annotated[str, typer.Argument(metavar="URL", help=f"{CGOS}, or {MQTT}")]


def command(
    url: Url,
    name: Annotated[
        str | None, typer.Option(help="Of the user on the server; of the engine in the tournament's file.")
    ] = None,
    password_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Its first line is the user's password.")
    ] = None,
    trusted: brokers.Trusted = None,
    engine: Annotated[
        str,
        typer.Option(metavar="WORDS", help="'playout NAME=VALUE ...', or on CGOS the command line of a GTP engine."),
    ] = "playout",
    games: Annotated[int | None, typer.Option("--games", "-n", min=1, help="Leaves CGOS after this many.")] = None,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", "-c", min=1, help="Games at a time over MQTT. [default: the cores]")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Option of the engine; repeatable.")
    ] = None,
    lag: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Of the clock that are kept for the network on CGOS.")
    ] = 0.5,
) -> int:
    """Plays on a Go server as a user of it, one game after another, or in a tournament at an MQTT broker.

    Status 130: it was stopped. On CGOS the first Ctrl-C lets the game under way end, the second does not.
    """
    player = engine_player(engine, option or [])
    if url.partition("://")[0].lower() in ("mqtt", "mqtts"):
        return _enter_broker(url, name, player, password_file, trusted, concurrency)
    from playout.arena.enter.cgos import CgosPlayer, Over
    from playout.arena.enter.session import CgosSession
    from playout.cli.console import console
    from playout.protocols.base.cause import log_to_standard_error

    if concurrency is not None or trusted is not None:
        raise PlayoutError(f"{url}: --{'ca' if concurrency is None else 'concurrency'} is for MQTT")
    address = address_of(url)
    if name is None or password_file is None:
        missing = "--name NAME" if name is None else "--password-file FILE"
        raise PlayoutError(f"{url}: {missing} expected: the server wants a user and a password")
    user = CgosPlayer(name, read_password(password_file), analyses=player.protocol == "inside", margin=lag, games=games)

    def ended(over: Over) -> None:
        console().print(str(over), soft_wrap=True)
        sys.stdout.flush()

    session = CgosSession(address, user, player, ended=ended)
    stopped = False

    def stop(_number: int, _frame: object) -> None:
        nonlocal stopped
        stopped = True
        session.stop()
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, signal.default_int_handler)

    log_to_standard_error(logging.Formatter("%(asctime)s %(message)s"))
    logging.getLogger("playout.arena.enter").setLevel(logging.INFO)
    before = {one: signal.signal(one, stop) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        session.run()
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    return 130 if stopped else 0


def _enter_broker(
    url: str, name: str | None, player: Player, password_file: Path | None, trusted: Path | None, sessions: int | None
) -> int:
    from playout.cli.arena.guest import enter
    from playout.cli.settings import Settings

    if name is None:
        raise PlayoutError(f"{url}: --name NAME expected: that of the engine in the tournament's file")
    if player.command:
        raise PlayoutError(f"{url}: --engine: over MQTT the engine is playout itself, not {player.command[0]}")
    texts = {
        one: str(value).lower() if isinstance(value, bool) else str(value) for one, value in player.options.items()
    }
    return enter(brokers.tournament_at(url, password_file), name, Settings("", tuple(texts.items())), trusted, sessions)


def address_of(url: str) -> Address:
    """Returns the address of the server that ``url`` names.

    Raises:
        PlayoutError: if it is of no kind that is known, or has no host and port.
    """
    from playout.protocols.transport.address import parse_address

    scheme, colon, rest = url.partition("://")
    if not colon or scheme.lower() != "cgos":
        raise PlayoutError(f"{url!r}: {CGOS} or {MQTT} expected")
    address = parse_address(rest.rstrip("/"))
    if not address.host or not address.port:
        raise PlayoutError(f"{url!r}: a host and a port expected, such as cgos://go.example.org:6867")
    return address


def engine_player(words: str, options: list[str]) -> Player:
    """Returns the engine of a command line, with ``options``, each NAME=VALUE, after those of the line. Whatever is not
    playout itself speaks GTP.

    Raises:
        PlayoutError: if there is no command, or an option has another form.
    """
    from playout.arena.terms.job import Player
    from playout.cli.settings import read_settings

    name, fields = engine_of(words)
    command = fields.get("command", ())
    return Player(
        name=name,
        command=command,
        protocol="gtp" if command else "inside",
        options={**fields["options"], **dict(read_settings("", None, options, None).options)},
    )


def read_password(path: Path) -> str:
    """Returns the password in the first line of a file.

    Raises:
        PlayoutError: if the file cannot be read, or has none.
    """
    try:
        password = path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeError) as error:
        raise PlayoutError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if not password:
        raise PlayoutError(f"{path}: the first line is not a password")
    return password
