"""A net under training: steps down the slope of its loss, and the running mean of its weights, which plays."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import log_softmax

from playout.engine.learning.deep.tower import Weights, logits
from playout.engine.learning.deep.window import Batch

MEAN = 0.999
"""The part of the running mean that stays in a step, when many have been taken."""
DECAY = 1e-4
CLIP = 1.0
"""The greatest norm of a step's slope."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Mean cross-entropies in nats, that of the policy over the rows that have a choice."""

    outcome: float
    policy: float


def losses(weights: Weights, batch: Batch) -> tuple[Tensor, Tensor]:
    """Returns the mean cross-entropies of the outcomes and of the policy."""
    outcomes, policies = logits(weights, batch.planes)
    outcome = -(batch.targets * log_softmax(outcomes + batch.own_outcomes, 1)).sum(1).mean()
    choices = (batch.shares * log_softmax(policies + batch.own_policies, 1)).sum(1)
    return outcome, -choices.sum() / (batch.shares.sum() + 1e-9)


def precision(device: torch.device) -> AbstractContextManager[None]:
    """Returns a context in which an accelerator multiplies in bfloat16."""
    made: AbstractContextManager[None] = torch.autocast(
        device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"
    )
    return made


class Learner:
    """A net under training."""

    def __init__(self, weights: Weights, device: torch.device) -> None:
        def placed(tensor: Tensor) -> Tensor:
            kind = torch.channels_last if tensor.dim() == 4 else torch.contiguous_format
            return tensor.to(device, memory_format=kind)

        self._device = device
        self.weights = {name: placed(tensor).requires_grad_() for name, tensor in weights.items()}
        self.mean = {name: placed(tensor).clone() for name, tensor in weights.items()}
        """The running mean of the weights."""
        shrinks = [tensor for tensor in self.weights.values() if tensor.dim() > 1]
        stays = [tensor for tensor in self.weights.values() if tensor.dim() == 1]
        groups = [{"params": shrinks, "weight_decay": DECAY}, {"params": stays, "weight_decay": 0.0}]
        self._optimizer = torch.optim.AdamW(groups, lr=1e-3, fused=device.type == "cuda")
        self.steps = 0
        self._sums = torch.zeros(2, device=device)
        self._counted = 0

    def step(self, batch: Batch, rate: float) -> None:
        """Takes a step of this learning rate."""
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        with precision(self._device):
            outcome, policy = losses(self.weights, batch)
        self._optimizer.zero_grad()
        (outcome + policy).backward()
        torch.nn.utils.clip_grad_norm_(list(self.weights.values()), CLIP)
        self._optimizer.step()
        self.steps += 1
        stays = min(MEAN, 1.0 - 1.0 / (1 + self.steps / 10))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.mean.values()), list(self.weights.values()), 1.0 - stays)
            self._sums += torch.stack((outcome.detach(), policy.detach()))
        self._counted += 1

    def take_loss(self) -> Loss:
        """Returns the mean loss of the steps since this was last asked for; NaN if there were none."""
        outcome, policy = (self._sums / self._counted).tolist() if self._counted else (float("nan"), float("nan"))
        self._sums.zero_()
        self._counted = 0
        return Loss(outcome, policy)

    def state(self) -> dict[str, Any]:
        """Returns what is needed to go on."""
        weights = {name: tensor.detach() for name, tensor in self.weights.items()}
        return {"weights": weights, "mean": self.mean, "optimizer": self._optimizer.state_dict(), "steps": self.steps}

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from what ``state`` returned."""
        with torch.no_grad():
            for name, tensor in self.weights.items():
                tensor.copy_(state["weights"][name])
                self.mean[name].copy_(state["mean"][name])
        self._optimizer.load_state_dict(state["optimizer"])
        self.steps = state["steps"]
