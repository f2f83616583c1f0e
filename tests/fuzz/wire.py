"""Targets below the protocols: lines, the handshake, packets over MQTT, addresses, options and configuration files."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from playout.cli.network.serve import _place
from playout.cli.settings import read_settings
from playout.engine.options.config import options_for
from playout.engine.options.needs import check_options
from playout.engine.options.option import written
from playout.games import catalogue
from playout.games.errors import PlayoutError
from playout.protocols.backgammon.gnubg_socket import address
from playout.protocols.base.lines import InputLine, LineSplitter, clean, one_line
from playout.protocols.transport.address import parse_address
from playout.protocols.transport.handshake import authenticate, greet, introduce, read_token
from playout.protocols.transport.mqtt.client import Broker, parse_broker
from playout.protocols.transport.mqtt.link import BrokenWindow, Link
from playout.protocols.transport.mqtt.peer import Peer, decode, encode
from playout.protocols.transport.mqtt.server import MqttServer
from playout.protocols.transport.sessions import Sessions

from .target import Target, text_target
from .target import one_line as is_one_line

LIMIT = 100
"""Bytes of a line."""
CHUNK = 7
GAMES = ("chess", "go:5", "hex:5", "connect_four", "tic_tac_toe", "backgammon")


def _lines(data: bytes) -> None:
    whole, pieces = LineSplitter(LIMIT), LineSplitter(LIMIT)
    said = [*whole.feed(data, 0.0), *whole.end(0.0)]
    parts = [pieces.feed(data[start : start + CHUNK], 0.0) for start in range(0, len(data), CHUNK)]
    assert [*(line for part in parts for line in part), *pieces.end(0.0)] == said
    for line in said:
        assert "\n" not in line.text and len(line.text) <= LIMIT
        assert len(clean(line.text).splitlines()) < 2
        assert len(one_line(line.text, 40)) <= 40


class _Stream:
    """The server's side of a connection."""

    def __init__(self, data: bytes) -> None:
        splitter = LineSplitter(LIMIT)
        self.waiting: list[InputLine] = [*splitter.feed(data, 0.0), *splitter.end(0.0)]
        self.said: list[str] = []
        self.finishes = False

    def next_line(self, _: float | None) -> InputLine | None:
        return self.waiting.pop(0) if self.waiting else None

    def put_back(self, line: InputLine) -> None:
        self.waiting.insert(0, line)

    def write(self, lines: Sequence[str], droppable: bool = False) -> None:
        self.said += lines


class _Connection:
    """The bridge's side."""

    def __init__(self, data: bytes) -> None:
        self._parts = [data[start : start + 5] for start in range(0, len(data), 5)]

    def send(self, data: bytes) -> None:
        """Goes nowhere."""

    def receive(self, _: float | None = None) -> bytes | None:
        return self._parts.pop(0) if self._parts else b""


def _handshake(data: bytes) -> None:
    stream: Any = _Stream(data)
    connection: Any = _Connection(data)
    for step in (
        lambda: authenticate(stream, "sixteen letters.", lambda _: None),
        lambda: greet(stream, stream.next_line(1.0) or InputLine("", 0.0)),
        lambda: introduce(connection, None, 1.0),
    ):
        with contextlib.suppress(PlayoutError):
            step()
    assert all("\n" not in line for line in stream.said)


class _Broker:
    """Takes what the server publishes."""

    connected = True

    async def publish(self, topic: str, packet: dict[str, Any], **_: Any) -> None:
        decoded = decode(encode(packet))
        assert decoded is not None
        assert decoded["t"] in ("unknown", "opened", "refused", "pong", "here", "who"), packet

    def wake(self, _topic: str, _peer: Any) -> None:
        """Sends nothing."""


