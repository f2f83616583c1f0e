//! Counting empty regions.

use super::board::{BLACK, Board, EMPTY, NONE, OFF, Point, WHITE};

/// Points and cells of the largest board, 25 by 25.
pub const POINTS: usize = 25 * 25;
pub const CELLS: usize = 26 * 27 + 1;

impl Board {
    /// Points of empty regions that reach only Black less those that reach only White, where no two empty points are
    /// neighbours.
    pub fn eye_lead(&self) -> i32 {
        (0..self.empties()).map(|i| self.eye(self.empty(i))).sum()
    }

    /// Adds 1 for each point that Black holds, in the order of actions, and takes 1 away for each of White's, where no two
    /// empty points are neighbours.
    pub fn add_eye_owners(&self, owners: &mut [i32]) {
        for (owner, p) in owners.iter_mut().zip(self.points()) {
            *owner += match self.colour(p) {
                BLACK => 1,
                WHITE => -1,
                _ => self.eye(p),
            };
        }
    }

    /// 1 for an empty point all of whose neighbours are Black's, -1 for White's.
    fn eye(&self, p: Point) -> i32 {
        i32::from(self.surrounded(p, BLACK)) - i32::from(self.surrounded(p, WHITE))
    }

    /// Points of empty regions that reach only Black less those that reach only White.
    pub fn territory_lead(&self) -> i32 {
        let mut lead = 0;
        self.for_each_region(|region, owner| match owner {
            BLACK => lead += region.len() as i32,
            WHITE => lead -= region.len() as i32,
            _ => {}
        });
        lead
    }

    /// Writes the colour that holds each point, in the order of actions: that of its stone, or the one that alone reaches its
    /// empty region; else `EMPTY`.
    pub fn area_owners(&self, owners: &mut [u8]) {
        for (owner, p) in owners.iter_mut().zip(self.points()) {
            *owner = self.colour(p);
        }
        self.for_each_region(|region, owner| {
            region.iter().for_each(|&p| owners[usize::from(self.action(p))] = owner);
        });
    }

    /// Calls `each` with the points of every empty region and the colour that alone reaches it, or `EMPTY`.
    fn for_each_region(&self, mut each: impl FnMut(&[Point], u8)) {
        let mut seen = [false; CELLS];
        let mut region = [NONE; POINTS];
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
            let owner = match reached {
                1 => BLACK,
                2 => WHITE,
                _ => EMPTY,
            };
            each(&region[..len], owner);
        }
    }
}
