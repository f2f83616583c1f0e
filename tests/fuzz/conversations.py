"""Protocols as targets: the input has lines to send and the events of searches; every reply is checked.

A line that begins with ``!`` is an event of the search under way: ``! info`` a report, ``! fault`` an end without a
move, anything else its end. Transcripts of tests/protocols are inputs of this form.
"""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playout.engine.session import Session
from playout.engine.terms.limits import Limits
from playout.engine.terms.option_values import FrozenOptions
from playout.engine.terms.rights import Rights
from playout.games import catalogue
from playout.games.game import CHANCE, action_to_text, is_over, text_to_action
from playout.protocols.analysis.query import described
from playout.protocols.base.lines import LineSplitter, clean
from playout.protocols.base.protocol import Protocol
from playout.protocols.gtp.syntax import parse
from playout.protocols.registry import PROTOCOLS
from playout.protocols.serve import Inbox, Work

from ..patience import PATIENCE
from ..protocols.fake_session import FakeSession, info, move_info
from .grammar import GNUBG, UBGI, UCI, UGI, XBOARD, check_gtp, check_lines
from .target import Target

TRANSCRIPTS = Path(__file__).parents[1] / "protocols" / "transcripts"
LONGEST_LINE = 2000
"""Bytes; longer lines are refused."""
SEARCHES = 5.0
"""Seconds of processor time of a conversation with real searches, each of which has some hundredths."""
PIECE = 5
"""Lines of the pieces of transcripts that are inputs too: short ones are quick."""
"""Seconds within which a real search has to report."""


class Logged(logging.Handler):
    """Raises the exception that a defect was logged with: what the protocol has caught is a finding too."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            self.faults.append(record.exc_info[1])

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Collects while it lasts, and raises the first fault at its end, before any other exception."""
        logger = logging.getLogger("playout")
        before, logger.propagate = logger.propagate, False
        logger.addHandler(self)
        try:
            yield
        finally:
            logger.removeHandler(self)
            logger.propagate = before
            if self.faults:
                raise self.faults[0]


class Searched(FakeSession):
    """A session whose searches find a legal move of the position in which they began."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self._root: Any = None

    def go(self, limits: Limits, options: FrozenOptions | None = None) -> None:
        super().go(limits)
        self._root = self.state

    def set_game(self, game: Any) -> None:
        assert not self.searching, "set_game would wait for the search"
        super().set_game(game)

    def new_game(self) -> None:
        assert not self.searching, "new_game would wait for the search"
        super().new_game()

    def moves(self) -> list[str]:
        """The first legal moves at the root, those that were asked for before others."""
        game, root = self.game, self._root
        if is_over(game, root) or game.current_player(root) == CHANCE:
            return []
        wanted = []
        for text in self.limits[-1].search_moves:
            with contextlib.suppress(Exception):
                wanted.append(action_to_text(game, root, text_to_action(game, root, text)))
        return wanted or [action_to_text(game, root, action) for action in game.legal_actions(root)[:3]]

    def event(self, words: Sequence[str]) -> None:
        """Takes a report of the search under way."""
        if not self.searching:
            return
        moves = [] if self.rolling else self.moves()
        if words[:1] == ["info"]:
            self.post(info([move_info(move) for move in moves]))
        elif words[:1] == ["fault"]:
            self.rolling = False
            self.finish("(none)", reason="fault", fault="Traceback:\nRuntimeError: made up")
        elif self.rolling:
            self.finish("400")
        else:
            self.finish(*(moves[:1] or ["(none)"]))


@dataclass(frozen=True, slots=True)
class Dialect:
    """The form of a protocol's conversations."""

    transcripts: str
    """A pattern of the names of its transcripts."""
    check: Callable[[Sequence[str]], object]
    """Raises AssertionError where replies are not the protocol's."""
    probe: str
    """A line that is answered whatever came before, once no search is under way."""
    answer: Sequence[str]
    probe_at_any_time: bool = False
    """Whether the probe is answered during a search too."""
    owes: Callable[[str], bool] | None = None
    """Whether a line is owed one answer, of those that are counted."""
    given: Callable[[Sequence[str]], int] = len
    """Counts these answers among the replies."""


