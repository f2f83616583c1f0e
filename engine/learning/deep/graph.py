"""Work on an accelerator as one graph of kernels, which Python starts as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import torch

WARM_UP = 3
"""Times that work is done before its kernels are recorded: libraries choose and prepare theirs on the way."""

Result = TypeVar("Result")


def captured(stream: torch.cuda.Stream, work: Callable[[], Result]) -> tuple[torch.cuda.CUDAGraph, Result]:
    """Returns the kernels of ``work`` as a graph, and what it returns, which each replay fills anew. No other thread
    may use the accelerator meanwhile.
    """
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(WARM_UP):
            work()
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        result = work()
    return graph, result
