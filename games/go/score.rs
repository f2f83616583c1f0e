//! Counting empty regions.

use super::board::{BLACK, Board, EMPTY, NONE, OFF, WHITE};

/// Points and cells of the largest board, 25 by 25.
pub const POINTS: usize = 25 * 25;
pub const CELLS: usize = 26 * 27 + 1;

impl Board {
    /// Points of empty regions that reach only Black less those that reach only White, where no two empty points are
    /// neighbours.
    pub fn eye_lead(&self) -> i32 {
        let eye = |p, colour| i32::from(self.surrounded(p, colour));
        (0..self.empties()).map(|i| self.empty(i)).map(|p| eye(p, BLACK) - eye(p, WHITE)).sum()
    }

    /// Points of empty regions that reach only Black less those that reach only White.
    pub fn territory_lead(&self) -> i32 {
        let mut seen = [false; CELLS];
        let mut region = [NONE; POINTS];
        let mut lead = 0;
        for i in 0..self.empties() {
            if std::mem::replace(&mut seen[usize::from(self.empty(i))], true) {
                continue;
            }
            region[0] = self.empty(i);
            let (mut next, mut len, mut reached) = (0, 1, 0);
            while next < len {
                for q in self.sides(region[next]) {
                    match self.colour(q) {
                        EMPTY if !seen[usize::from(q)] => {
                            seen[usize::from(q)] = true;
                            region[len] = q;
                            len += 1;
                        }
                        EMPTY | OFF => {}
                        colour => reached |= 1 << colour,
                    }
                }
                next += 1;
            }
            lead += match reached {
                1 => len as i32,
                2 => -(len as i32),
                _ => 0,
            };
        }
        lead
    }
}
