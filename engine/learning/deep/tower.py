"""A net with a tower of convolutions in PyTorch: the formulae of ``engine/nets/tower.rs`` and ``engine/nets/net.rs``.

Its weights are a dictionary by the names of files of weights, without the name of the phase.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.functional import conv2d, linear, relu

from playout.games.errors import PlayoutError
from playout.games.support.whole_file import replacing

Weights = dict[str, Tensor]

BESIDE = ("owners.", "points.")
"""Beginnings of the names of weights that help others to learn, and are in no file of weights."""
FORMAT = {"format": "playout-net", "version": "1", "activation": "relu"}
PHASE = "all"
POINTS = 20.0


@dataclass(frozen=True, slots=True)
class Shape:
    """The board, the inputs and the outputs of a net."""

    columns: int
    rows: int
    planes: int
    results: tuple[float, ...]
    """Results, in [-1, 1], of the outcomes."""
    slots: int
    """Logits of the policy; the first ones are those of the cells, row by row."""
    scored: bool = False
    """Whether a net learns who holds each cell in the end, and by how many points."""

    @property
    def cells(self) -> int:
        """The number of cells of the board."""
        return self.columns * self.rows


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of a net."""

    blocks: int
    channels: int
    features: int = 8
    """Planes of features that the layers over the tower read. 0: they read the mean and the greatest value of each
    channel over the board instead, and a cell's logit is the tower's alone, so that the net plays on boards of any
    size.
    """
    hidden: tuple[int, ...] = (128, 64)
    """Widths of these layers."""

    @property
    def any_size(self) -> bool:
        """Whether the net plays on boards of any size."""
        return self.features == 0


def drawn(shape: Shape, sizes: Sizes, generator: torch.Generator) -> Weights:
    """Returns weights drawn at random: normal, with the variance 2 / inputs. Those of the last layers, and of the
    second convolution of a block, are 0, so that a block begins as one that changes nothing.
    """
    weights: Weights = {}

    def add(name: str, *sides: int, zero: bool = False) -> None:
        inputs = math.prod(sides[1:])
        scale = 0.0 if zero else math.sqrt(2.0 / inputs)
        weights[f"{name}.weight"] = torch.randn(*sides, generator=generator) * scale
        weights[f"{name}.bias"] = torch.zeros(sides[0])

    channels = sizes.channels
    add("tower.stem", channels, shape.planes, 3, 3)
    for block in range(1, sizes.blocks + 1):
        add(f"tower.block.{block}.1", channels, channels, 3, 3)
        add(f"tower.block.{block}.2", channels, channels, 3, 3, zero=True)
    if not sizes.any_size:
        add("tower.squeeze", sizes.features, channels, 1, 1)
    add("tower.aim", 1, channels, 1, 1, zero=True)
    below = 2 * channels if sizes.any_size else sizes.features * shape.cells
    for number, width in enumerate(sizes.hidden):
        add(f"hidden.{number}" if number else "first", width, below)
        below = width
    add("outcome", len(shape.results), below, zero=True)
    add("policy", shape.slots - (shape.cells if sizes.any_size else 0), below, zero=True)
    if shape.scored:
        add("owners", 1, channels, 1, 1, zero=True)
        add("points", 1, below, zero=True)
    return weights


@dataclass(frozen=True, slots=True)
class Opinion:
    """A net's opinion of positions."""

    outcomes: Tensor
    """Logits of the outcomes, [n, results]."""
    policies: Tensor
    """Logits of the policy's slots, [n, slots]."""
    owners: Tensor | None = None
    """Logits of the cells that the judged player holds in the end, [n, cells]."""
    points: Tensor | None = None
    """The points by which he wins, in parts of ``POINTS``, [n]."""


