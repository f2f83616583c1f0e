//! The memory of an alpha-beta search, which its threads share: scores and best moves of positions.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use bytemuck::Zeroable;

use super::SURE;
use crate::arena::Arena;

/// The relation of a score to the value of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    Nothing,
    AtLeast,
    AtMost,
    Exact,
}

impl Bound {
    /// The bound that the result of a search with this window is.
    pub fn of(score: i32, alpha: i32, beta: i32) -> Bound {
        if score >= beta {
            Bound::AtLeast
        } else if score > alpha {
            Bound::Exact
        } else {
            Bound::AtMost
        }
    }
}

/// The result of a search at a position.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub score: i32,
    /// The static score.
    pub worth: i32,
    /// The best move; 0 where none is better than another.
    pub action: u16,
    pub depth: i32,
    pub bound: Bound,
}

/// A result as the table holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    score: i16,
    pub worth: i16,
    pub action: u16,
    pub depth: i8,
    pub bound: Bound,
    age: u8,
}

impl Entry {
    /// The score as it counts `ply` plies below the root: sure wins are remembered by their distance from the position.
    pub fn score(&self, ply: i32) -> i32 {
        match i32::from(self.score) {
            won if won >= SURE => won - ply,
            lost if lost <= -SURE => lost + ply,
            score => score,
        }
    }

    /// Whether the score, found by a search that was deep enough, ends one with this window.
    pub fn settles(&self, score: i32, alpha: i32, beta: i32) -> bool {
        match self.bound {
            Bound::Nothing => false,
            Bound::AtLeast => score >= beta,
            Bound::AtMost => score <= alpha,
            Bound::Exact => true,
        }
    }

    fn packed(self) -> u64 {
        let last = self.bound as u8 | self.age << 2;
        u64::from(self.score as u16)
            | u64::from(self.worth as u16) << 16
            | u64::from(self.action) << 32
            | u64::from(self.depth as u8) << 48
            | u64::from(last) << 56
    }

    fn unpacked(bits: u64) -> Entry {
        let last = (bits >> 56) as u8;
        let bound = [Bound::Nothing, Bound::AtLeast, Bound::AtMost, Bound::Exact][usize::from(last & 3)];
        Entry {
            score: bits as i16,
            worth: (bits >> 16) as i16,
            action: (bits >> 32) as u16,
            depth: (bits >> 48) as i8,
            bound,
            age: last >> 2,
        }
    }
}

/// A place of the table. Two threads may write to it at once: then the check fits neither result (Hyatt and Mann 2002).
#[derive(Zeroable)]
struct Place {
    /// The position's key, xor the result.
    check: AtomicU64,
    result: AtomicU64,
}

impl Place {
    fn read(&self) -> (u64, Entry) {
        let bits = self.result.load(Relaxed);
        (self.check.load(Relaxed) ^ bits, Entry::unpacked(bits))
    }
}

/// Places that a position may have, in one cache line. All zeros are no results.
#[derive(Zeroable)]
#[repr(align(64))]
struct Group([Place; 4]);

/// The table.
pub struct Table {
    groups: Arena<Group>,
    age: AtomicU8,
}

/// Ages of a table; results of an older search than this seem new again.
const AGES: u8 = 64;
/// Plies by which a result has to be deeper to outlive one that is a search younger.
const YEAR: i32 = 8;
/// Plies by which a result may be shallower than the one of its own position that it replaces.
const SLACK: i32 = 3;

impl Table {
    /// A table of at most `bytes`, and of at least one group. It is smaller where the system has not so much address space.
    ///
    /// # Panics
    ///
    /// If the system has no address space left at all.
    pub fn new(bytes: usize) -> Table {
        let most = (bytes / size_of::<Group>()).max(1).ilog2();
        let groups =
            (0..=most).rev().find_map(|bits| Arena::scattered(1 << bits).ok()).expect("address space for a group");
        Table { groups, age: AtomicU8::new(0) }
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.groups)
    }

    /// The results so far may be replaced by any other.
    pub fn grow_old(&self) {
        self.age.store((self.age.load(Relaxed) + 1) % AGES, Relaxed);
    }

    fn group(&self, key: u64) -> &[Place] {
        &self.groups[key as usize & (self.groups.len() - 1)].0
    }

    /// Begins to bring the places of a position near, which is needed soon.
    pub fn fetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: every processor of this kind has SSE; a prefetch reads nothing that a program could see.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.group(key).as_ptr().cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    pub fn get(&self, key: u64) -> Option<Entry> {
        let found = self.group(key).iter().map(Place::read).find(|&(other, _)| other == key);
        found.map(|(_, entry)| entry).filter(|entry| entry.bound != Bound::Nothing)
    }

    /// Remembers the result of a position `ply` plies below the root, in place of an earlier one of the same position, else
    /// of the shallowest and oldest one of its group.
    pub fn put(&self, key: u64, ply: i32, outcome: Outcome) {
        let Outcome { score, worth, mut action, depth, bound } = outcome;
        let age = self.age.load(Relaxed);
        let years = |entry: Entry| i32::from((AGES + age - entry.age) % AGES);
        let value = |(other, entry): (u64, Entry)| match entry.bound {
            _ if other == key => i32::MIN,
            Bound::Nothing => i32::MIN + 1,
            _ => i32::from(entry.depth) - YEAR * years(entry),
        };
        let place = self.group(key).iter().min_by_key(|place| value(place.read())).expect("a group has places");
        let (other, old) = place.read();
        if other == key {
            if bound != Bound::Exact && years(old) == 0 && i32::from(old.depth) > depth + SLACK {
                return;
            }
            if action == 0 {
                action = old.action;
            }
        }
        let score = match score {
            won if won >= SURE => won + ply,
            lost if lost <= -SURE => lost - ply,
            score => score,
        };
        let depth = depth.clamp(i8::MIN.into(), i8::MAX.into()) as i8;
        let bits = Entry { score: score as i16, worth: worth as i16, action, depth, bound, age }.packed();
        place.result.store(bits, Relaxed);
        place.check.store(key ^ bits, Relaxed);
    }
}
