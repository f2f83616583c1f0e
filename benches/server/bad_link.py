"""Two network namespaces with a bad link between them: IP packets are delayed, lost, doubled, reordered and held up.

Does what ``tc qdisc ... netem`` does, for kernels without it: the ends of the link are two TUN devices, and a thread of
this program passes the packets on. The kernels' TCP on both sides is the real one. Needs Linux and root.

In the client's namespace 127.0.0.2 is not the machine itself but the server at the other end of the link, so that
programs which trust loopback addresses need no keys.
"""

from __future__ import annotations

import ctypes
import fcntl
import heapq
import itertools
import os
import random
import select
import struct
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import Self

SERVER = "127.0.0.2"
"""Address of the server in both namespaces."""
SIDES = ("10.9.0.1", "10.9.0.2")
"""Addresses of the ends of the link: the server's, the client's."""
TO_CLIENT, TO_SERVER = 0, 1
MOST_QUEUED = 100
"""Maximum number of packets that wait at the entrance of a slow link, each way."""
CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Weather:
    """State of a link, each way."""

    delay: float = 0.0
    """Seconds."""
    jitter: float = 0.0
    """Maximum seconds by which the delay differs, evenly distributed; packets overtake each other."""
    loss: float = 0.0
    """Part of the packets that is lost."""
    doubled: float = 0.0
    """Part of the packets that comes twice."""
    reordered: float = 0.0
    """Part of the packets that comes without the delay."""
    rate: float = 0.0
    """Bits a second; 0 is no limit."""
    blocked: tuple[bool, bool] = (False, False)
    """Whether nothing goes through to the client, to the server."""


FAIR = Weather()
DOWN = Weather(blocked=(True, True))


class Namespace:
    """A network namespace with a loopback device. A context manager: within it, sockets and processes that this thread
    makes belong to the namespace.
    """

    def __init__(self) -> None:
        home = _current()
        _check(_libc.unshare(CLONE_NEWNET))
        self._own = _current()
        _command("ip link set lo up")
        _check(_libc.setns(home, CLONE_NEWNET))
        os.close(home)
        self._home = -1

    def __enter__(self) -> Self:
        self._home = _current()
        _check(_libc.setns(self._own, CLONE_NEWNET))
        return self

    def __exit__(self, *_: object) -> None:
        _check(_libc.setns(self._home, CLONE_NEWNET))
        os.close(self._home)

    def close(self) -> None:
        """Gives the namespace up; it ends with its last process and socket."""
        os.close(self._own)


class BadLink:
    """A link between two namespaces. A context manager: leaving it takes the link down."""

    def __init__(self, seed: int) -> None:
        self.server = Namespace()
        self.client = Namespace()
        self.weather = FAIR
        """State of the link; may be changed at any time."""
        self.packets = [0, 0]
        """Number of packets that have come through to the client, to the server."""
        self._rng = random.Random(seed)
        self._ends = [_end(self.server, *SIDES), _end(self.client, *reversed(SIDES))]
        with self.client:
            _command("ip route del local 127.0.0.0/8 dev lo table local")
            _command(f"ip route add {SERVER} dev bad src {SIDES[1]}")
        self._waiting: list[tuple[float, int, int, bytes]] = []
        self._numbers = itertools.count()
        self._free = [0.0, 0.0]
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._pass_on, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._thread.join()
        for end in self._ends:
            os.close(end)
        self.server.close()
        self.client.close()

    def _pass_on(self) -> None:
        poll = select.poll()
        for end in self._ends:
            poll.register(end, select.POLLIN)
        while not self._closed.is_set():
            due = self._waiting[0][0] - time.monotonic() if self._waiting else 1.0
            for end, _ in poll.poll(max(0.0, 1000 * min(due, 1.0))):
                self._take(os.read(end, 2**16), TO_CLIENT if end == self._ends[0] else TO_SERVER)
            while self._waiting and self._waiting[0][0] <= time.monotonic():
                _, _, way, packet = heapq.heappop(self._waiting)
                self.packets[way] += 1
                os.write(self._ends[1 - way], packet)

    def _take(self, packet: bytes, way: int) -> None:
        weather, rng, now = self.weather, self._rng, time.monotonic()
        if weather.blocked[way] or rng.random() < weather.loss or packet[0] >> 4 != 4:
            return
        for _ in range(2 if rng.random() < weather.doubled else 1):
            due = now
            if weather.rate:
                seconds = 8 * len(packet) / weather.rate
                due = max(now, self._free[way]) + seconds
                if due > now + MOST_QUEUED * seconds:
                    return
                self._free[way] = due
            if rng.random() >= weather.reordered:
                due += max(0.0, weather.delay + rng.uniform(-weather.jitter, weather.jitter))
            heapq.heappush(self._waiting, (due, next(self._numbers), way, packet))


def _end(namespace: Namespace, own: str, other: str) -> int:
    """Makes one end of the link; returns the file of its packets."""
    with namespace:
        end = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH22x", b"bad", IFF_TUN | IFF_NO_PI))
        _command(f"ip addr add {own} peer {other} dev bad")
        _command("ip link set bad up")
        _command("sysctl -qw net.ipv4.conf.bad.route_localnet=1")
    return end


def _current() -> int:
    """Opens the network namespace of this thread."""
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def _check(result: int) -> None:
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _command(words: str) -> None:
    subprocess.run(words.split(), check=True)
