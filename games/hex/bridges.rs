//! Playouts in which a bridge that the opponent breaks into is mended.
//!
//! Two stones of a colour with two common neighbours, both empty, form a bridge: when the opponent takes one of the
//! two, the other one joins the stones all the same. A border counts as a row of its owner's stones. Replies to such
//! intrusions are the best known pattern of Hex playouts (Arneson, Hayward and Henderson 2010).
//!
//! As in `fill.rs`, play goes on to the full board.

use super::cells::Cells;
use crate::Rng;

/// Steps to the neighbours, clockwise from the one above, in places `row << 5 | column`.
const RING: [i32; 6] = [-32, -31, 1, 32, 31, -1];
/// Bit 0 of either player.
const BOTH: u64 = 1 | 1 << 32;

/// The rows of the board with its borders, whose cells are stones of the players who own them: bit `x` of a row is
/// Black's, bit `32 + x` White's. The cell of a place has row and column one higher here.
#[derive(Clone, Debug)]
pub struct Grid {
    size: u32,
    rows: [u64; 34],
}

impl Grid {
    /// An empty board with its borders.
    pub fn new(size: u32) -> Grid {
        let mut rows = [0; 34];
        rows[1..=size as usize].fill((1 | 1 << (size + 1)) << 32);
        let black = (1 << (size + 2)) - 1;
        rows[0] = black;
        rows[size as usize + 1] = black;
        Grid { size, rows }
    }

    /// The same with stones of Black and White on it.
    pub fn with<const W: usize>(&self, stones: &[Cells<W>; 2]) -> Grid {
        let mut grid = self.clone();
        for (row, start) in grid.rows[1..=self.size as usize].iter_mut().zip((0..).step_by(self.size as usize)) {
            let [black, white] = stones.each_ref().map(|stones| stones.bits(start, self.size) << 1);
            *row |= black | white << 32;
        }
        grid
    }

    /// Black's stones.
    pub fn black<const W: usize>(&self) -> Cells<W> {
        let mut black = Cells::EMPTY;
        for (row, start) in self.rows[1..=self.size as usize].iter().zip((0..).step_by(self.size as usize)) {
            black.insert_bits(start, row >> 1 & ((1 << self.size) - 1));
        }
        black
    }

    pub fn place_of(&self, cell: u32) -> u32 {
        cell / self.size << 5 | cell % self.size
    }

    pub fn cell_at(&self, place: u32) -> u32 {
        (place >> 5) * self.size + (place & 31)
    }

    /// Writes the places of the empty cells and returns how many there are.
    fn empties(&self, places: &mut [u16; 26 * 26]) -> usize {
        let mut count = 0;
        for (row, start) in self.rows[1..=self.size as usize].iter().zip((0..).step_by(32)) {
            let mut free = !(row | row >> 32) >> 1 & ((1 << self.size) - 1);
            while free != 0 {
                places[count] = start + free.trailing_zeros() as u16;
                count += 1;
                free &= free - 1;
            }
        }
        count
    }

    /// The three rows around a place, its own in the middle, shifted so that the place has bit 1 of each player.
    fn window(&self, place: u32) -> [u64; 3] {
        let row = (place >> 5 & 31) as usize;
        [row, row + 1, row + 2].map(|row| self.rows[row] >> (place & 31))
    }

    fn put(&mut self, place: u32, second: bool) {
        self.rows[(place >> 5 & 31) as usize + 1] |= 2 << (place & 31) << (32 * u32::from(second));
    }

    /// The cell on which the player `second` mends a bridge into which an opponent's stone on `place` breaks, if there
    /// is one; one of them at random if there are several.
    pub fn reply(&self, place: u32, second: bool, rng: &mut Rng) -> Option<u32> {
        choose(broken(self.window(place), second), rng).map(|i| place.wrapping_add_signed(RING[i]))
    }

    /// Fills the board: the players, `second` first, mend broken bridges and else take an empty cell at random.
    /// `last` is the place of the opponent's latest stone, if it is known. `played` is told each place and its owner.
    pub fn fill(&mut self, mut second: bool, last: Option<u32>, rng: &mut Rng, mut played: impl FnMut(u32, bool)) {
        let mut places = [0; 26 * 26];
        let mut left = self.empties(&mut places);
        let mut reply = last.and_then(|last| self.reply(last, second, rng));
        loop {
            let place = match reply {
                Some(place) => place,
                None if left == 0 => return,
                None => {
                    // The product's high half is uniform but for one part in millions, which needs no rejection here.
                    let index = (u64::from(rng.u32(..)) * left as u64 >> 32) as usize;
                    left -= 1;
                    let place = u32::from(places[index]);
                    places[index] = places[left];
                    place
                }
            };
            let window = self.window(place);
            // The list still holds cells on which bridges were mended.
            if window[1] & (2 * BOTH) == 0 {
                self.put(place, second);
                played(place, second);
                second = !second;
                reply = choose(broken(window, second), rng).map(|i| place.wrapping_add_signed(RING[i]));
            }
        }
    }
}

/// The cells around a place, as bits in the order of `RING`, each of which completes a bridge of the player `second`
/// into which an opponent's stone on the place breaks.
fn broken([above, level, below]: [u64; 3], second: bool) -> u32 {
    let around = (above >> 1 & (3 * BOTH))
        | (level & (4 * BOTH))
        | (below & (2 * BOTH)) << 2
        | (below & BOTH) << 4
        | (level & BOTH) << 5;
    let own = (around >> (32 * u32::from(second))) as u32 & 63;
    let taken = (around | around >> 32) as u32;
    let twice = own | own << 6;
    twice >> 1 & twice >> 5 & !taken & 63
}

/// The number of one of the set bits, drawn at random if there are several.
fn choose(mut bits: u32, rng: &mut Rng) -> Option<usize> {
    if bits == 0 {
        return None;
    }
    if bits & (bits - 1) != 0 {
        for _ in 0..rng.u32(..bits.count_ones()) {
            bits &= bits - 1;
        }
    }
    Some(bits.trailing_zeros() as usize)
}
