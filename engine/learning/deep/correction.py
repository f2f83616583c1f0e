"""The net that corrects the static evaluation of chess in its look-ahead, learned with PyTorch: the formulae of
``games/chess/correction.rs``.

It learns what a search says of quiet positions and the evaluation by hand does not: atanh of the value is the hand's,
times a factor that is learned and dropped, plus the net's sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.functional import embedding_bag

from playout.games.errors import PlayoutError
from playout.games.support.whole_file import replacing

INPUTS = 768
"""Inputs of a point of view: pawns, knights, bishops, rooks, queens and king of its player, then the other's, each on
64 squares. The board is seen from the side of the player, and with that player's king on the right half."""
MEN = 32
"""Most men of a position."""
PIECES = {piece: number for number, piece in enumerate("PNBRQKpnbrqk")}
KINGS = (PIECES["K"], PIECES["k"])
SURE = 0.9995
"""The greatest value by hand that is told from others."""
GREATEST = 3.8
"""The greatest weight of the first layer, or its negative: the engine has them as 16-bit integers."""
DECAY = 0.01
RISE = 0.1
"""The share of the steps in which the learning rate rises; then it falls to nothing."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Positions with what is said of them, all for the player to move: values are in [-1, 1]."""

    men: NDArray[np.int16]
    """Shape (positions, 2, 32): the inputs of the mover's and of the opponent's point of view; ``INPUTS`` is none."""
    by_hand: NDArray[np.float32]
    searched: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.searched)


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the training."""

    width: int = 64
    """Sums of the first layer for each point of view."""
    epochs: int = 2
    """Times that each position is learned from."""
    batch: int = 2048
    """Positions of a step."""
    rate: float = 3e-3
    """The greatest learning rate (AdamW, Loshchilov and Hutter 2019)."""
    held_out: float = 0.03
    """The share of the positions, the last ones, that are not learned from but judge the net."""
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Epoch:
    """Mean squared errors of the value, after the positions have been learned from ``number`` times."""

    number: int
    learned: float
    held_out: float


def read(paths: Sequence[Path]) -> Positions:
    """Reads positions from lines ``FEN;BY HAND;SEARCHED;RESULT``, as the example ``evaluated`` of the crate
    playout-learning prints them. A last line without an end is left out: it may be half a line.

    Raises:
        PlayoutError: if a file cannot be read, or a line is none of these; it names the file and the line.
    """
    parts = [part for path in paths for part in _read(path)]
    if not parts:
        raise PlayoutError(f"{', '.join(map(str, paths))}: no positions")
    men, by_hand, searched = zip(*parts, strict=True)
    return Positions(np.concatenate(men), np.concatenate(by_hand), np.concatenate(searched))


def _read(path: Path) -> list[tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.float32]]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    except (OSError, UnicodeDecodeError) as error:
        raise PlayoutError(f"{path}: {error}") from error
    men = np.full((len(lines), 2, MEN), INPUTS, np.int16)
    values = np.empty((len(lines), 2), np.float32)
    for number, line in enumerate(lines):
        try:
            fen, by_hand, searched, _ = line.split(";")
            for view, inputs in enumerate(inputs_of(fen)):
                men[number, view, : len(inputs)] = inputs
            values[number] = float(by_hand), float(searched)
            if not (np.abs(values[number]) <= 1).all():
                raise ValueError("a value beyond 1")
        except (ValueError, KeyError, IndexError) as error:
            raise PlayoutError(f"{path}: line {number + 1}: not FEN;VALUE;VALUE;RESULT: {error}") from error
    return [(men, values[:, 0], values[:, 1])] if lines else []


def inputs_of(fen: str) -> tuple[list[int], list[int]]:
    """Returns the inputs of the mover's and of the opponent's point of view."""
    board, mover = fen.split(" ")[:2]
    men, kings, square = list[tuple[int, int]](), [0, 0], 56
    for letter in board:
        if letter == "/":
            square -= 16
        elif letter.isdigit():
            square += int(letter)
        else:
            piece = PIECES[letter]
            men.append((piece, square))
            if piece in KINGS:
                kings[KINGS.index(piece)] = square
            square += 1
    white, black = (7 if king % 8 < 4 else 0 for king in kings)
    views = (
        [64 * piece + (square ^ white) for piece, square in men],
        [64 * ((piece + 6) % 12) + (square ^ 56 ^ black) for piece, square in men],
    )
    return views if mover == "w" else (views[1], views[0])


def learn(positions: Positions, settings: Settings, report: Callable[[Epoch], None]) -> dict[str, Tensor]:
    """Returns the weights of a net, by their names in files of weights. ``report`` is called after each epoch.

    Blocks, with one thread of PyTorch: the steps are too small for several.
    """
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    weights = _begin(settings.width)
    men, searched = torch.from_numpy(positions.men), torch.from_numpy(positions.searched)
    by_hand = torch.from_numpy(np.arctanh(np.clip(positions.by_hand, -SURE, SURE)))
    learned = max(1, len(positions) - int(settings.held_out * len(positions)))
    batch = min(settings.batch, learned)
    steps = settings.epochs * (learned // batch)
    optimizer = torch.optim.AdamW(weights.values(), lr=settings.rate, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, total_steps=steps + 1, pct_start=RISE)

    def loss(places: Tensor) -> Tensor:
        value = torch.tanh(weights["factor"] * by_hand[places] + sums(weights, men[places].long()))
        return ((value - searched[places]) ** 2).mean()

    for number in range(1, settings.epochs + 1):
        total, order = 0.0, torch.randperm(learned)
        for begin in range(0, learned - batch + 1, batch):
            optimizer.zero_grad()
            wrong = loss(order[begin : begin + batch])
            wrong.backward()
            optimizer.step()
            schedule.step()
            with torch.no_grad():
                weights["first.weight"].clamp_(-GREATEST, GREATEST)
            total += float(wrong.detach())
        with torch.no_grad():
            parts = torch.arange(learned, len(positions)).split(settings.batch)
            rest = [float(loss(part)) * len(part) for part in parts]
        held_out = sum(rest) / max(1, len(positions) - learned)
        report(Epoch(number, total / (learned // batch), held_out))
    return {name: tensor.detach() for name, tensor in weights.items() if name != "factor"}


def _begin(width: int) -> dict[str, Tensor]:
    """Weights before the first step: the net's sum is near 0."""
    weights = {
        "first.weight": torch.randn(INPUTS, width) * 0.08,
        "first.bias": torch.full((width,), 0.2),
        "last.weight": (torch.rand(1, 2 * width) - 0.5) / (2 * width) ** 0.5,
        "last.bias": torch.zeros(1),
        "factor": torch.ones(1),
    }
    return {name: tensor.requires_grad_() for name, tensor in weights.items()}


