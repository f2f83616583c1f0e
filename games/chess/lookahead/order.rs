//! The order in which an alpha-beta search tries moves.

use shakmaty::{Board, Color, Move};

use super::{
    super::exchange::{WORTH, gain, holds},
    PLIES,
};

/// Rank of the move that an earlier search found best.
pub const FIRST: i32 = i32::MAX;
/// Captures and promotions that hold their ground stand so far above zero, those that do not so far below.
const CAPTURE: i32 = 1_000_000;
/// Ranks of the quiet moves that refuted a move beside this one last.
const KILLERS: [i32; 2] = [900_000, 800_000];
/// The greatest rank, or its negative, of all other quiet moves.
const HISTORY: i32 = 16_384;
/// A capture of this rank or less loses material.
pub const LOSES: i32 = -CAPTURE / 2;
/// A quiet move of this rank or more has refuted others here.
pub const REFUTES: i32 = KILLERS[1];

/// The moves that refuted others so far.
pub struct Order {
    killers: [[Option<Move>; 2]; PLIES + 1],
    history: [[i32; 64]; 16],
}

impl Order {
    pub fn new() -> Order {
        Order { killers: [[None; 2]; PLIES + 1], history: [[0; 64]; 16] }
    }

    /// The rank of a move; greater ones come first.
    pub fn rank(&self, board: &Board, us: Color, m: Move, ply: usize) -> i32 {
        let wins = gain(m);
        if wins > 0 {
            let rank = 16 * wins - WORTH[m.role() as usize];
            return if holds(board, us, m) { CAPTURE + rank } else { rank - CAPTURE };
        }
        let killer = self.killers[ply].iter().zip(KILLERS).find(|(killer, _)| **killer == Some(m));
        killer.map_or_else(|| self.history[mover(us, m)][m.to().to_usize()], |(_, rank)| rank)
    }

    /// Takes note that the quiet move `m` refuted the one before it, and that those `tried` before it did not.
    pub fn refuted(&mut self, us: Color, m: Move, tried: impl Iterator<Item = Move>, depth: i32, ply: usize) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
        let weight = (depth * depth).min(400);
        self.credit(us, m, weight);
        for other in tried {
            self.credit(us, other, -weight);
        }
    }

    fn credit(&mut self, us: Color, m: Move, weight: i32) {
        let rank = &mut self.history[mover(us, m)][m.to().to_usize()];
        *rank += 32 * weight - *rank * 32 * weight.abs() / HISTORY;
    }
}

fn mover(us: Color, m: Move) -> usize {
    us.fold_wb(0, 8) + m.role() as usize
}
