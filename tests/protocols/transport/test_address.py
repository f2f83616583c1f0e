from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.games.errors import PlayoutError
from playout.protocols.backgammon.gnubg_socket import address as gnubg_address
from playout.protocols.transport.address import Address, parse_address
from playout.protocols.transport.mqtt.client import parse_broker


@pytest.mark.parametrize(
    ("text", "host", "port", "near"),
    [
        ("127.0.0.1:7001", "127.0.0.1", 7001, True),
        ("localhost:0", "localhost", 0, True),
        ("[::1]:65535", "::1", 65535, True),
        ("127.9.9.9:1", "127.9.9.9", 1, True),
        (":7001", "", 7001, False),
        ("0.0.0.0:1", "0.0.0.0", 1, False),
        ("[::]:1", "::", 1, False),
        ("localhost.example.org:1", "localhost.example.org", 1, False),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, host: str, port: int, near: bool) -> None:
    address = parse_address(text)
    assert address == Address(host, port)
    assert address.is_loopback == near
    assert str(address) == text


@settings(derandomize=True)
@given(st.text(alphabet="[]:. 019a\u0661-", max_size=12))
def test_anything_else_is_refused(text: str) -> None:
    try:
        address = parse_address(text)
    except PlayoutError as error:
        assert "\n" not in str(error)
    else:
        assert parse_address(str(address)) == address


@pytest.mark.parametrize("read", [parse_address, gnubg_address, parse_broker])
def test_no_port_is_too_long(read: Callable[[str], object]) -> None:
    with pytest.raises(PlayoutError):
        read(f"127.0.0.1:{'9' * 5000}")
