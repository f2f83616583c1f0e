"""Brokers of tournaments: the addresses, keys and certificates that ``arena run`` and ``arena work`` take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playout.games.errors import PlayoutError
from playout.games.nearest import unusable

if TYPE_CHECKING:
    import ssl

    from playout.protocols.transport.mqtt.client import Broker

EMBEDDED = "embedded"
USUAL_PORT = 1883
SHORTEST_KEY = 16
"""Bytes of the shortest key."""

KeyFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Key that signs all messages; the same on every machine."),
]
PasswordFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Password of the user in the broker's address.")
]
Trusted = Annotated[
    Path | None, typer.Option("--ca", metavar="FILE", help="Certificates trusted instead of the system's, with mqtts.")
]


@dataclass(frozen=True, slots=True)
class Meeting:
    """The broker at which coordinator and workers meet."""

    broker: Broker
    own: bool
    """Whether it runs in the coordinator's process."""
    key: bytes | None
    tls: ssl.SSLContext | None


def meeting(url: str, key_file: Path | None, password_file: Path | None, trusted: Path | None) -> Meeting:
    """Returns the broker that ``url`` names: ``mqtt[s]://[USER@]HOST[:PORT][/NAME]``, or ``embedded[:HOST:PORT]``.

    Raises:
        PlayoutError: if it has another form, or other machines can reach it and no key is given: whoever can write to
            the broker could make workers run commands.
    """
    from playout.cli.network.mqtt import broker_tls
    from playout.protocols.transport.address import parse_address
    from playout.protocols.transport.mqtt.client import Broker

    own = url.partition(":")[0] == EMBEDDED
    if own:
        place = url.partition(":")[2]
        address = parse_address(place or f"127.0.0.1:{USUAL_PORT}")
        broker = Broker(address.host or "0.0.0.0", address.port, name="cup")
    else:
        broker = tournament_at(url, password_file)
    key = None if key_file is None else read_key(key_file)
    if key is None and not broker.is_loopback:
        raise PlayoutError(
            f"{broker}: other machines can reach this broker, and whoever writes to it could make workers run "
            "commands: --key-file FILE, the same on all machines, signs the messages"
        )
    return Meeting(broker, own, key, broker_tls(broker, trusted))


def tournament_at(url: str, password_file: Path | None) -> Broker:
    """Returns the broker at ``url``, at which a tournament has the name ``cup`` unless the URL has one.

    Raises:
        PlayoutError: if the URL or the file of its user's password is wrong.
    """
    from playout.cli.network.mqtt import named_broker
    from playout.protocols.transport.mqtt.client import USUAL_NAME

    broker = named_broker(url, password_file)
    return replace(broker, name="cup") if broker.name == USUAL_NAME else broker


def read_key(path: Path) -> bytes:
    """Returns the key in a file, without the blanks around it.

    Raises:
        PlayoutError: if it cannot be read, or is too short to be secret.
    """
    try:
        key = path.read_bytes().strip()
    except OSError as error:
        raise PlayoutError(unusable(path, error)) from error
    if len(key) < SHORTEST_KEY:
        raise PlayoutError(f"{path}: a key has at least {SHORTEST_KEY} bytes, not {len(key)}")
    return key
