"""The loop that runs any protocol on any transport.

    reader thread --Line--> Inbox <--Report, Work-- search threads
                              |
                    serve: protocol -> stream.write

Each session has one inbox, which keeps the order: reports are answered in the order in which the session posted them.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from playout.engine.terms.info import SearchInfo
from playout.games.errors import RAISED_BY_GAMES
from playout.games.support.log_file import READ, WRITTEN, log_lines
from playout.protocols.base.cause import cause, caused_by
from playout.protocols.base.dispatch import internal_error
from playout.protocols.base.lines import InputLine, LineStream, clean, one_line
from playout.protocols.base.protocol import Event, Passing, Protocol
from playout.protocols.base.threads import start_thread

GRACE = 5.0
"""Seconds for the last search of a closed session to return its result."""
ENDINGS = frozenset({"stop", "quit", "exit"})
"""Lines that end a search or a session, in one protocol or another."""
WAITING_LINES = 64
"""Maximum number of lines read ahead; the reader waits while there are more."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class End:
    """Message that the input has ended."""

    at_once: bool


@dataclass(frozen=True, slots=True)
class Work:
    """Message that the loop is to call a function."""

    do: Callable[[], Sequence[str]]
    """The function; returns the lines to write."""
    cause: str
    """The line of input that led to it."""


@dataclass(frozen=True, slots=True)
class EventMessage:
    """Message with a report of the session's search."""

    event: Event
    cause: str
    """The line of input that started the search."""


Message = InputLine | EventMessage | Work | End


class Inbox:
    """The message queue of one session."""

    wanted: threading.Event
    """Set while a message waits that ends a search or the session, and from the end of the input on."""

    def __init__(self) -> None:
        self.wanted = threading.Event()
        self._queue: SimpleQueue[Message] = SimpleQueue()
        self._room = threading.Semaphore(WAITING_LINES)
        self._closed = self._ended = False

    def post(self, event: Event) -> None:
        """Queues a report of the session's search. Any thread. Must not block."""
        self._queue.put(EventMessage(event, cause()))

    def call(self, do: Callable[[], Sequence[str]]) -> None:
        """Makes the loop call ``do`` and write the lines that it returns. Any thread. Must not block."""
        self._queue.put(Work(do, cause()))

    def put(self, line: InputLine) -> None:
        """Queues a line. Blocks while many lines wait. Reader thread only."""
        self._room.acquire()
        if self._closed:
            self._room.release()
            return
        if _ends(line):
            self.wanted.set()
        self._queue.put(line)

    def end(self, at_once: bool = False) -> None:
        """Ends the input; with ``at_once``, queued lines are dropped. Any thread, also from a signal handler."""
        self._ended = True
        self.wanted.set()
        self._queue.put(End(at_once))

    def take(self, timeout: float | None = None) -> Message | None:
        """Returns the next message, or None after ``timeout`` seconds without one. Blocks. The loop's thread only."""
        try:
            message = self._queue.get(timeout=timeout)
        except Empty:
            return None
        if isinstance(message, InputLine):
            self._room.release()
            if _ends(message) and not self._ended:
                self.wanted.clear()
        return message

    def close(self) -> None:
        """Declares that no more messages will be taken; further lines are dropped. Any thread. Must not block."""
        self._closed = True
        self._room.release()


def _ends(line: InputLine) -> bool:
    return len(line.text) < 20 and line.text.strip().lower() in ENDINGS


def serve(protocol: Protocol, stream: LineStream, inbox: Inbox, idle: float | None = None) -> None:
    """Runs ``protocol`` on ``stream`` until either side ends it, or nothing has happened for ``idle`` seconds. Blocks.

    The protocol's session must post to ``inbox.post``. The caller closes the session.

    Raises:
        NoThread: if no thread can read the stream, which is not closed then.
    """
    session = "" if threading.current_thread() is threading.main_thread() else threading.current_thread().name
    start_thread(_read, stream, inbox, session, name="reader")
    try:
        while not protocol.closed or protocol.busy:
            message = inbox.take(GRACE if protocol.closed else idle)
            if message is None and protocol.closed:
                logger.error("the search did not end within %g s", GRACE)
                return
            if message is None:
                logger.info("idle for %g s", idle)
                refusal = protocol.handle_refusal(f"idle for {idle:g} s: the session ends")
                log_lines(WRITTEN, refusal, session)
                stream.write(refusal)
                message = End(at_once=True)
            replies = _replies(protocol, message)
            if replies:
                log_lines(WRITTEN, replies, session)
                passing = isinstance(message, EventMessage) and isinstance(message.event, SearchInfo)
                stream.write(replies, droppable=passing or isinstance(replies, Passing))
    except OSError as error:
        logger.info("the other side is gone: %s", error)
        protocol.handle_eof(True)
    finally:
        inbox.close()
        stream.close()


def _replies(protocol: Protocol, message: Message) -> Sequence[str]:
    """Passes a message to the protocol and returns its replies. If the protocol raises, which is a bug, the reply is a
    refusal.
    """
    line = message.text if isinstance(message, InputLine) else "" if isinstance(message, End) else message.cause
    with caused_by(line):
        try:
            return _handled(protocol, message)
        except RAISED_BY_GAMES as error:
            logger.exception("a defect of the protocol")
            if not isinstance(message, InputLine):
                return ()
            return protocol.handle_refusal(internal_error(error))


def _handled(protocol: Protocol, message: Message) -> Sequence[str]:
    if isinstance(message, EventMessage):
        return protocol.handle_event(message.event)
    if isinstance(message, Work):
        return message.do()
    if protocol.closed:
        return ()
    if isinstance(message, End):
        return protocol.handle_eof(message.at_once)
    if not message.whole:
        return protocol.handle_refusal(f"line too long: {one_line(message.text, 40)}")
    return protocol.handle_line(message.text, message.received)


def _read(stream: LineStream, inbox: Inbox, session: str = "") -> None:
    try:
        for line in stream.read():
            log_lines(READ, map(clean, [line.text]), session)
            inbox.put(line)
    except OSError as error:
        logger.info("cannot read on: %s", error)
        inbox.end(at_once=True)
    else:
        inbox.end()
