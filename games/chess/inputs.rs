//! Inputs of nets, and the places of moves in their policies. Both see the board from the mover's side, and with the king on
//! its right half.

use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, Move, Position as _, Role, Square, attacks};

use super::{
    FIFTY_MOVES,
    eval::{MIDDLE_GAME, pawn_attacks, phase, score},
    exchange::holds,
};
use crate::{Input, NetShape};

/// Inputs of the men of one point of view: 6 kinds on 64 squares, own and other.
pub(super) const MEN: usize = 2 * 6 * 64;
/// The same of the men under attack, of those among them that nothing guards, and of those that a lesser man attacks.
const THREATS: usize = 3 * MEN;
/// Further facts of a position: the score by hand twice, the phase, four rights to castle, the clock, and of each side
/// the squares that it attacks and those of them next to the other's king.
const FACTS: usize = 12;
/// Moves from a square to a square; a promotion to a queen is one of them.
const STEPS: u32 = 64 * 64;
/// Promotions to other pieces: 3 pieces, 8 files, 3 directions.
const PROMOTIONS: u32 = 3 * 8 * 3;
/// Slots of moves that lose no exchange, and as many of those that lose one.
const MOVES: u32 = STEPS + PROMOTIONS;
/// Slots of men that leave a square, after those of moves, and of men that arrive on one: again twice.
const LEAVING: u32 = 6 * 64;
/// A score by hand in centipawns that is an input of 1, and of tanh(1).
const WHOLE: f32 = 1000.0;
const HALF: f32 = 350.0;
/// The greatest score in `WHOLE`.
const MOST: f32 = 3.0;

pub(super) fn net_shape() -> NetShape {
    let slots = (2 * MOVES + LEAVING + 2 * LEAVING) as usize;
    NetShape {
        views: 2,
        slots_each: 3,
        over_own: true,
        correction: MEN,
        ..NetShape::of_boards("chess-2".to_owned(), MEN + THREATS + FACTS, slots)
    }
}

/// A player's view of the board.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Sight {
    us: Color,
    mirrored: bool,
}

impl Sight {
    pub(super) fn of(board: &Board, us: Color) -> Sight {
        let king = board.king_of(us).expect("a king");
        Sight { us, mirrored: king.file().to_u32() < 4 }
    }

    /// The input of a man: pawns, knights, bishops, rooks, queens and king of this player, then the other's, each by square.
    pub(super) fn man(self, color: Color, role: Role, square: Square) -> usize {
        let side = if color == self.us { 0 } else { 6 };
        (side + role as usize - 1) * 64 + self.square(square).to_usize()
    }

    fn men(self, men: Bitboard) -> Bitboard {
        let men = if self.us.is_white() { men } else { men.flip_vertical() };
        if self.mirrored { men.flip_horizontal() } else { men }
    }

    fn square(self, square: Square) -> Square {
        let square = if self.us.is_white() { square } else { square.flip_vertical() };
        if self.mirrored { square.flip_horizontal() } else { square }
    }
}

/// The squares that the men of a player attack.
#[derive(Clone, Copy)]
struct Reach {
    all: Bitboard,
    /// For each role, the squares that men of less worth attack.
    by_lesser: [Bitboard; 7],
}

impl Reach {
    fn of(board: &Board, color: Color) -> Reach {
        let (own, occupied) = (board.by_color(color), board.occupied());
        let by_pawns = pawn_attacks(board.pawns() & own, color);
        let each = |men: Bitboard, attacks: fn(Square, Bitboard) -> Bitboard| {
            (men & own).into_iter().fold(Bitboard::EMPTY, |all, square| all | attacks(square, occupied))
        };
        let by_minors = each(board.knights(), |square, _| attacks::knight_attacks(square))
            | each(board.bishops(), attacks::bishop_attacks);
        let by_rooks = each(board.rooks(), attacks::rook_attacks);
        let by_queens = each(board.queens(), attacks::queen_attacks);
        let by_king = each(board.kings(), |square, _| attacks::king_attacks(square));
        let (below_rook, below_queen) = (by_pawns | by_minors, by_pawns | by_minors | by_rooks);
        Reach {
            all: below_queen | by_queens | by_king,
            by_lesser: [Bitboard::EMPTY, Bitboard::EMPTY, by_pawns, by_pawns, below_rook, below_queen, Bitboard::EMPTY],
        }
    }
}

