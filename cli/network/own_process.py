"""Sessions of a user's game in a server: each engine runs in a process of its own, and its lines are passed on.

What the game does, a crash or an endless loop, then concerns its own client only. The server never loads the game.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, Self

from playout.cli.settings import Settings
from playout.engine.terms.rights import Rights
from playout.games.errors import PlayoutError
from playout.protocols.base.cause import Formatter, log_to_standard_error
from playout.protocols.base.protocol import Event
from playout.protocols.registry import find
from playout.protocols.serve import Inbox

WAITING_BYTES = 2**20
"""Bytes that may wait for an engine that does not read them."""
WAITING_LINES = 256
"""Lines of an engine that may wait for the client."""
START = 60.0
"""Seconds for an engine to start."""
FAREWELL = 2.0
"""Seconds for an engine to end after its input has ended."""

logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True)
class Engine:
    """The description of an engine: a protocol, a game with its options, and the rights of the client."""

    protocol: str
    settings: Settings
    rights: Rights

    def command(self) -> list[str]:
        """Returns the command that runs the engine on standard input and output."""
        return [sys.executable, "-m", "playout.cli.network.own_process", json.dumps(dataclasses.asdict(self))]

    @classmethod
    def read(cls, text: str) -> Self:
        """Returns the engine that the last word of a ``command`` describes."""
        fields = json.loads(text)
        options = tuple((name, value) for name, value in fields["settings"]["options"])
        return cls(fields["protocol"], Settings(fields["settings"]["game"], options), Rights(**fields["rights"]))

    def check(self) -> None:
        """Runs the engine once without input. Blocks.

        Raises:
            PlayoutError: with the line in which the engine says what is wrong with the game or an option.
        """
        command, nothing = self.command(), subprocess.DEVNULL
        try:
            ended = subprocess.run(command, stdin=nothing, capture_output=True, text=True, check=False, timeout=START)
        except subprocess.TimeoutExpired:
            raise PlayoutError(f"{self.settings.game}: the engine does not start within {START:g} s") from None
        if ended.returncode:
            lines = ended.stderr.strip().splitlines() or [f"the engine ended with status {ended.returncode}"]
            raise PlayoutError(lines[-1].removeprefix("playout: "))

    def open(self, inbox: Inbox) -> tuple[Relay, Relay]:
        """Starts the engine, whose lines go through ``inbox``; the relay is session and protocol in one."""
        relay = Relay(self.command(), inbox.call)
        return relay, relay


class Relay:
    """An engine in a process of its own, as a protocol that passes lines on. See ``Protocol``."""

    def __init__(self, command: Sequence[str], call: Callable[[Callable[[], Sequence[str]]], None]) -> None:
        self._call = call
        # A session of its own keeps an interrupt at the terminal from the engine: the server ends it.
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self._input: SimpleQueue[bytes | None] = SimpleQueue()
        self._given = self._fed = 0
        """Bytes for the engine: taken by the loop's thread, and written by the feeding one. Each counts alone."""
        self._room = threading.Semaphore(WAITING_LINES)
        self._closed = self._gone = False
        for run in (self._feed, self._pump):
            threading.Thread(target=run, name=threading.current_thread().name, daemon=True).start()

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def busy(self) -> bool:
        return not self._gone

    def commands(self) -> Mapping[str, Callable[..., Any]]:
        return {}

    def handle_line(self, line: str, _received: float) -> Sequence[str]:
        data = f"{line}\n".encode()
        if self._given - self._fed + len(data) > WAITING_BYTES:
            return self.handle_refusal("the engine does not read its lines")
        self._given += len(data)
        self._input.put(data)
        return ()

    def handle_refusal(self, reason: str) -> Sequence[str]:
        return [f"error: {reason}"]

    def handle_event(self, _event: Event) -> Sequence[str]:
        return ()

    def handle_eof(self, at_once: bool = False, /) -> Sequence[str]:
        # Otherwise the engine does what is queued, as its protocol says, and its end is the relay's.
        if at_once:
            self._closed = True
            self._process.terminate()
        self._input.put(None)
        return ()

    def close(self) -> None:
        """Ends the process. Blocks for at most ``FAREWELL`` seconds."""
        self._input.put(None)
        self._room.release(WAITING_LINES)
        try:
            self._process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            logger.error("the engine did not end within %g s", FAREWELL)
            self._process.kill()
            self._process.wait()

    def _feed(self) -> None:
        """Writes the client's lines to the engine."""
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as pipe:  # a broken pipe: the other thread sees the engine's end
            while (data := self._input.get()) is not None:
                pipe.write(data)
                pipe.flush()
                self._fed += len(data)

    def _pump(self) -> None:
        """Reads the engine's lines for the client."""
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            for line in pipe:
                self._room.acquire()
                self._call(partial(self._said, line.decode("utf-8", "replace").rstrip("\n")))
        self._call(self._ended)

    def _said(self, line: str) -> Sequence[str]:
        self._room.release()
        return [line]

    def _ended(self) -> Sequence[str]:
        self._gone = True
        status = self._process.wait()
        asked, self._closed = self._closed, True
        return [] if asked or status == 0 else self.handle_refusal(f"the engine ended with status {status}")


def main(arguments: Sequence[str]) -> int:
    """Runs the engine that ``arguments`` describe on standard input and output; returns the exit status."""
    from playout.cli.network.opening import opener
    from playout.cli.stuck import served
    from playout.games import catalogue
    from playout.protocols.transport.stdio import serve_stdio

    engine = Engine.read(arguments[0])
    log_to_standard_error(Formatter("%(levelname)s %(name)s: %(message)s"))
    try:
        inbox, game = Inbox(), catalogue.load(engine.settings.game)
        session, protocol = opener(find(engine.protocol), game, engine.settings, engine.rights)(inbox)
        with served(session, inbox):
            serve_stdio(protocol, inbox)
    except PlayoutError as error:
        sys.stderr.write(f"playout: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
