//! Uniformly random playouts.

use super::{
    Go, Position,
    blunder::is_blunder,
    board::{BLACK, Board, Effect, NONE, Point, WHITE},
    outcome,
};
use crate::Rng;

impl Go {
    /// Plays random moves to the end, calls `record` with each stone and its colour (`NONE` for a pass), and returns
    /// who wins, from Black's point of view.
    ///
    /// Each move is drawn with equal chances from those that are legal, fill no eye of the mover's own and are not
    /// suicide; a player who has none passes. Only the plain ko rule is kept. Under territory scoring the final board
    /// is counted by area, and the stones that one player had put on it more than the other before the playout are
    /// deducted: so a playout may take dead stones and fill its own land at no cost, and a move in one's own land
    /// before it costs a point.
    #[inline(always)]
    pub(super) fn play_out(&self, p: &mut Position, rng: &mut Rng, mut record: impl FnMut(Point, u8)) -> f32 {
        let played = self.stones_already_played(p);
        let board = &mut p.board;
        let (mut mover, mut ko, mut passes) = (p.mover, p.ko, p.passes);
        let mut settled = p.passes == 0;
        for _ in p.plies..self.max_plies {
            if let Some(point) = choose::<false>(board, mover, ko, rng) {
                ko = board.place(point, mover).1;
                record(point, mover);
                passes = 0;
                settled = true;
            } else {
                record(NONE, mover);
                ko = NONE;
                passes += 1;
            }
            mover ^= BLACK ^ WHITE;
            if passes == 2 {
                break;
            }
        }
        let territory = if settled && passes == 2 { board.eye_lead() } else { board.territory_lead() };
        let lead = f64::from(board.stone_lead() + territory - played) - self.komi;
        p.lead = lead as f32;
        outcome(lead)
    }

    /// Stones that a count by area at the end of a playout deducts under territory scoring.
    pub(super) fn stones_already_played(&self, p: &Position) -> i32 {
        if self.territory { p.board.stone_lead() - p.capture_lead() } else { 0 }
    }
}

/// A random move of a playout, `None` to pass. If `CAREFUL`, blunders are passed over.
#[inline(always)]
pub(super) fn choose<const CAREFUL: bool>(board: &mut Board, mover: u8, ko: Point, rng: &mut Rng) -> Option<Point> {
    let mut left = board.empties();
    while left > 0 {
        let i = ((u64::from(rng.u32(..)) * u64::from(left)) >> 32) as u16;
        let point = board.empty(i);
        if is_sensible(board, point, mover, ko) && !(CAREFUL && is_blunder(board, point, mover, rng)) {
            return Some(point);
        }
        left -= 1;
        board.swap_empties(i, left);
    }
    None
}

/// Whether a playout may play at the empty `point`.
#[inline(always)]
pub(super) fn is_sensible(board: &Board, point: Point, mover: u8, ko: Point) -> bool {
    board.open(point)
        || point != ko
            && !board.is_eye(point, mover)
            && matches!(board.effect(point, mover), Effect::Quiet | Effect::Capture)
}
