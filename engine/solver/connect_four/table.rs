//! The transposition table: one atomic word an entry, so that threads share it without locks.
//!
//! A key is multiplied by an odd number, which loses nothing. The upper part of the product says where the entry is,
//! the rest, with one byte of the value, is the entry: no two positions are ever taken for each other.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
/// The entry's byte of the value takes as many bits of the key: at least so many must say where it is.
const FEWEST_BITS: u32 = 9;

#[derive(Debug)]
pub struct Table {
    /// Pairs, the later entry of each first.
    words: Vec<AtomicU64>,
    /// A pair's number is the product shifted right by this.
    shift: u32,
}

impl Table {
    /// A table of at most `bytes`, but at least 8 KiB; for a board of `size` cells, no larger than is of use.
    pub fn new(bytes: usize, size: u32) -> Table {
        let most = (bytes / 16).max(1).ilog2().min(size + 4);
        let bits = most.max(FEWEST_BITS);
        Table { words: zeroed(2 << bits), shift: 64 - bits }
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let product = key.wrapping_mul(MULTIPLIER);
        let pair = (product >> self.shift) as usize;
        // The lowest byte of the word is the value; 55 bits or fewer of the product are left.
        (2 * pair, (product & ((1 << self.shift) - 1)) << 8)
    }

    /// What was stored for `key`, 1 to 255; 0 if nothing is known.
    pub fn get(&self, key: u64) -> u8 {
        let (place, rest) = self.place(key);
        for word in &self.words[place..place + 2] {
            let word = word.load(Relaxed);
            if word & !0xff == rest && word != 0 {
                return word as u8;
            }
        }
        0
    }

    pub fn put(&self, key: u64, value: u8) {
        let (place, rest) = self.place(key);
        let late = self.words[place].load(Relaxed);
        if late != 0 && late & !0xff != rest {
            self.words[place + 1].store(late, Relaxed);
        }
        self.words[place].store(rest | u64::from(value), Relaxed);
    }
}

/// Words whose pages are resident only once they are written.
fn zeroed(count: usize) -> Vec<AtomicU64> {
    let words = std::mem::ManuallyDrop::new(vec![0_u64; count]);
    // SAFETY: an AtomicU64 has the size, alignment and bit patterns of a u64, and the vector is not used again.
    unsafe { Vec::from_raw_parts(words.as_ptr().cast_mut().cast::<AtomicU64>(), count, words.capacity()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_a_pair_stay_and_no_key_answers_for_another() {
        let table = Table::new(0, 64);
        let keys: Vec<u64> = (1..).filter(|&key| table.place(key).0 == 0).take(3).collect();
        for (&key, value) in keys.iter().zip([7, 8, 9]) {
            table.put(key, value);
        }
        assert_eq!(keys.iter().map(|&key| table.get(key)).collect::<Vec<_>>(), [0, 8, 9]);
        assert_eq!(
            (1..10_000).filter(|&key| table.get(key) != 0).count(),
            keys[1..].iter().filter(|&&key| key < 10_000).count()
        );
    }
}
