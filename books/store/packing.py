"""The binary form of one position's moves: two bytes of checksum, then the moves.

A move is its action, a byte of flags that says which numbers follow, and the numbers. Integers are varints: seven bits
a byte, lowest first, the top bit set in all but the last byte. An integer action is shifted left by one. Any other
action is stored as text: the varint is its length in bytes, shifted left by one, with the lowest bit set.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from playout.books.base.book import BookMove

HALVES, WEIGHT, COUNTS, LEARN, VALUE, DEPTH, SOURCE = (1 << bit for bit in range(7))
"""The flags, in the order in which their numbers follow."""
MOST_HALVES = 2**28
_CHECK = 2


@dataclass(slots=True)
class PackedMove:
    """A move as a store holds it. Counts, learn, value and depth are as in ``BookMove``."""

    action: int | str
    weight: float | None = None
    """The explicit weight, without the part computed from the counts."""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    learn: int = 0
    value: float | None = None
    depth: int | None = None
    source: int = 0
    """Row number in the store's table of sources; 0 for none."""

    @classmethod
    def of(cls, move: BookMove, action: int | str, weight: float | None, source: int) -> PackedMove:
        """Converts ``move``, with the remaining fields given separately."""
        return cls(action, weight, move.wins, move.draws, move.losses, move.learn, move.value, move.depth, source)

    def unpacked(self, action: Any, weight: float, source: str) -> BookMove:
        """The inverse of ``of``."""
        return BookMove(action, weight, self.wins, self.draws, self.losses, self.learn, self.value, self.depth, source)

    @property
    def games(self) -> int:
        """Number of games counted."""
        return self.wins + self.draws + self.losses

    def add(self, other: PackedMove) -> None:
        """Merges another source's record of the move: counts, weights and learn are added; the deeper value wins."""
        if other.weight is not None:
            self.weight = (self.weight or 0.0) + other.weight
        self.wins += other.wins
        self.draws += other.draws
        self.losses += other.losses
        self.learn += other.learn
        if other.value is not None and (self.value is None or (other.depth or 0) >= (self.depth or 0)):
            self.value, self.depth = other.value, other.depth
            self.source = other.source or self.source
        self.source = self.source or other.source


def pack(key: int, moves: list[PackedMove]) -> bytes:
    """Returns the bytes of the moves of the position ``key``."""
    out = bytearray(_CHECK)
    for move in moves:
        _pack_move(out, move)
    out[:_CHECK] = _checksum(key, out)
    return bytes(out)


def unpack(key: int, packed: bytes) -> list[PackedMove]:
    """The inverse of ``pack``.

    Raises:
        ValueError: if the bytes are incomplete, or belong to another position.
    """
    if packed[:_CHECK] != _checksum(key, packed):
        raise ValueError("damaged moves")
    moves = []
    at = _CHECK
    try:
        while at < len(packed):
            move, at = _unpack_move(packed, at)
            moves.append(move)
    except (IndexError, struct.error, UnicodeDecodeError):
        raise ValueError("damaged moves") from None
    return moves


def _checksum(key: int, packed: bytes | bytearray) -> bytes:
    return (crc32(packed[_CHECK:], key & 0xFFFFFFFF) & 0xFFFF).to_bytes(_CHECK, "big")


def _pack_move(out: bytearray, move: PackedMove) -> None:
    if isinstance(move.action, str):
        text = move.action.encode()
        _varint(out, len(text) << 1 | 1)
        out += text
    else:
        _varint(out, move.action << 1)
    weight = move.weight
    halves = weight is not None and 0 <= weight < MOST_HALVES / 2 and (weight * 2).is_integer()
    out.append(
        (HALVES if halves else WEIGHT if weight is not None else 0)
        | (COUNTS if move.games else 0)
        | (LEARN if move.learn else 0)
        | (VALUE if move.value is not None else 0)
        | (DEPTH if move.depth is not None else 0)
        | (SOURCE if move.source else 0)
    )
    if weight is not None:
        if halves:
            _varint(out, int(weight * 2))
        else:
            out += struct.pack("<d", weight)
    if move.games:
        for count in (move.wins, move.draws, move.losses):
            _varint(out, count)
    if move.learn:
        # Zigzag coding: the sign is the lowest bit.
        _varint(out, move.learn << 1 if move.learn > 0 else -move.learn << 1 | 1)
    if move.value is not None:
        out += struct.pack("<f", move.value)
    if move.depth is not None:
        _varint(out, move.depth)
    if move.source:
        _varint(out, move.source)


def _unpack_move(packed: bytes, at: int) -> tuple[PackedMove, int]:
    action: int | str
    number, at = _read_varint(packed, at)
    if number & 1:
        end = at + (number >> 1)
        if end > len(packed):
            raise IndexError
        action, at = packed[at:end].decode(), end
    else:
        action = number >> 1
    move = PackedMove(action)
    flags = packed[at]
    at += 1
    if flags & HALVES:
        number, at = _read_varint(packed, at)
        move.weight = number / 2
    if flags & WEIGHT:
        (move.weight,) = struct.unpack_from("<d", packed, at)
        at += 8
    if flags & COUNTS:
        move.wins, at = _read_varint(packed, at)
        move.draws, at = _read_varint(packed, at)
        move.losses, at = _read_varint(packed, at)
    if flags & LEARN:
        number, at = _read_varint(packed, at)
        move.learn = -(number >> 1) if number & 1 else number >> 1
    if flags & VALUE:
        (move.value,) = struct.unpack_from("<f", packed, at)
        at += 4
    if flags & DEPTH:
        move.depth, at = _read_varint(packed, at)
    if flags & SOURCE:
        move.source, at = _read_varint(packed, at)
    return move, at


def _varint(out: bytearray, number: int) -> None:
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def _read_varint(packed: bytes, at: int) -> tuple[int, int]:
    byte = packed[at]
    if byte < 0x80:
        return byte, at + 1
    number, shift = byte & 0x7F, 7
    while True:
        at += 1
        byte = packed[at]
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at + 1
        shift += 7