/// An input of 1 for each man, as `us` sees the board: pawns, knights, bishops, rooks, queens, king, then the other's; the
/// same for men under each kind of threat; then the facts that are not 0.
pub(super) fn inputs(chess: &Chess, us: Color, out: &mut Vec<Input>) {
    let board = chess.board();
    let sight = Sight::of(board, us);
    let reach = [us, us.other()].map(|color| Reach::of(board, color));
    out.clear();
    let mut add = |block: usize, threatened: &dyn Fn(usize, Role) -> Bitboard| {
        let sides = [us, us.other()].into_iter().enumerate();
        let kinds = sides.flat_map(|(side, color)| Role::ALL.map(|role| (side, role, role.of(color))));
        for (first, (side, role, piece)) in ((block * MEN) as u32..).step_by(64).zip(kinds) {
            let men = sight.men(board.by_piece(piece) & threatened(side, role));
            out.extend(men.into_iter().map(|square| Input { index: first + square.to_u32(), value: 1.0 }));
        }
    };
    add(0, &|_, _| Bitboard::FULL);
    add(1, &|side, _| reach[1 - side].all);
    add(2, &|side, _| reach[1 - side].all & !reach[side].all);
    add(3, &|side, role| reach[1 - side].by_lesser[role as usize]);
    let for_us = if chess.turn() == us { 1.0 } else { -1.0 };
    let score = for_us * score(chess) as f32;
    let may = |color: Color, king_side: bool| {
        let side = CastlingSide::from_king_side(king_side != sight.mirrored);
        f32::from(u8::from(chess.castles().has(color, side)))
    };
    let part = |squares: Bitboard, whole: usize| squares.count() as f32 / whole as f32;
    let ring = |color: Color| attacks::king_attacks(board.king_of(color).expect("a king"));
    let facts: [f32; FACTS] = [
        (score / HALF).tanh(),
        (score / WHOLE).clamp(-MOST, MOST),
        phase(board) as f32 / MIDDLE_GAME as f32,
        may(us, true),
        may(us, false),
        may(us.other(), true),
        may(us.other(), false),
        chess.halfmoves().min(FIFTY_MOVES) as f32 / FIFTY_MOVES as f32,
        part(reach[0].all, 64),
        part(reach[1].all, 64),
        part(reach[0].all & ring(us.other()), 8),
        part(reach[1].all & ring(us), 8),
    ];
    let numbered = ((MEN + THREATS) as u32..).zip(facts).filter(|&(_, value)| value != 0.0);
    out.extend(numbered.map(|(index, value)| Input { index, value }));
}

/// The places of a move of `us` in the policy: the move's, the man's on the square that it leaves, and on the one where it
/// arrives. Moves that lose an exchange have others than those that do not.
pub(super) fn slots(board: &Board, us: Color, m: Move) -> [u32; 3] {
    let sight = Sight::of(board, us);
    let (from, to) = (sight.square(m.from().expect("no drops in chess")), sight.square(m.to()));
    let place = match m.promotion() {
        None | Some(Role::Queen) => from.to_u32() * 64 + to.to_u32(),
        Some(role) => {
            let direction = to.file().to_u32() + 1 - from.file().to_u32();
            STEPS + (role as u32 - Role::Knight as u32) * 24 + from.file().to_u32() * 3 + direction
        }
    };
    let loses = !m.is_castle() && m.role() != Role::King && !holds(board, us, m);
    let man = (m.role() as u32 - 1) * 64;
    let loses = u32::from(loses);
    [place + loses * MOVES, 2 * MOVES + man + from.to_u32(), 2 * MOVES + LEAVING + loses * LEAVING + man + to.to_u32()]
}

#[cfg(test)]
mod tests {
    use crate::{Game, Input, Judged, Params, Player, chess::Chess};

    fn chess() -> Chess {
        Chess::new(&Params::default()).expect("standard chess")
    }

    fn seen(fen: &str, view: u8) -> (Vec<(u32, f32)>, Judged) {
        let (game, mut out) = (chess(), Vec::new());
        let judged = game.inputs(&game.parse_position(fen).expect("a position"), view, &mut out).expect("it is judged");
        (out.into_iter().map(|Input { index, value }| (index, value)).collect(), judged)
    }

    fn men(fen: &str, view: u8) -> (Vec<(u32, f32)>, Judged) {
        let (mut seen, judged) = seen(fen, view);
        seen.retain(|&(index, _)| index < super::MEN as u32);
        (seen, judged)
    }

    #[test]
    fn men_are_numbered_from_the_mover_s_side() {
        let (own, judged) = men("4k3/8/8/8/8/8/P7/4K2R w - - 0 1", 0);
        assert_eq!(own, [(8, 1.0), (3 * 64 + 7, 1.0), (5 * 64 + 4, 1.0), (11 * 64 + 60, 1.0)]);
        assert_eq!(judged.player, Player::First);
        let (other, _) = men("4k3/8/8/8/8/8/P7/4K2R w - - 0 1", 1);
        assert_eq!(other, [(5 * 64 + 4, 1.0), (6 * 64 + 48, 1.0), (9 * 64 + 63, 1.0), (11 * 64 + 60, 1.0)]);
    }

    #[test]
    fn a_king_on_the_left_half_sees_the_board_mirrored() {
        assert_eq!(men("4k3/8/8/8/8/8/P7/3K3R w - - 0 1", 0).0, men("3k4/8/8/8/8/8/7P/R3K3 w - - 0 1", 0).0);
        // The other king is on the right half, and sees the board as it is.
        let other = "4k3/8/8/8/8/8/P7/3K3R w - - 0 1";
        assert_eq!(men(other, 1).0[0], (5 * 64 + 4, 1.0), "{other}");
    }

