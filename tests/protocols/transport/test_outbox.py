"""Lines for a slow reader: those that are kept and those that may be lost."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.protocols.transport.outbox import Outbox

from ...patience import PATIENCE, eventually

LINES = st.lists(st.tuples(st.integers(1, 60), st.booleans()), max_size=60)


@settings(derandomize=True)
@given(LINES, st.integers(1, 9))
def test_replies_come_whole_and_in_order_and_the_latest_report_among_them(
    lines: list[tuple[int, bool]], pause: int
) -> None:
    box = Outbox(most_reports=100, most_replies=10**9)
    put: list[tuple[bytes, bool]] = []
    taken = b""
    for number, (length, droppable) in enumerate(lines):
        data = b"%d%s\n" % (number, b"r" * length)
        box.put(data, droppable)
        put.append((data, droppable))
        if number % pause == 0:
            taken += box.take()
    box.close()
    while data := box.take():
        taken += data
    came = taken.splitlines(keepends=True)
    assert [data for data, droppable in put if not droppable] == [d for d in came if (d, False) in put]
    assert [data for data, _ in put if data in came] == came, "in order, and none twice"
    assert len(put) - len(came) == box.dropped
    reports = [data for data, droppable in put if droppable]
    assert not reports or reports[-1] in came


def test_reports_are_kept_up_to_the_bound() -> None:
    box = Outbox(most_reports=100)
    for _ in range(1000):
        box.put(b"x" * 10, droppable=True)
    assert len(box.take()) <= 100
    assert box.dropped >= 990


def test_a_writer_of_replies_waits_for_room_and_learns_of_the_end() -> None:
    box = Outbox(most_replies=100)
    box.put(b"x" * 101)
    box.put(b"report", droppable=True)
    ended: list[object] = []

    def write() -> None:
        box.put(b"y")
        ended.append("first")
        box.put(b"z" * 100)
        ended.append("second")
        with pytest.raises(OSError, match="gone"):
            box.put(b"!")
        ended.append("third")

    thread = threading.Thread(target=write)
    thread.start()
    thread.join(0.02)
    assert ended == []
    assert box.take().startswith(b"xxx")
    assert eventually(lambda: ended == ["first", "second"])
    thread.join(0.02)
    assert ended == ["first", "second"]
    box.fail(ConnectionResetError("gone"))
    thread.join(PATIENCE)
    assert ended == ["first", "second", "third"]
    assert box.take() == b""
