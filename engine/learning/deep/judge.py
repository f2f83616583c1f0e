"""Judges the positions of self-play by a net, of sets of games by turns: one is judged while another is played on."""

from __future__ import annotations

import torch
from torch import Tensor

from playout.engine import _core
from playout.engine.learning.deep.learner import precision
from playout.engine.learning.deep.tower import Shape, Weights, logits


class Seat:
    """A set of games with its place on the device."""

    def __init__(self, play: _core.SelfPlay, games: int, shape: Shape, weights: Weights, device: torch.device) -> None:
        """``weights`` may change in place."""
        pinned = device.type == "cuda"
        self.play = play
        self._weights = weights
        self._device = device
        self._sides = (games, shape.planes, shape.rows, shape.columns)

        def host(*sides: int) -> Tensor:
            return torch.zeros(*sides, pin_memory=pinned)

        self._inputs = host(*self._sides)
        self._outcomes = host(games, len(shape.results))
        self._policies = host(games, shape.slots)
        self._planes = torch.zeros(*self._sides, device=device).to(memory_format=torch.channels_last)
        self._stream = torch.cuda.Stream(device, priority=-1) if pinned else None
        self._graph: torch.cuda.CUDAGraph | None = None
        self._out: tuple[Tensor, Tensor] | None = None
        self._asked = False

    def turn(self) -> int:
        """Takes the judgements that are under way, plays on, and has the next positions judged; returns the number of
        games that came to their end.
        """
        over = 0
        if self._asked:
            if self._stream is not None:
                self._stream.synchronize()
            over = self.play.tell(self._outcomes.numpy(), self._policies.numpy())
        self.play.ask(self._inputs.numpy())
        self._asked = True
        if self._stream is None:
            outcomes, policies = self._judge(self._inputs)
            self._outcomes.copy_(outcomes)
            self._policies.copy_(policies)
        else:
            self._launch(self._stream)
        return over

    def _judge(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        with torch.no_grad(), precision(self._device):
            return logits(self._weights, planes)

    def _launch(self, stream: torch.cuda.Stream) -> None:
        """Judges on an accelerator, beside what else it does."""
        with torch.cuda.stream(stream):
            self._planes.copy_(self._inputs, non_blocking=True)
            if self._graph is None:
                for _ in range(3):
                    self._judge(self._planes)
                stream.synchronize()
                self._graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self._graph, stream=stream, capture_error_mode="thread_local"):
                    self._out = self._judge(self._planes)
            self._graph.replay()
            assert self._out is not None
            self._outcomes.copy_(self._out[0], non_blocking=True)
            self._policies.copy_(self._out[1], non_blocking=True)
