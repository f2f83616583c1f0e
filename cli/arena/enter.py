"""``playout enter``: an engine plays on a game server of the network."""

from __future__ import annotations

import logging
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.cli.arena.match import engine_of
from playout.games.errors import PlayoutError

if TYPE_CHECKING:
    from playout.arena.terms.job import Player
    from playout.protocols.transport.address import Address

SCHEMES = ("cgos",)
"""The kinds of servers, as they stand in an address."""

Url = Annotated[str, typer.Argument(metavar="URL", help="cgos://HOST:PORT")]


def command(
    url: Url,
    name: Annotated[str | None, typer.Option(help="Of the user on the server.")] = None,
    password_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Its first line is the user's password.")
    ] = None,
    engine: Annotated[
        str, typer.Option(metavar="WORDS", help="'playout NAME=VALUE ...', or the command line of a GTP engine.")
    ] = "playout",
    games: Annotated[int | None, typer.Option("--games", "-n", min=1, help="Leaves after this many.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Option of the engine; repeatable.")
    ] = None,
    lag: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Of the clock that are kept for the network.")
    ] = 0.5,
) -> int:
    """Plays on a server as a user of it, one game after another. Status 130: it was stopped.

    The first Ctrl-C lets the game under way end, the second does not.
    """
    from playout.arena.enter.cgos import CgosPlayer, Over
    from playout.arena.enter.session import CgosSession
    from playout.cli.console import console
    from playout.protocols.base.cause import log_to_standard_error

    address = address_of(url)
    if name is None or password_file is None:
        missing = "--name NAME" if name is None else "--password-file FILE"
        raise PlayoutError(f"{url}: {missing} expected: the server wants a user and a password")
    player = engine_player(engine, option or [])
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


def address_of(url: str) -> Address:
    """Returns the address of the server that ``url`` names.

    Raises:
        PlayoutError: if it is of no kind that is known, or has no host and port.
    """
    from playout.protocols.transport.address import parse_address

    scheme, colon, rest = url.partition("://")
    if not colon or scheme.lower() not in SCHEMES:
        known = " or ".join(f"{one}://HOST:PORT" for one in SCHEMES)
        raise PlayoutError(f"{url!r}: {known} expected")
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
