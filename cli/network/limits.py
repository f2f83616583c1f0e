"""Limits that a server sets for its clients."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass

from playout.engine.terms.rights import Rights
from playout.games.errors import PlayoutError

SESSIONS = 100
LINE = 2**16
IDLE = 3600.0
MOVE = 3600.0
NEW_MOVES = 2000
"""New moves that a line may bring where Python plays them: more than any game of Go or Hex has."""
LARGEST_HASH = 65536


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Limits of a server, and the rights of each of its sessions."""

    sessions: int
    sessions_per_address: int
    line: int
    """Bytes."""
    idle: float
    """Seconds."""
    rights: Rights


def add_limits(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments for the limits."""
    group = parser.add_argument_group("limits")
    group.add_argument("--sessions", metavar="N", type=int, default=SESSIONS, help=f"at a time; {SESSIONS}")
    group.add_argument(
        "--sessions-per-address", metavar="N", type=int, help="maximum from one address; default: no separate limit"
    )
    group.add_argument(
        "--threads", metavar="N", type=int, default=1, help="maximum search threads of one session; default 1"
    )
    group.add_argument(
        "--memory",
        metavar="MIB",
        type=int,
        help="of all search graphs together, divided equally among the sessions; default: half of the machine's",
    )
    group.add_argument(
        "--move-time", metavar="SECONDS", type=float, default=MOVE, help=f"maximum time of one search; default {MOVE:g}"
    )
    group.add_argument(
        "--idle", metavar="SECONDS", type=float, default=IDLE, help=f"maximum time without input; default {IDLE:g}"
    )
    group.add_argument(
        "--line", metavar="BYTES", type=int, default=LINE, help=f"maximum length of a line; default {LINE}"
    )


def read_limits(words: argparse.Namespace) -> ServerLimits:
    """Reads the limits from the arguments.

    Raises:
        PlayoutError: for a limit that is not positive.
    """
    memory = words.memory if words.memory is not None else machine_memory() // 2
    per_address = words.sessions if words.sessions_per_address is None else words.sessions_per_address
    numbers = {
        "sessions": words.sessions,
        "sessions-per-address": per_address,
        "threads": words.threads,
        "memory": memory,
        "move-time": words.move_time,
        "idle": words.idle,
        "line": words.line,
    }
    for name, number in numbers.items():
        if not 0 < number < float("inf"):
            raise PlayoutError(f"serve: --{name}: {number} is not greater than 0")
    if memory < words.sessions:
        raise PlayoutError(f"serve: --memory: {memory} MiB is less than 1 MiB for each of {words.sessions} sessions")
    rights = Rights(
        files=False,
        hash_mib=min(memory // words.sessions, LARGEST_HASH),
        threads=words.threads,
        seconds=words.move_time,
        moves=NEW_MOVES,
    )
    return ServerLimits(words.sessions, per_address, words.line, words.idle, rights)


def machine_memory() -> int:
    """Size of main memory in MiB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
