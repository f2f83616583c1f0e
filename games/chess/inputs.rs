//! Inputs of nets, and the places of moves in their policies. Both see the board from the mover's side.

use shakmaty::{Board, Color, Role, Square};

use super::promotion;
use crate::{Action, Input, NetShape};

/// Inputs of one point of view: 6 kinds of men on 64 squares, own and other.
const INPUTS: usize = 2 * 6 * 64;
/// Moves from a square to a square; a promotion to a queen is one of them.
const STEPS: u32 = 64 * 64;
/// Promotions to other pieces: 3 pieces, 8 files, 3 directions.
const PROMOTIONS: u32 = 3 * 8 * 3;

pub(super) fn net_shape() -> NetShape {
    NetShape { views: 2, ..NetShape::of_boards("chess-1".to_owned(), INPUTS, (STEPS + PROMOTIONS) as usize) }
}

/// An input of 1 for each man, as `us` sees the board: pawns, knights, bishops, rooks, queens, king, then the other's.
pub(super) fn inputs(board: &Board, us: Color, out: &mut Vec<Input>) {
    out.clear();
    for (first, color) in [(0, us), (6 * 64, us.other())] {
        for (first, role) in (first..).step_by(64).zip(Role::ALL) {
            let men = board.by_piece(role.of(color));
            let seen = if us.is_white() { men } else { men.flip_vertical() };
            out.extend(seen.into_iter().map(|square| Input { index: first + square.to_u32(), value: 1.0 }));
        }
    }
}

/// The place of a move in the policy.
pub(super) fn slot(us: Color, a: Action) -> u32 {
    let seen = |square: u32| {
        let square = Square::new(square & 63);
        if us.is_white() { square } else { square.flip_vertical() }
    };
    let (from, to) = (seen(a), seen(a >> 6));
    match Role::ALL.get(promotion(a)) {
        None | Some(Role::Queen) => from.to_u32() * 64 + to.to_u32(),
        Some(&role) => {
            let direction = to.file().to_u32() + 1 - from.file().to_u32();
            STEPS + (role as u32 - Role::Knight as u32) * 24 + from.file().to_u32() * 3 + direction
        }
    }
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

    #[test]
    fn men_are_numbered_from_the_mover_s_side() {
        let (men, judged) = seen("4k3/8/8/8/8/8/P7/4K2R w - - 0 1", 0);
        assert_eq!(men, [(8, 1.0), (3 * 64 + 7, 1.0), (5 * 64 + 4, 1.0), (11 * 64 + 60, 1.0)]);
        assert_eq!(judged.player, Player::First);
        let (men, _) = seen("4k3/8/8/8/8/8/P7/4K2R w - - 0 1", 1);
        assert_eq!(men, [(5 * 64 + 4, 1.0), (6 * 64 + 48, 1.0), (9 * 64 + 63, 1.0), (11 * 64 + 60, 1.0)]);
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
            let mut slots: Vec<u32> = actions.iter().map(|&a| game.slot(&p, a)).collect();
            slots.sort_unstable();
            let all = slots.len();
            slots.dedup();
            assert_eq!(slots.len(), all, "{fen}");
            let most = game.net_shape().expect("it has nets").slots as u32;
            assert!(slots.iter().all(|&slot| slot < most));
            slots
        };
        let white = "1n2k2r/P1P5/8/8/8/8/8/R3K2R w KQk - 0 1";
        let black = "r3k2r/8/8/8/8/8/p1p5/1N2K2R b Kkq - 0 1";
        assert_eq!(slots(white), slots(black));
        slots("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    }
}
