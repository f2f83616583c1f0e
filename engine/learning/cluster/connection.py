"""The connection with a Ray cluster: one that runs, or one that is started on this machine."""

from __future__ import annotations

import importlib
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playout.games.errors import PlayoutError

AUTO = "auto"
"""The cluster that runs on this machine, or else a new one as for ``LOCAL``."""
LOCAL = "local"
"""A new cluster of the processors of this machine, which ends with the connection."""
STORE_BYTES = 128 << 20
"""Object store of a new cluster: it holds a file of weights and the records of chunks under way."""
ANSWER_SECONDS = 10.0
"""Time for the head of a cluster to answer at its address. Ray itself would try for ten minutes."""
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
"""Bytes with which a client of gRPC begins: HTTP/2's preface and empty settings (RFC 9113, 3.4)."""
SETTINGS_FRAME = 4

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is sent to Ray's makers
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else a warning for each connection
}
"""Settings of Ray by the environment; those of the user go before them."""


def library() -> Any:
    """Returns the module ``ray``.

    Raises:
        PlayoutError: if it is not installed.
    """
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise PlayoutError("--ray needs the package ray: pip install 'playout[ray]'") from error


@contextmanager
def connected(where: str) -> Iterator[None]:
    """Connects with the cluster at ``where``: ``AUTO``, ``LOCAL`` or HOST:PORT.

    Raises:
        PlayoutError: one line if there is none, or if ray is not installed.
    """
    ray = library()
    if where == AUTO:
        where = os.environ.get("RAY_ADDRESS", AUTO)
    if where not in (AUTO, LOCAL):
        _check_answer(where)
    quiet = {"log_to_driver": False, "logging_level": "error"}
    fresh = {"object_store_memory": STORE_BYTES, "include_dashboard": False}
    try:
        if where == AUTO:
            try:
                ray.init(AUTO, **quiet)
            except ConnectionError:
                ray.init(LOCAL, **fresh, **quiet)
        else:
            ray.init(where, **quiet, **(fresh if where == LOCAL else {}))
    except Exception as error:  # Ray raises many kinds, RuntimeError for another version of ray among them
        hint = "" if "RAY_AUTH_MODE" in os.environ else "; a cluster with a token needs RAY_AUTH_MODE=token"
        raise PlayoutError(f"--ray {where}: {' '.join(str(error).split())}{hint}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _check_answer(address: str) -> None:
    """Checks that a server of gRPC, which the head of a cluster is, answers at HOST:PORT.

    Raises:
        PlayoutError: if none does.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or "/" in host:
        raise PlayoutError(f"--ray {address!r}: expected {AUTO}, {LOCAL} or HOST:PORT, as `ray start --head` says it")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS) as stream:
            stream.settimeout(ANSWER_SECONDS)
            stream.sendall(PREFACE)
            with stream.makefile("rb") as answers:
                head = answers.read(9)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PlayoutError(f"--ray {address}: cannot be reached: {reason}") from error
    if len(head) < 9 or head[3] != SETTINGS_FRAME:
        raise PlayoutError(f"--ray {address}: the server there is no Ray cluster")
