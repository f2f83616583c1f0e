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
/// Rank of the quiet move that refuted the same move last.
const ANSWER: i32 = 700_000;
/// The greatest weight, or its negative, of a quiet move in each history.
const HISTORY: i32 = 16_384;
/// A capture of this rank or less loses material.
pub const LOSES: i32 = -CAPTURE / 2;
/// A quiet move of this rank or more has refuted others here.
pub const REFUTES: i32 = ANSWER;

/// Men, by colour and role, times squares.
const MOVES: usize = 16 * 64;
/// Stands for the move before where there is none.
pub const NO_MOVE: usize = MOVES;

/// The moves that refuted others so far.
pub struct Order {
    killers: [[Option<Move>; 2]; PLIES + 1],
    history: [i16; MOVES],
    /// The same by the move before.
    answers: Vec<[i16; MOVES]>,
    last_answers: [Option<Move>; MOVES + 1],
}

impl Order {
    pub fn new() -> Order {
        Order {
            killers: [[None; 2]; PLIES + 1],
            history: [0; MOVES],
            answers: vec![[0; MOVES]; MOVES + 1],
            last_answers: [None; MOVES + 1],
        }
    }

    /// The rank of a move after the move `last`; greater ones come first.
    pub fn rank(&self, board: &Board, us: Color, m: Move, ply: usize, last: usize) -> i32 {
        let wins = gain(m);
        if wins > 0 {
            let rank = 16 * wins - WORTH[m.role() as usize];
            return if holds(board, us, m) { CAPTURE + rank } else { rank - CAPTURE };
        }
        if let Some((_, rank)) = self.killers[ply].iter().zip(KILLERS).find(|(killer, _)| **killer == Some(m)) {
            return rank;
        }
        if self.last_answers[last] == Some(m) {
            return ANSWER;
        }
        let index = index(us, m);
        i32::from(self.history[index]) + i32::from(self.answers[last][index])
    }

    /// Takes note that the quiet move `m` refuted the move `last`, and that those `tried` before it did not.
    pub fn refuted(
        &mut self,
        us: Color,
        m: Move,
        tried: impl Iterator<Item = Move>,
        depth: i32,
        ply: usize,
        last: usize,
    ) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
        self.last_answers[last] = Some(m);
        let weight = (16 * depth * depth + 32 * depth).min(1600);
        self.credit(index(us, m), last, weight);
        for other in tried {
            self.credit(index(us, other), last, -weight);
        }
    }

    fn credit(&mut self, index: usize, last: usize, weight: i32) {
        for rank in [&mut self.history[index], &mut self.answers[last][index]] {
            *rank += (weight - i32::from(*rank) * weight.abs() / HISTORY) as i16;
        }
    }
}

/// The number of a move among those of both players, by the man and where it goes.
pub fn index(us: Color, m: Move) -> usize {
    (us.fold_wb(0, 8) + m.role() as usize) * 64 + m.to().to_usize()
}
