"""The MQTT arguments of ``playout serve`` and ``playout connect``."""

from __future__ import annotations

import dataclasses
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from playout.games.errors import PlayoutError
from playout.protocols.transport.address import Address, parse_address

if TYPE_CHECKING:
    import ssl

    from playout.protocols.transport.mqtt.client import Broker


def named_broker(url: str, password_file: Path | None) -> Broker:
    """Returns the broker at ``url``, with the password from the first line of a file.

    Raises:
        PlayoutError: if the URL or the file is wrong.
    """
    from playout.protocols.transport.mqtt.client import parse_broker

    broker = parse_broker(url)
    if password_file is None:
        return broker
    if broker.user is None:
        raise PlayoutError(f"{broker}: a password needs a user: mqtts://USER@{broker.host}")
    try:
        password = password_file.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeError) as error:
        raise PlayoutError(f"{password_file}: {getattr(error, 'strerror', None) or error}") from error
    if not password:
        raise PlayoutError(f"{password_file}: the first line is not a password")
    return dataclasses.replace(broker, password=password)


def own_broker(text: str) -> Broker:
    """Returns the address HOST:PORT of a broker in this process; port 0 is any free port.

    Raises:
        PlayoutError: if another machine could reach it, because it has no passwords.
    """
    from playout.protocols.transport.mqtt.client import Broker

    address = parse_address(text)
    if not address.is_loopback or address.is_ipv6:
        raise PlayoutError(f"serve: --broker {text}: the broker in this process is for this machine: 127.0.0.1:PORT")
    return Broker(address.host, address.port or _free_port(address))


def check_broker(broker: Broker) -> None:
    """Raises PlayoutError if the connection to ``broker`` could be overheard, or the broker accepts clients without
    password.
    """
    if not broker.is_loopback and (not broker.tls or broker.password is None):
        raise PlayoutError(
            f"{broker}: a broker on another machine needs mqtts:// and a user with a password: "
            f"mqtts://USER@{broker.host} --password-file FILE"
        )


def broker_tls(broker: Broker, trusted: Path | None) -> ssl.SSLContext | None:
    """Returns the TLS settings for ``broker``; None if it does not use TLS.

    Raises:
        PlayoutError: if the file of trusted certificates cannot be read.
    """
    if not broker.tls:
        return None
    return client_tls(trusted)


def client_tls(trusted: Path | None) -> ssl.SSLContext:
    """Returns TLS settings that trust the certificates in a file, or the system's.

    Raises:
        PlayoutError: if the file cannot be read.
    """
    import ssl

    try:
        return ssl.create_default_context(cafile=trusted)
    except (OSError, ValueError) as error:
        raise PlayoutError(f"{trusted}: {tls_reason(error)}") from error


def tls_reason(error: Exception) -> str:
    """Explains why a file of certificates or keys cannot be used. OpenSSL's own messages are too vague."""
    import ssl

    if isinstance(error, ssl.SSLError):
        return "certificates or key missing or not in PEM, or they do not match"
    return getattr(error, "strerror", None) or str(error)


def _free_port(address: Address) -> int:
    with socket.create_server((address.host, 0)) as listener:
        return int(listener.getsockname()[1])
