//! Zeroed memory that costs nothing until it is touched.

use std::{marker::PhantomData, ops::Deref, sync::atomic::AtomicU32};

use bytemuck::Zeroable;
use memmap2::MmapMut;

/// A fixed array of zeroed values in pages of its own: aligned to a page, resident only where it was written.
///
/// `Box<[T]>` will not do: Rust's allocator fills over-aligned memory with zeros by hand, and so touches all of it.
pub struct Arena<T> {
    map: MmapMut,
    len: usize,
    values: PhantomData<T>,
}

impl<T: Zeroable + Sync> Arena<T> {
    /// # Panics
    ///
    /// If the system has no address space left.
    pub fn new(len: usize) -> Arena<T> {
        let map = MmapMut::map_anon((len * size_of::<T>()).max(1)).expect("address space for the search graph");
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Arena { map, len, values: PhantomData }
    }
}

impl<T: Zeroable + Sync> Deref for Arena<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the map holds `len * size_of::<T>()` bytes and lives as long as the borrow; it begins on a page, which
        // is a multiple of T's alignment; it was zeroed by the system, which is a valid T (`Zeroable`); nobody else has
        // a reference to it, and all T here are made of atomics, so that shared references may write.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast::<T>(), self.len) }
    }
}

impl Arena<AtomicU32> {
    /// Sets the first `len` values to 0.
    pub fn clear(&mut self, len: usize) {
        self.map[..len * size_of::<AtomicU32>()].fill(0);
    }
}
