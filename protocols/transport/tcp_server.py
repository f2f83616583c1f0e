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
from playout.protocols.base.threads import NoThread, start_thread
from playout.protocols.transport.address import Address
from playout.protocols.transport.connection import Connection
from playout.protocols.transport.files import open_files
from playout.protocols.transport.handshake import ERROR, SECONDS, authenticate, greet
from playout.protocols.transport.refusals import Refusals
from playout.protocols.transport.sessions import Service, Sessions
from playout.protocols.transport.strangers import MOST, Stranger, Strangers
from playout.protocols.transport.tcp import TcpStream

WAITING = 1024
"""Maximum number of connections that wait to be accepted."""
CROWD = "too many connections wait for a session"
"""Told to a stranger that has to go for a later one."""
FIRST_LINE = 10.0
"""Seconds for a client's first line; before it, a connection takes no place of a session."""
RETRY = 0.1
"""Seconds until a connection that could not be accepted is tried again."""

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
        # Sessions and their books need files too.
        self._strangers = Strangers(min(MOST, open_files() // 4))
        self._silent: dict[Stranger, None] = {}
        """Strangers that have said nothing, oldest first. Accepting thread only."""
        self._refusals = Refusals()
        self._thread: threading.Thread | None = None

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
        self._waker.send(b"\0")
        if self._thread is not None:
            self._thread.join()

    def _accept_all(self) -> None:
        while True:
            events = self._selector.select(self._patience())
            if any(key.fileobj is self._woken for key, _ in events):
                self._close_all()
                return
            # Strangers first: one that has spoken is displaced after those that have not.
            for key, _ in events:
                if isinstance(key.data, Stranger):
                    self._hear(key.data)
            for key, _ in events:
                if not isinstance(key.data, Stranger):
                    assert isinstance(key.fileobj, socket.socket)
                    self._accept(key.fileobj, key.data)
            self._dismiss_silent()

    def _close_all(self) -> None:
        for key in list(self._selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        self._selector.close()
        self._waker.close()
        while (stranger := self._strangers.displace()) is not None:
            stranger.dismiss()

    def _patience(self) -> float | None:
        """Returns the seconds until the oldest silent stranger has to go; None if there is none."""
        if not self._silent:
            return None
        return max(0.0, next(iter(self._silent)).deadline - time.monotonic())

    def _dismiss_silent(self) -> None:
        """Closes the strangers whose time has passed."""
        while self._patience() == 0.0:
            stranger = next(iter(self._silent))
            self._strangers.leave(stranger)
            self._forget(stranger)
            stranger.socket.close()

    def _forget(self, stranger: Stranger) -> None:
        """Ends the watch over a silent stranger."""
        self._selector.unregister(stranger.socket)
        del self._silent[stranger]

    def _accept(self, listener: socket.socket, service: Service) -> None:
        """Accepts a connection, which then waits without a thread until its client says something."""
        try:
            sock, peer = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as error:  # no file descriptors, or no memory
            self._refusals.note(f"cannot accept a connection: {error.strerror}")
            if not self._make_room(self._strangers.displace()):
                time.sleep(RETRY)
            return
        sock.setblocking(False)
        limit = FIRST_LINE if self._is_plain else SECONDS
        stranger = Stranger(sock, str(peer[0]), service, time.monotonic() + self._at_most(limit))
        try:
            if self._is_plain:
                self._sessions.check(stranger.address)
        except PlayoutError as error:
            self._turn_away(stranger, str(error))
            return
        self._silent[stranger] = None
        self._selector.register(sock, selectors.EVENT_READ, stranger)
        self._make_room(self._strangers.enter(stranger))

    @property
    def _is_plain(self) -> bool:
        """Whether a client's first line is one of the protocol, or the bridge's."""
        return self._tls is None and self._token is None

    def _at_most(self, seconds: float) -> float:
        """Returns the time for a client to say something, no longer than a session may be idle."""
        return seconds if self._sessions.idle is None else min(seconds, self._sessions.idle)

    def _make_room(self, stranger: Stranger | None) -> bool:
        """Dismisses a stranger; returns whether its file is closed already."""
        if stranger is None:
            return False
        if stranger in self._silent:
            self._forget(stranger)
            self._turn_away(stranger, CROWD)
            return True
        self._refusals.note(f"no session: {CROWD}")
        stranger.dismiss(self._farewell(CROWD))
        return False  # its thread closes it

    def _turn_away(self, stranger: Stranger, reason: str) -> None:
        """Refuses a stranger without a thread."""
        self._refusals.note(f"no session: {reason}")
        stranger.dismiss(self._farewell(reason))
        stranger.socket.close()

    def _farewell(self, reason: str) -> bytes:
        """Returns the line for a client that has no thread; a client under TLS could not read it."""
        return f"{ERROR}{reason}\n".encode() if self._tls is None else b""

    def _hear(self, stranger: Stranger) -> None:
        """Gives a stranger that has said something its thread, which has its name in the log."""
        self._forget(stranger)
        name = f"{stranger.service.name}-{next(self._numbers)} {stranger.address}"
        try:
            start_thread(self._serve, stranger, name=name)
        except NoThread as error:
            self._strangers.leave(stranger)
            self._turn_away(stranger, str(error))

    def _serve(self, stranger: Stranger) -> None:
        """Serves one connection."""
        stream = None
        try:
            stream = self._admit(stranger)
            if stream is not None:
                try:
                    self._run(stream, stranger.service)
                finally:
                    self._sessions.leave(stranger.address)
        except (OSError, NoThread) as error:
            self._refusals.note(f"no session: {error}")
        except Exception:
            logger.exception("the session failed")
        finally:
            if stream is not None:
                stream.close()

    def _admit(self, stranger: Stranger) -> TcpStream | None:
        """Returns the stream of a client that has been given a place; None if it was refused, or said nothing."""
        got_in = False
        try:
            stream = self._welcome(stranger)
            try:
                got_in = self._introduce(stream, stranger)
            except PlayoutError as error:
                self._refuse(stream, error)
            finally:
                stranger.settle()
                if not got_in:
                    stream.close()
            return stream if got_in else None
        finally:
            self._strangers.leave(stranger)

    def _introduce(self, stream: TcpStream, stranger: Stranger) -> bool:
        """Hears a client's token and first line, and reserves its place; returns whether it has one.

        Raises:
            PlayoutError: if it is refused.
        """
        if self._token is not None:
            authenticate(stream, self._token)
        self._sessions.check(stranger.address)
        now = time.monotonic()
        deadline = stranger.deadline if self._is_plain else now + self._at_most(FIRST_LINE)
        first = stream.next_line(max(0.0, deadline - now))
        if first is None:
            return False
        self._sessions.enter(stranger.address)
        try:
            greet(stream, first)
        except BaseException:
            self._sessions.leave(stranger.address)
            raise
        return True

    def _welcome(self, stranger: Stranger) -> TcpStream:
        sock = stranger.socket
        try:
            if self._tls is not None:
                sock.settimeout(SECONDS)
                sock = self._tls.wrap_socket(sock, server_side=True, do_handshake_on_connect=False)
                stranger.becomes(sock)
                sock.do_handshake()
            return TcpStream(Connection(sock), self._line)
        except BaseException as error:
            stranger.dismiss(self._farewell(str(error)) if isinstance(error, NoThread) else b"")
            stranger.settle()
            sock.close()
            raise

    def _run(self, stream: TcpStream, service: Service) -> None:
        logger.info("session opened")
        try:
            self._sessions.run(service, stream)
        except PlayoutError as error:
            self._refuse(stream, error)
        stream.join()
        logger.info("session ended")

    def _refuse(self, stream: TcpStream, error: PlayoutError) -> None:
        self._refusals.note(f"no session: {error}")
        with suppress(OSError):
            stream.write([f"{ERROR}{error}"])
        stream.close()
