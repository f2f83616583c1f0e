//! Points of which a playout draws one.

use super::board::Point;
use crate::Rng;

/// The state, besides the board, that a reply looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub mover: u8,
    pub ko: Point,
    /// The last move, `NONE` for a pass.
    pub last: Point,
}

/// Some points, for one of them to be drawn.
#[derive(Default)]
pub(super) struct Candidates {
    points: [Point; 16],
    len: usize,
}

impl Candidates {
    pub(super) fn add(&mut self, p: Point) {
        if self.len < self.points.len() {
            self.points[self.len] = p;
            self.len += 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn take(&mut self, rng: &mut Rng) -> Option<Point> {
        if self.len == 0 {
            return None;
        }
        let i = if self.len == 1 { 0 } else { rng.usize(..self.len) };
        self.len -= 1;
        self.points.swap(i, self.len);
        Some(self.points[self.len])
    }
}
