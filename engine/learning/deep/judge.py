"""Judges the positions of self-play by a net, of sets of games by turns: some are judged while others are played on."""

from __future__ import annotations

import torch
from torch import Tensor

from playout.engine import _core
from playout.engine.learning.deep.graph import captured
from playout.engine.learning.deep.tower import Shape, Weights, opinion


class Seat:
    """A set of games with its place on the device. One thread at a time may use it."""

    def __init__(self, play: _core.SelfPlay, games: int, shape: Shape, weights: Weights, device: torch.device) -> None:
        """``weights`` may change in place."""
        pinned = device.type == "cuda"
        self.play = play
        self._weights = weights
        self._sides = (games, shape.planes, shape.rows, shape.columns)

        def host(*sides: int) -> Tensor:
            return torch.zeros(*sides, pin_memory=pinned)

        self._inputs = host(*self._sides)
        self._outcomes = host(games, len(shape.results))
        self._policies = host(games, shape.slots)
        self._planes = torch.zeros(*self._sides, device=device).to(memory_format=torch.channels_last)
        self._stream = torch.cuda.Stream(device, priority=-1) if pinned else None
        stream = self._stream
        self._captured = None if stream is None else captured(stream, lambda: self._judge(self._planes))

    def judge(self) -> int:
        """Waits until the games wait, and has their positions judged; returns the number of games that came to their
        end on the way.
        """
        over = self.play.ask(self._inputs.numpy())
        if self._stream is None:
            outcomes, policies = self._judge(self._inputs)
            self._outcomes.copy_(outcomes)
            self._policies.copy_(policies)
        else:
            self._launch(self._stream)
        return over

    def answer(self) -> None:
        """Waits for the judgements, and lets the games go on."""
        if self._stream is not None:
            self._stream.synchronize()
        self.play.tell(self._outcomes.numpy(), self._policies.numpy())

    def _judge(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            said = opinion(self._weights, planes.to(self._weights["outcome.bias"].dtype), beside=False)
        return said.outcomes, said.policies

    def _launch(self, stream: torch.cuda.Stream) -> None:
        """Judges on an accelerator, beside what else it does."""
        with torch.cuda.stream(stream):
            self._planes.copy_(self._inputs, non_blocking=True)
            assert self._captured is not None
            graph, out = self._captured
            graph.replay()
            self._outcomes.copy_(out[0], non_blocking=True)
            self._policies.copy_(out[1], non_blocking=True)
