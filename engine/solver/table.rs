//! The transposition table of alpha-beta: a fixed number of entries in pairs, the first of a pair kept for the deepest
//! search, the second for the latest (two-tier replacement; Breuker, Uiterwijk and van den Herik 1994).

use playout_games::Action;

/// The relation of an entry's score to the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Lower,
    Upper,
    Exact,
}

/// The depth of a search that saw every line to its end.
pub const COMPLETE: u16 = u16::MAX;
/// No action.
pub const NONE: Action = Action::MAX;

#[derive(Clone, Copy, Debug)]
pub struct BoundEntry {
    key: u64,
    pub score: i64,
    /// In the frame of the key; `NONE` if there is none.
    pub best: Action,
    pub depth: u16,
    pub bound: Bound,
    used: bool,
}

const EMPTY: BoundEntry = BoundEntry { key: 0, score: 0, best: NONE, depth: 0, bound: Bound::Exact, used: false };

/// It starts small and doubles as it fills, so that a small game costs no time to clear a large table; while it
/// doubles, the old half lives beside the new table.
#[derive(Debug)]
pub struct BoundTable {
    pairs: Vec<[BoundEntry; 2]>,
    used: usize,
    most_pairs: usize,
}

const FIRST_PAIRS: usize = 1 << 12;

impl BoundTable {
    /// A table of at most `bytes`, at least one pair.
    pub fn new(bytes: usize) -> BoundTable {
        let most_pairs = (bytes / size_of::<[BoundEntry; 2]>()).max(1);
        BoundTable { pairs: vec![[EMPTY; 2]; most_pairs.min(FIRST_PAIRS)], used: 0, most_pairs }
    }

    /// The upper half of the product spreads keys evenly over any number of pairs.
    fn pair(&self, key: u64) -> usize {
        ((u128::from(key) * self.pairs.len() as u128) >> 64) as usize
    }

    pub fn get(&self, key: u64) -> Option<&BoundEntry> {
        self.pairs[self.pair(key)].iter().find(|entry| entry.used && entry.key == key)
    }

    pub fn put(&mut self, key: u64, score: i64, bound: Bound, depth: u16, best: Action) {
        if self.used > self.pairs.len() && self.pairs.len() < self.most_pairs {
            self.grow();
        }
        let entry = BoundEntry { key, score, best, depth, bound, used: true };
        self.insert(entry);
    }

    fn grow(&mut self) {
        let pairs = vec![[EMPTY; 2]; (2 * self.pairs.len()).min(self.most_pairs)];
        self.used = 0;
        for pair in std::mem::replace(&mut self.pairs, pairs) {
            // The deep one goes last, and so keeps its place.
            for entry in pair.into_iter().rev().filter(|entry| entry.used) {
                self.insert(entry);
            }
        }
    }

    fn insert(&mut self, entry: BoundEntry) {
        let pair = self.pair(entry.key);
        let [deep, late] = &mut self.pairs[pair];
        let before = usize::from(deep.used) + usize::from(late.used);
        if !deep.used || deep.key == entry.key || entry.depth >= deep.depth {
            if deep.used && deep.key != entry.key {
                *late = *deep;
            } else if late.key == entry.key {
                *late = EMPTY;
            }
            *deep = entry;
        } else {
            *late = entry;
        }
        self.used = self.used + usize::from(deep.used) + usize::from(late.used) - before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_and_the_latest_stay() {
        let mut table = BoundTable::new(1);
        table.put(1, 10, Bound::Exact, 9, 0);
        table.put(2, 20, Bound::Lower, 3, 0);
        table.put(3, 30, Bound::Upper, 2, 7);
        assert!(table.get(2).is_none());
        assert_eq!(table.get(1).map(|entry| entry.score), Some(10));
        assert_eq!(table.get(3).map(|entry| (entry.score, entry.bound, entry.best)), Some((30, Bound::Upper, 7)));
        table.put(4, 40, Bound::Exact, COMPLETE, 0);
        assert!(table.get(3).is_none());
        assert_eq!(table.get(1).map(|entry| entry.depth), Some(9));
    }
}
