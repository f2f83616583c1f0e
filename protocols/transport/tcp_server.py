"""The TCP server: one session for each connection, all in one process."""

from __future__ import annotations

import itertools
import logging
import selectors
import socket
import ssl
import threading
import time
from contextlib import suppress

from playout.games.errors import PlayoutError
from playout.protocols.transport.address import Address
from playout.protocols.transport.connection import Connection
from playout.protocols.transport.handshake import ERROR, SECONDS, authenticate, greet
from playout.protocols.transport.sessions import Service, Sessions
from playout.protocols.transport.strangers import Strangers
from playout.protocols.transport.tcp import TcpStream

WAITING = 64
"""Maximum number of connections that wait to be accepted."""
FIRST_LINE = 10.0
"""Seconds for a client's first line; before it, a connection takes no place of a session."""

logger = logging.getLogger(__name__)


class TcpServer:
    """Accepts connections on any number of addresses until it is stopped."""

    def __init__(
        self, sessions: Sessions, *, token: str | None = None, tls: ssl.SSLContext | None = None, line: int
    ) -> None:
        """``line`` is the maximum bytes of a line."""
        self._sessions = sessions
        self._token = token
        self._tls = tls
        self._line = line
        self._selector = selectors.DefaultSelector()
        self._woken, self._waker = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._numbers = itertools.count(1)
        self._strangers = Strangers()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._silent: set[TcpStream] = set()
        self._stopped = False

    def listen(self, service: Service, address: Address) -> Address:
        """Listens at ``address``; returns it with the actual port if the port was 0. Call before ``start``.

        Raises:
            OSError: if the address is not available.
        """
        family = socket.AF_INET6 if address.is_ipv6 else socket.AF_INET
        listener = socket.create_server((address.host, address.port), family=family, backlog=WAITING)
        listener.setblocking(False)
        self._selector.register(listener, selectors.EVENT_READ, service)
        return Address(address.host, listener.getsockname()[1])

    def start(self) -> None:
        """Starts to accept connections. Must not block."""
        self._thread = threading.Thread(target=self._accept_all, name="tcp", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stops accepting and closes connections without a session yet; sessions continue. Blocks briefly."""
        with self._lock:
            self._stopped = True
            for stream in self._silent:
                stream.interrupt()
        self._waker.send(b"\0")
        if self._thread is not None:
            self._thread.join()

    def _accept_all(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._woken:
                    self._close_all()
                    return
                assert isinstance(key.fileobj, socket.socket)
                self._accept(key.fileobj, key.data)

    def _close_all(self) -> None:
        for key in list(self._selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        self._selector.close()
        self._waker.close()

    def _accept(self, listener: socket.socket, service: Service) -> None:
        try:
            sock, peer = listener.accept()
        except BlockingIOError:
            return
        except OSError as error:  # perhaps no file descriptors: the connection waits
            logger.error("cannot accept a connection: %s", error)
            time.sleep(0.1)
            return
        host = str(peer[0])
        name = f"{service.name}-{next(self._numbers)} {host}"
        if not self._strangers.enter(host):
            logger.warning("a connection from %s was closed: too many others have not said anything yet", host)
            sock.close()
            return
        threading.Thread(target=self._serve, args=(sock, host, service), name=name, daemon=True).start()

    def _serve(self, sock: socket.socket, host: str, service: Service) -> None:
        """Serves one connection on its own thread, which has the client's name in the log."""
        stream = None
        try:
            stream = self._admit(sock, host)
            if stream is not None:
                try:
                    self._run(stream, service)
                finally:
                    self._sessions.leave(host)
        except OSError as error:
            logger.info("no session: %s", error)
        except Exception:
            logger.exception("the session failed")
        finally:
            if stream is not None:
                stream.close()

    def _admit(self, sock: socket.socket, host: str) -> TcpStream | None:
        """Returns the stream of a client that has been given a place; None if it was refused, or said nothing."""
        got_in = False
        try:
            stream = self._welcome(sock)
            try:
                got_in = self._introduce(stream, host)
            except PlayoutError as error:
                _refuse(stream, error)
            finally:
                if not got_in:
                    stream.close()
            return stream if got_in else None
        finally:
            self._strangers.leave(host, got_in=got_in)

    def _introduce(self, stream: TcpStream, host: str) -> bool:
        """Hears a client's token and first line, and reserves its place; returns whether it has one.

        Raises:
            PlayoutError: if it is refused.
        """
        if self._token is not None:
            authenticate(stream, self._token)
        self._sessions.check(host)
        with self._lock:
            if self._stopped:
                return False
            self._silent.add(stream)
        idle = self._sessions.idle
        try:
            first = stream.next_line(FIRST_LINE if idle is None else min(FIRST_LINE, idle))
        finally:
            with self._lock:
                self._silent.discard(stream)
        if first is None:
            return False
        self._sessions.enter(host)
        try:
            greet(stream, first)
        except BaseException:
            self._sessions.leave(host)
            raise
        return True

    def _run(self, stream: TcpStream, service: Service) -> None:
        logger.info("session opened")
        try:
            self._sessions.run(service, stream)
        except PlayoutError as error:
            _refuse(stream, error)
        stream.join()
        logger.info("session ended")

    def _welcome(self, sock: socket.socket) -> TcpStream:
        try:
            sock.settimeout(SECONDS)
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_side=True)
            return TcpStream(Connection(sock), self._line)
        except BaseException:
            sock.close()
            raise


def _refuse(stream: TcpStream, error: PlayoutError) -> None:
    logger.warning("no session: %s", error)
    with suppress(OSError):
        stream.write([f"{ERROR}{error}"])
    stream.close()