def _packets(data: bytes) -> None:
    """Each line is a topic's end, a blank and a payload."""
    server = MqttServer(Sessions(1, 1), {}, Broker("127.0.0.1", 1), line=LIMIT)
    server._lines = _Broker()  # type: ignore[assignment]
    server._presence.established = True
    peer, link = Peer(lambda _: None, LIMIT), Link(lambda: 0.0)
    for line in data.split(b"\n"):
        topic, _, payload = line.partition(b" ")
        handled = server._handle(f"playout/1/engine/{topic.decode('utf-8', 'replace')}", payload)
        with contextlib.suppress(StopIteration):
            handled.send(None)
        packet = decode(payload)
        if packet is not None:
            peer.take(packet)
            delivery = None
            with contextlib.suppress(BrokenWindow):
                delivery = link.receive(packet)
            assert delivery is None or delivery.lines is None or all(isinstance(one, str) for one in delivery.lines)
            list(link.outgoing())
    peer.lose("over")
    with contextlib.suppress(ConnectionAbortedError):
        for line in peer.read():
            assert len(line.text) <= LIMIT


def _packet_seeds() -> Iterable[bytes]:
    for kind in ("data", "report"):
        packets = [{"t": kind, "n": n, "lines": ["uci", "isready"]} for n in (0, 1, 2, 2)]
        yield b"\n".join(b"uci/abc/in " + encode(packet) for packet in packets)
    yield b'uci/abc/in {"t":"open"}\nuci/abc/in {"t":"ping"}\nx/y/in {"t":"gone"}\na/b/in {"t":"ack","n":1}'
    yield b'presence {"t":"gone","boot":"a"}\npresence {"t":"here","boot":1}'
    yield b'who {"t":"who","boot":"b"}\nwho {"t":"here"}'


def _addresses(text: str) -> None:
    for read in (parse_address, parse_broker, address, lambda text: _place(text, "uci")):
        try:
            read(text)
        except PlayoutError as error:
            is_one_line(error)


def _options(text: str) -> None:
    """Lines NAME=VALUE; their number chooses the game."""
    lines = text.split("\n")
    game = catalogue.load(GAMES[len(lines) % len(GAMES)])
    options = options_for(game, {})
    for line in lines:
        option, _, value = line.partition("=")
        try:
            found = options.set(option, value)
            check_options(game, options, [option])
        except PlayoutError as error:
            is_one_line(error)
        else:
            if found.kind != "button":
                assert found.parse(written(options[found.name])) == options[found.name]


def _settings(data: bytes) -> None:
    """A configuration file, and as it happens a file with a token."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "settings.yaml"
        path.write_bytes(data)
        for read in (lambda: read_settings("chess", None, (), path), lambda: read_token(path)):
            try:
                said: Any = read()
            except PlayoutError as error:
                is_one_line(error)
            else:
                if not isinstance(said, str):
                    assert all(isinstance(text, str) for pair in said.options for text in pair)


def _option_words() -> Iterable[str]:
    names = {option.name for game in GAMES for option in options_for(catalogue.load(game), {}).declared()}
    return [*sorted(names), "true", "false", "<empty>", "1e999", "-1", "nan", "0x10"]


def _option_seeds() -> list[str]:
    options = options_for(catalogue.load("go:5"), {})
    lines = [f"{name}={written(value)}" for name, value in options.items()]
    return ["\n".join(lines), "Hash=1\nThreads=0\nMultiPV=1_0", *lines]


TARGETS = (
    Target("lines", _lines, lambda: [b"one\ntwo\xff\r\n\n" + b"x" * 300 + b"\nend"], longest=600),
    Target(
        "handshake", _handshake, lambda: [b"auth sixteen letters.\nplayout-connect\nuci", b"ready\nuci", b"error: x\n"]
    ),
    Target("mqtt", _packets, _packet_seeds, lambda: ['"lines":', '"t":', '"n":', "null", "true", "[[[", "1e9"]),
    text_target(
        "address",
        _addresses,
        lambda: ["127.0.0.1:7001", "[::1]:7001", "uci=:7001", "mqtts://user@host:8883/name", "mqtt://[::1]/n"],
    ),
    text_target("options", _options, _option_seeds, _option_words, longest=2000),
    Target(
        "settings",
        _settings,
        lambda: [
            b"game: go:9\noptions:\n  Hash: 512\n  BookFile: [a, b]\n  OwnBook: yes\n",
            json.dumps({"game": "hex:11", "options": {"Seed": 2}}).encode(),
            b"sixteen letters.\n",
        ],
        lambda: ["game:", "options:", "2001-01-01", "!!int", "!!timestamp", "&a", "*a", "<<:", "0o", "!!binary"],
        longest=500,
    ),
)
