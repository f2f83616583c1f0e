"""Lines over a link that loses, doubles and delays: they come once and in order."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.games.errors import PlayoutError
from playout.protocols.base.lines import InputLine
from playout.protocols.transport.mqtt.client import Broker, parse_broker
from playout.protocols.transport.mqtt.incoming import MOST, IncomingQueue
from playout.protocols.transport.mqtt.link import MESSAGE, ROOM, WINDOW, BrokenWindow, Link
from playout.protocols.transport.mqtt.peer import Peer, decode, encode


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@settings(derandomize=True, max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.0, 0.6), st.floats(0.0, 0.5), st.integers(1, 25))
def test_lines_come_once_and_in_order_whatever_the_broker_does(seed: int, loss: float, doubled: float, n: int) -> None:
    chance = random.Random(seed)
    clock = Clock()
    here, there = Link(clock), Link(clock)
    sent: list[str] = []
    came: list[str] = []
    ended = False
    on_the_way: list[tuple[Link, bytes]] = []
    for _step in range(10_000):
        clock.time += 0.3
        if len(sent) < n:
            sent.append(f"line {len(sent)}")
            here.put([sent[-1]])
            here.put_report([f"report after {len(sent) - 1}"])
        elif len(sent) == n:
            sent.append("")
            here.put(None)
        for one, other in ((here, there), (there, here)):
            for packet in one.outgoing():
                for _ in range(1 + (chance.random() < doubled)):
                    if chance.random() >= loss:
                        on_the_way.append((other, encode(packet)))
        if chance.random() < 0.05:
            here.reconnected()
            there.reconnected()
        chance.shuffle(on_the_way)
        while on_the_way and chance.random() < 0.7:
            receiver, payload = on_the_way.pop()
            packet = decode(payload)
            assert packet is not None
            delivery = receiver.receive(packet)
            if delivery is None:
                continue
            assert receiver is there
            assert not ended, "nothing comes after the end"
            if delivery.droppable:
                assert delivery.lines == [f"report after {len(came) - 1}"], "a report stays in its place"
                continue
            receiver.dealt_with()
            if delivery.lines is None:
                ended = True
            else:
                came += delivery.lines
        if here.idle and ended:
            break
    assert came == sent[:n]
    assert here.idle
    assert here.waiting == 0


def test_what_nobody_deals_with_is_not_sent_beyond_the_window() -> None:
    clock = Clock()
    here, there = Link(clock), Link(clock)
    for number in range(5 * WINDOW):
        here.put([str(number)])
    came = 0
    for _ in range(20):
        clock.time += 10
        for packet in here.outgoing():
            came += there.receive(packet) is not None
        for packet in there.outgoing():
            here.receive(packet)
    assert came == WINDOW
    there.dealt_with()
    for packet in there.outgoing():
        here.receive(packet)
    clock.time += 10
    assert sum(there.receive(packet) is not None for packet in here.outgoing()) == 1


def test_long_texts_are_several_messages() -> None:
    clock = Clock()
    here, there = Link(clock), Link(clock)
    lines = ["x" * (MESSAGE // 3)] * 10 + ["y" * 3 * MESSAGE] + ["z" * (MESSAGE - 1)] * 12
    here.put(lines)
    came: list[str] = []
    while not here.idle:
        for packet in here.outgoing():
            delivery = there.receive(packet)
            assert delivery is not None
            came += delivery.lines or []
            there.dealt_with()
        for packet in there.outgoing():
            here.receive(packet)
    assert came == lines


@pytest.mark.parametrize("size", [1, ROOM // 8, ROOM, 3 * ROOM])
def test_the_sender_keeps_within_the_room_that_the_receiver_has(size: int) -> None:
    here, there = Link(Clock()), Link(Clock())
    for number in range(2 * WINDOW):
        here.put([f"{number}".ljust(size - 1, "x")])
    packets = list(here.outgoing())
    assert len(packets) == max(1, min(WINDOW, ROOM // size))
    assert [there.receive(packet) is not None for packet in packets] == [True] * len(packets)
    with pytest.raises(BrokenWindow):
        there.receive({"t": "data", "n": len(packets) + 1, "lines": ["y".ljust(size - 1)]})


def test_a_message_is_unconfirmed_from_when_it_was_sent() -> None:
    clock = Clock()
    here = Link(clock)
    here.put(["one"])
    clock.time = 5.0
    assert here.unconfirmed_for() == 0.0
    list(here.outgoing())
    clock.time = 25.0
    assert here.unconfirmed_for() == 20.0
    list(here.outgoing())
    assert here.unconfirmed_for() == 20.0, "sending it again changes nothing"
    here.reconnected()
    assert here.unconfirmed_for() == 0.0
    list(here.outgoing())
    here.receive({"t": "ack", "n": 1})
    clock.time = 100.0
    assert here.unconfirmed_for() == 0.0


def test_a_peer_that_breaks_the_window_is_lost() -> None:
    peer = Peer(lambda _: None)
    for number in range(1, WINDOW + 2):
        peer.take({"t": "data", "n": number, "lines": ["d"]})
    lines = peer.read()
    assert [next(lines).text for _ in range(WINDOW)] == ["d"] * WINDOW
    with pytest.raises(OSError, match="sends more than it may"):
        next(lines)


def test_reports_are_ignored_or_bounded() -> None:
    server, client = Peer(lambda _: None, reports=False), Peer(lambda _: None)
    for peer in (server, client):
        for _ in range(100):
            peer.take({"t": "report", "n": 0, "lines": ["r" * (ROOM // 10)]})
        peer.take({"t": "data", "n": 1, "lines": ["data"]})
        peer.lose("end")
    came = [[line.text[0] for line in _until_lost(peer)] for peer in (server, client)]
    assert came == [["d"], [*"rrrrrrrrr", "d"]]


def _until_lost(peer: Peer) -> Iterator[InputLine]:
    with suppress(OSError):
        yield from peer.read()


def test_the_incoming_queue_is_bounded_in_bytes() -> None:
    async def fill() -> None:
        queue = IncomingQueue(1000)
        queue.put_nowait(SimpleNamespace(payload=b"x" * 1001))
        assert queue.empty()
        for _ in range(MOST // 1000):
            queue.put_nowait(SimpleNamespace(payload=b"x" * 1000))
        held = queue.qsize()
        assert MOST // 2 < held * 1500 <= MOST
        assert len((await queue.get()).payload) == 1000
        queue.put_nowait(SimpleNamespace(payload=b"x" * 900))
        queue.put_nowait(SimpleNamespace(payload=b"x" * 900))
        assert queue.qsize() == held

    asyncio.run(fill())


@settings(derandomize=True, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["t", "n", "lines"]), inner),
    )
    | st.fixed_dictionaries(
        {"t": st.sampled_from(["data", "report", "ack", "x"]), "n": st.integers(-2, 3) | st.floats() | st.booleans()},
        optional={"lines": st.none() | st.lists(st.text(max_size=3) | st.integers(), max_size=2)},
    )
)
def test_garbage_changes_nothing(value: Any) -> None:
    link = Link(Clock())
    link.put(["mine"])
    packet = decode(encode(value))
    if packet is None:
        return
    delivery = link.receive(packet)
    if delivery is not None:
        assert delivery.lines is None or all(isinstance(line, str) for line in delivery.lines)
    assert decode(b"[" * 100_000) is None
    assert decode(b"\xff{}") is None
    assert decode("text") is None
    assert decode(b"{}" * 100) is None


def test_a_peer_that_is_lost_tells_who_reads_and_who_writes() -> None:
    peer = Peer(lambda _: None, limit=5)
    peer.take({"t": "data", "n": 1, "lines": ["short", "too long", "\xe9\xe9\xe9"]})
    peer.lose("gone")
    lines = peer.read()
    read = [next(lines) for _ in range(3)]
    assert [(line.text, line.whole) for line in read] == [("short", True), ("too l", False), ("\xe9\xe9", False)]
    with pytest.raises(OSError, match="gone"):
        next(lines)
    with pytest.raises(OSError, match="gone"):
        peer.write(["x"])
    assert peer.done


def test_a_session_whose_client_is_lost_does_not_seem_to_have_ended_in_order() -> None:
    peer = Peer(lambda _: None)
    peer.lose("the client is silent")
    peer.close()
    assert peer.outgoing() == []


@pytest.mark.parametrize(
    ("url", "broker"),
    [
        ("mqtt://localhost", Broker("localhost", 1883)),
        ("mqtts://h.example:1/den", Broker("h.example", 1, tls=True, name="den")),
        ("mqtt://me:a%2Fb@[::1]/", Broker("::1", 1883, user="me", password="a/b")),
    ],
)
def test_a_broker_is_named_by_an_url(url: str, broker: Broker) -> None:
    assert parse_broker(url) == broker
    assert "a/b" not in str(parse_broker(url))


@pytest.mark.parametrize(
    "url",
    ["mqtt://", "http://h", "h:1883", "mqtt://h:x", "mqtt://h:70000", "mqtt://h/a/b", "mqtt://h/#", "mqtt://h/a?b"],
)
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(PlayoutError, match="expected mqtt://"):
        parse_broker(url)