def opinion(weights: Mapping[str, Tensor], planes: Tensor, *, beside: bool = True) -> Opinion:
    """Returns a net's opinion of positions given as planes, [n, planes, rows, columns]; ``beside``, of how they end
    too, if it has learned that.
    """

    def through(name: str, x: Tensor, padding: int = 1) -> Tensor:
        return conv2d(x, weights[f"{name}.weight"], weights[f"{name}.bias"], padding=padding)

    def over(name: str, x: Tensor) -> Tensor:
        return linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    x = relu(through("tower.stem", planes))
    block = 1
    while f"tower.block.{block}.1.weight" in weights:
        x = relu(x + through(f"tower.block.{block}.2", relu(through(f"tower.block.{block}.1", x))))
        block += 1
    cells = through("tower.aim", x, 0).flatten(1)
    any_size = "tower.squeeze.weight" not in weights
    features = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1) if any_size else relu(through("tower.squeeze", x, 0))
    y = relu(over("first", features.flatten(1)))
    layer = 1
    while f"hidden.{layer}.weight" in weights:
        y = relu(over(f"hidden.{layer}", y))
        layer += 1
    slots = over("policy", y)
    if any_size:
        policies = torch.cat([cells, slots], 1)
    else:
        policies = slots + torch.nn.functional.pad(cells, (0, slots.shape[1] - cells.shape[1]))
    owners = points = None
    if beside and "owners.weight" in weights:
        owners = through("owners", x, 0).flatten(1).float()
        points = over("points", y).flatten().float()
    return Opinion(over("outcome", y).float(), policies.float(), owners, points)


def begin_as(weights: Weights, path: Path) -> Weights:
    """Returns the weights with those of a file in the place of the ones that have the same names and sides.

    Raises:
        PlayoutError: if the file cannot be read, or its tower begins with other sides.
    """
    found = _found(path)
    taken = {name: tensor for name, tensor in found.items() if name in weights and tensor.shape == weights[name].shape}
    if "tower.stem.weight" not in taken:
        raise PlayoutError(
            f"{path}: it has no tower that begins with the sides {[*weights['tower.stem.weight'].shape]}"
        )
    return weights | taken


def judging(path: Path, shape: Shape) -> Weights:
    """Returns the weights of a file that judge positions of a game of this shape.

    Raises:
        PlayoutError: if the file cannot be read, or its nets cannot judge them.
    """
    found = _found(path)
    try:
        said = opinion(found, torch.zeros(1, shape.planes, shape.rows, shape.columns), beside=False)
    except (KeyError, RuntimeError) as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else str(error).partition(chr(10))[0]
        raise PlayoutError(f"{path}: its nets do not judge positions of this game: {what}") from error
    sides, needed = (said.outcomes.shape[1], said.policies.shape[1]), (len(shape.results), shape.slots)
    if sides != needed:
        raise PlayoutError(f"{path}: its outcomes and slots of the policy are {sides} instead of {needed}")
    return found


def _found(path: Path) -> Weights:
    try:
        return read(path)
    except Exception as error:  # The library has no type of its own for each kind of damage.
        raise PlayoutError(f"{path}: {error}") from error


def write(path: Path, weights: Mapping[str, Tensor], game: str, inputs: str, provenance: Mapping[str, str]) -> None:
    """Writes a file of weights, as a whole or not at all; ``game`` and ``inputs`` are the names that it bears.

    Raises:
        PlayoutError: if the file cannot be written.
    """
    kept = {name: tensor for name, tensor in weights.items() if not name.startswith(BESIDE)}
    tensors = {f"{PHASE}.{name}": _of_file(name, tensor.detach().float().cpu()) for name, tensor in kept.items()}
    metadata = {**FORMAT, "game": game, "inputs": inputs}
    metadata |= {f"provenance.{name}": text for name, text in provenance.items()}
    with replacing(path) as fresh:
        save_file(tensors, fresh, metadata)


def read(path: Path) -> Weights:
    """Returns the weights of a file that ``write`` or the native trainer wrote."""
    tensors = {name.removeprefix(f"{PHASE}."): tensor for name, tensor in load_file(path).items()}
    return {name: _to_torch(name, tensor) for name, tensor in tensors.items()}


def _is_convolution(name: str) -> bool:
    return name.startswith(("tower.stem.", "tower.block."))


def _of_file(name: str, tensor: Tensor) -> Tensor:
    """A tensor as the file has it: convolutions [9 inputs, outputs], the first layer [inputs, outputs]."""
    if name.endswith(".weight"):
        if _is_convolution(name):
            tensor = tensor.permute(2, 3, 1, 0).flatten(0, 2)
        elif name.startswith("tower."):
            tensor = tensor.flatten(1)
        elif name == "first.weight":
            tensor = tensor.t()
    return tensor.contiguous()


def _to_torch(name: str, tensor: Tensor) -> Tensor:
    """The opposite of ``_of_file``."""
    if name.endswith(".weight"):
        if _is_convolution(name):
            tensor = tensor.unflatten(0, (3, 3, -1)).permute(3, 2, 0, 1)
        elif name.startswith("tower."):
            tensor = tensor[:, :, None, None]
        elif name == "first.weight":
            tensor = tensor.t()
    return tensor.contiguous()
