"""Steps of training by rows of a window: on an accelerator as one graph of kernels."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from playout.engine.learning.deep.graph import captured
from playout.engine.learning.deep.learner import Learner
from playout.engine.learning.deep.window import Window


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
        # At the rate 0 the steps on the way to a graph change no weights, and they do not count.
        for learner in self._learners:
            learner.begin(0.0)
        graph, _ = captured(stream, self._descend)
        for learner in self._learners:
            learner.steps -= 1
            learner.take_loss()
        return graph
