"""Positions of chess at which the probes ask for a move."""

from __future__ import annotations

MATED = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"
STALEMATED = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"
MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
ENDGAME = "8/8/8/8/8/1k6/8/K6R b - -"
"""Black to move; the counters are missing."""
VARIOUS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    f"{ENDGAME} 0 1",
    MATE_IN_ONE,
)
"""Castling for both sides, a capture en passant, Black to move, and a mate."""
CASTLING = "5k2/8/8/8/8/8/8/4K2R w K - 0 1"
"""Castling gives check."""
PROMOTION = "7k/P7/8/8/8/1q6/8/K7 w - - 0 1"
"""Each legal move is a promotion."""
PROMOTING = "7k/P7/8/8/8/8/8/K7 w - - 0 1"
CHESS960 = "1r3k1r/8/8/8/8/8/8/1R3K1R w KQkq - 0 1"
"""Kings on the f-file, from where they castle with rooks on b and h."""
