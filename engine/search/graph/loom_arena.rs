//! The arena where loom models the store: loom's atomics are no plain memory, and it counts each of them.

use std::{io, ops::Deref};

use crate::sync::atomic::AtomicU32;

/// The most values of an array.
const MOST: usize = 32;

/// A fixed array of values.
pub struct Arena<T>(Box<[T]>);

/// There are no pages.
pub fn last_page(_: usize) -> usize {
    0
}

impl<T: Default> Arena<T> {
    pub fn new(len: usize) -> io::Result<Arena<T>> {
        Ok(Arena((0..len.min(MOST)).map(|_| T::default()).collect()))
    }

    /// Moves values towards the beginning, as compaction does.
    pub fn shift(&mut self, from: usize, to: usize, len: usize) {
        (0..len).for_each(|offset| self.0.swap(from + offset, to + offset));
    }

    /// Keeps them: they are anything from now on.
    pub fn release(&mut self, _: usize, _: usize) {}
}

impl<T> Deref for Arena<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl Arena<AtomicU32> {
    pub fn clear(&mut self, len: usize) {
        self.0[..len].iter_mut().for_each(|value| *value = AtomicU32::default());
    }
}
