"""Messages between the coordinator of a tournament and its workers; ``docs/arena.md`` has them for other languages.

    playout/1/NAME/arena/c/WORKER     from a worker to the coordinator
    playout/1/NAME/arena/w/WORKER     from the coordinator to a worker
    playout/1/NAME/arena/here/WORKER  retained: whether a worker is there; the broker clears it by the last will
    playout/1/NAME/arena/coordinator  from a coordinator to others that start

A message is JSON. Where both sides have a key, it begins with the HMAC (SHA-256) of topic and JSON in 64 hexadecimal
digits. Nothing depends on the broker's promises: each message may be lost, repeated, or come late.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Annotated, TypeVar

import msgspec

from playout.arena.terms.job import Job, Played
from playout.games.errors import ProtocolError

T = TypeVar("T")

VERSION = 1
"""Version of the messages. A worker with another version is refused."""
BEAT = 5.0
"""Seconds between two signs of life of a worker."""
ELSEWHERE = "elsewhere"
"""Receipt for a game of another tournament."""
LARGEST = 2**20
"""Bytes of a message; longer ones are dropped."""
DIGEST = 64
"""Hexadecimal digits of the HMAC."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
Number = Annotated[int, msgspec.Meta(ge=0, le=1)]
Word = Annotated[str, msgspec.Meta(max_length=1000)]
Small = Annotated[int, msgspec.Meta(ge=0, le=2**31)]


class Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", omit_defaults=True):
    """A message. Fields that a reader does not know are ignored, but for those inside a job or a game."""

    boot: Name
    """Mark of the worker's process, in both directions: what is meant for an earlier process is ignored."""


class Claim(Message, frozen=True, tag="claim"):
    """A worker asks for pairs."""

    v: int = VERSION
    free: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 1
    """Number of pairs that it can play in addition to those that it has."""


class Beat(Message, frozen=True, tag="beat"):
    """A worker's sign of life."""

    jobs: Annotated[dict[Name, tuple[Small, Small]], msgspec.Meta(max_length=1024)]
    """Its pairs: for each the number of the attempt, and the number of moves made at it so far."""
    stages: Annotated[dict[Name, tuple[Number, list[Word]]], msgspec.Meta(max_length=1024)] = {}
    """For those who watch: of its pairs the game that is played, 0 or 1, and its moves so far."""


class Done(Message, frozen=True, tag="done"):
    """A worker delivers a game. It repeats this until an ``Ack`` comes."""

    cup: Name
    """The tournament, as ``Give`` had it."""
    job: Name
    number: Annotated[int, msgspec.Meta(ge=0, le=1)]
    attempt: Small
    played: Played


class Back(Message, frozen=True, tag="back"):
    """A worker gives a pair back that it does not play: it has enough, or it stops."""

    job: Name
    attempt: Small


class Give(Message, frozen=True, tag="give"):
    """The coordinator gives a pair to a worker, which answers by ``Beat`` with the pair in it."""

    cup: Name
    """The tournament: a text that no other one has, at this broker or elsewhere."""
    job: Job
    attempt: Small
    played: tuple[int, ...] = ()
    """Numbers of its games that are recorded already."""


class Ack(Message, frozen=True, tag="ack"):
    """The coordinator has a game, or does not want it: the worker forgets it.

    It keeps a game whose ``receipt`` is ``ELSEWHERE`` for the coordinator of its tournament, and sends it no more.
    """

    cup: Name
    """As the delivery had it."""
    game: Name
    receipt: str


class Drop(Message, frozen=True, tag="drop"):
    """The coordinator takes pairs back; the worker ends them."""

    jobs: tuple[Name, ...]


class Wait(Message, frozen=True, tag="wait"):
    """There is nothing to play now; the worker claims again after some seconds."""

    seconds: float = 1.0


class Over(Message, frozen=True, tag="over"):
    """The tournament is over; the worker may leave."""


class Refused(Message, frozen=True, tag="refused"):
    """The coordinator does not take the worker; it leaves."""

    why: str


FromWorker = Claim | Beat | Done | Back
FromCoordinator = Give | Ack | Drop | Wait | Over | Refused


class Here(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Presence of a worker."""

    boot: Name
    here: bool
    v: int = VERSION
    desks: Small = 0
    """Number of pairs that it plays at a time."""
    host: str = ""


class Lead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A coordinator says that it is there, or asks at its start whether another one is."""

    boot: Name
    asks: bool = False


class Topics:
    """The topics of one tournament on a broker."""

    def __init__(self, base: str) -> None:
        """``base`` is the prefix of the server's name: ``playout/1/NAME``."""
        self.root = f"{base}/arena"
        self.to_coordinator = f"{self.root}/c/"
        self.to_worker = f"{self.root}/w/"
        self.here = f"{self.root}/here/"
        self.coordinator = f"{self.root}/coordinator"

    def worker(self, topic: str) -> str:
        """Returns the name of the worker at the end of a topic."""
        return topic.rpartition("/")[2]


def pack(topic: str, message: msgspec.Struct, key: bytes | None) -> bytes:
    """Returns a message as it is sent."""
    body = msgspec.json.encode(message)
    return body if key is None else _digest(topic, body, key) + body


def unpack(topic: str, payload: bytes, key: bytes | None) -> bytes:
    """Returns the JSON of a message.

    Raises:
        ProtocolError: if it is too long, or its HMAC is not that of the key.
    """
    if len(payload) > LARGEST:
        raise ProtocolError(f"a message of {len(payload)} bytes")
    if key is None:
        return payload
    digest, body = payload[:DIGEST], payload[DIGEST:]
    if not hmac.compare_digest(digest, _digest(topic, body, key)):
        raise ProtocolError("a message that is not signed with our key")
    return body


_FROM_WORKER: msgspec.json.Decoder[FromWorker] = msgspec.json.Decoder(FromWorker)
_FROM_COORDINATOR: msgspec.json.Decoder[FromCoordinator] = msgspec.json.Decoder(FromCoordinator)
_HERE = msgspec.json.Decoder(Here)
_LEAD = msgspec.json.Decoder(Lead)


def from_worker(topic: str, payload: bytes, key: bytes | None) -> FromWorker:
    """Reads a worker's message.

    Raises:
        ProtocolError: one line with the reason why it is none.
    """
    return _read(_FROM_WORKER, topic, payload, key)


def from_coordinator(topic: str, payload: bytes, key: bytes | None) -> FromCoordinator:
    """Reads a coordinator's message.

    Raises:
        ProtocolError: one line with the reason why it is none.
    """
    return _read(_FROM_COORDINATOR, topic, payload, key)


def presence(topic: str, payload: bytes, key: bytes | None) -> Here:
    """Reads the presence of a worker.

    Raises:
        ProtocolError: one line with the reason why it is none.
    """
    return _read(_HERE, topic, payload, key)


def lead(topic: str, payload: bytes, key: bytes | None) -> Lead:
    """Reads the word of another coordinator.

    Raises:
        ProtocolError: one line with the reason why it is none.
    """
    return _read(_LEAD, topic, payload, key)


def _read(decoder: msgspec.json.Decoder[T], topic: str, payload: bytes, key: bytes | None) -> T:
    try:
        return decoder.decode(unpack(topic, payload, key))
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ProtocolError(f"no message: {error}") from error


def _digest(topic: str, body: bytes, key: bytes) -> bytes:
    return hmac.new(key, topic.encode() + b"\n" + body, hashlib.sha256).hexdigest().encode()
