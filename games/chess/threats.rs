//! Threats in the static evaluation: attacked men, and checks that a king has to fear.
//!
//! The weights are a least-squares fit to what Stockfish 15.1 at 15,000 nodes says of 1,738 quiet positions of the engine's
//! games at a tenth of a second a move, beside the terms of `eval.rs`, then rounded.

use shakmaty::{Bitboard, Board, Color, attacks};

use super::phase_weight::PhaseWeight;

/// A piece that a pawn attacks.
const BY_PAWN: PhaseWeight = PhaseWeight::new(-18, -6);
/// A rook or queen that a knight or bishop attacks.
const BY_MINOR: PhaseWeight = PhaseWeight::new(-34, -3);
/// A piece that is attacked and not defended.
const HANGS: PhaseWeight = PhaseWeight::new(-27, 0);
/// A pawn that is attacked and not defended.
const WEAK_PAWN: PhaseWeight = PhaseWeight::new(0, -28);
/// A check by a knight, bishop, rook or queen on a square that the king's side does not attack.
const CHECKS: [PhaseWeight; 4] =
    [PhaseWeight::new(-40, -20), PhaseWeight::new(-15, -16), PhaseWeight::new(-9, -22), PhaseWeight::new(-42, -45)];

/// The squares that one side attacks, by the kind of its men.
#[derive(Clone, Copy)]
pub struct Reach {
    pub pawns: Bitboard,
    pub knights: Bitboard,
    pub bishops: Bitboard,
    pub rooks: Bitboard,
    pub queens: Bitboard,
    pub king: Bitboard,
}

impl Reach {
    fn all(self) -> Bitboard {
        self.pawns | self.knights | self.bishops | self.rooks | self.queens | self.king
    }
}

/// The threats against `color`, which attacks `ours` while the opponent attacks `theirs`.
pub fn threats(board: &Board, color: Color, ours: Reach, theirs: Reach) -> PhaseWeight {
    let (us, occupied) = (board.by_color(color), board.occupied());
    let (defended, attacked) = (ours.all(), theirs.all());
    let loose = attacked & !defended & us;
    let pieces = us & !board.pawns() & !board.kings();
    let mut score = BY_PAWN * (theirs.pawns & pieces).count()
        + BY_MINOR * ((theirs.knights | theirs.bishops) & us & board.rooks_and_queens()).count()
        + HANGS * (loose & pieces).count()
        + WEAK_PAWN * (loose & board.pawns()).count();
    let king = board.king_of(color).expect("a king");
    let safe = !board.by_color(!color) & !defended;
    let (straight, diagonal) = (attacks::rook_attacks(king, occupied), attacks::bishop_attacks(king, occupied));
    let lines = [
        theirs.knights & attacks::knight_attacks(king),
        theirs.bishops & diagonal,
        theirs.rooks & straight,
        theirs.queens & (straight | diagonal),
    ];
    for (line, weight) in lines.into_iter().zip(CHECKS) {
        if line.intersects(safe) {
            score = score + weight;
        }
    }
    score
}
