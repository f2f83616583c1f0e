//! Features of moves. The strengths of its features say how promising a move is (Coulom 2007, "Computing Elo Ratings of Move
//! Patterns in the Game of Go").

/// Bits of a feature below its group.
pub const FEATURE_VALUE_BITS: u32 = 56;

/// Features of several moves, move by move. A feature is a group and a value in it. A move's features of a group stand
/// together, from the general to the particular: the last one whose strength is known is the one that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveFeatures {
    features: Vec<u64>,
    /// Where the features of each move end.
    ends: Vec<u32>,
}

impl MoveFeatures {
    pub fn clear(&mut self) {
        self.features.clear();
        self.ends.clear();
    }

    /// Adds a feature of the move that `end_move` will end; the value's top bits are dropped.
    pub fn push(&mut self, group: u8, value: u64) {
        self.features.push(u64::from(group) << FEATURE_VALUE_BITS | value & ((1 << FEATURE_VALUE_BITS) - 1));
    }

    pub fn end_move(&mut self) {
        self.ends.push(self.features.len() as u32);
    }

    /// Number of moves.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The features of each move.
    pub fn iter(&self) -> impl Iterator<Item = &[u64]> {
        let begins = [0].into_iter().chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| &self.features[begin as usize..end as usize])
    }
}

/// The group of a feature.
pub const fn group_of(feature: u64) -> u8 {
    (feature >> FEATURE_VALUE_BITS) as u8
}
