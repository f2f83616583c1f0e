//! Tables that a solver keeps from one position of a game to the next.

use std::any::Any;

use crate::connect_four::ScoreMemory;

/// The tables of the methods that one game's positions were solved with. What they say of a position stays true, so
/// that they serve all positions of the game.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) scores: ScoreMemory,
    tables: Vec<Box<dyn Any + Send>>,
}

/// A table and the bound that it was made with, in bytes.
struct Kept<T> {
    bytes: usize,
    table: T,
}

impl Memory {
    /// The table of type `T` with at most `bytes`: the one that was kept, unless its bound was another one.
    pub(crate) fn table<T: Send + 'static>(&mut self, bytes: usize, make: fn(usize) -> T) -> &mut T {
        let fits = |kept: &Box<dyn Any + Send>| kept.downcast_ref::<Kept<T>>().map(|kept| kept.bytes == bytes);
        self.tables.retain(|kept| fits(kept) != Some(false));
        let place = self.tables.iter().position(|kept| fits(kept).is_some()).unwrap_or_else(|| {
            self.tables.push(Box::new(Kept { bytes, table: make(bytes) }));
            self.tables.len() - 1
        });
        let kept: &mut dyn Any = &mut *self.tables[place];
        &mut kept.downcast_mut::<Kept<T>>().expect("it was chosen by its type").table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_stays_while_its_type_and_bound_do() {
        let mut memory = Memory::default();
        memory.table(8, Vec::<u8>::with_capacity).push(1);
        memory.table(8, |_| 5_u32);
        assert_eq!(*memory.table(8, Vec::<u8>::with_capacity), [1]);
        assert!(memory.table(16, Vec::<u8>::with_capacity).is_empty());
        assert_eq!((*memory.table(8, |_| 7_u32), memory.tables.len()), (5, 2));
    }
}
