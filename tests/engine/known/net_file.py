"""Files of weights as docs/learning.md describes them, and what such a net says, by numpy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Tensors = Mapping[str, "np.ndarray[Any, Any]"]


def random_net(inputs: int, slots: int, widths: Sequence[int] = (16, 8), *, seed: int = 1) -> dict[str, Any]:
    """Weights of one phase with three outcomes, of numbers of the order of 1."""
    rng = np.random.default_rng(seed)
    sides = {"first": (inputs, widths[0])}
    below = widths[0]
    for number, width in enumerate(widths[1:], 1):
        sides[f"hidden.{number}"] = (width, below)
        below = width
    sides["outcome"] = (3, below)
    if slots:
        sides["policy"] = (slots, below)
    tensors = {}
    for name, (rows, columns) in sides.items():
        outputs = columns if name == "first" else rows
        tensors[f"all.{name}.weight"] = rng.normal(0, 0.5, (rows, columns)).astype(np.float32)
        tensors[f"all.{name}.bias"] = rng.normal(0, 0.5, outputs).astype(np.float32)
    return tensors


def write_net(path: Path, tensors: Tensors, **metadata: str) -> Path:
    """Writes safetensors: the length of the header, the header, the numbers."""
    header: dict[str, Any] = {
        "__metadata__": {"format": "playout-net", "version": "1", "activation": "relu"} | metadata
    }
    at, parts = 0, []
    for name, tensor in tensors.items():
        data = tensor.tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
        parts.append(data)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(parts))
    return path


def judged(tensors: Tensors, inputs: Sequence[float]) -> tuple[float, Any]:
    """The mean result and the logits of all slots."""
    x = np.maximum(np.asarray(inputs, np.float32) @ tensors["all.first.weight"] + tensors["all.first.bias"], 0)
    number = 1
    while f"all.hidden.{number}.bias" in tensors:
        x = np.maximum(tensors[f"all.hidden.{number}.weight"] @ x + tensors[f"all.hidden.{number}.bias"], 0)
        number += 1
    logits = tensors["all.outcome.weight"] @ x + tensors["all.outcome.bias"]
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    policy = tensors["all.policy.weight"] @ x + tensors["all.policy.bias"] if "all.policy.bias" in tensors else None
    return float(chances[0] - chances[2]), policy