    #[test]
    fn facts_are_the_score_the_phase_castling_and_the_clock() {
        let first = (super::MEN + super::THREATS) as u32;
        let facts = |fen: &str, view: u8| -> Vec<(u32, f32)> {
            seen(fen, view).0.into_iter().filter(|&(index, _)| index >= first).collect()
        };
        let (own, other) =
            (facts("r3k3/8/8/8/8/8/8/4K2R w Kq - 50 60", 0), facts("r3k3/8/8/8/8/8/8/4K2R w Kq - 50 60", 1));
        assert_eq!(own[2..6], [(first + 2, 4.0 / 24.0), (first + 3, 1.0), (first + 6, 1.0), (first + 7, 0.5)]);
        assert_eq!(other[2..6], [(first + 2, 4.0 / 24.0), (first + 4, 1.0), (first + 5, 1.0), (first + 7, 0.5)]);
        // White's rook reaches 10 squares, own men included, and its king 5, one of them the same; neither is near a king.
        assert_eq!(own[6..], [(first + 8, 14.0 / 64.0), (first + 9, 15.0 / 64.0)]);
        assert_eq!(other[6..], [(first + 8, 15.0 / 64.0), (first + 9, 14.0 / 64.0)]);
        assert!(own[0].1 > 0.0 && own[0].1 == -other[0].1 && own[1].1 == -other[1].1);
    }

    #[test]
    fn threats_are_attacks_loose_men_and_attacks_by_lesser_ones() {
        // The pawn attacks the knight, which the rook guards; the bishop on a8 has no guard against the rook.
        let (all, _) = seen("b3k3/8/8/3p4/R3N3/8/8/4K3 w - - 0 1", 0);
        let block = |number: usize| -> Vec<usize> {
            let places = all.iter().map(|&(index, _)| index as usize);
            places.filter(|index| index / super::MEN == number).map(|index| index % super::MEN).collect()
        };
        let (knight, bishop) = (64 + 28, 6 * 64 + 2 * 64 + 56);
        assert_eq!(block(1), [knight, bishop]);
        assert_eq!(block(2), [bishop]);
        assert_eq!(block(3), [knight]);
    }

    #[test]
    fn black_sees_what_white_sees_in_the_mirror() {
        let white = "r1bq1rk1/pp2bppp/2n2n2/3p4/3P4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";
        let black = "r1bq1rk1/pp2bppp/2n2n2/3p4/3P4/2N2N2/PP2BPPP/R1BQ1RK1 b - - 0 9";
        for view in [0, 1] {
            assert_eq!(seen(white, view).0, seen(black, view).0, "the position is its own mirror image");
        }
        assert_eq!(seen(black, 0).1.player, Player::Second);
    }

    #[test]
    fn each_legal_move_has_a_slot_of_its_own_and_mirrored_moves_share_it() {
        let slots = |fen: &str| {
            let game = chess();
            let (p, mut actions) = (game.parse_position(fen).expect("a position"), Vec::new());
            game.actions(&p, &mut actions);
            let mut each = Vec::new();
            actions.iter().for_each(|&a| game.slots(&p, a, &mut each));
            let shape = game.net_shape().expect("it has nets");
            assert_eq!(each.len(), shape.slots_each * actions.len());
            assert!(each.iter().all(|&slot| (slot as usize) < shape.slots));
            let mut slots: Vec<u32> = each.iter().step_by(shape.slots_each).copied().collect();
            slots.sort_unstable();
            let all = slots.len();
            slots.dedup();
            assert_eq!(slots.len(), all, "{fen}");
            each.sort_unstable();
            each
        };
        let white = "1n2k2r/P1P5/8/8/8/8/8/R3K2R w KQk - 0 1";
        let black = "r3k2r/8/8/8/8/8/p1p5/1N2K2R b Kkq - 0 1";
        assert_eq!(slots(white), slots(black));
        assert_eq!(slots("4k3/8/8/8/8/8/P7/3K3R w - - 0 1"), slots("3k4/8/8/8/8/8/7P/R3K3 w - - 0 1"));
        slots("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    }

    #[test]
    fn moves_that_lose_an_exchange_have_slots_of_their_own() {
        let game = chess();
        let p = game.parse_position("4k3/8/3p4/4p3/8/5N2/8/4K3 w - - 0 1").expect("a position");
        let loses = |text: &str| {
            let mut slots = Vec::new();
            game.slots(&p, game.parse_action(&p, text).expect("a move"), &mut slots);
            slots[0] >= super::MOVES
        };
        assert!(loses("f3e5"), "a pawn guards the pawn");
        assert!(!loses("f3g5") && !loses("e1e2"));
    }
}
