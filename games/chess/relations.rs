//! Relations between squares and moves that patterns ask for, and the men that they name.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Piece, Position as _, Role, Square, attacks};

use super::exchange::{WORTH, exchange, recaptures, victim};

/// The relations, in the order of their numbers. `books/macros/words.py` has their forms.
pub const NAMES: [&str; 17] = [
    "moves", "pawn", "knight", "bishop", "rook", "queen", "king", "attacked", "defended", "pinned", "safe", "wins",
    "checks", "forces", "mates", "quiet", "stays",
];
const MOVES: u8 = 0;
const KING: u8 = 6;
const ATTACKED: u8 = 7;
const DEFENDED: u8 = 8;
const PINNED: u8 = 9;
const SAFE: u8 = 10;
const WINS: u8 = 11;
const CHECKS: u8 = 12;
const FORCES: u8 = 13;
const MATES: u8 = 14;
const QUIET: u8 = 15;
const STAYS: u8 = 16;

/// Kinds of men: our roles from bit 0 on, the opponent's from this bit on.
const THEIRS: u32 = 6;
const OURS: u32 = (1 << THEIRS) - 1;

/// The squares with men of these kinds, as `we` calls them.
pub fn men_of(board: &Board, we: Color, kinds: u32) -> u64 {
    let side = |color: Color, mut kinds: u32| {
        let mut men = Bitboard::EMPTY;
        while kinds != 0 {
            men |= board.by_role(Role::ALL[kinds.trailing_zeros() as usize]);
            kinds &= kinds - 1;
        }
        men & board.by_color(color)
    };
    (side(we, kinds & OURS) | side(!we, kinds >> THEIRS & OURS)).0
}

/// The legal move of the man on `from` to `to` that is not castling; a pawn that promotes becomes
/// `promotion`, the number of a role, or a queen where that is 0.
pub fn legal(chess: &Chess, from: u32, to: u32, promotion: u8) -> Option<Move> {
    let (board, from, to) = (chess.board(), Square::new(from), Square::new(to));
    let role = board.role_at(from).filter(|_| chess.us().contains(from) && !chess.us().contains(to))?;
    let wanted = if promotion == 0 { Role::Queen } else { Role::ALL[usize::from(promotion) - 1] };
    if !reach(chess, from).contains(to) {
        return None;
    }
    let fits = |m: &&Move| m.from() == Some(from) && m.promotion().map_or(promotion == 0, |role| role == wanted);
    chess.san_candidates(role, to).iter().find(fits).copied()
}

/// The squares to which the man on `from` can go, but for pins, checks and castling.
fn reach(chess: &Chess, from: Square) -> Bitboard {
    let (board, occupied) = (chess.board(), chess.board().occupied());
    let Some(Piece { role, color }) = board.piece_at(from) else { return Bitboard::EMPTY };
    if role != Role::Pawn {
        return attacks::attacks(from, role.of(color), occupied) & !board.by_color(color);
    }
    let onward = color.fold_wb(8, -8);
    let step = Bitboard::from_square(from).shift(onward) & !occupied;
    let second = color.fold_wb(0xff_0000, 0xff00_0000_0000);
    let leap = (step & Bitboard(second)).shift(onward) & !occupied;
    let passing = chess.legal_ep_square().map_or(Bitboard::EMPTY, Bitboard::from_square);
    step | leap | attacks::pawn_attacks(color, from) & (board.by_color(!color) | passing)
}

/// As `Game::related`.
pub fn related(chess: &Chess, relation: u8, others: &[u32], last: u64) -> u64 {
    let last = Bitboard(last);
    let found = match (relation, others) {
        (MOVES, &[from]) => reach(chess, Square::new(from)) & last,
        (1..=KING, &[from]) => sight(chess, relation, from, chess.board().occupied()) & last,
        (1..=KING, &[from, before]) => {
            let (occupied, before) = (chess.board().occupied(), Square::new(before));
            let seen = sight(chess, relation, from, occupied);
            if !seen.contains(before) {
                return 0;
            }
            sight(chess, relation, from, occupied.without(before)) & !seen & last
        }
        (ATTACKED | DEFENDED, &[]) => last.into_iter().filter(|&square| is_guarded(chess, relation, square)).collect(),
        (QUIET, &[]) if !is_quiet(chess) => Bitboard::EMPTY,
        (QUIET, &[]) => last,
        (PINNED, &[]) => last.into_iter().filter(|&square| is_pinned(chess.board(), square)).collect(),
        (_, &[from]) => last.into_iter().filter(|&to| is_so(chess, relation, from, to.to_u32())).collect(),
        _ => Bitboard::EMPTY,
    };
    found.0
}

/// The squares that the man of a relation would attack from `from`; pawns are those of the player to move.
fn sight(chess: &Chess, relation: u8, from: u32, occupied: Bitboard) -> Bitboard {
    let man = Role::ALL[usize::from(relation) - 1].of(chess.turn());
    attacks::attacks(Square::new(from), man, occupied)
}

/// Whether the square is attacked by the side that does not have it, or defended by the one that does. An empty one is ours.
fn is_guarded(chess: &Chess, relation: u8, square: Square) -> bool {
    let owner = chess.board().color_at(square).unwrap_or(chess.turn());
    let by = if relation == ATTACKED { !owner } else { owner };
    chess.board().attacks_to(square, by, chess.board().occupied()).any()
}

/// Whether the man on a square stands alone between its king and an attacker.
fn is_pinned(board: &Board, square: Square) -> bool {
    let Some(color) = board.color_at(square) else { return false };
    let Some(king) = board.king_of(color) else { return false };
    let straight = attacks::rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let diagonal = attacks::bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();
    let between = |from: Square| attacks::between(king, from) & board.occupied();
    ((straight | diagonal) & board.by_color(!color))
        .into_iter()
        .any(|from| between(from) == Bitboard::from_square(square))
}

/// Whether neither side wins anything by exchanges on the square of one man.
fn is_quiet(chess: &Chess) -> bool {
    let board = chess.board();
    let wins = |square: Square| {
        let Some(Piece { role, color }) = board.piece_at(square) else { return false };
        recaptures(board, !color, square, board.occupied(), WORTH[role as usize]) > 0
    };
    !(board.occupied() & !board.kings()).into_iter().any(wins)
}

/// Whether a move of the player to move is legal and does what the relation says.
fn is_so(chess: &Chess, relation: u8, from: u32, to: u32) -> bool {
    let Some(m) = legal(chess, from, to, 0) else { return false };
    let after = || {
        let mut after = chess.clone();
        after.play_unchecked(m);
        after
    };
    match relation {
        SAFE => exchange(chess.board(), chess.turn(), m) >= 0,
        WINS => exchange(chess.board(), chess.turn(), m) > 0,
        STAYS => after().legal_moves().iter().all(|&reply| victim(reply) != m.to()),
        CHECKS => after().is_check(),
        FORCES => after().legal_moves().len() == 1,
        MATES => after().is_checkmate(),
        _ => false,
    }
}