def _universal(protocol: str, known: re.Pattern[str]) -> Dialect:
    return Dialect(
        f"{protocol}*.txt",
        lambda lines: check_lines(known, lines),
        "isready",
        ["readyok"],
        probe_at_any_time=True,
        owes=lambda line: clean(line).split()[:1] == ["go"],
        given=lambda lines: sum(line.startswith("bestmove ") for line in lines),
    )


def _is_ping(line: str) -> bool:
    words = clean(line).strip().partition(" ")
    with contextlib.suppress(ValueError):
        return words[0] == "ping" and isinstance(int(words[2]), int)
    return False


DIALECTS = {
    "uci": _universal("uci", UCI),
    "ugi": _universal("ugi", UGI),
    "gtp": Dialect(
        "gtp*.txt",
        check_gtp,
        "7 protocol_version",
        ["=7 2", ""],
        owes=lambda line: parse(line, 0.0) is not None,
        given=check_gtp,
    ),
    "ubgi": Dialect("ubgi*.txt", lambda lines: check_lines(UBGI, lines), "isready", ["readyok"], True),
    "gnubg": Dialect("gnubg*.txt", lambda lines: _check_gnubg(lines), "set interface new", ["New interface ON"]),
    "xboard": Dialect(
        "xboard*.txt",
        lambda lines: check_lines(XBOARD, lines),
        "ping 77",
        ["pong 77"],
        owes=_is_ping,
        given=lambda lines: sum(line.startswith("pong ") for line in lines),
    ),
}


def _check_gnubg(replies: Sequence[str]) -> None:
    check_lines(GNUBG, replies)
    assert all(len(reply.encode()) < 256 for reply in replies), "GNU Backgammon reads 255 bytes of a line"


def conversation(protocol: str, game: str, real: bool = False) -> Target:
    """A protocol and a game, with made-up searches or with ``real`` ones."""
    dialect = DIALECTS[protocol]

    def run(data: bytes) -> None:
        logged = Logged()
        with logged.listening():
            desk = (_Real if real else _MadeUp)(protocol, catalogue.load(game))
            try:
                _talk(desk, dialect, data)
            finally:
                desk.close()

    name = f"{protocol}-{Path(game).stem.partition(':')[0]}{'-searching' if real else ''}"
    seconds = SEARCHES if real else 1.0
    return Target(name, run, lambda: _seeds(dialect.transcripts), lambda: _words(protocol, game), seconds=seconds)


class _MadeUp:
    """A protocol before a session that only pretends to search."""

    def __init__(self, protocol: str, game: Any) -> None:
        self.session = Searched(game)
        self.protocol = PROTOCOLS[protocol].open(self.session)  # type: ignore[arg-type]

    def event(self, words: Sequence[str]) -> list[str]:
        """The replies to the search's next event."""
        self.session.event(words)
        return self.posted()

    def posted(self) -> list[str]:
        """The replies to what has been posted already."""
        replies: list[str] = []
        while self.session.events:
            replies += self.protocol.handle_event(self.session.events.pop(0))
        return replies

    def close(self) -> None:
        """Does nothing: there is nothing to free."""


class _Real:
    """A protocol before a session that searches, for as little as it can."""

    def __init__(self, protocol: str, game: Any) -> None:
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._session = Session(game, post=self._events.put)
        for name, value in (("Hash", "1"), ("MaxNodes", "4"), ("MoveTime", "5")):
            self._session.set_option(name, value)
        self._session.restrict(Rights(files=False, hash_mib=4, threads=1, seconds=0.02))
        self.protocol = PROTOCOLS[protocol].open(self._session)

    def event(self, words: Sequence[str]) -> list[str]:
        """The replies to the search's next event, which it is told to hurry with."""
        if self.protocol.busy:
            self._session.stop()
            return list(self.protocol.handle_event(self._events.get(timeout=PATIENCE)))
        return self.posted()

    def posted(self) -> list[str]:
        """Nothing: real searches take time."""
        return []

    def close(self) -> None:
        """Ends the search and frees the session."""
        self._session.close()