def sums(weights: dict[str, Tensor], men: Tensor) -> Tensor:
    """Returns the net's sums for positions of shape (positions, 2, 32): a sum of 1 is tanh(1) where the hand says 0."""
    rows = torch.cat([weights["first.weight"], torch.zeros(1, weights["first.weight"].shape[1])])
    views = [embedding_bag(men[:, view], rows, mode="sum", padding_idx=INPUTS) for view in range(2)]
    hidden = torch.cat([view + weights["first.bias"] for view in views], 1).clamp(0, 1) ** 2
    return hidden @ weights["last.weight"][0] + weights["last.bias"]


def join(nets: Path, weights: dict[str, Tensor], out: Path, origin: dict[str, str]) -> None:
    """Writes the nets of a file again, as a whole or not at all, with these weights in place of its correction.

    Raises:
        PlayoutError: if ``nets`` cannot be read or ``out`` not be written.
    """
    try:
        with safe_open(nets, framework="pt") as file:
            metadata = file.metadata()
        tensors = {name: tensor for name, tensor in load_file(nets).items() if not name.startswith("correction.")}
    except Exception as error:  # The library has no type of its own for each kind of damage.
        raise PlayoutError(f"{nets}: {error}") from error
    tensors |= {f"correction.{name}": tensor.contiguous() for name, tensor in weights.items()}
    metadata |= {f"provenance.correction {name}": text for name, text in origin.items()}
    try:
        with replacing(out) as fresh:
            save_file(tensors, fresh, metadata)
    except OSError as error:
        raise PlayoutError(f"{out}: {error}") from error
