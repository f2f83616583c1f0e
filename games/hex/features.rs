//! Features of moves, whose strengths are learned: shares of the currents, lines, the last move, shapes.
//!
//! A position is seen as its mover's: a border of his is a row of his stones, White's borders take the place of Black's.

use super::{Hex, Position, bridges::RING, insight::CircuitView};
use crate::{Action, MoveFeatures, zobrist};

pub(super) const NAME: &str = "hex-1";

/// Groups of features.
const SWAP: u8 = 0;
const DECIDES: u8 = 1;
const OWN_SHARE: u8 = 2;
const OTHER_SHARE: u8 = 3;
const OWN_LINE: u8 = 4;
const OTHER_LINE: u8 = 5;
const LAST: u8 = 6;
const SHAPE: u8 = 7;

/// Classes of a share of a current in each doubling, and the number of doublings below one share for each row.
const CLASSES: f32 = 3.0;
const DOUBLINGS: f32 = 4.0;
const MOST_CLASS: f32 = 30.0;
/// Lines beyond this one are one.
const INNER_LINE: u32 = 4;
/// Distances from the last move beyond this one are one.
const FAR: i32 = 5;

/// Steps (down, right) to the neighbours, to the far ends of bridges, and two cells on: clockwise, ring by ring, so that
/// the half turn moves each half a ring on.
const RINGS: [[(i32, i32); 6]; 3] = [
    [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)],
    [(-2, 1), (-1, 2), (1, 1), (2, -1), (1, -2), (-1, -1)],
    [(-2, 0), (-2, 2), (0, 2), (2, 0), (2, -2), (0, -2)],
];

impl Hex {
    pub(super) fn features_of(&self, p: &Position, actions: &[Action], out: &mut MoveFeatures) {
        let grid = self.grid.with(&p.stones);
        let view = CircuitView::new(&grid);
        let mover = usize::from(p.second);
        let mends = view.mends(p.second, self.last_place(p));
        out.clear();
        for &a in actions {
            if a == self.swap_action() {
                out.push(SWAP, self.swap_is_good(p).into());
                out.end_move();
                continue;
            }
            match self.decides(p, &view, a) {
                0 => {}
                kind => out.push(DECIDES, kind),
            }
            for (group, player) in [(OWN_SHARE, mover), (OTHER_SHARE, 1 - mover)] {
                let share = (view.share(player, a) * self.size as f32).max(1e-6).log2() + DOUBLINGS;
                out.push(group, (share * CLASSES).clamp(0.0, MOST_CLASS) as u64);
            }
            let line = |at: u32| at.min(self.size - 1 - at).min(INNER_LINE);
            let lines = [line(a / self.size), line(a % self.size)];
            out.push(OWN_LINE, lines[mover].into());
            out.push(OTHER_LINE, lines[1 - mover].into());
            if let Some(last) = self.last_place(p) {
                let place = self.grid.place_of(a);
                let direction = RING.iter().position(|step| place == last.wrapping_add_signed(*step));
                let distance = self.distance(a, p.last.into()).min(FAR) as u64;
                let mended = direction.is_some_and(|direction| mends >> direction & 1 != 0);
                out.push(LAST, if mended { 0 } else { distance });
            }
            self.add_shapes(p, a, out);
            out.end_move();
        }
    }

    /// Steps from cell to cell.
    fn distance(&self, a: Action, b: Action) -> i32 {
        let size = self.size as i32;
        let (down, right) = (a as i32 / size - b as i32 / size, a as i32 % size - b as i32 % size);
        down.abs().max(right.abs()).max((down + right).abs())
    }

    /// Shapes of 6, 12 and 18 cells, each by the lesser key of its two images.
    fn add_shapes(&self, p: &Position, a: Action, out: &mut MoveFeatures) {
        let size = self.size as i32;
        let mover = usize::from(p.second);
        let (row, column) = (a as i32 / size, a as i32 % size);
        let mut images = [0; 2];
        for (ring, steps) in (0..).zip(RINGS) {
            for (side, (down, right)) in (0..6).zip(steps) {
                // White's borders are where Black's were once rows are columns.
                let (down, right) = if p.second { (right, down) } else { (down, right) };
                let (down, right) = (row + down, column + right);
                let inside = [down, right].map(|at| (0..size).contains(&at));
                let owner = match inside {
                    [true, true] => {
                        let cell = (down * size + right) as u32;
                        match (0..2).find(|&player| p.stones[player].has(cell)) {
                            Some(player) => player,
                            None => continue,
                        }
                    }
                    // Beyond the corner lie both borders.
                    [false, false] => 2 + mover,
                    [false, true] => 0,
                    [true, false] => 1,
                };
                let content = (owner ^ mover) as u64;
                for (image, side) in images.iter_mut().zip([side, (side + 3) % 6]) {
                    *image ^= zobrist::key(0x4e8 + content, ring * 6 + side);
                }
            }
            out.push(SHAPE, zobrist::key(images[0].min(images[1]), ring));
        }
    }
}
