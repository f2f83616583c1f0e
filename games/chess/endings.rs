//! Progress in won endings without pawns: where the material does not change for many moves, the static evaluation has to
//! lead to the mate.

use shakmaty::{Board, Color, Role, Square};

/// Centipawns for each step of the losing king from the centre, counted along ranks and files.
const EDGE: i32 = 25;
/// Centipawns for each step that the winning king is closer.
const CLOSE: i32 = 16;
/// Centipawns for each step of the winning king from the centre.
const OUTSIDE: i32 = 12;
/// Centipawns for each step of the loser's pieces from their king.
const APART: i32 = 14;

/// The same with bishop and knight: for each step of the losing king from the diagonal between the corners where they cannot
/// mate, for each step that the winning king is closer, and for each step of the knight from the losing king.
const CORNER: i32 = 200;
const CLOSE_TO_CORNERED: i32 = 25;
const KNIGHT: i32 = 5;

/// The bonus of `winner`, in centipawns, at a position without pawns in which it has a decisive lead in material. The terms
/// of a queen against a rook are those that tell most of the number of moves to the end, by linear regression on tablebases.
pub fn progress(board: &Board, winner: Color) -> i32 {
    let king = |color: Color| board.king_of(color).expect("a king");
    let (own, lost) = (king(winner), king(!winner));
    let (near, outside) = (14 - steps(own, lost), OUTSIDE * from_centre(own));
    if let Some((bishop, knight)) = only_bishop_and_knight(board, winner) {
        let driven = CORNER * from_wrong_corners(lost, bishop) - KNIGHT * steps(knight, lost);
        return driven + CLOSE_TO_CORNERED * near - outside;
    }
    let apart: i32 = board.by_color(!winner).into_iter().map(|square| steps(square, lost)).sum();
    EDGE * from_centre(lost) + CLOSE * near - outside + APART * apart
}

/// Whether no mate can be forced although the lead is large: two knights against a king.
pub fn only_two_knights(board: &Board, winner: Color) -> bool {
    board.by_color(winner) == (board.kings() | board.knights()) & board.by_color(winner)
        && (board.knights() & board.by_color(winner)).count() == 2
}

/// The bishop and the knight, if they and the king are all that `winner` has.
fn only_bishop_and_knight(board: &Board, winner: Color) -> Option<(Square, Square)> {
    let single = |role: Role| board.by_piece(role.of(winner)).single_square();
    let pair = (single(Role::Bishop)?, single(Role::Knight)?);
    (board.by_color(winner).count() == 3).then_some(pair)
}

fn from_centre(square: Square) -> i32 {
    let off = |coordinate: u32| (2 * coordinate as i32 - 7).abs() / 2;
    off(square.file().to_u32()) + off(square.rank().to_u32())
}

fn steps(one: Square, other: Square) -> i32 {
    (one.file().distance(other.file()) + one.rank().distance(other.rank())) as i32
}

/// Steps from the diagonal between the corners that a bishop on `bishop` does not attack, up to 7 in the others.
fn from_wrong_corners(king: Square, bishop: Square) -> i32 {
    let (file, rank) = (king.file().to_u32() as i32, king.rank().to_u32() as i32);
    (7 - rank - if bishop.is_dark() { file } else { 7 - file }).abs()
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Position as _};

    use super::{super::fen, *};

    fn bonus(fen: &str) -> i32 {
        let chess: shakmaty::Chess = fen::read(fen, CastlingMode::Standard).unwrap();
        progress(chess.board(), Color::White)
    }

    #[test]
    fn the_edge_and_a_near_king_are_progress() {
        let far = bonus("8/8/8/4k3/8/8/8/K6R w - - 0 1");
        let edge = bonus("4k3/8/8/8/8/8/8/K6R w - - 0 1");
        let near = bonus("4k3/8/4K3/8/8/8/8/7R w - - 0 1");
        assert!(far < edge && edge < near);
    }

    #[test]
    fn a_central_king_and_a_rook_far_from_its_own_are_progress() {
        // The kings are two steps apart in all.
        let outside = bonus("8/8/8/8/8/2k5/r7/2K3Q1 w - - 0 1");
        assert!(outside < bonus("8/8/8/2K5/8/2k5/r7/6Q1 w - - 0 1"));
        assert!(outside < bonus("7r/8/8/8/8/2k5/8/2K3Q1 w - - 0 1"));
    }

    #[test]
    fn bishop_and_knight_drive_to_the_corner_of_the_bishop() {
        let wrong = bonus("7k/8/5K2/8/8/8/8/5BN1 w - - 0 1");
        let right = bonus("k7/8/2K5/8/8/8/8/5BN1 w - - 0 1");
        assert!(right - wrong >= 6 * CORNER);
        let near = bonus("k7/8/2K5/8/4N3/8/8/5B2 w - - 0 1");
        assert!(near > right);
    }

    #[test]
    fn two_knights_do_not_win() {
        let chess: shakmaty::Chess = fen::read("7k/8/5K2/8/8/8/8/4NN2 w - - 0 1", CastlingMode::Standard).unwrap();
        assert!(only_two_knights(chess.board(), Color::White));
    }
}
