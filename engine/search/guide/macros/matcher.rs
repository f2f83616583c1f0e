//! Stamps on a board: at all places at once by shifted sets of cells, or at one place.

use playout_games::{CELL_WORDS, CellSet, Cells, Game, Grid};

use super::compile::{ANY, EMPTY, KINDS, NEAR, NEAR_SIDE, OURS, Stamp, TAKEN};

/// The cells of a position.
pub struct Board {
    cells: Cells,
    taken: CellSet,
    /// Men of the sets of kinds that macros ask for, as the player to move calls them.
    kinds: Vec<u64>,
    /// Number of words that hold all cells.
    words: usize,
}

impl Board {
    /// The board of a position; `kinds` are asked for as the player to move calls them.
    pub fn new<G: Game>(game: &G, position: &G::Position, words: usize, kinds: &[u32]) -> Board {
        let cells = game.cells(position);
        let we = game.player(position);
        let kinds = kinds.iter().map(|&kinds| game.men_of(position, we, kinds)).collect();
        let mut taken = [0; CELL_WORDS];
        for (i, taken) in taken[..words].iter_mut().enumerate() {
            *taken = cells.men[0][i] | cells.men[1][i];
        }
        Board { cells, taken, kinds, words }
    }

    /// The cells as the player `we` sees them.
    pub fn seen_by(&self, we: usize) -> View<'_> {
        let Board { cells, taken, kinds, words } = self;
        View { sets: [&cells.men[we], &cells.men[1 - we], taken, &cells.empty], kinds, words: *words }
    }
}

static NONE: CellSet = [0; CELL_WORDS];

/// A board as one player sees it.
pub struct View<'a> {
    /// Before `KINDS`.
    sets: [&'a CellSet; 4],
    kinds: &'a [u64],
    words: usize,
}

impl View<'_> {
    /// The cells of a class; those of kinds are in one word.
    fn set(&self, class: u8) -> &CellSet {
        self.sets.get(usize::from(class)).copied().unwrap_or(&NONE)
    }

    /// The first 64 cells of a class.
    pub fn word(&self, class: u8) -> u64 {
        match class {
            ..KINDS => self.sets[usize::from(class)][0],
            ANY => self.sets[usize::from(TAKEN)][0] | self.sets[usize::from(EMPTY)][0],
            _ => self.kinds.get(usize::from(class - KINDS)).copied().unwrap_or(0),
        }
    }

    /// The places where the stamp fits, added to `found`.
    pub fn add_places(&self, stamp: &Stamp, found: &mut CellSet) {
        match self.words {
            1 => self.add_to_word(stamp, &mut found[0]),
            2 => self.add::<2>(stamp, found),
            3..=4 => self.add::<4>(stamp, found),
            5..=6 => self.add::<6>(stamp, found),
            _ => self.add::<CELL_WORDS>(stamp, found),
        }
    }

    /// `add_places` on a board of one word.
    pub fn add_to_word(&self, stamp: &Stamp, found: &mut u64) {
        let mut left = stamp.places[0];
        for condition in &stamp.conditions {
            let set = self.word(condition.class);
            let moved = if condition.offset >= 0 { set >> condition.offset } else { set << -condition.offset };
            left &= moved | condition.free.as_ref().map_or(0, |free| free[0]);
            if left == 0 {
                return;
            }
        }
        *found |= left;
    }

    /// `add_places` in sets of `W` words, enough for the board.
    #[inline(always)]
    fn add<const W: usize>(&self, stamp: &Stamp, found: &mut CellSet) {
        let word = |words: &[u64], i: usize| words.get(i).copied().unwrap_or(0);
        let mut left: [u64; W] = std::array::from_fn(|i| word(&stamp.places, i));
        for condition in &stamp.conditions {
            let set = self.set(condition.class);
            let (skip, shift) = (condition.offset >> 6, condition.offset & 63);
            let at = |i: i32| if (0..W as i32).contains(&i) { set[i as usize] } else { 0 };
            let mut any = 0;
            for (i, left) in left.iter_mut().enumerate() {
                // Of 64 bits from `shift` on, those of the next word come from its lower end.
                let from = i as i32 + skip;
                let moved = at(from) >> shift | at(from + 1) << 1 << (63 - shift);
                *left &= moved | condition.free.as_ref().map_or(0, |free| word(free, i));
                any |= *left;
            }
            if any == 0 {
                return;
            }
        }
        found.iter_mut().zip(left).for_each(|(found, left)| *found |= left);
    }

    /// Our men near a place, one line of cells that are numbered in a row after another; the edges that are `ours` count.
    /// A stamp fits only where it has all of those that `Stamp::near` asks for.
    pub fn near(&self, grid: &Grid, place: u32, ours: [bool; 2]) -> u64 {
        let set = self.set(OURS);
        // Lines follow the direction in which neighbours have neighbouring numbers.
        let (length, count, step) =
            if grid.across == 1 { (grid.columns, grid.rows, grid.up) } else { (grid.rows, grid.columns, grid.across) };
        let [before_and_after, above_and_below] = ours;
        let (along, over) = ((place % step) as i32, (place / step) as i32);
        let inside = ((1u64 << length) - 1) << NEAR;
        let mask = (1u64 << NEAR_SIDE) - 1;
        let mut near = 0;
        for (row, line) in (over - NEAR..=over + NEAR).enumerate() {
            // The line, with room for what lies beyond both its ends.
            let line = if (0..count as i32).contains(&line) {
                let men = bits(set, line as u32 * step) << NEAR & inside;
                men | if before_and_after { !inside } else { 0 }
            } else if above_and_below {
                inside
            } else {
                0
            };
            near |= (line >> along & mask) << (row as i32 * NEAR_SIDE);
        }
        near
    }

    /// Whether the stamp fits at a place.
    pub fn fits(&self, stamp: &Stamp, place: u32) -> bool {
        let (word, bit) = (place as usize / 64, place % 64);
        let at = |class: u8, cell: i32| {
            let word = if class < KINDS {
                self.set(class).get((cell >> 6) as usize).copied().unwrap_or(0)
            } else {
                self.word(class) * u64::from(cell >> 6 == 0)
            };
            word >> (cell & 63) & 1 != 0
        };
        stamp.places[word] >> bit & 1 != 0
            && stamp.conditions.iter().all(|condition| {
                // Beyond the edge of the board the number may be any; the place is then free.
                at(condition.class, place as i32 + condition.offset)
                    || condition.free.as_ref().is_some_and(|free| free[word] >> bit & 1 != 0)
            })
    }
}

/// 64 bits of a set from `start` on.
fn bits(set: &CellSet, start: u32) -> u64 {
    let (word, shift) = (start as usize / 64, start % 64);
    let next = set.get(word + 1).copied().unwrap_or(0);
    set[word] >> shift | next << 1 << (63 - shift)
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
