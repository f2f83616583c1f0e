"""Clients as a public server has them: interfaces that play games, and those that vanish, babble or say nothing.

Each is a function that visits the server once. It raises ``Broken`` if the server did not do what it promises.
"""

from __future__ import annotations

import json
import random
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable

import chess
from served import PATIENCE, PLAYOUT, Client, Served

PROTOCOLS = ("uci", "gtp", "ubgi", "xboard", "analysis")
"""Protocols that the server must offer over TCP."""
LONGEST = 2**16
"""Bytes of the longest line that the server takes."""


class Broken(Exception):
    """Raised if the server broke a promise."""


Visit = Callable[[Served, random.Random], None]


def plays_chess(server: Served, rng: random.Random) -> None:
    """Plays both sides of a game by UCI, in a match of one or two games, and checks each move."""
    with Client(server.ports["uci"]) as client:
        client.send("uci", "setoption name OwnBook value false")
        client.until("uciok")
        for _ in range(rng.randint(1, 2)):
            board = chess.Board()
            client.send("ucinewgame")
            while not board.is_game_over() and board.ply() < 40:
                moves = " ".join(move.uci() for move in board.move_stack)
                client.send(f"position startpos moves {moves}".removesuffix(" moves "), "go movetime 20")
                board.push_uci(client.until("bestmove")[-1].split()[1])
        client.send("isready")
        lines = client.until("readyok")
        if any(line.startswith("bestmove") for line in lines):
            raise Broken(f"a move too many: {lines}")
        client.send("quit")


def plays_go(server: Served, rng: random.Random) -> None:
    """Plays the first moves of a game of Go, with a clock."""
    with Client(server.ports["gtp"]) as client:
        client.send("boardsize 9", "clear_board", "kgs-time_settings byoyomi 0 0.03 1")
        for number in range(2 * rng.randint(5, 15)):
            client.send(f"{number} genmove {'bw'[number % 2]}")
            answer = client.until(f"={number}")[-1]
            if answer.endswith("resign"):
                break
        client.send("quit")


def plays_backgammon(server: Served, rng: random.Random) -> None:
    """Asks for plays of random rolls."""
    with Client(server.ports["ubgi"]) as client:
        client.send("ubgi", "newgame")
        for _ in range(rng.randint(5, 15)):
            dice = f"dice {rng.randint(1, 6)} {rng.randint(1, 6)}"
            client.send("position gnubgid 4HPwATDgc/ABMA", dice, "go role chequer movetime 20")
            client.until("bestmove")
        client.send("quit")


def plays_xboard(server: Served, rng: random.Random) -> None:
    """Plays against the engine, moves at random."""
    with Client(server.ports["xboard"]) as client:
        client.send("xboard", "protover 2", "new", "st 0.03")
        board = chess.Board()
        for _ in range(rng.randint(5, 15)):
            board.push(rng.choice(list(board.legal_moves)))
            if board.is_game_over():
                break
            client.send(f"usermove {board.peek().uci()}")
            board.push_uci(client.until("move")[-1].split()[1])
            if board.is_game_over():
                break
        client.send("quit")


def analyses(server: Served, rng: random.Random) -> None:
    """Sends a handful of queries at once, cancels one, and counts the final replies."""
    with Client(server.ports["analysis"]) as client:
        names = [str(number) for number in range(rng.randint(2, 6))]
        for name in names:
            client.send(json.dumps({"id": name, "moves": ["E5", "C3"], "maxVisits": 200, "includeOwnership": True}))
        client.send(json.dumps({"id": "end", "action": "terminate", "terminateId": names[-1]}))
        wanted = {*names, "end"}
        while wanted:
            line = client.line()
            if not line:
                raise Broken(f"the connection ended before the replies to {wanted}")
            reply = json.loads(line)
            if reply.get("id") not in wanted:
                raise Broken(f"an unexpected reply: {line[:200]}")
            wanted.discard(reply["id"])


