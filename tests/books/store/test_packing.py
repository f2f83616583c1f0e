"""Packed moves: what goes in comes out, in few bytes, and damage is seen."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playout.books.store.packing import PackedMove, pack, unpack

counts = st.integers(0, 2**40)
moves = st.builds(
    PackedMove,
    st.integers(0, 2**32) | st.text(max_size=12),
    st.none() | st.integers(0, 2**20).map(lambda halves: halves / 2) | st.floats(0, 1e9, allow_nan=False),
    counts,
    counts,
    counts,
    st.integers(-(2**40), 2**40),
    st.none() | st.floats(-1, 1, width=32),
    st.none() | counts,
    st.integers(0, 300),
)


@pytest.mark.long
@settings(max_examples=80, deadline=None)
@given(key=st.integers(0, 2**64 - 1), held=st.lists(moves, max_size=6))
def test_what_is_packed_is_unpacked(key: int, held: list[PackedMove]) -> None:
    assert unpack(key, pack(key, held)) == held


@settings(max_examples=40, deadline=None)
@given(held=st.lists(moves, min_size=1, max_size=4), at=st.integers(0), bit=st.integers(0, 7))
def test_a_flipped_bit_is_seen(held: list[PackedMove], at: int, bit: int) -> None:
    packed = bytearray(pack(7, held))
    packed[at % len(packed)] ^= 1 << bit
    with pytest.raises(ValueError, match="damaged"):
        unpack(7, bytes(packed))


def test_moves_of_another_position_are_seen() -> None:
    with pytest.raises(ValueError, match="damaged"):
        unpack(8, pack(7, [PackedMove(3, wins=1)]))


@pytest.mark.parametrize("cut", range(1, 9))
def test_a_short_entry_is_seen(cut: int) -> None:
    packed = pack(7, [PackedMove(300, 0.1), PackedMove("pass", wins=200)])
    with pytest.raises(ValueError, match="damaged"):
        unpack(7, packed[:-cut])


def test_a_move_of_one_game_takes_six_bytes() -> None:
    assert len(pack(1, [PackedMove(1804, wins=1)])) == 2 + 6


def test_adding_keeps_the_deeper_value() -> None:
    move = PackedMove(1, None, 1, 2, 3, 4, 0.5, 10, 1)
    move.add(PackedMove(1, 2.0, 1, 1, 1, -1, -0.5, 9, 2))
    assert move == PackedMove(1, 2.0, 2, 3, 4, 3, 0.5, 10, 1)
    move.add(PackedMove(1, 0.5, value=1.0, depth=11, source=2))
    assert move == PackedMove(1, 2.5, 2, 3, 4, 3, 1.0, 11, 2)
