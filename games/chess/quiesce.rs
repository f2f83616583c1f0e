//! The search over captures that makes a static evaluation safe to use.

use std::{cell::RefCell, sync::Arc};

use shakmaty::{Bitboard, Board, Chess, Color, Move, MoveList, Position as _, Rank, Role, Square, attacks};

use super::{
    Position,
    correction::{Correction, Judge},
    eval::{pawn_attacks, value},
    exchange::{WORTH, gain, holds},
};

pub const MATE: i32 = 10_000;
/// Captures that leave the score this far below what is asked for, even so, are not looked at.
const MARGIN: i32 = 200;
/// Plies of captures and of evasions of checks.
const DEPTH: usize = 6;

/// The moves of a search, from the first to the last.
#[derive(Clone, Copy, Default)]
pub struct Line {
    moves: [Option<Move>; DEPTH],
}

/// Takes note of the moves of a search, or does not.
pub trait Trail: Default {
    fn begin_with(&mut self, first: Move, rest: &Self);
}

impl Trail for () {
    fn begin_with(&mut self, _: Move, (): &()) {}
}

impl Trail for Line {
    fn begin_with(&mut self, first: Move, rest: &Line) {
        self.moves[0] = Some(first);
        self.moves[1..].copy_from_slice(&rest.moves[..DEPTH - 1]);
    }
}

impl Line {
    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.moves.iter().map_while(|&m| m)
    }
}

/// H(s) after a search of captures: the best that either player can reach by them, with the net's correction. A check is met
/// by any move.
pub fn quiesce(p: &Position, net: Option<&Arc<Correction>>) -> f32 {
    let window = [-MATE, MATE];
    let score = match net {
        Some(net) => with_judge(net, |judge| search(&p.chess, window, 0, judge, &mut ())),
        None => search(&p.chess, window, 0, &mut by_hand(), &mut ()),
    };
    value(p, score)
}

/// Runs with the sums that this thread keeps for a net.
fn with_judge<T>(net: &Arc<Correction>, run: impl FnOnce(&mut Judge) -> T) -> T {
    thread_local! {
        static JUDGE: RefCell<Option<Judge>> = const { RefCell::new(None) };
    }
    JUDGE.with_borrow_mut(|held| {
        let known = held.take().filter(|judge| judge.is_of(net));
        run(held.insert(known.unwrap_or_else(|| Judge::new(Some(net), DEPTH))))
    })
}

/// The evaluation without a net, of any line.
pub fn by_hand() -> Judge {
    Judge::new(None, 0)
}

/// The captures and evasions that `quiesce` expects by hand.
pub fn settling(chess: &Chess) -> Line {
    let mut line = Line::default();
    search(chess, [-MATE, MATE], 0, &mut by_hand(), &mut line);
    line
}

/// The best of the static score and what captures and promotions to queens that hold their ground lead to, in
/// centipawns for the player to move; a check is met by any move. `plies` of them were made before. Exact in the window,
/// and then `trail`, empty before, has the moves to it.
pub fn search<T: Trail>(
    chess: &Chess,
    [mut alpha, beta]: [i32; 2],
    plies: usize,
    judge: &mut Judge,
    trail: &mut T,
) -> i32 {
    let check = chess.is_check();
    let mut best = if check && plies < DEPTH { -MATE } else { judge.score(chess, plies) };
    if best >= beta || plies == DEPTH {
        return best;
    }
    alpha = alpha.max(best);
    let mut moves = if check { chess.legal_moves() } else { captures(chess, alpha - best - MARGIN) };
    sort(&mut moves);
    for &m in &moves {
        if !check && !holds(chess.board(), chess.turn(), m) {
            continue;
        }
        let mut next = chess.clone();
        next.play_unchecked(m);
        let mut rest = T::default();
        let found = -search(&next, [-beta, -alpha], plies + 1, judge, &mut rest);
        if found > best {
            best = found;
            trail.begin_with(m, &rest);
        }
        if best >= beta {
            break;
        }
        alpha = alpha.max(best);
    }
    best
}

/// Most valuable victim first, least valuable attacker first among equals.
pub fn sort(moves: &mut MoveList) {
    moves.sort_unstable_by_key(|&m| WORTH[m.role() as usize] - 16 * gain(m));
}

