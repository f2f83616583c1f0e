//! Zeroed memory in pages of its own, which cost nothing until they are touched or asked for.

use std::{marker::PhantomData, ops::Deref, sync::atomic::AtomicU32};

use bytemuck::Zeroable;
use memmap2::{MmapOptions, MmapRaw};

/// Bytes from which on an array asks for huge pages. In smaller ones those half used would count too much.
const HUGE: usize = 32 << 20;
/// A huge page, on most systems.
const HUGE_PAGE: usize = 2 << 20;
/// Bytes up to which a scattered array gets its pages at once. Of a larger one it may never use most, and they may be more
/// than the system has.
#[cfg(all(target_os = "linux", not(miri)))]
const POPULATED: usize = 1 << 30;
/// At least a page of the system.
#[cfg(all(target_os = "linux", not(miri)))]
const PAGE: usize = 1 << 16;

/// A fixed array of zeroed values in pages of its own: aligned to a page, resident only where it was written, but for a
/// scattered one.
///
/// `Box<[T]>` will not do: Rust's allocator fills over-aligned memory with zeros by hand, and so touches all of it.
pub struct Arena<T> {
    /// Raw, because shared references may write: those of `MmapMut` read only.
    map: MmapRaw,
    len: usize,
    values: PhantomData<T>,
}

/// Bytes of an array of `bytes` bytes that may be resident beyond the last byte written.
pub fn last_page(bytes: usize) -> usize {
    #[cfg(target_os = "linux")]
    if bytes >= HUGE {
        return HUGE_PAGE;
    }
    bytes.min(1 << 15)
}

impl<T: Zeroable + Sync> Arena<T> {
    /// # Errors
    ///
    /// The system's error if it has no address space left.
    pub fn new(len: usize) -> std::io::Result<Arena<T>> {
        Arena::with_huge_pages(len, HUGE)
    }

    /// One whose values are soon touched all over: huge pages are worth asking for at any size, and up to a GiB it is
    /// resident from the start, so that nobody waits for the system to fill pages with zeros later.
    ///
    /// # Errors
    ///
    /// The system's error if it has no address space left.
    pub fn scattered(len: usize) -> std::io::Result<Arena<T>> {
        let arena = Arena::with_huge_pages(len, HUGE_PAGE)?;
        // A system that cannot do this makes the pages when they are touched.
        #[cfg(all(target_os = "linux", not(miri)))]
        if arena.map.len() <= POPULATED {
            let _ = arena.map.advise(memmap2::Advice::PopulateWrite);
        }
        Ok(arena)
    }

    fn with_huge_pages(len: usize, from_bytes: usize) -> std::io::Result<Arena<T>> {
        // Not reserved, because the system may refuse to reserve what is more than it has now.
        let mut options = MmapOptions::new();
        options.len((len * size_of::<T>()).max(1));
        // Miri has neither this nor advice.
        if !cfg!(miri) {
            options.no_reserve_swap();
        }
        let map = MmapRaw::from(options.map_anon()?);
        #[cfg(target_os = "linux")]
        if len * size_of::<T>() >= from_bytes {
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = from_bytes;
        Ok(Arena { map, len, values: PhantomData })
    }

    /// Moves `len` values from `from` on to `to` and after; the two may overlap.
    pub fn shift(&mut self, from: usize, to: usize, len: usize) {
        let size = size_of::<T>();
        self.bytes().copy_within(from * size..(from + len) * size, to * size);
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the map holds `map.len()` bytes and lives as long as the borrow; `&mut self` shows that nobody else looks
        // at them. Whoever writes T's bytes leaves a valid T: it copies whole ones, or sets zeros (`Zeroable`).
        unsafe { std::slice::from_raw_parts_mut(self.map.as_mut_ptr(), self.map.len()) }
    }

    /// Gives the pages that hold nothing but values from `start` to before `end` back to the system. Those values are
    /// anything from now on.
    pub fn release(&mut self, start: usize, end: usize) {
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            let begin = (start * size_of::<T>()).next_multiple_of(PAGE);
            let end = (end * size_of::<T>()).next_multiple_of(PAGE).min(self.map.len());
            if begin < end {
                // SAFETY: the map is private and anonymous, so the pages read as zeros afterwards, which is a valid T
                // (`Zeroable`); `&mut self` shows that nobody looks at them.
                let _ =
                    unsafe { self.map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, begin, end - begin) };
            }
        }
        #[cfg(not(all(target_os = "linux", not(miri))))]
        let _ = (start, end);
    }
}

impl<T: Zeroable + Sync> Deref for Arena<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the map holds `len * size_of::<T>()` bytes and lives as long as the borrow; it begins on a page, which
        // is a multiple of T's alignment; it was zeroed by the system, which is a valid T (`Zeroable`); nobody else has
        // a reference to it, and all T here are made of atomics, so that shared references may write.
        unsafe { std::slice::from_raw_parts(self.map.as_mut_ptr().cast::<T>().cast_const(), self.len) }
    }
}

impl Arena<AtomicU32> {
    /// Sets the first `len` values to 0.
    pub fn clear(&mut self, len: usize) {
        self.bytes()[..len * size_of::<AtomicU32>()].fill(0);
    }
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64", not(miri)))]
mod tests {
    use std::{fs::File, os::unix::fs::FileExt, sync::atomic::Ordering::Relaxed};

    use super::*;

    const PAGES: usize = 3 << 10;

    /// Pages of 4 KiB of the array that are resident, of which the system keeps a word each.
    fn resident(array: &Arena<AtomicU32>) -> usize {
        let mut words = vec![0; 8 * PAGES];
        let map = File::open("/proc/self/pagemap").expect("the system tells of its pages");
        map.read_exact_at(&mut words, (array.as_ptr() as u64 >> 12) * 8).expect("the words of the array");
        words.chunks(8).filter(|word| word[7] >> 7 == 1).count()
    }

    #[test]
    fn an_array_is_resident_where_it_was_written_and_a_scattered_one_as_a_whole() {
        let len = PAGES << 10;
        let written = Arena::<AtomicU32>::new(len).expect("address space");
        assert_eq!(resident(&written), 0);
        written[0].store(1, Relaxed);
        assert!((1..PAGES).contains(&resident(&written)));
        let scattered = Arena::<AtomicU32>::scattered(len).expect("address space");
        assert_eq!(resident(&scattered), PAGES);
    }
}
