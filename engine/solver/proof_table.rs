//! The transposition table of proof-number search: in each group of four the entry with the least work behind it goes.

/// A number that no sum exceeds: proven (on one side), disproven (on the other).
pub const INFINITE: u32 = 1 << 30;
const WAYS: usize = 4;

/// Proof and disproof numbers of a position, for its player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofEntry<C> {
    key: u64,
    /// The cells that the proof rests on, in the frame of the key; `()` where they are not kept.
    pub carrier: C,
    /// Estimated work to prove that the player to move succeeds; 0 is proven, `INFINITE` is impossible.
    pub phi: u32,
    /// Estimated work to prove that the player to move fails.
    pub delta: u32,
    /// Positions looked at below, 0 in an entry that is not used.
    work: u32,
}

impl<C: Default> ProofEntry<C> {
    fn empty() -> ProofEntry<C> {
        ProofEntry { key: 0, carrier: C::default(), phi: 0, delta: 0, work: 0 }
    }
}

/// It starts small and doubles as it fills; while it doubles, the old half lives beside the new table.
#[derive(Debug)]
pub struct ProofTable<C> {
    groups: Vec<[ProofEntry<C>; WAYS]>,
    used: usize,
    most_groups: usize,
    /// Whether an entry may rest on a position whose result depends on history that its key leaves out.
    pub doubted: bool,
}

const FIRST_GROUPS: usize = 1 << 12;

impl<C: Copy + Default> ProofTable<C> {
    /// A table of at most `bytes`, at least one group.
    pub fn new(bytes: usize) -> ProofTable<C> {
        let most_groups = (bytes / size_of::<[ProofEntry<C>; WAYS]>()).max(1);
        let groups = vec![[ProofEntry::empty(); WAYS]; most_groups.min(FIRST_GROUPS)];
        ProofTable { groups, used: 0, most_groups, doubted: false }
    }

    fn group(&self, key: u64) -> usize {
        ((u128::from(key) * self.groups.len() as u128) >> 64) as usize
    }

    pub fn get(&self, key: u64) -> Option<&ProofEntry<C>> {
        self.groups[self.group(key)].iter().find(|entry| entry.work > 0 && entry.key == key)
    }

    pub fn put(&mut self, key: u64, (phi, delta): (u32, u32), carrier: C, work: u64) {
        if 4 * self.used > 3 * WAYS * self.groups.len() && self.groups.len() < self.most_groups {
            let groups = vec![[ProofEntry::empty(); WAYS]; (2 * self.groups.len()).min(self.most_groups)];
            self.used = 0;
            for entry in std::mem::replace(&mut self.groups, groups).into_iter().flatten() {
                if entry.work > 0 {
                    self.insert(entry);
                }
            }
        }
        self.insert(ProofEntry { key, carrier, phi, delta, work: work.clamp(1, u32::MAX.into()) as u32 });
    }

    fn insert(&mut self, entry: ProofEntry<C>) {
        let group = self.group(entry.key);
        let group = &mut self.groups[group];
        let place = match group.iter().position(|old| old.work > 0 && old.key == entry.key) {
            Some(place) => place,
            None => (0..WAYS).min_by_key(|&place| group[place].work).unwrap_or(0),
        };
        self.used += usize::from(group[place].work == 0);
        group[place] = entry;
    }

    /// The positions looked at below the one with this key, as far as they are remembered.
    pub fn work(&self, key: u64) -> u32 {
        self.get(key).map_or(0, |entry| entry.work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_work_goes_first_and_growing_loses_nothing() {
        let mut table = ProofTable::<u64>::new(1);
        for (key, work) in [(1, 50), (2, 10), (3, 30), (4, 40), (5, 20)] {
            table.put(key, (1, 1), 0, work);
        }
        assert_eq!((1..=5).filter(|&key| table.get(key).is_some()).collect::<Vec<_>>(), [1, 3, 4, 5]);
        let mut table = ProofTable::<u64>::new(16 << 20);
        let key = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (1..100_000).for_each(|i| table.put(key(i), (1, i as u32), 0, 1));
        let kept = (1..100_000).filter(|&i| table.get(key(i)).is_some_and(|entry| u64::from(entry.delta) == i)).count();
        assert!(kept > 98_000, "{kept}");
    }
}
