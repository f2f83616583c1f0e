//! The plays that a roll allows.
//!
//! A hop moves one checker by one die. Within a play the points that the other side holds do not change, so that the
//! sources of a hop are one shift and two masks. Each position that a roll can lead to is found once, by the play with
//! the greatest number:
//!
//! - A double is played from the rear: any legal play, put in the order of its sources from the highest to the lowest,
//!   is legal too, and two such sequences that differ lead to positions that differ.
//! - Two unequal dice H > L come to the same position in three ways. Two hops that do not depend on each other may be
//!   played in either order. A checker that goes the whole way H + L from s may stop at s - H or at s - L (or another
//!   one that stands there goes on instead) if it hits on neither. Two checkers that L can bear off may take either
//!   die. Everything that can be played with H first is; what is left for L first is little.

use super::side::{BOARD, HOME, OFF, Side, descending, mirrored};
use crate::Action;

pub const PASS: Action = 0;
/// Set in the action where the higher of two unequal dice is played first.
pub const HIGH_FIRST: Action = 1 << 20;
/// The place of the first source point in an action; the next ones follow five bits lower each.
const FIRST: u32 = 15;

/// Plays that differ in their last hop only.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    prefix: Action,
    shift: u32,
    /// The sources of the last hop, never none.
    sources: u32,
}

impl Family {
    pub fn len(self) -> u32 {
        self.sources.count_ones()
    }

    /// The plays of the family, from the highest source to the lowest.
    pub fn plays(self) -> impl Iterator<Item = Action> {
        descending(self.sources).map(move |source| self.prefix | source << self.shift)
    }

    /// Play number `index` of `len`, in no particular order.
    pub fn play(self, index: u32) -> Action {
        let mut sources = self.sources;
        for _ in 0..index {
            sources &= sources - 1;
        }
        self.prefix | sources.trailing_zeros() << self.shift
    }
}

/// The points from and to which a play moves checkers, in order. `dice`: the higher first.
pub fn hops(dice: [u8; 2], play: Action) -> impl Iterator<Item = (u32, u32)> {
    let first = usize::from(play & HIGH_FIRST == 0);
    (0..4).map_while(move |hop| {
        let source = play >> (FIRST - 5 * hop) & 31;
        let die = dice[(hop as usize + first) & 1];
        (source != OFF).then(|| (source, source.saturating_sub(u32::from(die))))
    })
}

/// Moves a checker of `own` and says whether it hits one of `other`.
pub fn hop(own: &mut Side, other: &mut Side, source: u32, target: u32) -> bool {
    own.shift(source, target);
    let hits = target != OFF && mirrored(other.occupied()) >> target & 1 != 0;
    if hits {
        other.shift(25 - target, 25);
    }
    hits
}

/// Calls `found` with all legal plays, those with greater numbers first; not at all if there is only the pass.
pub fn families(own: Side, other: Side, dice: [u8; 2], mut found: impl FnMut(Family)) {
    let open = BOARD & !mirrored(other.held());
    let [high, low] = dice.map(u32::from);
    if high == low {
        (1..=4)
            .rev()
            .any(|hops| double(own, open, high, Prefix { play: 0, hops, shift: FIRST, below: !0 }, &mut found));
    } else {
        let blots = open & mirrored(other.occupied());
        let occupied = own.occupied();
        Mixed { occupied, lone: occupied & !own.held(), open, blots, high, low }.families(&mut found);
    }
}

/// The points from which a hop may start. `open`: the points of the board that the other side does not hold.
fn sources(occupied: u32, open: u32, die: u32) -> u32 {
    const ON_BAR: u32 = 1 << 25;
    let onward = open << die;
    if occupied & ON_BAR != 0 {
        return ON_BAR & onward;
    }
    let mut from = occupied & onward;
    if occupied & !HOME == 0 {
        from |= occupied & 1 << die;
        if occupied >> die == 0 && occupied != 0 {
            from |= 1 << occupied.ilog2();
        }
    }
    from
}

