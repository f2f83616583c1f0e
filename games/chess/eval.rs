//! A static evaluation by hand.
//!
//! Weights are in centipawns, one for the middle game and one for the endgame, blended by the pieces on the board. Their
//! sizes are a least-squares fit, then rounded, to what Stockfish 15.1 at depth 7 says of 40,000 quiet positions, taken
//! from master games with some random moves added; those of chains of pawns, outposts and the kings of passed pawns to the
//! positions that `threats.rs` names.

use shakmaty::{Bitboard, Board, Chess, Color, File, Position as _, Role, Square, attacks};

use super::{
    FIFTY_MOVES, Position,
    endings::{only_two_knights, progress},
    phase_weight::PhaseWeight,
    threats::{Reach, threats},
};

/// By role, like all tables here; the first entry is unused.
const MATERIAL: [PhaseWeight; 7] = [
    PhaseWeight::new(0, 0),
    PhaseWeight::new(95, 150),
    PhaseWeight::new(355, 385),
    PhaseWeight::new(365, 400),
    PhaseWeight::new(475, 720),
    PhaseWeight::new(1070, 1100),
    PhaseWeight::new(0, 0),
];
/// Weights from the own first rank to the eighth.
const RANKS: [[(i32, i32); 8]; 7] = [
    [(0, 0); 8],
    [(0, 0), (-30, -20), (-30, -20), (0, -20), (5, 0), (20, 15), (40, 85), (0, 0)],
    [(-40, -25), (-20, 0), (-10, 0), (0, 25), (5, 35), (45, 15), (30, 10), (5, 5)],
    [(-10, 0), (-5, 0), (5, 20), (5, 20), (0, 20), (20, 15), (0, 10), (-5, -20)],
    [(-10, -5), (-35, 5), (-10, 0), (-10, 20), (25, 30), (10, 40), (0, 45), (15, 20)],
    [(0, -15), (10, -10), (5, 5), (-10, 30), (10, 45), (15, 35), (30, 15), (5, 10)],
    [(20, -80), (-10, -40), (-45, -10), (-20, 0), (0, 25), (0, 50), (0, 35), (0, 20)],
];
/// The a- and h-file, the b- and g-file, and so on.
const FILES: [[(i32, i32); 4]; 7] = [
    [(0, 0); 4],
    [(-10, 10), (5, 20), (10, 10), (25, 0)],
    [(-20, 5), (5, 10), (15, 25), (20, 25)],
    [(10, 0), (15, 10), (-10, 30), (0, 30)],
    [(-10, 0), (-5, 0), (-5, 0), (20, -5)],
    [(0, 0), (0, 0), (0, 0), (0, 0)],
    [(10, -30), (30, -5), (-20, 15), (-30, 15)],
];
/// For each square that a piece attacks and the enemy's pawns do not.
const MOBILITY: [PhaseWeight; 7] = [
    PhaseWeight::new(0, 0),
    PhaseWeight::new(0, 0),
    PhaseWeight::new(9, 11),
    PhaseWeight::new(9, 6),
    PhaseWeight::new(4, 7),
    PhaseWeight::new(0, 20),
    PhaseWeight::new(0, 0),
];
/// For each of those around the enemy king.
const KING_RING: PhaseWeight = PhaseWeight::new(23, -5);
/// For each own pawn one or two ranks before the king, on its file or next to it.
const SHIELD: PhaseWeight = PhaseWeight::new(34, -10);
/// By rank.
const PASSED_PAWN: [PhaseWeight; 8] = [
    PhaseWeight::new(0, 0),
    PhaseWeight::new(-10, 0),
    PhaseWeight::new(-20, 25),
    PhaseWeight::new(15, 50),
    PhaseWeight::new(10, 70),
    PhaseWeight::new(40, 120),
    PhaseWeight::new(65, 100),
    PhaseWeight::new(0, 0),
];
const DOUBLED_PAWN: PhaseWeight = PhaseWeight::new(-28, -28);
const ISOLATED_PAWN: PhaseWeight = PhaseWeight::new(-10, -12);
/// For each pawn beside another one, and for each that a pawn defends.
const PHALANX: PhaseWeight = PhaseWeight::new(30, 5);
const SUPPORTED: PhaseWeight = PhaseWeight::new(28, 0);
/// The rank from which the kings count for a passed pawn, by their distances to the square ahead of it, times the rank.
const FAR: usize = 3;
const ENEMY_KING: PhaseWeight = PhaseWeight::new(0, 3);
const OWN_KING: PhaseWeight = PhaseWeight::new(0, -1);
/// A passed pawn with a man ahead, times the rank.
const BLOCKED: PhaseWeight = PhaseWeight::new(0, -5);
/// A knight or bishop on White's fourth to sixth rank that a pawn defends.
const OUTPOST: PhaseWeight = PhaseWeight::new(0, 15);
const OUTPOSTS: u64 = 0x0000_ffff_ff00_0000;
const BISHOP_PAIR: PhaseWeight = PhaseWeight::new(55, 75);
const ROOK_ON_OPEN_FILE: PhaseWeight = PhaseWeight::new(44, 15);
const ROOK_ON_HALF_OPEN_FILE: PhaseWeight = PhaseWeight::new(28, 30);
const TEMPO: PhaseWeight = PhaseWeight::new(25, 15);

