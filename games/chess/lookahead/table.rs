//! The memory of an alpha-beta search: scores and best moves of positions.

use super::MATES;

/// The relation of a score to the value of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Bound {
    #[default]
    Nothing,
    AtLeast,
    AtMost,
    Exact,
}

/// The result of a search at a position.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry {
    key: u64,
    score: i16,
    /// The best move; 0 where none is better than another.
    pub action: u16,
    pub depth: i8,
    pub bound: Bound,
    age: u8,
}

impl Entry {
    /// The score as it counts `ply` plies below the root: mates are remembered by their distance from the position.
    pub fn score(&self, ply: i32) -> i32 {
        match i32::from(self.score) {
            mates if mates >= MATES => mates - ply,
            mated if mated <= -MATES => mated + ply,
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
}

/// A table with one place for each index. Deep results of the search under way give way to those of their own position
/// alone.
pub struct Table {
    entries: Vec<Entry>,
    age: u8,
}

/// Plies by which a result may be shallower than one of another position that it replaces.
const SLACK: i32 = 4;

impl Table {
    /// A table of at most `bytes`.
    pub fn new(bytes: usize) -> Table {
        let most = (bytes / size_of::<Entry>()).max(1);
        Table { entries: vec![Entry::default(); 1 << most.ilog2()], age: 0 }
    }

    /// The results so far may be replaced by any other.
    pub fn grow_old(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    fn index(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    pub fn get(&self, key: u64) -> Option<Entry> {
        Some(self.entries[self.index(key)]).filter(|entry| entry.key == key && entry.bound != Bound::Nothing)
    }

    pub fn put(&mut self, key: u64, ply: i32, score: i32, action: u16, depth: i32, bound: Bound) {
        let (age, index) = (self.age, self.index(key));
        let entry = &mut self.entries[index];
        if entry.key != key && entry.age == age && i32::from(entry.depth) > depth + SLACK {
            return;
        }
        let action = if action == 0 && entry.key == key { entry.action } else { action };
        let score = match score {
            mates if mates >= MATES => mates + ply,
            mated if mated <= -MATES => mated - ply,
            score => score,
        };
        *entry = Entry { key, score: score as i16, action, depth: depth.min(i8::MAX.into()) as i8, bound, age };
    }
}
