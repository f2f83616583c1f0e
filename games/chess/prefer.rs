//! H(s, a): which moves look promising, by hand.
//!
//! A preference is a sum of features with weights in logits. The weights are a maximum-likelihood fit (multinomial
//! logistic regression), then rounded, of the moves that Stockfish 15.1 chooses at depth 9 in 3,200 positions from games
//! with some random moves. In 800 others it gives the chosen move 9.3 % of the probability in the geometric mean, where
//! equal chances give 3.8 %, and ranks it first in 34 %.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position as _, Role, Square, attacks};

use super::{
    eval::{MIDDLE_GAME, pawn_attacks, phase, place},
    exchange::{WORTH, exchange, recaptures},
    has_move,
    quiesce::alone,
};

/// Centipawns by which exchanges and dangers are counted.
const UNIT: f32 = 500.0;
/// An exchange counts for no more than this, so that no preference leaves the others without hope.
const MOST: i32 = 800;
/// The preference for a move that mates: the search need not find it out.
const MATE: f32 = 20.0;

/// Features of a move; each number is multiplied by the weight of its field.
#[derive(Clone, Copy, Default)]
struct Features<T> {
    /// A capture or a promotion to a queen that loses nothing.
    pays: T,
    /// Gain of the exchange on the target, in `UNIT`.
    wins: T,
    /// Loss of that exchange.
    loses: T,
    /// Loss that the piece avoids by leaving its square, if it goes where it is safe.
    escapes: T,
    /// A check that loses nothing.
    check: T,
    /// A pawn attacks a piece.
    pawn_threat: T,
    /// A piece attacks one that is worth more.
    piece_threat: T,
    castles: T,
    /// A promotion to less than a queen.
    less: T,
    /// Gain of the piece's place, in hundreds of centipawns.
    place: T,
}

const WEIGHTS: Features<f32> = Features {
    pays: 1.6,
    wins: 3.0,
    loses: -2.5,
    escapes: 2.3,
    check: 1.3,
    pawn_threat: 1.0,
    piece_threat: 1.3,
    castles: 1.7,
    less: -0.7,
    place: 2.5,
};

impl Features<f32> {
    fn logit(self) -> f32 {
        let w = WEIGHTS;
        self.pays * w.pays
            + self.wins * w.wins
            + self.loses * w.loses
            + self.escapes * w.escapes
            + self.check * w.check
            + self.pawn_threat * w.pawn_threat
            + self.piece_threat * w.piece_threat
            + self.castles * w.castles
            + self.less * w.less
            + self.place * w.place
    }
}

/// Facts of a position that all its moves share.
pub struct MoveContext<'a> {
    chess: &'a Chess,
    board: &'a Board,
    us: Color,
    phase: i32,
    /// Squares that the opponent attacks.
    attacked: Bitboard,
    /// Squares from which each role gives check.
    checks: [Bitboard; 7],
    /// Own pieces that give check by leaving their line to this king.
    screens: Bitboard,
    enemy_king: Square,
    /// The opponent's pieces other than pawns.
    pieces: Bitboard,
    /// The opponent's pieces that are worth more than each role.
    dearer: [Bitboard; 7],
    /// Centipawns that the opponent wins on each square with an attacked piece of ours.
    danger: [i32; 64],
}