/// Without pawns, the score from which a side wins unless it makes no progress: about that of a queen against a rook.
const DECISIVE: i32 = 250;

/// Worth of a piece in the blend; at 24 and more it is the middle game.
const PHASE: [i32; 7] = [0, 0, 1, 1, 2, 4, 0];
pub const MIDDLE_GAME: i32 = 24;

/// The score at which the value is tanh(1), about 0.76.
pub const SCALE: f32 = 350.0;

/// `SQUARES[role][square]` for White.
static SQUARES: [[PhaseWeight; 64]; 7] = {
    let mut table = [[PhaseWeight::new(0, 0); 64]; 7];
    let mut i = 0;
    while i < 7 * 64 {
        let (role, square) = (i / 64, i % 64);
        let (rank, file) = (RANKS[role][square / 8], square % 8);
        let file = FILES[role][if file < 4 { file } else { 7 - file }];
        table[role][square] = MATERIAL[role].plus(PhaseWeight::new(rank.0 + file.0, rank.1 + file.1));
        i += 1;
    }
    table
};

/// The static evaluation: an estimate of the result in [-1, 1] from the point of view of the player to move. It knows
/// nothing of what can be captured next.
pub fn evaluate(p: &Position) -> f32 {
    value(p, score(&p.chess))
}

/// Turns a score into a value, the smaller the closer the draw by 50 moves is.
pub fn value(p: &Position, score: i32) -> f32 {
    let clock = p.chess.halfmoves().min(FIFTY_MOVES) as f32;
    (score as f32 * (1.0 - clock / 200.0) / SCALE).tanh()
}

/// The static score in centipawns for the player to move.
pub fn score(chess: &Chess) -> i32 {
    let (board, us) = (chess.board(), chess.turn());
    let ((own, ours), (other, theirs)) = (side(board, us), side(board, !us));
    let score = TEMPO + own - other + threats(board, us, ours, theirs) - threats(board, !us, theirs, ours);
    let phase = phase(board);
    let blend = (score.middle_game() * phase + score.endgame() * (MIDDLE_GAME - phase)) / MIDDLE_GAME;
    let ahead = if blend > 0 { us } else { !us };
    let mates = (board.pawns() | board.queens()) & board.by_color(ahead);
    if mates.is_empty() && lead(board, ahead) <= MATERIAL[Role::Bishop as usize].endgame() {
        // A minor piece more rarely wins.
        return blend / 8;
    }
    if board.pawns().is_empty() && blend.abs() >= DECISIVE {
        if only_two_knights(board, ahead) {
            return blend / 8;
        }
        return blend + if ahead == us { progress(board, ahead) } else { -progress(board, ahead) };
    }
    blend
}

/// Gain of a piece of `color` on `to` over `from`, in the middle game and in the endgame.
pub fn place(role: Role, from: Square, to: Square, color: Color) -> (i32, i32) {
    let (squares, flip) = (&SQUARES[role as usize], color.fold_wb(0, 56));
    let better = squares[to.to_usize() ^ flip] - squares[from.to_usize() ^ flip];
    (better.middle_game(), better.endgame())
}

