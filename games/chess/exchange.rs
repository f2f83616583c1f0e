//! Static exchange evaluation: what a move wins if both sides then capture on its target for as long as that pays.

use shakmaty::{Bitboard, Board, Color, Move, Role, Square, attacks};

/// Worth of a captured piece in centipawns, by role. The king is captured last.
pub const WORTH: [i32; 7] = [0, 110, 365, 380, 560, 1080, 10_000];

/// Centipawns that a move wins before it is answered.
pub fn gain(m: Move) -> i32 {
    let promotion = m.promotion().map_or(0, |role| WORTH[role as usize] - WORTH[Role::Pawn as usize]);
    promotion + m.capture().map_or(0, |role| WORTH[role as usize])
}

/// The square whose man a capture takes.
pub fn victim(m: Move) -> Square {
    match m.from() {
        Some(from) if m.is_en_passant() => Square::from_coords(m.to().file(), from.rank()),
        _ => m.to(),
    }
}

/// Centipawns that `m`, a move of `mover`, wins with the exchange that follows. Pins are ignored; castling wins nothing.
pub fn exchange(board: &Board, mover: Color, m: Move) -> i32 {
    if m.is_castle() {
        return 0; // Its target is the rook's square, which the king does not enter.
    }
    let (Some(from), to) = (m.from(), m.to()) else { return 0 };
    let arrives = m.promotion().unwrap_or(m.role());
    let mut occupied = board.occupied().without(from);
    if m.is_en_passant() {
        occupied = occupied.without(victim(m));
    }
    gain(m) - recaptures(board, !mover, to, occupied, WORTH[arrives as usize])
}

/// Whether `exchange` is not negative; cheaper, because most captures show it at once.
pub fn holds(board: &Board, mover: Color, m: Move) -> bool {
    m.promotion().is_none() && gain(m) >= WORTH[m.role() as usize] || exchange(board, mover, m) >= 0
}

/// The material that `side` wins by capturing a piece worth `stake` on `to`, each time with the least valuable attacker, or not; no
/// less than 0.
pub fn recaptures(board: &Board, mut side: Color, to: Square, mut occupied: Bitboard, mut stake: i32) -> i32 {
    let (straight, diagonal) = (board.rooks_and_queens(), board.bishops_and_queens());
    let mut attackers = both_attackers(board, to, occupied);
    // What each capture of the sequence takes.
    let mut stakes = [0; 32];
    let mut plies = 0;
    loop {
        attackers &= occupied;
        let own = attackers & board.by_color(side);
        let Some((role, from)) = least(board, own) else { break };
        if role == Role::King && (attackers & board.by_color(!side)).any() {
            break;
        }
        stakes[plies] = stake;
        plies += 1;
        stake = WORTH[role as usize];
        occupied = occupied.without(from);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(to, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(to, occupied) & straight;
        }
        side = !side;
    }
    // From the last one back: each side captures only if that pays.
    stakes[..plies].iter().rev().fold(0, |answer, &stake| (stake - answer).max(0))
}

/// The least valuable of `pieces`.
fn least(board: &Board, pieces: Bitboard) -> Option<(Role, Square)> {
    if pieces.is_empty() {
        return None;
    }
    Role::ALL.into_iter().find_map(|role| Some((role, (pieces & board.by_role(role)).first()?)))
}

/// The pieces of both colours that attack a square.
fn both_attackers(board: &Board, to: Square, occupied: Bitboard) -> Bitboard {
    attacks::rook_attacks(to, occupied) & board.rooks_and_queens()
        | attacks::bishop_attacks(to, occupied) & board.bishops_and_queens()
        | attacks::knight_attacks(to) & board.knights()
        | attacks::king_attacks(to) & board.kings()
        | attacks::pawn_attacks(Color::White, to) & board.pawns() & board.black()
        | attacks::pawn_attacks(Color::Black, to) & board.pawns() & board.white()
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Chess, Position as _, uci::UciMove};

    use super::{super::fen, *};

    #[test]
    fn exchanges_are_counted_to_their_end() {
        for (fen, text, wins) in [
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", WORTH[1]),
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", WORTH[1] - WORTH[2]),
            ("4k3/8/3p4/4p3/8/5N2/8/4K3 w - - 0 1", "f3e5", WORTH[1] - WORTH[2]),
            ("8/3Pk3/8/8/8/8/8/4K3 w - - 0 1", "d7d8q", -WORTH[1]),
            ("4k3/6b1/8/8/8/8/P1P2PPP/R3K2R w KQ - 0 1", "e1c1", 0),
        ] {
            let chess: Chess = fen::read(fen, CastlingMode::Standard).unwrap();
            let m = text.parse::<UciMove>().unwrap().to_move(&chess).unwrap();
            assert_eq!(exchange(chess.board(), chess.turn(), m), wins, "{fen} {text}");
            assert_eq!(holds(chess.board(), chess.turn(), m), wins >= 0, "{fen} {text}");
        }
    }
}
