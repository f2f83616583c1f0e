"""Functions that learn: a table, a linear function of features, and a perceptron with one hidden layer.

What they are asked about is a key: a state where states are judged, a pair of state and action where actions are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

K = TypeVar("K", bound=Hashable)
Vector: TypeAlias = NDArray[np.float64]
Features: TypeAlias = Callable[[K], Vector]
"""Maps a key to its features, an array of one dimension that is not written to."""


class Approximator(ABC, Generic[K]):
    """A function of keys, with weights w and a gradient."""

    @abstractmethod
    def value(self, key: K) -> float:
        """The estimate."""

    @abstractmethod
    def learn(self, key: K, amount: float) -> None:
        """Adds ``amount`` times the gradient of the value at ``key`` to the weights: alpha times the error."""

    @abstractmethod
    def trace(self) -> Trace[K]:
        """An eligibility trace of zeros."""


class Trace(ABC, Generic[K]):
    """A decaying sum of gradients."""

    @abstractmethod
    def add(self, key: K, decay: float) -> None:
        """Multiplies the trace by ``decay`` and adds the gradient of the value at ``key``."""

    @abstractmethod
    def apply(self, amount: float) -> None:
        """Adds ``amount`` times the trace to the function's weights."""


class Table(Approximator[K]):
    """A weight for each key."""

    def __init__(self, initial: float = 0.0) -> None:
        self.initial = initial
        self.entries: dict[K, float] = {}

    def value(self, key: K) -> float:
        """The key's weight; ``initial`` if nothing was learned of it."""
        return self.entries.get(key, self.initial)

    def learn(self, key: K, amount: float) -> None:
        """Adds ``amount`` to the key's weight."""
        self.entries[key] = self.value(key) + amount

    def trace(self) -> Trace[K]:
        """A trace with an entry for each key that was passed."""
        return _TableTrace(self)


class _TableTrace(Trace[K]):
    SMALLEST = 1e-12
    """Entries below this are dropped."""

    def __init__(self, table: Table[K]) -> None:
        self._table = table
        self._entries: dict[K, float] = {}

    def add(self, key: K, decay: float) -> None:
        kept = {other: decay * entry for other, entry in self._entries.items()}
        self._entries = {other: entry for other, entry in kept.items() if abs(entry) > self.SMALLEST}
        self._entries[key] = self._entries.get(key, 0.0) + 1.0

    def apply(self, amount: float) -> None:
        for key, entry in self._entries.items():
            self._table.learn(key, amount * entry)


class _Weights(Approximator[K]):
    """A function of features whose weights are arrays."""

    weights: Sequence[Vector]

    @abstractmethod
    def gradient(self, key: K) -> Sequence[Vector]:
        """The gradient of the value by each of ``weights``."""

    def learn(self, key: K, amount: float) -> None:
        for weights, slope in zip(self.weights, self.gradient(key), strict=True):
            weights += amount * slope

    def trace(self) -> Trace[K]:
        return _WeightsTrace(self)


class _WeightsTrace(Trace[K]):
    def __init__(self, function: _Weights[K]) -> None:
        self._function = function
        self._sums = [np.zeros_like(weights) for weights in function.weights]

    def add(self, key: K, decay: float) -> None:
        for total, slope in zip(self._sums, self._function.gradient(key), strict=True):
            total *= decay
            total += slope

    def apply(self, amount: float) -> None:
        for weights, total in zip(self._function.weights, self._sums, strict=True):
            weights += amount * total


class Linear(_Weights[K]):
    """The scalar product of weights and features."""

    def __init__(self, features: Features[K], size: int) -> None:
        self._features = features
        self.weights = [np.zeros(size)]

    def value(self, key: K) -> float:
        return float(self.weights[0] @ self._features(key))

    def gradient(self, key: K) -> Sequence[Vector]:
        return [self._features(key)]


class Perceptron(_Weights[K]):
    """tanh(v . tanh(U x + b) + c), with one hidden layer; values lie in (-1, 1).

    The first weights are drawn from the normal distribution of variance 1 / inputs, those of the output are 0.
    """

    def __init__(self, features: Features[K], size: int, hidden: int, rng: np.random.Generator) -> None:
        self._features = features
        first: Vector = rng.normal(0.0, size**-0.5, (hidden, size))
        self.weights = [first, np.zeros(hidden), np.zeros(hidden), np.zeros(1)]

    def value(self, key: K) -> float:
        return self._pass(key)[2]

    def gradient(self, key: K) -> Sequence[Vector]:
        features, hidden, value = self._pass(key)
        slope = 1.0 - value * value
        inner = slope * self.weights[2] * (1.0 - hidden * hidden)
        return [np.outer(inner, features), inner, slope * hidden, np.array([slope])]

    def _pass(self, key: K) -> tuple[Vector, Vector, float]:
        features = self._features(key)
        first, offset, second, constant = self.weights
        hidden: Any = np.tanh(first @ features + offset)
        return features, hidden, float(np.tanh(second @ hidden + constant[0]))