/// The beginning of a double's play.
struct Prefix {
    play: Action,
    /// The number of hops still to come, and the place of the next one.
    hops: u32,
    shift: u32,
    /// The next source is one of these points.
    below: u32,
}

/// Finds the plays with exactly as many hops as `prefix` says; false if there are none.
fn double(own: Side, open: u32, die: u32, prefix: Prefix, found: &mut impl FnMut(Family)) -> bool {
    let sources = sources(own.occupied(), open, die) & prefix.below;
    if prefix.hops == 1 {
        if sources != 0 {
            found(Family { prefix: prefix.play, shift: prefix.shift, sources });
        }
        return sources != 0;
    }
    let mut any = false;
    for source in descending(sources) {
        let mut after = own;
        after.shift(source, source.saturating_sub(die));
        let longer = Prefix {
            play: prefix.play | source << prefix.shift,
            hops: prefix.hops - 1,
            shift: prefix.shift - 5,
            below: (2 << source) - 1,
        };
        any |= double(after, open, die, longer, found);
    }
    any
}

/// A roll of two unequal dice.
struct Mixed {
    /// The points of the side to move, and those of them where one checker stands.
    occupied: u32,
    lone: u32,
    /// The points of the board that the other side does not hold, and those of them where one of its checkers stands.
    open: u32,
    blots: u32,
    high: u32,
    low: u32,
}

impl Mixed {
    fn families(&self, found: &mut impl FnMut(Family)) {
        let occupied = self.occupied;
        let first_high = sources(occupied, self.open, self.high);
        let first_low = sources(occupied, self.open, self.low);
        let mut any = false;
        let mut add = |prefix, sources| {
            if sources != 0 {
                any = true;
                found(Family { prefix, shift: FIRST - 5, sources });
            }
        };
        for source in descending(first_high) {
            add(HIGH_FIRST | source << FIRST, self.after_high(source, first_high));
        }
        for source in descending(first_low) {
            add(source << FIRST, self.after_low(source, first_high));
        }
        if !any && first_high | first_low != 0 {
            let (prefix, sources) = if first_high != 0 { (HIGH_FIRST, first_high) } else { (0, first_low) };
            found(Family { prefix, shift: FIRST, sources });
        }
    }

    /// The points from which the lower die may follow the higher one from `source`.
    fn after_high(&self, source: u32, first_high: u32) -> u32 {
        let last = self.second(source, self.high, self.low);
        let behind = source + self.low;
        if last >> behind & 1 != 0 && self.goes_by_high(behind, first_high) { last ^ 1 << behind } else { last }
    }

    /// The points from which the higher die may follow the lower one from `source` to a position that it does not reach first.
    fn after_low(&self, source: u32, first_high: u32) -> u32 {
        let mut last = self.second(source, self.low, self.high) & !first_high;
        if last == 0 || first_high >> source & 1 == 0 {
            return last;
        }
        if source <= self.low {
            last &= !self.second(source, self.high, self.low);
        } else {
            let stop = 1 << (source - self.low);
            if self.blots & stop == 0 && self.goes_by_high(source, first_high) {
                last &= !stop;
            }
        }
        last
    }

    /// Whether a checker can go from `source` by the higher die, then on by the lower one, and hits nothing between.
    fn goes_by_high(&self, source: u32, first_high: u32) -> bool {
        first_high >> source & 1 != 0 && source > self.high && {
            let stop = 1 << (source - self.high);
            self.blots & stop == 0 && self.second(source, self.high, self.low) & stop != 0
        }
    }

    /// The sources of a hop by `second` after one from `source` by `first`.
    fn second(&self, source: u32, first: u32, second: u32) -> u32 {
        let left = self.occupied & !(self.lone & 1 << source);
        sources((left | 1 << source.saturating_sub(first)) & !1, self.open, second)
    }
}
