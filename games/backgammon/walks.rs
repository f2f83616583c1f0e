//! The ways of a checker that walks alone past the points that the other side holds.

use std::sync::LazyLock;

use super::side::{BAR, BOARD};

/// The mean of a roll.
pub const PIPS_A_ROLL: f32 = 49.0 / 6.0;

/// Points before a checker that decide how it walks; those beyond count as open.
const SEEN: u32 = 12;

/// The effect of the 36 rolls for one checker that moves alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Rolls that bring it beyond the last of the held points among the six before it; those that move it if there are none.
    pub escapes: u8,
    /// The most pips that it can go, over all rolls.
    pub pips: u16,
}

/// By the points of the next `SEEN` that are held, the nearest as the lowest bit.
static WALKS: LazyLock<[Walk; 1 << SEEN]> = LazyLock::new(|| std::array::from_fn(|held| walk_past(held as u32)));

/// The walks past the points of a side.
#[derive(Clone, Copy, Debug)]
pub struct Walks {
    table: &'static [Walk; 1 << SEEN],
    /// The held points, as the side that holds them counts.
    held: u32,
}

impl Walks {
    /// `theirs`: the points of the board that the other side holds, as it counts them.
    pub fn past(theirs: u32) -> Walks {
        Walks { table: &WALKS, held: theirs & BOARD }
    }

    /// The walk of a checker on `point`, or on the bar.
    pub fn from(self, point: u32) -> Walk {
        // Our point p is their point 25 - p, and we go up as they count.
        self.table[(self.held >> (BAR - point + 1) & ((1 << SEEN) - 1)) as usize]
    }
}

fn walk_past(held: u32) -> Walk {
    let open = |pips: u32| pips > SEEN || held >> (pips - 1) & 1 == 0;
    let last = (held & 0x3f).checked_ilog2().map_or(0, |place| place + 1);
    let mut walk = Walk::default();
    for high in 1..=6 {
        for low in 1..=high {
            let (most, chance) = if high == low {
                ((1..=4).map(|hops| hops * high).take_while(|&pips| open(pips)).last().unwrap_or(0), 1)
            } else {
                let one = [low, high].into_iter().filter(|&pips| open(pips)).max();
                (one.map_or(0, |one| if open(high + low) { high + low } else { one }), 2)
            };
            walk.escapes += if most > last { chance } else { 0 };
            walk.pips += u16::from(chance) * most as u16;
        }
    }
    walk
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_by_hand() {
        assert_eq!(walk_past(0), Walk { escapes: 36, pips: 294 });
        // A full prime; one of five points, which sixes jump.
        assert_eq!(walk_past(0x3f), Walk { escapes: 0, pips: 0 });
        assert_eq!(walk_past(0x1f).escapes, 11);
        // The sixth point alone: past it go 7 to 11 pips with an open point between, 4-4 and 5-5.
        let past = 2 * ["61", "62", "63", "64", "65", "52", "53", "54", "43"].len() + ["44", "55"].len();
        assert_eq!(usize::from(walk_past(0x20).escapes), past);
    }

    #[test]
    fn a_walk_looks_at_the_points_before_the_checker() {
        // They hold their points 2 to 7: our 23 to 18, a prime before our 24 point.
        let theirs = 0b1111_1100;
        assert_eq!(Walks::past(theirs).from(24).escapes, 0);
        assert_eq!(Walks::past(theirs).from(18).escapes, 36);
        // Their bar and their borne off checkers are no points.
        assert_eq!(Walks::past(1 << 25 | 1).from(25).escapes, 36);
    }
}
