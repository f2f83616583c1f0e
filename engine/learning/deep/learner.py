"""A net under training: steps down the slope of its loss, and the running mean of its weights, which plays."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, log_softmax, smooth_l1_loss

from playout.engine.learning.deep.tower import POINTS, Weights, opinion
from playout.engine.learning.deep.window import Batch

MEAN = 0.999
"""The part of the running mean that stays in a step, when many have been taken."""
DECAY = 1e-4
CLIP = 1.0
"""The greatest norm of a step's slope."""
POINTS_SHARE = 0.5
"""Weight of the loss of points; those of the outcomes, the policy and the owners count in full."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Mean cross-entropies in nats, that of the policy over the rows that have a choice, that of owners for each cell
    (NaN in a game without points).
    """

    outcome: float
    policy: float
    owners: float


def losses(weights: Weights, batch: Batch) -> list[Tensor]:
    """Returns the mean cross-entropies of the outcomes and of the policy; and, of a net that learns how games end, that
    of the owners, and how wrong the points are.
    """
    said = opinion(weights, batch.planes)
    outcome = -(batch.targets * log_softmax(said.outcomes + batch.own_outcomes, 1)).sum(1).mean()
    choices = (batch.shares * log_softmax(said.policies + batch.own_policies, 1)).sum(1)
    found = [outcome, -choices.sum() / (batch.shares.sum() + 1e-9)]
    if said.owners is not None and said.points is not None:
        found.append(binary_cross_entropy_with_logits(said.owners, (batch.owners + 1.0) / 2.0))
        found.append(smooth_l1_loss(said.points, batch.points[:, 0] / POINTS))
    return found


def precision(device: torch.device) -> AbstractContextManager[None]:
    """Returns a context in which an accelerator multiplies in bfloat16."""
    made: AbstractContextManager[None] = torch.autocast(
        device.type, dtype=torch.bfloat16, enabled=device.type == "cuda", cache_enabled=False
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
        quick = {name: tensor.to(torch.bfloat16) for name, tensor in self.mean.items()}
        self.quick = quick if device.type == "cuda" else self.mean
        """The same, as an accelerator is quickest with it. Changes in place."""
        shrinks = [tensor for tensor in self.weights.values() if tensor.dim() > 1]
        stays = [tensor for tensor in self.weights.values() if tensor.dim() == 1]
        groups = [{"params": shrinks, "weight_decay": DECAY}, {"params": stays, "weight_decay": 0.0}]
        # On an accelerator a step is a graph of kernels, which reads its numbers from the device.
        on_device = device.type == "cuda"
        self._rate = torch.zeros((), device=device)
        self._part = torch.zeros((), device=device)
        self._kind = {"lr": self._rate, "fused": on_device, "capturable": on_device, "foreach": False}
        self._optimizer = torch.optim.AdamW([group | self._kind for group in groups])
        self.steps = 0
        self._sums = torch.zeros(3, device=device)
        self._counted = 0

    def begin(self, rate: float) -> None:
        """Sets the numbers of the next step, among them its learning rate."""
        self.steps += 1
        self._counted += 1
        self._rate.fill_(rate)
        self._part.fill_(max(1.0 - MEAN, 1.0 / (1 + self.steps / 10)))

    def descend(self, batch: Batch) -> None:
        """Takes the step, by tensors alone."""
        with precision(self._device):
            found = losses(self.weights, batch)
        self._optimizer.zero_grad()
        total = found[0] + found[1]
        if len(found) > 2:
            total = total + found[2] + POINTS_SHARE * found[3]
        total.backward()
        torch.nn.utils.clip_grad_norm_(list(self.weights.values()), CLIP)
        self._optimizer.step()
        with torch.no_grad():
            for name, tensor in self.weights.items():
                self.mean[name].lerp_(tensor, self._part)
                if self.quick is not self.mean:
                    self.quick[name].copy_(self.mean[name])
            self._sums[: len(found[:3])] += torch.stack([part.detach() for part in found[:3]])

    def take_loss(self) -> Loss:
        """Returns the mean loss of the steps since this was last asked for; NaN if there were none."""
        outcome, policy, owners = (self._sums / self._counted).tolist() if self._counted else 3 * [float("nan")]
        self._sums.zero_()
        self._counted = 0
        return Loss(outcome, policy, owners if "owners.weight" in self.weights else float("nan"))

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
                self.quick[name].copy_(self.mean[name])
        optimizer = state["optimizer"]
        groups = [group | self._kind for group in optimizer["param_groups"]]
        self._optimizer.load_state_dict(optimizer | {"param_groups": groups})
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate
        self.steps = state["steps"]
