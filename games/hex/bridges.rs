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
pub const RING: [i32; 6] = [-32, -31, 1, 32, 31, -1];
/// Bit 0 of either player.
pub const BOTH: u64 = 1 | 1 << 32;

/// Cells of both players: bit `x` of a row is Black's, bit `32 + x` White's. The cell of a place has row and column one
/// higher here, so that there is room for the borders.
pub type Rows = [u64; 34];

/// The stones on the board, and borders which are stones of the players who own them.
#[derive(Clone, Debug)]
pub struct Grid {
    pub size: u32,
    pub rows: Rows,
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
        ((cell / self.size) << 5) | (cell % self.size)
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
    pub fn window(&self, place: u32) -> [u64; 3] {
        let row = (place >> 5 & 31) as usize;
        [row, row + 1, row + 2].map(|row| self.rows[row] >> (place & 31))
    }

    /// The empty cells, for both players.
    fn free(&self) -> Rows {
        self.rows.map(|row| !(row | row >> 32 | row << 32) & ((((1 << self.size) - 1) << 1) * BOTH))
    }

    /// The empty cells between two bridged stones of a player, or a stone and the border, as `rows` has stones.
    pub fn carriers(&self) -> Rows {
        let (own, free) = (&self.rows, self.free());
        let mut carriers = [0; 34];
        for y in 1..=self.size as usize {
            // Beyond the next row: the pair lies in the row between.
            let upright = own[y + 1] & own[y - 1] >> 1 & free[y] & free[y] >> 1;
            carriers[y] |= upright | upright << 1;
        }
        for y in 1..=self.size as usize + 1 {
            // Two columns away in the row above, and one column in the row below: a cell of the pair in either row.
            let (upper, lower) = (y - 1, y);
            let flat = own[lower] & own[upper] >> 2 & free[upper] >> 1 & free[lower] >> 1;
            let steep = own[upper] & own[lower] >> 1 & free[upper] >> 1 & free[lower];
            carriers[upper] |= flat << 1 | steep << 1;
            carriers[lower] |= flat << 1 | steep;
        }
        carriers
    }

    /// The empty cells from which a new stone of a player would form a bridge with one of his stones.
    pub fn bridgeheads(&self) -> Rows {
        let free = self.free();
        let own: Rows = std::array::from_fn(|y| {
            if (1..=self.size as usize).contains(&y) {
                self.rows[y] & ((((1 << self.size) - 1) << 1) * BOTH)
            } else {
                0
            }
        });
        let mut heads = [0; 34];
        for y in 1..=self.size as usize {
            let far_up = own[y.max(2) - 2] >> 1 & free[y - 1] & free[y - 1] >> 1;
            let far_down = own[y + 2] << 1 & free[y + 1] & free[y + 1] << 1;
            let right = free[y] >> 1 & (own[y - 1] >> 2 & free[y - 1] >> 1 | own[y + 1] >> 1 & free[y + 1]);
            let left = free[y] << 1 & (own[y + 1] << 2 & free[y + 1] << 1 | own[y - 1] << 1 & free[y - 1]);
            heads[y] = free[y] & (far_up | far_down | right | left);
        }
        heads
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
                    let index = ((u64::from(rng.u32(..)) * left as u64) >> 32) as usize;
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

/// The stones around a place in the order of `RING`: bits 0 to 5 for Black's, 32 to 37 for White's.
pub fn around([above, level, below]: [u64; 3]) -> u64 {
    (above >> 1 & (3 * BOTH))
        | (level & (4 * BOTH))
        | (below & (2 * BOTH)) << 2
        | (below & BOTH) << 4
        | (level & BOTH) << 5
}

/// The cells around a place, as bits in the order of `RING`, each of which completes a bridge of the player `second`
/// into which an opponent's stone on the place breaks.
pub fn broken(window: [u64; 3], second: bool) -> u32 {
    let around = around(window);
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
