"""The net that corrects the static evaluation of chess in its look-ahead, learned with PyTorch: the formulae of
``games/chess/correction.rs``.

It learns what a search says of quiet positions and the evaluation by hand does not: atanh of the value is the hand's
plus the net's sum.
"""

from __future__ import annotations

import itertools
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

from playout.engine.learning.data.judged import judged_lines, unread
from playout.games.errors import PlayoutError
from playout.games.support.whole_file import replacing

INPUTS = 768
"""Inputs of a point of view: pawns, knights, bishops, rooks, queens and king of its player, then the other's, each on
64 squares. The board is seen from the side of the player, and with that player's king on the right half."""
MEN = 32
"""Most men of a position."""
SQUARES = 64
PIECES = "PNBRQKpnbrqk"
KINGS = (PIECES.index("K"), PIECES.index("k"))
UNKNOWN = -2
_PIECES = np.full(128, UNKNOWN, np.int8)
"""The number of a piece by its letter; -1 for a dot, an empty square."""
_PIECES[ord(".")] = -1
_PIECES[[ord(piece) for piece in PIECES]] = range(len(PIECES))
_RANKS = str.maketrans({"/": "", **{str(count): "." * count for count in range(1, 9)}})
READ_AT_ONCE = 65_536
"""Lines whose boards are read at once."""
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

    width: int = 192
    """Sums of the first layer for each point of view."""
    stages: int = 8
    """Stages of the game, by the number of men, each of which has weights of its own in the last layer."""
    epochs: int = 3
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
    """Reads positions from files of ``judged_lines``.

    Raises:
        PlayoutError: if a file cannot be read, or a line is none of these; it names the file and the line.
    """
    parts = [part for path in paths for part in _read(path)]
    if not parts:
        raise PlayoutError(f"{', '.join(map(str, paths))}: no positions")
    men, by_hand, searched = zip(*parts, strict=True)
    return Positions(np.concatenate(men), np.concatenate(by_hand), np.concatenate(searched))


def _read(path: Path) -> list[tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.float32]]]:
    lines = judged_lines(path)
    parts = list[tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.float32]]]()
    while rows := list(itertools.islice(lines, READ_AT_ONCE)):
        men, bad = men_of([row.fen for row in rows])
        if bad:
            number, what = bad
            raise unread(path, READ_AT_ONCE * len(parts) + number + 1, what)
        values = np.array([(row.by_hand, row.searched) for row in rows], np.float32)
        parts.append((men, values[:, 0], values[:, 1]))
    return parts


def men_of(fens: Sequence[str]) -> tuple[NDArray[np.int16], tuple[int, str] | None]:
    """Returns the inputs of positions, shape (positions, 2, 32), from the mover's and the opponent's point of view;
    and the number of the first position that is none, with what is wrong with it, or None.
    """
    men = np.full((len(fens), 2, MEN), INPUTS, np.int16)
    words = [fen.split(" ", 2) for fen in fens]
    texts = [text[0].translate(_RANKS) for text in words]
    for number, (text, word) in enumerate(zip(texts, words, strict=True)):
        if len(text) != SQUARES or not text.isascii() or len(word) < 2 or word[1] not in ("w", "b"):
            return men, (number, f"{fens[number]!r} is no position")
    board = _PIECES[np.frombuffer("".join(texts).encode("ascii"), np.uint8)].reshape(-1, SQUARES)
    kings = [(board == king).sum(1) == 1 for king in KINGS]
    wrong = np.flatnonzero((board == UNKNOWN).any(1) | ~kings[0] | ~kings[1] | ((board >= 0).sum(1) > MEN))
    if len(wrong):
        number = int(wrong[0])
        return men, (number, f"{fens[number]!r} is no position")
    rows, cells = np.nonzero(board >= 0)
    pieces, squares = board[rows, cells].astype(np.int16), (cells ^ 56).astype(np.int16)
    first = np.searchsorted(rows, np.arange(len(fens)))
    places = np.arange(len(rows)) - first[rows]
    white, black = (np.where((board == king).argmax(1) % 8 < 4, 7, 0).astype(np.int16)[rows] for king in KINGS)
    turned = np.array([word[1] == "b" for word in words])[rows].astype(np.intp)
    men[rows, turned, places] = 64 * pieces + (squares ^ white)
    men[rows, 1 - turned, places] = 64 * ((pieces + 6) % 12) + (squares ^ 56 ^ black)
    return men, None


def learn(positions: Positions, settings: Settings, report: Callable[[Epoch], None]) -> dict[str, Tensor]:
    """Returns the weights of a net, by their names in files of weights. ``report`` is called after each epoch.

    Blocks, with one thread of PyTorch: the steps are too small for several.
    """
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    weights = _begin(settings.width, settings.stages)
    men, searched = torch.from_numpy(positions.men), torch.from_numpy(positions.searched)
    by_hand = torch.from_numpy(np.arctanh(np.clip(positions.by_hand, -SURE, SURE)))
    learned = max(1, len(positions) - int(settings.held_out * len(positions)))
    batch = min(settings.batch, learned)
    steps = settings.epochs * (learned // batch)
    optimizer = torch.optim.AdamW(weights.values(), lr=settings.rate, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.rate, total_steps=steps + 1, pct_start=RISE)

    def loss(places: Tensor) -> Tensor:
        value = torch.tanh(by_hand[places] + sums(weights, men[places].long()))
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
    return {name: tensor.detach() for name, tensor in weights.items()}


def _begin(width: int, stages: int) -> dict[str, Tensor]:
    """Weights before the first step: the net's sum is near 0."""
    weights = {
        "first.weight": torch.randn(INPUTS, width) * 0.08,
        "first.bias": torch.full((width,), 0.2),
        "last.weight": ((torch.rand(1, 2 * width) - 0.5) / (2 * width) ** 0.5).repeat(stages, 1),
        "last.bias": torch.zeros(stages),
    }
    return {name: tensor.requires_grad_() for name, tensor in weights.items()}


def sums(weights: dict[str, Tensor], men: Tensor) -> Tensor:
    """Returns the net's sums for positions of shape (positions, 2, 32): a sum of 1 is tanh(1) where the hand says 0."""
    rows = torch.cat([weights["first.weight"], torch.zeros(1, weights["first.weight"].shape[1])])
    views = [embedding_bag(men[:, view], rows, mode="sum", padding_idx=INPUTS) for view in range(2)]
    hidden = torch.cat([view + weights["first.bias"] for view in views], 1).clamp(0, 1) ** 2
    stages = len(weights["last.bias"])
    stage = ((men[:, 0] < INPUTS).sum(1).clamp(1, MEN) - 1) * stages // MEN
    return (hidden * weights["last.weight"][stage]).sum(1) + weights["last.bias"][stage]


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