impl MoveContext<'_> {
    pub fn new(chess: &Chess) -> MoveContext<'_> {
        let (board, us, occupied) = (chess.board(), chess.turn(), chess.board().occupied());
        let theirs = board.by_color(!us);
        let enemy_king = board.king_of(!us).expect("a king");
        let mut attacked = pawn_attacks(board.pawns() & theirs, !us);
        for square in theirs & !board.pawns() {
            attacked |= attacks::attacks(square, board.piece_at(square).expect("a piece"), occupied);
        }
        let mut danger = [0; 64];
        for square in board.by_color(us) & attacked & !board.kings() {
            let role = board.role_at(square).expect("a piece");
            danger[square.to_usize()] = recaptures(board, !us, square, occupied, WORTH[role as usize]);
        }
        let (straight, diagonal) =
            (attacks::rook_attacks(enemy_king, occupied), attacks::bishop_attacks(enemy_king, occupied));
        let (pawn, knight) = (attacks::pawn_attacks(!us, enemy_king), attacks::knight_attacks(enemy_king));
        let checks = [Bitboard::EMPTY, pawn, knight, diagonal, straight, straight | diagonal, Bitboard::EMPTY];
        let pieces = theirs & !board.pawns() & !board.kings();
        let strong = board.rooks_and_queens() & theirs;
        let queens = board.queens() & theirs;
        let dearer = [Bitboard::EMPTY, pieces, strong, strong, queens, Bitboard::EMPTY, Bitboard::EMPTY];
        let screens = alone(board, enemy_king, us) & board.by_color(us);
        MoveContext {
            chess,
            board,
            us,
            phase: phase(board),
            attacked,
            checks,
            screens,
            enemy_king,
            pieces,
            dearer,
            danger,
        }
    }

    /// The preference for a legal move.
    pub fn preference(&self, m: Move) -> f32 {
        let features = self.features(m);
        if features.check > 0.0 && self.mates(m) { MATE } else { features.logit() }
    }

    fn mates(&self, m: Move) -> bool {
        let mut after = self.chess.clone();
        after.play_unchecked(m);
        !has_move(&after)
    }

    fn features(&self, m: Move) -> Features<f32> {
        let mut features = Features::default();
        let (Some(from), to) = (m.from(), m.to()) else { return features };
        if m.is_castle() {
            features.castles = 1.0;
            return features;
        }
        let converts = m.is_capture() || m.is_promotion();
        let wins = if converts || self.attacked.contains(to) && m.role() != Role::King {
            exchange(self.board, self.us, m).clamp(-MOST, MOST)
        } else {
            0
        };
        if m.promotion().is_some_and(|role| role != Role::Queen) {
            features.less = 1.0;
        } else if converts && wins >= 0 {
            features.pays = 1.0;
            features.wins = wins as f32 / UNIT;
        }
        if wins < 0 {
            features.loses = -wins as f32 / UNIT;
        } else {
            features.escapes = self.danger[from.to_usize()] as f32 / UNIT;
            let arrives = m.promotion().unwrap_or(m.role());
            let uncovers = self.screens.contains(from) && !attacks::aligned(from, to, self.enemy_king);
            features.check = f32::from(u8::from(uncovers || self.checks[arrives as usize].contains(to)));
            if m.role() == Role::Pawn {
                features.pawn_threat = f32::from(u8::from(attacks::pawn_attacks(self.us, to).intersects(self.pieces)));
            } else {
                let reach = attacks::attacks(to, m.role().of(self.us), self.board.occupied().without(from));
                features.piece_threat = f32::from(u8::from(reach.intersects(self.dearer[m.role() as usize])));
            }
        }
        features.place = self.place(m.role(), from, to);
        features
    }

    fn place(&self, role: Role, from: Square, to: Square) -> f32 {
        let (middle_game, endgame) = place(role, from, to, self.us);
        (middle_game * self.phase + endgame * (MIDDLE_GAME - self.phase)) as f32 / (100 * MIDDLE_GAME) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Game, Params};
    use crate::chess;

    fn game() -> chess::Chess {
        chess::Chess::new(&Params::default()).unwrap()
    }

    /// The preferences at a position by the moves' texts, the greatest first.
    fn preferences(fen: &str) -> Vec<(String, f32)> {
        let (game, mut actions, mut out) = (game(), Vec::new(), vec![7.0]);
        let p = game.parse_position(fen).unwrap();
        game.actions(&p, &mut actions);
        assert!(game.preferences(&p, &actions, &mut out));
        assert_eq!(out.len(), actions.len());
        let mut named: Vec<_> = actions.iter().map(|&a| game.action_text(&p, a)).zip(out).collect();
        named.sort_by(|one, two| two.1.total_cmp(&one.1));
        named
    }

    #[test]
    fn the_obvious_move_comes_first() {
        for (fen, best) in [
            // What hangs is taken.
            ("4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1", "c3d5"),
            // A queen attacked by a pawn leaves, and does not take what is guarded.
            ("4k3/8/2p2p2/4p3/3Q4/8/PPP2PPP/4K3 w - - 0 1", "d4"),
            // A pawn forks two pieces.
            ("4k3/8/8/2r1r3/8/3P4/PP4PP/7K w - - 0 1", "d3d4"),
            // A pawn promotes.
            ("8/4P3/8/1k6/8/8/8/4K3 w - - 0 1", "e7e8q"),
            // A rook mates, and leaves a bishop where it is.
            ("6k1/5ppp/8/8/2b5/3P4/8/R3K3 w - - 0 1", "a1a8"),
            // The king castles.
            ("r3k2r/pppqbppp/2npbn2/4p3/4P3/2NPBN2/PPPQBPPP/R3K2R w KQkq - 0 1", "e1"),
        ] {
            assert!(preferences(fen)[0].0.starts_with(best), "{fen} {:?}", preferences(fen));
        }
    }

    #[test]
    fn what_loses_comes_last() {
        for (fen, worst) in [
            ("4k3/2p5/3p4/8/3Q4/8/8/4K3 w - - 0 1", "d4d6"),
            ("rnbqkbnr/pppp1ppp/8/4p3/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 0 1", "d8g5"),
        ] {
            let preferences = preferences(fen);
            let place = preferences.iter().position(|(text, _)| text == worst).unwrap();
            assert!(place >= preferences.len() - 3 && preferences[place].1 < -2.0, "{fen} {preferences:?}");
        }
    }

    #[test]
    fn colours_do_not_matter() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let mirrored = "r3k2r/pppbbppp/2n2q1P/1P2p3/3pn3/BN2PNP1/P1PPQPB1/R3K2R b KQkq - 0 1";
        let [one, two] = [fen, mirrored].map(|fen| preferences(fen).into_iter().map(|(_, p)| p).collect::<Vec<_>>());
        assert_eq!(one, two);
    }
}
