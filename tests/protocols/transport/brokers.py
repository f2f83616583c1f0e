"""MQTT brokers as processes of their own, and a plain client that sends what a test wants."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self

from ...needs import program, require
from ...patience import PATIENCE, eventually

AMQTT = """
import asyncio, sys
from playout.protocols.transport.mqtt.broker import embedded
from playout.protocols.transport.mqtt.client import Broker

async def main():
    async with embedded(Broker("127.0.0.1", int(sys.argv[1]))):
        await asyncio.Event().wait()

asyncio.run(main())
"""
BASE = "playout/1/den"


class BrokerProcess:
    """A broker that can be killed and started again at its port."""

    def __init__(self, kind: str, folder: Path, extra: str = "allow_anonymous true\n") -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = listener.getsockname()[1]
        if kind == "amqtt":
            self._command = [sys.executable, "-c", AMQTT, str(self.port)]
        else:
            require("mosquitto")
            words = f"listener {self.port} 127.0.0.1\nset_tcp_nodelay true\npersistence false\n{extra}"
            (folder / "mosquitto.conf").write_text(words)
            self._command = [str(program("mosquitto")), "-c", f"{folder}/mosquitto.conf"]
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}/den"

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert eventually(self._listens)

    def tell(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def kill(self, with_signal: signal.Signals = signal.SIGKILL) -> None:
        self._process.send_signal(with_signal)
        self._process.wait(PATIENCE)

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except ConnectionRefusedError:
            return False
        return True


class PlainClient:
    """A client of a broker that keeps to no protocol. It hears all topics of the server ``den``."""

    def __init__(self, broker: BrokerProcess) -> None:
        import paho.mqtt.client as mqtt

        self._heard: SimpleQueue[tuple[str, dict[str, Any]]] = SimpleQueue()
        self._subscribed: SimpleQueue[None] = SimpleQueue()
        self._client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        self._client.on_message = lambda _, __, message: self._heard.put((message.topic, json.loads(message.payload)))
        self._client.on_subscribe = lambda *_: self._subscribed.put(None)
        self._client.on_connect = lambda *_: self._client.subscribe(f"{BASE}/#", 1)  # amqtt drops one that comes before
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()
        assert eventually(self._hears)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def _hears(self) -> bool:
        try:
            self._subscribed.get(timeout=PATIENCE / 10)
        except Empty:  # amqtt has lost a subscription, once in some thousand connections on a busy machine
            self._client.reconnect()
            return False
        return True

    def send(self, topic: str, retain: bool = False, **packet: Any) -> None:
        """Publishes a packet under a topic of the server, and waits until the broker has it."""
        sent = self._client.publish(f"{BASE}/{topic}", json.dumps(packet), qos=1, retain=retain)
        sent.wait_for_publish(PATIENCE)

    def hear(self, topic: str, kind: str) -> dict[str, Any]:
        """Waits for a packet of a kind under a topic, and returns it; others are lost."""
        while True:
            found, packet = self._heard.get(timeout=PATIENCE)
            if found == f"{BASE}/{topic}" and packet.get("t") == kind:
                return packet

    def hear_session(self, kind: str) -> str:
        """Waits for a packet of a kind from the client of a session; returns the session, as PROTOCOL/NAME."""
        while True:
            topic, packet = self._heard.get(timeout=PATIENCE)
            if topic.endswith("/in") and packet.get("t") == kind:
                return topic.removeprefix(f"{BASE}/").removesuffix("/in")
