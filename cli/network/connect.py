"""``playout connect``: a remote engine on standard input and output."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playout.cli.arguments import Parser
from playout.cli.network.mqtt import client_tls
from playout.games.errors import PlayoutError
from playout.protocols.transport.address import Address, parse_address

if TYPE_CHECKING:
    import ssl

LOST = 1
"""Exit status if a session was broken off."""
PATIENCE = 20.0
"""Seconds for the connection and for the server's answer."""
PRESENCE = 10.0
"""Seconds for the server's answer through a broker that is connected, unless ``--wait`` says otherwise."""


def make_parser() -> Parser:
    """Returns the parser of the arguments."""
    parser = Parser(prog="playout connect", description="Uses an engine on another machine like a local one.")
    parser.add_argument("server", metavar="SERVER", help="HOST:PORT, or mqtt[s]://[USER@]HOST[:PORT][/NAME]")
    parser.add_argument(
        "--protocol", default="uci", help="protocol over MQTT, default uci; over TCP the port decides it"
    )
    parser.add_argument("--token-file", metavar="FILE", type=Path, help="file with the token that the server requires")
    parser.add_argument(
        "--password-file", metavar="FILE", type=Path, help="file with the password of the URL's user, over MQTT"
    )
    parser.add_argument("--tls", action="store_true", help="the server uses TLS")
    parser.add_argument("--ca", metavar="FILE", type=Path, help="certificates trusted instead of the system's")
    parser.add_argument(
        "--wait",
        metavar="SECONDS",
        type=float,
        default=PRESENCE,
        help=f"for a server that is not at the broker yet; {PRESENCE:g}",
    )
    return parser


def run_connect(arguments: Sequence[str]) -> int:
    """Copies bytes both ways until the server ends the session; returns the exit status.

    Raises:
        PlayoutError: if the arguments are wrong, or no session can be opened.
    """
    words = make_parser().parse_args(arguments)
    if words.server.startswith(("mqtt:", "mqtts:")):
        if words.token_file is not None or words.tls:
            raise PlayoutError("connect: over MQTT use --password-file, and mqtts:// for TLS")
        return _run_mqtt(words.server, words.protocol, words.password_file, words.ca, words.wait)
    if words.ca is not None and not words.tls:
        raise PlayoutError("connect: --ca needs --tls")
    address = parse_address(words.server)
    if not address.host:
        raise PlayoutError(f"{words.server!r}: expected HOST:PORT")
    if words.token_file is not None and not words.tls and not address.is_loopback:
        raise PlayoutError(f"connect: the token would be sent in the clear to {address}: it needs --tls")
    return _run_tcp(address, words.token_file, client_tls(words.ca) if words.tls else None)


def _run_tcp(address: Address, token_file: Path | None, tls: ssl.SSLContext | None) -> int:
    from playout.protocols.transport.bridge import bridge
    from playout.protocols.transport.connection import connect
    from playout.protocols.transport.handshake import Refused, introduce, read_token

    token = None if token_file is None else read_token(token_file)
    try:
        connection = connect(address.host, address.port, PATIENCE, tls)
        first = introduce(connection, token, PATIENCE)
    except (OSError, Refused) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise PlayoutError(f"{address}: {reason}") from error
    try:
        bridge(connection, sys.stdin.fileno(), sys.stdout.fileno(), first)
    except OSError as error:
        return _broken_off(address, error)
    return 0


def _run_mqtt(url: str, protocol: str, password_file: Path | None, trusted: Path | None, wait: float) -> int:
    import asyncio
    import logging

    from playout.cli.network.mqtt import broker_tls, check_broker, named_broker
    from playout.protocols.transport.mqtt.bridge import MqttBridge

    broker = named_broker(url, password_file)
    check_broker(broker)
    logging.basicConfig(format="playout: %(message)s", level=logging.WARNING)

    async def run() -> None:
        tls = broker_tls(broker, trusted)
        await MqttBridge(broker, protocol, sys.stdin.fileno(), sys.stdout.fileno(), tls).run(wait)

    try:
        asyncio.run(run())
    except OSError as error:
        return _broken_off(broker, error)
    return 0


def _broken_off(server: object, error: OSError) -> int:
    sys.stderr.write(f"playout: {server}: the session was broken off: {error.strerror or error}\n")
    return LOST
