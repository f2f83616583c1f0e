//! Fifteen checkers.

pub const OFF: u32 = 0;
pub const BAR: u32 = 25;
pub const CHECKERS: u32 = 15;
/// Points 1 to 24 as bits.
pub const BOARD: u32 = 0x1ff_fffe;
/// The points of the home board as bits.
pub const HOME: u32 = 0x7e;

/// One side's checkers by point as that side counts the points: 1 to 24, 25 the bar, 0 off.
///
/// Bit-sliced: bit `p` of word `i` is bit `i` of the number of checkers on point `p`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side([u32; 4]);

impl Side {
    /// Makes a side from the numbers of checkers on points 0 to 25, each at most 15.
    pub const fn new(counts: &[u8; 26]) -> Side {
        let mut words = [0; 4];
        let mut i = 0;
        while i < 4 * 26 {
            let (word, point) = (i / 26, i % 26);
            words[word] |= ((counts[point] as u32 >> word) & 1) << point;
            i += 1;
        }
        Side(words)
    }

    pub fn count(self, point: u32) -> u32 {
        (0..4).map(|word| (self.0[word] >> point & 1) << word).sum()
    }

    /// Points 1 to 25 with a checker.
    pub fn occupied(self) -> u32 {
        (self.0[0] | self.0[1] | self.0[2] | self.0[3]) & !1
    }

    /// Pips to go, 25 for a checker on the bar.
    pub fn pips(self) -> u32 {
        descending(self.occupied()).map(|point| point * self.count(point)).sum()
    }

    /// Points 0 to 25 with two checkers or more.
    pub fn held(self) -> u32 {
        self.0[1] | self.0[2] | self.0[3]
    }

    /// Points 1 to 24 with exactly this number of checkers, at most 15.
    pub fn with_exactly(self, count: u32) -> u32 {
        (0..4).fold(BOARD, |points, word| points & if count >> word & 1 != 0 { self.0[word] } else { !self.0[word] })
    }

    /// Whether all checkers are off.
    pub fn finished(self) -> bool {
        self.0[0] & self.0[1] & self.0[2] & self.0[3] & 1 != 0
    }

    /// Moves one checker.
    pub fn shift(&mut self, source: u32, target: u32) {
        let (mut borrow, mut carry) = (1 << source, 1 << target);
        for word in &mut self.0 {
            let (empty, full) = (!*word & borrow, *word & carry);
            *word ^= borrow | carry;
            (borrow, carry) = (empty, full);
        }
    }
}

/// A set of points as the other side counts them.
pub fn mirrored(points: u32) -> u32 {
    points.reverse_bits() >> (31 - BAR)
}

/// The points of a set, the highest first.
pub fn descending(mut points: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let point = points.checked_ilog2()?;
        points ^= 1 << point;
        Some(point)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_counts_its_checkers() {
        let mut counts = [0; 26];
        counts[6] = 15;
        let mut side = Side::new(&counts);
        for moved in 1..=15 {
            side.shift(6, 1);
            assert_eq!((side.count(6), side.count(1)), (15 - moved, moved));
            assert_eq!(side.occupied(), 1 << 1 | if moved < 15 { 1 << 6 } else { 0 });
            assert_eq!(side.held() >> 1 & 1 == 1, moved >= 2);
        }
        for _ in 0..15 {
            assert!(!side.finished());
            side.shift(1, OFF);
        }
        assert!(side.finished());
    }

    #[test]
    fn points_are_mirrored_and_listed() {
        assert_eq!(mirrored(1 << BAR | 1 << 6), 1 << OFF | 1 << 19);
        assert_eq!(descending(1 << 25 | 1 << 3 | 1).collect::<Vec<_>>(), [25, 3, 0]);
    }
}
