//! The rolls that hit.

use super::side::{BAR, BOARD, Side, mirrored};

/// Hits of a side's next roll, of 36 rolls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shots {
    /// Rolls that can hit a blot.
    pub any: u32,
    /// Rolls that have more than one blot to choose from.
    pub several: u32,
    /// Over all rolls, the pips that the most costly hit takes from the other side.
    pub pips: u32,
}

/// The shots of `own` at the blots of `other`, with what stands between.
pub fn shots(own: Side, other: Side) -> Shots {
    let mut found = Shots::default();
    let blots = mirrored(other.occupied() & !other.held() & BOARD);
    // One of our checkers must stand behind a blot.
    if blots == 0 || own.occupied() >> blots.trailing_zeros() == 0 {
        return found;
    }
    let rolls = Rolls::new(own, BOARD & !mirrored(other.held()));
    for high in 1..=6 {
        for low in 1..=high {
            let (reached, chance) = if high == low { (rolls.double(high), 1) } else { (rolls.mixed(high, low), 2) };
            let hits = reached & blots;
            if hits != 0 {
                found.any += chance;
                found.several += if hits & (hits - 1) != 0 { chance } else { 0 };
                // A checker hit on our point p has p pips more to go.
                found.pips += chance * hits.ilog2();
            }
        }
    }
    found
}

/// The points that one checker or another of a side reaches by a roll.
struct Rolls {
    /// Its checkers on the board, and on the bar.
    occupied: u32,
    bar: u32,
    /// The points that the other side does not hold.
    open: u32,
    /// By the die: the points reached by one hop from the board.
    once: [u32; 7],
}

impl Rolls {
    fn new(own: Side, open: u32) -> Rolls {
        let occupied = own.occupied() & BOARD;
        let mut once = [0; 7];
        for (die, reached) in once.iter_mut().enumerate() {
            *reached = occupied >> die & open;
        }
        Rolls { occupied, bar: own.count(BAR), open, once }
    }

    /// The point on which a checker comes in, if it is open.
    fn entry(&self, die: u32) -> u32 {
        (1 << (BAR - die)) & self.open
    }

    fn mixed(&self, one: u32, two: u32) -> u32 {
        if self.bar == 0 {
            let (first, second) = (self.once[one as usize], self.once[two as usize]);
            return first | second | (first >> two | second >> one) & self.open;
        }
        let (in_one, in_two) = (self.entry(one), self.entry(two));
        let mut reached = in_one | in_two;
        if self.bar == 1 {
            if in_one != 0 {
                reached |= self.once[two as usize] | in_one >> two & self.open;
            }
            if in_two != 0 {
                reached |= self.once[one as usize] | in_two >> one & self.open;
            }
        }
        reached
    }

    fn double(&self, die: u32) -> u32 {
        let (mut from, mut reached, mut hops) = (self.occupied, 0, 4);
        if self.bar > 0 {
            reached = self.entry(die);
            if reached == 0 {
                return 0;
            }
            from |= reached;
            hops -= self.bar.min(4);
        }
        for _ in 0..hops {
            from = from >> die & self.open;
            reached |= from;
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backgammon::tests::side;

    #[test]
    fn shots_by_hand() {
        // Six pips away: eleven rolls with a six, 5-1, 4-2, 3-3 and 2-2. A hit on our 18 point costs 18 pips.
        let six = shots(side(&[(24, 1)]), side(&[(7, 1)]));
        assert_eq!(six, Shots { any: 17, several: 0, pips: 17 * 18 });
        // With points held on the way at three and four pips 3-3, and with five too 5-1, are stopped; 4-2 and 2-2 go by two.
        assert_eq!(shots(side(&[(24, 1)]), side(&[(7, 1), (4, 2)])).any, 16);
        assert_eq!(shots(side(&[(24, 1)]), side(&[(7, 1), (2, 2), (6, 2)])).any, 15);
        // Nobody behind the blot.
        assert_eq!(shots(side(&[(10, 2)]), side(&[(7, 1)])), Shots::default());
        // Eleven rolls for a blot one pip away, those for one two pips away (twelve), and the rolls for both: 2-1 and 1-1.
        let two = shots(side(&[(24, 1)]), side(&[(2, 1), (3, 1)]));
        assert_eq!((two.any, two.several), (20, 3));
    }

    #[test]
    fn a_checker_on_the_bar_comes_in_first() {
        // Five pips from the bar: fives, 4-1 and 3-2.
        assert_eq!(shots(side(&[(25, 1)]), side(&[(5, 1)])).any, 15);
        // With two there fives alone, and behind a point on their 5 point nothing.
        assert_eq!(shots(side(&[(25, 2)]), side(&[(5, 1)])).any, 11);
        // Another checker hits six pips away: with any six, the other die brings in the one on the bar; with 3-3 and 2-2 in
        // the hops that are left; and with 5-5 the one from the bar hits.
        let behind = side(&[(25, 1), (16, 1)]);
        assert_eq!(shots(behind, side(&[(15, 1)])).any, 11 + 3);
    }
}
