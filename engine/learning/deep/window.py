"""The latest rows of self-play, on the device that learns from them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from playout.engine import _core
from playout.engine.learning.deep.tower import Shape

MOST = 3e4
"""The greatest number of a row, which half precision can hold."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows to learn from."""

    planes: Tensor
    """[n, planes, rows, columns]."""
    targets: Tensor
    """Chances of the outcomes, [n, results]."""
    own_outcomes: Tensor
    """The game's own logits of the outcomes, to which the net's are added."""
    shares: Tensor
    """The choice, [n, slots]: adds up to 1, or to 0 where none is learned."""
    own_policies: Tensor
    """The game's own preferences, to which the net's logits are added; far below 0 where a slot has no legal action."""
    owners: Tensor
    """The holder of each cell in the end: 1 the judged player, -1 the other; [n, cells], or [n, 0]."""
    points: Tensor
    """The points by which the judged player wins, [n, 1], or [n, 0]."""


class Window:
    """A ring of rows in half precision."""

    def __init__(self, shape: Shape, capacity: int, chunk: int, device: torch.device) -> None:
        """Makes room for ``capacity`` rows, which come in chunks of up to ``chunk``."""
        results, slots, ends = len(shape.results), shape.slots, int(shape.scored)
        widths = (shape.planes * shape.cells, results, results, slots, slots, ends * shape.cells, ends)
        self._shape = shape
        pinned = device.type == "cuda"
        self._staging = [torch.zeros(chunk, width, pin_memory=pinned) for width in widths]
        self._stream = torch.cuda.Stream(device) if pinned else None
        self._length = torch.zeros((), device=device)
        self._arrays = [tensor.numpy() for tensor in self._staging]
        self._rings = [torch.zeros(capacity, width, dtype=torch.float16, device=device) for width in widths]
        self._device = device
        self.capacity = capacity
        self.added = 0
        """Rows that have come so far."""

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def fill(self, play: _core.SelfPlay) -> int:
        """Takes all rows of games that are over; returns their number."""
        before = self.added
        while taken := play.take(*self._arrays):
            with torch.cuda.stream(self._stream):
                places = torch.arange(self.added, self.added + taken, device=self._device) % self.capacity
                for ring, staged in zip(self._rings, self._staging, strict=True):
                    rows = staged[:taken].to(self._device, non_blocking=True)
                    ring[places] = rows.clamp(-MOST, MOST).to(torch.float16)
                self._length.fill_(min(self.added + taken, self.capacity))
            if self._stream is not None:
                self._stream.synchronize()
            self.added += taken
            if taken < len(self._staging[0]):
                break
        return self.added - before

    def draw(self, count: int) -> Batch:
        """Returns ``count`` rows drawn at random, some perhaps twice."""
        # The number of rows stays on the device, where a graph of kernels reads it.
        places = (torch.rand(count, device=self._device) * self._length).long().clamp_(max=self.capacity - 1)
        planes, *others = (ring[places] for ring in self._rings)
        shape = self._shape
        planes = planes.float().view(count, shape.planes, shape.rows, shape.columns)
        return Batch(planes, *(other.float() for other in others))
