"""Costs of a server: memory of idle sessions, fairness among searches, and the time until a lost client's search stops.

    python benches/server/network.py [--idle 100] [--searching 16] [--seconds 5]

Run it with playout installed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time

from served import PLAYOUT, Client, Served


def say(text: str) -> None:
    """Prints a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def idle(server: Served, port: int, count: int) -> None:
    """Measures sessions that have opened and wait."""
    before = server.memory
    clients = [Client(port) for _ in range(count)]
    for client in clients:
        client.send("uci", "isready")
        client.until("readyok")
    after = server.memory
    say(f"{count} idle sessions: {after:.1f} MiB in all, {(after - before) / count * 1024:.0f} KiB each")
    assert after < 200
    for client in clients:
        client.close()


def fairness(port: int, count: int, seconds: float) -> None:
    """Measures simultaneous searches of one position: the simulations of each, and the delay of their moves."""
    clients = [Client(port) for _ in range(count)]
    for client in clients:
        client.send("setoption name OwnBook value false", "setoption name Move Overhead value 0", "isready")
        client.until("readyok")
    begun = time.monotonic()
    for client in clients:
        client.send(f"go movetime {seconds * 1000:.0f}")
    pings = []
    other = Client(port)
    while time.monotonic() - begun < seconds * 0.8:
        at = time.monotonic()
        other.send("isready")
        other.until("readyok")
        pings.append(time.monotonic() - at)
        time.sleep(0.05)
    nodes, late = [], []
    for client in clients:
        lines = client.until("bestmove")
        late.append(time.monotonic() - begun - seconds)
        nodes.append(int(lines[-2].split(" nodes ")[1].split()[0]))
    mean = statistics.mean(nodes)
    say(
        f"{count} searches of {seconds:g} s: {mean:.0f} simulations each, least {min(nodes) / mean:.2f} and most "
        f"{max(nodes) / mean:.2f} of the mean, standard deviation {statistics.pstdev(nodes) / mean:.3f}"
    )
    say(f"their moves came {1000 * max(late):.0f} ms after the time at the latest")
    say(
        f"isready meanwhile: median {1000 * statistics.median(pings):.1f} ms, at most {1000 * max(pings):.1f} ms "
        f"of {len(pings)}"
    )
    for client in [*clients, other]:
        client.close()


def loss(server: Served, port: int, tries: int) -> None:
    """Measures the time from the loss of a client to the end of its search and session."""
    at_rest = server.threads
    times = []
    for _ in range(tries):
        client = Client(port)
        client.send("setoption name OwnBook value false", "go infinite")
        client.line()
        assert server.threads > at_rest
        client.close()
        at = time.monotonic()
        while server.threads > at_rest:
            time.sleep(0.001)
        times.append(time.monotonic() - at)
    say(
        f"a lost client's search and session are gone after {1000 * statistics.median(times):.0f} ms, "
        f"{1000 * max(times):.0f} ms at most of {tries}"
    )


def echo(port: int, tries: int) -> None:
    """Measures the round trip."""
    client = Client(port)
    times = []
    for _ in range(tries):
        at = time.monotonic()
        client.send("isready")
        client.until("readyok")
        times.append(time.monotonic() - at)
    times.sort()
    say(f"isready on an idle server: median {1e3 * times[tries // 2]:.2f} ms, p99 {1e3 * times[-tries // 100]:.2f} ms")
    client.close()


def bridge(port: int, tries: int) -> None:
    """Measures the start of ``playout connect`` and its answer."""
    times, used = [], []
    for _ in range(tries):
        before, at = os.times(), time.monotonic()
        command = [*PLAYOUT, "connect", f"127.0.0.1:{port}"]
        done = subprocess.run(command, input=b"isready\n", capture_output=True, check=True)
        assert done.stdout == b"readyok\n"
        times.append(time.monotonic() - at)
        after = os.times()
        used.append(after.children_user + after.children_system - before.children_user - before.children_system)
    say(f"playout connect: {statistics.median(times):.2f} s, {statistics.median(used):.2f} s of processor time")


def echo_by_mqtt(tries: int) -> None:
    """Measures the round trip with the broker in the server's process and the bridge in its own."""
    with Served("--broker", "127.0.0.1:0") as server:
        command = [*PLAYOUT, "connect", server.mqtt]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as client:
            assert client.stdin is not None
            assert client.stdout is not None
            times = []
            for _ in range(tries):
                at = time.monotonic()
                client.stdin.write("isready\n")
                assert client.stdout.readline() == "readyok\n"
                times.append(time.monotonic() - at)
            times = sorted(times[1:])
            say(f"isready by MQTT: median {1e3 * times[tries // 2]:.1f} ms, p99 {1e3 * times[-tries // 100]:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--idle", type=int, default=100)
    parser.add_argument("--searching", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=5.0)
    words = parser.parse_args()
    server = Served("--listen", "127.0.0.1:0", "--sessions", str(words.idle + words.searching + 20))
    try:
        port = server.ports["uci"]
        time.sleep(0.5)
        loss(server, port, 20)
        idle(server, port, words.idle)
        echo(port, 500)
        bridge(port, 5)
        echo_by_mqtt(300)
        fairness(port, words.searching, words.seconds)
    finally:
        assert server.end() == 0


if __name__ == "__main__":
    main()
