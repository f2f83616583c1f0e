//! Weights of the static evaluation, for the middle game and the endgame at once.

use std::ops::{Add, Mul, Sub};

/// A weight in the middle game (the low half) and in the endgame (the high half); one addition adds both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseWeight(i32);

impl PhaseWeight {
    pub const fn new(middle_game: i32, endgame: i32) -> PhaseWeight {
        PhaseWeight((endgame << 16) + middle_game)
    }

    /// The sum, where a constant is made.
    pub const fn plus(self, other: PhaseWeight) -> PhaseWeight {
        PhaseWeight(self.0 + other.0)
    }

    pub const fn middle_game(self) -> i32 {
        self.0 as i16 as i32
    }

    pub const fn endgame(self) -> i32 {
        (self.0 + 0x8000) >> 16
    }
}

impl Add for PhaseWeight {
    type Output = PhaseWeight;

    fn add(self, other: PhaseWeight) -> PhaseWeight {
        self.plus(other)
    }
}

impl Sub for PhaseWeight {
    type Output = PhaseWeight;

    fn sub(self, other: PhaseWeight) -> PhaseWeight {
        PhaseWeight(self.0 - other.0)
    }
}

impl Mul<usize> for PhaseWeight {
    type Output = PhaseWeight;

    fn mul(self, times: usize) -> PhaseWeight {
        PhaseWeight(self.0 * times as i32)
    }
}
