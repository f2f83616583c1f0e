"""The queue of analyses: order, room, and jobs that are taken out."""

from __future__ import annotations

from playout.engine.analysis_queue import AnalysisQueue


def test_higher_priorities_come_first_and_equal_ones_as_they_came() -> None:
    queue = AnalysisQueue[str](10)
    for job, priority in (("a", 0), ("b", 5), ("c", 0), ("d", 5), ("e", -1)):
        queue.put(job, priority)
    assert [queue.take() for _ in range(6)] == ["b", "d", "a", "c", "e", None]
    assert (len(queue), queue.running) == (5, 5)


def test_there_is_room_for_some_at_a_time() -> None:
    queue = AnalysisQueue[int](2)
    for job in range(4):
        queue.put(job)
    assert [queue.take(), queue.take(), queue.take()] == [0, 1, None]
    queue.end(1)
    assert (queue.take(), queue.take(), queue.running) == (2, None, 2)
    assert list(queue) == [0, 2, 3]


def test_a_job_that_was_taken_out_is_not_begun() -> None:
    queue = AnalysisQueue[int](1)
    for job in range(3):
        queue.put(job)
    for job in queue:  # while it is walked through
        if job < 2:
            queue.end(job)
    assert (queue.take(), len(queue)) == (2, 1)
    queue.end(2)
    assert not queue