/// Share of the middle game that is left, from `MIDDLE_GAME` down to 0.
pub fn phase(board: &Board) -> i32 {
    let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    let phase: i32 = roles.map(|role| PHASE[role as usize] * board.by_role(role).count() as i32).iter().sum();
    phase.min(MIDDLE_GAME)
}

/// Material of `color` beyond the opponent's.
fn lead(board: &Board, color: Color) -> i32 {
    let count = |color: Color, role: Role| board.by_piece(role.of(color)).count() as i32;
    Role::ALL.map(|role| MATERIAL[role as usize].endgame() * (count(color, role) - count(!color, role))).iter().sum()
}

/// Squares that count for one side's pieces.
#[derive(Clone, Copy)]
struct Sight {
    /// Turns a square to White's point of view.
    flip: usize,
    /// Squares that count for mobility.
    free: Bitboard,
    /// Squares that count around the enemy king.
    ring: Bitboard,
}

impl Sight {
    /// The worth of the pieces of one role, by where they stand and what they attack, and what that is.
    #[inline(always)]
    fn pieces(self, role: Role, pieces: Bitboard, reach: impl Fn(Square) -> Bitboard) -> (PhaseWeight, Bitboard) {
        let (mut score, mut all) = (PhaseWeight::new(0, 0), Bitboard::EMPTY);
        for square in pieces {
            let reach = reach(square);
            all |= reach;
            score = score
                + SQUARES[role as usize][square.to_usize() ^ self.flip]
                + MOBILITY[role as usize] * (reach & self.free).count()
                + KING_RING * (reach & self.ring).count();
        }
        (score, all)
    }
}

/// The worth of one side's men, and what they attack.
fn side(board: &Board, color: Color) -> (PhaseWeight, Reach) {
    let (us, occupied) = (board.by_color(color), board.occupied());
    let (pawns, enemy_pawns) = (board.pawns() & us, board.pawns() & !us);
    let flip = color.fold_wb(0, 56);
    let king = board.king_of(color).expect("a king");
    let enemy_king = board.king_of(!color).expect("a king");
    let guarded = pawn_attacks(enemy_pawns, !color);
    let sight = Sight { flip, free: !us & !guarded, ring: (attacks::king_attacks(enemy_king) | enemy_king) & !guarded };

    let (knights, by_knights) = sight.pieces(Role::Knight, board.knights() & us, attacks::knight_attacks);
    let (bishops, by_bishops) =
        sight.pieces(Role::Bishop, board.bishops() & us, |square| attacks::bishop_attacks(square, occupied));
    let (rooks, by_rooks) =
        sight.pieces(Role::Rook, board.rooks() & us, |square| attacks::rook_attacks(square, occupied));
    let (queens, by_queens) =
        sight.pieces(Role::Queen, board.queens() & us, |square| attacks::queen_attacks(square, occupied));
    let by_pawns = pawn_attacks(pawns, color);
    let reach = Reach {
        pawns: by_pawns,
        knights: by_knights,
        bishops: by_bishops,
        rooks: by_rooks,
        queens: by_queens,
        king: attacks::king_attacks(king),
    };
    let mut score = SQUARES[Role::King as usize][king.to_usize() ^ flip] + knights + bishops + rooks + queens;
    if (board.bishops() & us).more_than_one() {
        score = score + BISHOP_PAIR;
    }
    let without_pawns = board.rooks() & us & !files(pawns);
    let open = without_pawns & !files(enemy_pawns);
    score = score + ROOK_ON_OPEN_FILE * open.count() + ROOK_ON_HALF_OPEN_FILE * (without_pawns & !open).count();

    for square in pawns {
        score = score + SQUARES[Role::Pawn as usize][square.to_usize() ^ flip];
    }
    let doubled = pawns & behind(pawns, color);
    for square in pawns & !behind(pawns | enemy_pawns | beside(enemy_pawns), color) {
        let rank = (square.to_usize() ^ flip) / 8;
        score = score + PASSED_PAWN[rank];
        if rank >= FAR {
            let ahead = Square::new((square.to_u32() as i32 + color.fold_wb(8, -8)) as u32);
            let (own, other) = (king.distance(ahead) as usize, enemy_king.distance(ahead) as usize);
            score =
                score + (ENEMY_KING * other + OWN_KING * own + BLOCKED * usize::from(occupied.contains(ahead))) * rank;
        }
    }
    let isolated = pawns & !files(beside(pawns));
    let near = beside(king.into()).with(king);
    let shield = pawns & (near.shift(color.fold_wb(8, -8)) | near.shift(color.fold_wb(16, -16)));
    let outposts =
        (board.knights() | board.bishops()) & us & by_pawns & Bitboard(color.fold_wb(OUTPOSTS, OUTPOSTS >> 8));
    score = score
        + DOUBLED_PAWN * doubled.count()
        + ISOLATED_PAWN * isolated.count()
        + SHIELD * shield.count()
        + PHALANX * (pawns & beside(pawns)).count()
        + SUPPORTED * (pawns & by_pawns).count()
        + OUTPOST * outposts.count();
    (score, reach)
}