def vanishes(server: Served, rng: random.Random) -> None:
    """Resets the connection in the midst of a search."""
    with Client(server.ports[rng.choice(["uci", "ubgi"])]) as client:
        client.send("isready", "position gnubgid 4HPwATDgc/ABMA", "dice 3 1", "go infinite")
        client.until("readyok")
        time.sleep(rng.random() / 10)
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def says_nothing(server: Served, rng: random.Random) -> None:
    """Opens connections and waits until they are closed, or leaves."""
    clients = [Client(port) for port in server.ports.values()]
    if rng.random() < 0.3:
        for client in clients:
            client.line()
    for client in clients:
        client.close()


def babbles(server: Served, rng: random.Random) -> None:
    """Sends random bytes, in lines and without end."""
    with Client(rng.choice(list(server.ports.values()))) as client:
        for _ in range(rng.randint(1, 10)):
            client.socket.sendall(rng.randbytes(rng.randint(1, 3000)))
        if rng.random() < 0.5:
            client.socket.sendall(b"\nquit\n")


def sends_long_lines(server: Served, rng: random.Random) -> None:
    """Sends lines beyond the limit; the session must go on."""
    with Client(server.ports["uci"]) as client:
        for _ in range(rng.randint(1, 3)):
            client.send("position startpos moves " + "g1f3 g8f6 f3g1 f6g8 " * (LONGEST // 10), "isready")
            client.until("readyok")


def returns_often(server: Served, rng: random.Random) -> None:
    """Connects and leaves a dozen times."""
    for _ in range(12):
        with Client(rng.choice(list(server.ports.values()))) as client:
            if rng.random() < 0.5:
                client.send("isready")


def searches_without_end(server: Served, rng: random.Random) -> None:
    """Searches until it says stop, and gets one move."""
    with Client(server.ports["uci"]) as client:
        client.send("setoption name OwnBook value false", "position startpos")
        for _ in range(rng.randint(1, 3)):
            client.send("go infinite")
            client.until("info")
            time.sleep(rng.random() / 5)
            client.send("stop")
            client.until("bestmove")
            client.send("isready")
            if any(line.startswith("bestmove") for line in client.until("readyok")):
                raise Broken("one search has reported two moves")


def comes_by_mqtt(server: Served, rng: random.Random) -> None:
    """Plays a few moves by the bridge over MQTT, and leaves in order or is killed."""
    command = [*PLAYOUT, "connect", server.mqtt, "--protocol", "uci"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as bridge:
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        for _ in range(rng.randint(1, 10)):
            bridge.stdin.write("go movetime 20\n")
            while not (line := bridge.stdout.readline()).startswith("bestmove"):
                if not line:
                    raise Broken("the bridge over MQTT ended before its move")
        if rng.random() < 0.5:
            bridge.send_signal(signal.SIGKILL)
        else:
            bridge.stdin.write("quit\n")
            if bridge.wait(PATIENCE):
                raise Broken(f"the bridge over MQTT ended with status {bridge.returncode}")


def opens_by_mqtt(server: Served, rng: random.Random) -> None:
    """Opens sessions by plain packets, sends junk, and stops answering."""
    from paho.mqtt.client import Client as Packets
    from paho.mqtt.enums import CallbackAPIVersion

    host, port = server.mqtt.removeprefix("mqtt://").partition("/")[0].split(":")
    client = Packets(CallbackAPIVersion.VERSION2)
    client.connect(host, int(port))
    client.loop_start()
    try:
        for _ in range(rng.randint(1, 4)):
            topic = f"playout/1/engine/uci/{secrets.token_hex(8)}/in"
            packets = [{"t": "open"}, {"t": "data", "n": 1, "lines": ["isready"]}, {"t": "data", "n": 99, "lines": 3}]
            for packet in packets:
                client.publish(topic, json.dumps(packet), qos=1).wait_for_publish(PATIENCE)
            client.publish(topic, rng.randbytes(50), qos=1).wait_for_publish(PATIENCE)
    finally:
        client.disconnect()
        client.loop_stop()


VISITS: dict[Visit, float] = {
    plays_chess: 3,
    plays_go: 3,
    plays_backgammon: 3,
    plays_xboard: 3,
    analyses: 3,
    vanishes: 4,
    says_nothing: 4,
    babbles: 4,
    sends_long_lines: 1,
    returns_often: 4,
    searches_without_end: 4,
    comes_by_mqtt: 2,
    opens_by_mqtt: 2,
}
"""The visits with their weights."""
