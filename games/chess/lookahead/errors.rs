//! The errors of static scores after the same last two moves, which correct the scores of later positions.

use super::order::{ALL_MOVES, Before};

/// Units of a centipawn in the sums.
const EACH: i32 = 107;
/// The greatest sum, or its negative.
const MOST: i32 = 8192;

/// Sums of errors, by the last move and the one before.
pub struct Errors(Vec<[i16; ALL_MOVES]>);

impl Errors {
    pub fn new() -> Errors {
        Errors(vec![[0; ALL_MOVES]; ALL_MOVES])
    }

    /// The centipawns by which static scores after these moves were too low for the player to move.
    pub fn after(&self, before: Before) -> i32 {
        i32::from(self.0[before[1]][before[0]]) / EACH
    }

    /// Takes note that a search of this depth found a score that is `more` centipawns above the static one.
    pub fn learn(&mut self, before: Before, more: i32, depth: i32) {
        let sum = &mut self.0[before[1]][before[0]];
        let more = (2 * more * depth).clamp(-MOST / 4, MOST / 4);
        *sum += (more - i32::from(*sum) * more.abs() / MOST) as i16;
    }
}
