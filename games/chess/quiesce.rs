//! The search over captures that makes a static evaluation safe to use.

use shakmaty::{Bitboard, Board, Chess, Color, Move, MoveList, Position as _, Rank, Role, Square, attacks};

use super::{
    Position,
    eval::{pawn_attacks, score, value},
    exchange::{WORTH, gain, holds},
};

pub const MATE: i32 = 10_000;
/// Captures that leave the score this far below what is asked for, even so, are not looked at.
const MARGIN: i32 = 200;
/// Plies of captures and of evasions of checks.
pub const DEPTH: u32 = 6;

/// The moves of a search, from the first to the last.
#[derive(Clone, Copy, Default)]
pub struct Line {
    moves: [Option<Move>; DEPTH as usize],
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
        self.moves[1..].copy_from_slice(&rest.moves[..DEPTH as usize - 1]);
    }
}

impl Line {
    pub fn moves(&self) -> impl Iterator<Item = Move> {
        self.moves.iter().map_while(|&m| m)
    }
}

/// H(s) after a search of captures: the best that either player can reach by them. A check is met by any move.
pub fn quiesce(p: &Position) -> f32 {
    value(p, search(&p.chess, -MATE, MATE, DEPTH, &mut ()))
}

/// The captures and evasions that `quiesce` expects.
pub fn settling(chess: &Chess) -> Line {
    let mut line = Line::default();
    search(chess, -MATE, MATE, DEPTH, &mut line);
    line
}

/// The best of the static score and what captures and promotions to queens that hold their ground lead to, in
/// centipawns for the player to move; a check is met by any move. Exact between `alpha` and `beta`, and then `trail`, empty
/// before, has the moves to it.
pub fn search<T: Trail>(chess: &Chess, mut alpha: i32, beta: i32, depth: u32, trail: &mut T) -> i32 {
    let check = chess.is_check();
    let mut best = if check && depth > 0 { -MATE } else { score(chess) };
    if best >= beta || depth == 0 {
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
        let found = -search(&next, -beta, -alpha, depth - 1, &mut rest);
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
