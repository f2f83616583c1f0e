"""Addresses of servers, in the form that users write."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from playout.games.errors import PlayoutError


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port. An empty host means all addresses of this machine."""

    host: str
    port: int

    @property
    def is_ipv6(self) -> bool:
        """Whether the host is an IPv6 address."""
        return ":" in self.host

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the address."""
        return is_loopback(self.host)

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if self.is_ipv6 else f"{self.host}:{self.port}"


LONGEST_NAME = 100


def is_name(text: str) -> bool:
    """Whether ``text`` can be a name at an MQTT broker: one level of a topic, without blanks."""
    return 0 < len(text) <= LONGEST_NAME and text.isprintable() and not set(text) & set("/+#$ ")


def is_loopback(host: str) -> bool:
    """Whether ``host`` is this machine without a name lookup."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def parse_address(text: str) -> Address:
    """Parses HOST:PORT, [IPV6]:PORT or :PORT.

    Raises:
        PlayoutError: if the text has none of these forms.
    """
    host, colon, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    number = int(port) if port.isascii() and port.isdigit() and len(port) < 6 else -1
    if not colon or not 0 <= number < 2**16 or (":" in host and not bracketed):
        raise PlayoutError(f"{text!r}: expected HOST:PORT, as 127.0.0.1:7001 or [::1]:7001")
    return Address(host[1:-1] if bracketed else host, number)
