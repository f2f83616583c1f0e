"""The dispatcher, on a protocol of four commands before a session that the test controls."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import pytest

from playout.engine.terms.info import SearchInfo, SearchResult
from playout.games.errors import PlayoutError, ProtocolError
from playout.games.tic_tac_toe import TicTacToe
from playout.protocols.base.cause import cause
from playout.protocols.base.dispatch import Command, Dispatcher, divided, internal_error

from ..fake_session import FakeSession, deliver, info, send


class Small(Dispatcher[Command]):
    """``go`` searches, ``say`` answers, ``fail`` raises what its text names, ``now`` is urgent; all but that wait."""

    most_waiting = 3

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self.searching = False
        self._commands = {"go": self.go, "say": self.say, "now": self.say, "fail": self.fail, "quit": self.quit}

    @property
    def busy(self) -> bool:
        return self.searching

    def parse(self, line: str, received: float) -> Command | None:
        if line == "unreadable":
            raise ProtocolError("cannot be read")
        return divided(line, received)

    def urgent(self, command: Command) -> bool:
        return command.name == "now"

    def refused(self, error: PlayoutError, command: Command | None) -> Sequence[str]:
        return [f"refused {command.name if command else None}: {error}"]

    def defect(self, error: BaseException, at: Any) -> Sequence[str]:
        return [f"{type(at).__name__}: {internal_error(error)}"]

    def handle_refusal(self, reason: str) -> Sequence[str]:
        return [f"refusal: {reason}"]

    def report(self, info: SearchInfo) -> Sequence[str]:
        return [f"report {info.simulations}"] if info.simulations else self.fail(Command("", "defect", 0.0, ""))

    def finish(self, result: SearchResult) -> Sequence[str]:
        self.searching = False
        return [f"result {result.move}"]

    def go(self, _: Command) -> Sequence[str]:
        self.session.go(None)  # type: ignore[arg-type]
        self.searching = True
        return ()

    def say(self, command: Command) -> Sequence[str]:
        return [f"{command.text} {cause()}".strip()]

    def fail(self, command: Command) -> Sequence[str]:
        raise ProtocolError("no") if command.text == "refusal" else RuntimeError("broken")

    def quit(self, _: Command) -> Sequence[str]:
        return self.leave()


class Patient(Small):
    """Completes what waits at the end of the input."""

    completes = True


def start(protocol: type[Small] = Small) -> tuple[Small, FakeSession]:
    session = FakeSession(TicTacToe())
    return protocol(session), session


def test_a_line_is_divided_at_its_first_word() -> None:
    command = divided("  say\t hello  world\x00 ", 5.0)
    assert command == Command("say", "hello  world", 5.0, "say  hello  world")
    assert command.words == ["hello", "world"]
    assert divided(" \t\x00", 5.0) is None


def test_commands_wait_in_order_for_the_result() -> None:
    small, session = start()
    assert send(small, "go", "say 1", "", "go", "say 2", "now 3") == ["3"]
    session.finish("a1")
    assert deliver(small, session) == ["result a1", "1 say 1"]
    session.finish("b1")
    assert deliver(small, session) == ["result b1", "2 say 2"]
    assert session.calls == ["go", "go"]


def test_too_many_waiting_commands_are_refused() -> None:
    small, session = start()
    assert send(small, "go", "say 1", "say 2", "say 3", "say 4") == ["refusal: too many commands wait"]
    session.finish("a1")
    assert deliver(small, session) == ["result a1", "1 say 1", "2 say 2", "3 say 3"]


def test_errors_take_the_form_of_the_protocol(caplog: pytest.LogCaptureFixture) -> None:
    small, session = start()
    assert send(small, "xyzzy 1", "unreadable", "fail refusal") == [
        "refused xyzzy: unknown command: xyzzy 1",
        "refused None: cannot be read",
        "refused fail: no",
    ]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert send(small, "fail defect") == ["Command: internal error: RuntimeError: broken"]
    session.post(info(simulations=0))
    assert deliver(small, session) == ["SearchInfo: internal error: RuntimeError: broken"]
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]
    assert all(record.exc_info for record in caplog.records)


def test_a_result_that_fails_lets_the_waiting_commands_proceed(monkeypatch: pytest.MonkeyPatch) -> None:
    small, session = start()

    def finish(_: SearchResult) -> Sequence[str]:
        small.searching = False
        raise ProtocolError("no result")

    monkeypatch.setattr(small, "finish", finish)
    send(small, "go", "say 1")
    session.finish("a1")
    assert deliver(small, session) == ["SearchResult: internal error: ProtocolError: no result", "1 say 1"]


@pytest.mark.parametrize(("protocol", "at_once"), [(Small, False), (Patient, True)])
def test_the_end_of_the_input_ends_the_session_at_once(protocol: type[Small], at_once: bool) -> None:
    small, session = start(protocol)
    send(small, "go", "say 1")
    assert not small.handle_eof(at_once)
    assert small.closed
    assert session.calls == ["go", "stop"]
    session.finish("a1")
    assert deliver(small, session) == ["result a1"]


def test_a_protocol_may_complete_what_waits_at_the_end_of_the_input() -> None:
    small, session = start(Patient)
    send(small, "go", "go", "say 1")
    assert not small.handle_eof()
    session.finish("a1")
    assert deliver(small, session) == ["result a1"]
    assert not small.closed
    session.finish("b1")
    assert deliver(small, session) == ["result b1", "1 say 1"]
    assert small.closed
    assert session.calls == ["go", "go"]


def test_a_closed_session_takes_no_lines() -> None:
    small, session = start()
    assert send(small, "go", "say 1", "now", "quit") == [""]
    session.finish("a1")
    assert deliver(small, session) == ["result a1", "1 say 1"]
    assert small.closed
    assert send(small, "say 2", "now 3") == []
