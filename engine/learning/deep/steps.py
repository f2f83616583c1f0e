"""Steps of training by rows of a window: on an accelerator one graph of kernels, which Python starts as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from playout.engine.learning.deep.learner import Learner
from playout.engine.learning.deep.window import Window

WARM_UP = 3
"""Steps that change nothing, before a graph is made."""


class Steps:
    """Steps that some nets take by the same rows. One thread at a time may use it."""

    def __init__(self, window: Window, learners: Sequence[Learner], batch: int, device: torch.device) -> None:
        """Takes ``batch`` rows a step."""
        self._window = window
        self._learners = learners
        self._batch = batch
        self._stream = torch.cuda.Stream(device) if device.type == "cuda" else None
        self._graph = self._captured(self._stream) if self._stream is not None else None

    def take(self, rate: float) -> None:
        """Takes a step of this learning rate, and waits until it is done."""
        with torch.cuda.stream(self._stream):
            for learner in self._learners:
                learner.begin(rate)
            if self._graph is None:
                self._descend()
            else:
                self._graph.replay()
        if self._stream is not None:
            self._stream.synchronize()

    def _descend(self) -> None:
        batch = self._window.draw(self._batch)
        for learner in self._learners:
            learner.descend(batch)

    def _captured(self, stream: torch.cuda.Stream) -> torch.cuda.CUDAGraph:
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for learner in self._learners:
                learner.begin(0.0)
            for _ in range(WARM_UP):
                self._descend()
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            self._descend()
        for learner in self._learners:
            learner.steps -= 1
            learner.take_loss()
        return graph
