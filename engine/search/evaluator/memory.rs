//! The memory of what nets said of positions lately. Threads share it: one judges a leaf, and often another one gives it its
//! children, in the order that the same judgement says.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Positions that are remembered.
const PLACES: usize = 1 << 13;

/// A judgement of a position.
#[derive(Debug, Default)]
struct Found<T> {
    key: u64,
    /// The epoch of the nets, and of the game as it was; from 1 on.
    epoch: u64,
    what: T,
}

/// The judgements of positions lately, the last one in each place.
#[derive(Debug)]
pub struct Memory<T>(OnceLock<Box<[Mutex<Found<T>>]>>);

impl<T> Default for Memory<T> {
    fn default() -> Self {
        Memory(OnceLock::new())
    }
}

impl<T: Default> Memory<T> {
    fn place(&self, key: u64) -> MutexGuard<'_, Found<T>> {
        let places = self.0.get_or_init(|| (0..PLACES).map(|_| Mutex::default()).collect());
        places[key as usize % PLACES].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands `take` what was found at the position of this key; false if it is not known.
    pub fn recall(&self, key: u64, epoch: u64, take: impl FnOnce(&T)) -> bool {
        let found = self.place(key);
        let known = (found.key, found.epoch) == (key, epoch);
        if known {
            take(&found.what);
        }
        known
    }

    /// Has `write` replace what is remembered in the position's place.
    pub fn keep(&self, key: u64, epoch: u64, write: impl FnOnce(&mut T)) {
        let mut found = self.place(key);
        // A panic while it is written leaves nothing that is known.
        (found.key, found.epoch) = (0, 0);
        write(&mut found.what);
        (found.key, found.epoch) = (key, epoch);
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn threads_share_what_the_last_one_found() {
        let memory = Memory::<u32>::default();
        thread::scope(|scope| {
            scope.spawn(|| memory.keep(5, 1, |what| *what = 7));
        });
        let recalled = |key, epoch| {
            let mut seen = 0;
            memory.recall(key, epoch, |&what| seen = what).then_some(seen)
        };
        assert_eq!(recalled(5, 1), Some(7));
        assert_eq!(recalled(5, 2), None, "other nets");
        assert_eq!(recalled(0, 1), None, "an empty place knows nothing");
        memory.keep(5 + PLACES as u64, 1, |what| *what = 8);
        assert_eq!((recalled(5, 1), recalled(5 + PLACES as u64, 1)), (None, Some(8)));
    }
}