/// The squares that pawns attack.
pub fn pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    beside(pawns).shift(color.fold_wb(8, -8))
}

/// The neighbours on the same rank.
fn beside(squares: Bitboard) -> Bitboard {
    (squares & !Bitboard::from_file(File::A)).shift(-1) | (squares & !Bitboard::from_file(File::H)).shift(1)
}

/// The squares from which `color` looks at one of `squares` on its file, ahead.
fn behind(squares: Bitboard, color: Color) -> Bitboard {
    let step = color.fold_wb(-8, 8);
    let mut behind = squares.shift(step);
    behind |= behind.shift(step);
    behind |= behind.shift(2 * step);
    behind | behind.shift(4 * step)
}

/// All squares of the files with one of `squares`.
fn files(squares: Bitboard) -> Bitboard {
    squares | behind(squares, Color::White) | behind(squares, Color::Black)
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Setup};

    use super::super::{
        fen,
        quiesce::{MATE, by_hand, quiesce, search},
    };
    use super::*;

    fn chess(fen: &str) -> Chess {
        fen::read(fen, CastlingMode::Standard).unwrap()
    }

    fn position(fen: &str) -> Position {
        Position::new(chess(fen))
    }

    const FENS: [&str; 4] = [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "4k3/8/8/3q4/8/2N5/8/4K3 b - - 0 1",
    ];

    #[test]
    fn the_start_is_worth_the_move() {
        assert_eq!(score(&Chess::default()), TEMPO.middle_game());
    }

    #[test]
    fn colours_do_not_matter() {
        for fen in FENS {
            let setup: Setup = chess(fen).to_setup(shakmaty::EnPassantMode::Always);
            let mirrored: Chess = setup.into_mirrored().position(CastlingMode::Standard).unwrap();
            let (p, mirrored) = (position(fen), Position::new(mirrored));
            assert_eq!((evaluate(&p), quiesce(&p, None)), (evaluate(&mirrored), quiesce(&mirrored, None)), "{fen}");
        }
    }

    #[test]
    fn what_hangs_is_taken_and_what_is_guarded_is_left() {
        let hangs = position("4k3/7p/8/3q4/8/2N5/7P/4K3 w - - 0 1");
        assert!(evaluate(&hangs) < -0.7 && quiesce(&hangs, None) > 0.0);
        let guarded = position("4k3/2p5/3p4/8/3Q4/8/8/4K3 w - - 0 1");
        assert_eq!(quiesce(&guarded, None), evaluate(&guarded));
    }

    #[test]
    fn checks_are_answered() {
        let mated = position("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
        assert_eq!(quiesce(&mated, None), -1.0);
        let saved = position("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1");
        assert_eq!(
            quiesce(&saved, None),
            value(&saved, search(&saved.chess, [-MATE, MATE], 5, &mut by_hand(), &mut ()))
        );
        assert!(evaluate(&saved) < -0.9 && quiesce(&saved, None).abs() < 0.1);
    }

    #[test]
    fn a_lone_minor_piece_and_a_late_clock_promise_little() {
        assert!(evaluate(&position("4k3/4r3/8/8/8/8/4B3/R3K3 w - - 0 1")) < 0.3);
        let (fresh, late) =
            (position("4k3/8/8/8/8/8/4P3/4K2R w - - 0 1"), position("4k3/8/8/8/8/8/4P3/4K2R w - - 90 99"));
        assert!(0.0 < evaluate(&late) && evaluate(&late) < evaluate(&fresh));
    }
}
