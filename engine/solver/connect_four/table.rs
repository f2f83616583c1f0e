//! The transposition table: one atomic word an entry, so that threads share it without locks.
//!
//! A key is multiplied by an odd number, which loses nothing. The upper part of the product says where the entry is,
//! the rest, with one byte of the value, is the entry: no two positions are ever taken for each other.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use memmap2::{MmapMut, MmapRaw};

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
/// Least number of bits of a key that an entry's place stands for, because the value takes one byte of the entry.
const FEWEST_BITS: u32 = 9;

#[derive(Debug)]
pub struct ScoreTable {
    /// Words in pairs, the later entry of each first. Pages are resident once they are written.
    /// Raw, because shared references write.
    map: MmapRaw,
    /// A pair's number is the product shifted right by this.
    shift: u32,
}

impl ScoreTable {
    /// A table of at most `bytes`, but at least 8 KiB; for a board of `size` cells, no larger than is of use.
    ///
    /// # Panics
    ///
    /// If the system gives no address space at all.
    pub fn new(bytes: usize, size: u32) -> ScoreTable {
        let most = (bytes / 16).max(1).ilog2().min(size + 4);
        let mut bits = most.max(FEWEST_BITS);
        let map = loop {
            match MmapMut::map_anon(16 << bits) {
                Ok(map) => break map,
                // A smaller table answers the same questions in more time.
                Err(_) if bits > FEWEST_BITS => bits -= 1,
                Err(error) => panic!("no address space for the table: {error}"),
            }
        };
        // Large pages, where there are some, save a walk of the page tables at almost every look.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = map.advise(memmap2::Advice::HugePage);
        ScoreTable { map: map.into(), shift: 64 - bits }
    }

    fn words(&self) -> &[AtomicU64] {
        // SAFETY: the map is page-aligned, zeroed memory, lives as long as the borrow, and is only used as such words.
        unsafe {
            std::slice::from_raw_parts(self.map.as_mut_ptr().cast::<AtomicU64>().cast_const(), self.map.len() / 8)
        }
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let product = key.wrapping_mul(MULTIPLIER);
        let pair = (product >> self.shift) as usize;
        // The lowest byte of the word is the value; 55 bits or fewer of the product are left.
        (2 * pair, (product & ((1 << self.shift) - 1)) << 8)
    }

    /// Starts to read what is stored for `key`: memory is slow, and there is something else to do meanwhile.
    pub fn look(&self, key: u64) -> Look {
        let (place, rest) = self.place(key);
        let words = &self.words()[place..place + 2];
        Look { words: [words[0].load(Relaxed), words[1].load(Relaxed)], rest }
    }

    pub fn put(&self, key: u64, value: u8) {
        let (place, rest) = self.place(key);
        let words = &self.words()[place..place + 2];
        let late = words[0].load(Relaxed);
        if late != 0 && late & !0xff != rest {
            words[1].store(late, Relaxed);
        }
        words[0].store(rest | u64::from(value), Relaxed);
    }
}

/// The answer of a look-up.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    words: [u64; 2],
    rest: u64,
}

impl Look {
    /// The byte that was stored for the key, 1 to 255; 0 if nothing is known.
    pub fn value(self) -> u8 {
        self.words.into_iter().find(|word| word & !0xff == self.rest && *word != 0).map_or(0, |word| word as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_a_pair_stay_and_no_key_answers_for_another() {
        let table = ScoreTable::new(0, 64);
        let keys: Vec<u64> = (1..).filter(|&key| table.place(key).0 == 0).take(3).collect();
        for (&key, value) in keys.iter().zip([7, 8, 9]) {
            table.put(key, value);
        }
        assert_eq!(keys.iter().map(|&key| table.look(key).value()).collect::<Vec<_>>(), [0, 8, 9]);
        assert_eq!(
            (1..10_000).filter(|&key| table.look(key).value() != 0).count(),
            keys[1..].iter().filter(|&&key| key < 10_000).count()
        );
    }
}