def _talk(desk: _MadeUp | _Real, dialect: Dialect, data: bytes) -> None:
    protocol, replies, owed = desk.protocol, list[str](), 0
    splitter = LineSplitter(LONGEST_LINE)
    for line in [*splitter.feed(data, 0.0), *splitter.end(0.0)]:
        if protocol.closed:
            break
        if line.text.startswith("!"):
            replies += desk.event(line.text[1:].split())
        elif not line.whole:
            replies += protocol.handle_refusal("line too long")
            owed += dialect.given is check_gtp
        else:
            owed += dialect.owes is not None and dialect.owes(line.text)
            replies += protocol.handle_line(line.text, 5.0)
            replies += desk.posted()
    if dialect.probe_at_any_time and not protocol.closed:
        answer = list(protocol.handle_line(dialect.probe, 5.0))
        assert answer == dialect.answer, f"{dialect.probe!r} was answered by {answer}"
    for _ in range(1000):
        if not protocol.busy:
            break
        replies += desk.event(["finish"])
    assert not protocol.busy, "the search never ends"
    if not protocol.closed:
        # Half an edit of XBoard's takes one line to end.
        answer = [*protocol.handle_line(dialect.probe, 5.0), *desk.posted()]
        while protocol.busy:
            answer += desk.event(["finish"])
        assert answer[-len(dialect.answer) :] == dialect.answer, f"{dialect.probe!r} was answered by {answer}"
        if dialect.owes is not None:
            given = dialect.given(replies)
            assert given == owed, f"{given} answers of {owed}"
        replies += answer + list(protocol.handle_eof())
        assert protocol.closed, "the end of the input ends nothing"
    for reply in replies:
        assert isinstance(reply, str)
        assert clean(reply) == reply.replace("\t", " "), f"not printable: {reply!r}"
        assert len(reply.splitlines()) < 2, f"a line break inside: {reply!r}"
        assert "internal error" not in reply, reply
    dialect.check(replies)


def _seeds(pattern: str) -> Iterable[bytes]:
    for path in sorted(TRANSCRIPTS.glob(pattern)):
        lines = path.read_text(encoding="utf-8").splitlines()
        sent = [line.removeprefix("> ") for line in lines if line.startswith((">", "!"))]
        yield "\n".join(sent).encode()
        for start in range(0, len(sent), PIECE):
            yield "\n".join(sent[start : start + PIECE]).encode()


def _words(protocol: str, game: str) -> Iterable[str]:
    made = _MadeUp(protocol, catalogue.load(game))
    yield from made.protocol.commands()
    yield from ("! info\n", "! finish\n", "! fault\n")
    yield from (option.name for option in made.session.options.declared())
    own = catalogue.load(game)
    state = own.initial_state()
    yield from (action_to_text(own, state, action) for action in own.legal_actions(state)[:20])


def analysis(game: str) -> Target:
    """The analysis protocol, with real searches: each line is answered, and each final reply comes once."""

    def run(data: bytes) -> None:
        logged = Logged()
        with logged.listening():
            inbox = Inbox()
            session = Session(catalogue.load(game), post=inbox.post)
            session.set_option("MaxNodes", "3")
            session.restrict(Rights(files=False, hash_mib=4, threads=1, seconds=0.02))
            try:
                _analyse(PROTOCOLS["analysis"].open(session, inbox.call), inbox, data)
            finally:
                session.close()

    def words() -> Iterable[str]:
        return [f'"{name}":' for name in [*described(), "action", "terminateId", "turnNumbers"]]

    return Target("analysis", run, lambda: _seeds("analysis.txt"), words, seconds=SEARCHES)


def _analyse(protocol: Protocol, inbox: Inbox, data: bytes) -> None:
    replies: list[str] = []
    splitter = LineSplitter(LONGEST_LINE)
    for line in [*splitter.feed(data, 0.0), *splitter.end(0.0)]:
        said = protocol.handle_line(line.text, 5.0) if line.whole else protocol.handle_refusal("line too long")
        assert bool(said) or protocol.busy or not clean(line.text).strip(), f"not answered: {line.text!r}"
        replies += said
    probe = '{"id":"probe","action":"clear_cache"}'
    assert protocol.handle_line(probe, 5.0) == ['{"id":"probe","action":"clear_cache"}']
    replies += protocol.handle_line('{"id":"end","action":"terminate_all"}', 5.0)
    while protocol.busy:
        message = inbox.take(PATIENCE)
        assert isinstance(message, Work), "no search reported"
        replies += message.do()
    for reply in replies:
        assert isinstance(json.loads(reply, parse_constant=_no_number), dict)
        assert "\n" not in reply and "internal error" not in reply, reply
    protocol.handle_eof()
    assert protocol.closed


def _no_number(word: str) -> float:
    raise AssertionError(f"{word} is no JSON")
