"""A client of ``playout serve`` in 30 lines: plain UGI over a socket, so any language can do the same.

playout serve --listen 127.0.0.1:7001 --protocol ugi --game hex:5 &
python examples/tcp_client.py 127.0.0.1:7001 a1 e5
"""

from __future__ import annotations

import socket
import sys


def best_move(address: str, moves: list[str], nodes: int = 1000) -> str:
    """The engine's move after ``moves`` from the start of the server's game, found in ``nodes`` simulations."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        stream = connection.makefile("rw", encoding="utf-8", newline="\n")

        def send(line: str) -> None:
            print(line, file=stream, flush=True)

        send("ugi")
        send(" ".join(["position startpos moves", *moves]) if moves else "position startpos")
        send(f"go nodes {nodes}")
        for line in stream:
            if line.startswith("bestmove"):
                send("quit")
                return line.split()[1]
            if line.startswith("error"):
                raise SystemExit(line.strip())
    raise SystemExit(f"{address} closed the connection")


if __name__ == "__main__":
    print(best_move(sys.argv[1], sys.argv[2:]))
