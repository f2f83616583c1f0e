//! Stamps on a board: at all places at once by shifted sets of cells, or at one place.

use playout_games::{CELL_WORDS, CellSet, Cells};

use super::compile::{Class, Stamp};

/// Words before and after a set, which hold no cell: shifted sets reach into them.
const MARGIN: usize = CELL_WORDS;

/// A board as the player `we` sees it.
pub struct View {
    /// Ours, theirs, taken and empty, in the order of `Class`.
    sets: [[u64; 2 * MARGIN + CELL_WORDS]; 4],
    words: usize,
}

impl View {
    /// `words` is the number of words that hold all cells.
    pub fn new(cells: &Cells, we: usize, words: usize) -> View {
        let [ours, theirs] = [&cells.men[we], &cells.men[1 - we]];
        let mut sets = [[0; 2 * MARGIN + CELL_WORDS]; 4];
        let mut fill = |class: Class, word: &dyn Fn(usize) -> u64| {
            sets[class as usize][MARGIN..MARGIN + words].iter_mut().enumerate().for_each(|(i, to)| *to = word(i));
        };
        fill(Class::Ours, &|i| ours[i]);
        fill(Class::Theirs, &|i| theirs[i]);
        fill(Class::Taken, &|i| ours[i] | theirs[i]);
        fill(Class::Empty, &|i| cells.empty[i]);
        View { sets, words }
    }

    /// The places where the stamp fits, added to `found`.
    pub fn add_places(&self, stamp: &Stamp, found: &mut CellSet) {
        let mut left: CellSet = [0; CELL_WORDS];
        left[..self.words].copy_from_slice(&stamp.places);
        for condition in &stamp.conditions {
            let set = &self.sets[condition.class as usize];
            let (skip, shift) = (condition.offset >> 6, condition.offset & 63);
            let from = (MARGIN as i32 + skip) as usize;
            let mut any = 0;
            for (i, left) in left[..self.words].iter_mut().enumerate() {
                // Of 64 bits from `shift` on, those of the next word come from its lower end.
                let moved = set[from + i] >> shift | set[from + i + 1] << 1 << (63 - shift);
                *left &= moved | condition.free.as_ref().map_or(0, |free| free[i]);
                any |= *left;
            }
            if any == 0 {
                return;
            }
        }
        found.iter_mut().zip(left).for_each(|(found, left)| *found |= left);
    }

    /// Whether the stamp fits at a place.
    pub fn fits(&self, stamp: &Stamp, place: u32) -> bool {
        let (word, bit) = (place as usize / 64, place % 64);
        let at = |set: &[u64], bits: u32| set[bits as usize / 64] >> (bits % 64) & 1 != 0;
        stamp.places[word] >> bit & 1 != 0
            && stamp.conditions.iter().all(|condition| {
                // Beyond the edge of the board the number may be any; the place is then free.
                let cell = (64 * MARGIN as u32).wrapping_add_signed(place as i32 + condition.offset);
                at(&self.sets[condition.class as usize], cell)
                    || condition.free.as_ref().is_some_and(|free| free[word] >> bit & 1 != 0)
            })
    }
}

/// The members of a set, in rising order.
pub fn members(set: &CellSet) -> impl Iterator<Item = u32> {
    let mut rest = *set;
    let mut i = 0;
    std::iter::from_fn(move || {
        while i < CELL_WORDS && rest[i] == 0 {
            i += 1;
        }
        (i < CELL_WORDS).then(|| {
            let bit = rest[i].trailing_zeros();
            rest[i] &= rest[i] - 1;
            64 * i as u32 + bit
        })
    })
}