/// The legal captures and promotions to queens that win more than `floor` before they are answered. The player to move
/// is not in check.
pub fn captures(chess: &Chess, floor: i32) -> MoveList {
    let (board, us) = (chess.board(), chess.turn());
    let (ours, occupied) = (board.by_color(us), board.occupied());
    let mut moves = MoveList::new();
    let targets = Role::ALL[..5].iter().filter(|&&role| WORTH[role as usize] > floor);
    let targets = targets.fold(Bitboard::EMPTY, |all, &role| all | board.by_role(role)) & board.by_color(!us);
    let mut add = |role: Role, from: Square, to: Square, promotion: Option<Role>| {
        let m = Move::Normal { role, from, capture: board.role_at(to), to, promotion };
        moves.push(m);
    };

    let pawns = board.pawns() & ours;
    let last = Bitboard::from_rank(us.relative_rank(Rank::Eighth));
    for from in pawns & pawn_attacks(targets & !last, !us) {
        for to in attacks::pawn_attacks(us, from) & targets {
            add(Role::Pawn, from, to, None);
        }
    }
    for from in pawns & Bitboard::from_rank(us.relative_rank(Rank::Seventh)) {
        let ahead = Bitboard::from(from).shift(us.fold_wb(8, -8)) & !occupied;
        for to in ahead | attacks::pawn_attacks(us, from) & board.by_color(!us) {
            add(Role::Pawn, from, to, Some(Role::Queen));
        }
    }
    for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        for from in board.by_role(role) & ours {
            for to in attacks::attacks(from, role.of(us), occupied) & targets {
                add(role, from, to, None);
            }
        }
    }
    let king = board.king_of(us).expect("a king");
    for to in attacks::king_attacks(king) & targets {
        if board.attacks_to(to, !us, occupied).is_empty() {
            add(Role::King, king, to, None);
        }
    }
    if !moves.is_empty() {
        let pinned = alone(board, king, !us);
        if (pinned & ours).any() {
            moves
                .retain(|m| m.from().is_none_or(|from| !pinned.contains(from) || attacks::aligned(from, m.to(), king)));
        }
    }
    if floor < WORTH[Role::Pawn as usize] && chess.maybe_ep_square().is_some() {
        moves.extend(chess.en_passant_moves());
    }
    moves
}

/// The pieces of either colour that stand alone between a king and a slider of `attacker`.
pub fn alone(board: &Board, king: Square, attacker: Color) -> Bitboard {
    let snipers = attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens()
        | attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    (snipers & board.by_color(attacker))
        .into_iter()
        .map(|sniper| attacks::between(king, sniper) & board.occupied())
        .filter(|pieces| !pieces.more_than_one())
        .fold(Bitboard::EMPTY, |all, pieces| all | pieces)
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::{
        super::{fen, inputs::MEN},
        *,
    };

    fn quiet_value(text: &str, net: Option<&Arc<Correction>>) -> f32 {
        quiesce(&Position::new(fen::read(text, CastlingMode::Standard).unwrap()), net)
    }

    #[test]
    fn a_capture_that_the_net_dislikes_is_not_made() {
        // Black's knights on White's d5 cost two pieces: the sum of a point of view is 1 with one there, else 0.
        let mut first = vec![0.0; MEN];
        let d5 = 35;
        first[64 + d5] = 1.0;
        let net = Arc::new(Correction::new((&first, &[0.0]), (&[-2.0, 2.0], &[0.0])).unwrap());
        // The knight would take a pawn.
        let (before, after) = ("6k1/8/8/3p4/8/2N5/P7/6K1 w - - 0 1", "6k1/8/8/3N4/8/8/P7/6K1 b - - 0 1");
        assert_eq!(quiet_value(before, None), -quiet_value(after, None));
        assert!(quiet_value(before, Some(&net)) > -quiet_value(after, Some(&net)));
        assert!(quiet_value(before, Some(&net)) < quiet_value(before, None));
        // Another net, and none, are told apart.
        let other = Arc::new(Correction::new((&first, &[0.0]), (&[0.0, 0.0], &[0.1])).unwrap());
        let values = [Some(&net), Some(&other), None, Some(&net)].map(|net| quiet_value(before, net));
        assert_eq!(values[0], values[3]);
        assert!(values[0] < values[1] && values[1] < values[2], "{values:?}");
    }
}
