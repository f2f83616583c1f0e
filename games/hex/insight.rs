//! H(s) and H(s, a) of Hex, from both players' circuits.
//!
//! The weights were fitted to the visits and values of UCT searches with RAVE and 2500 playouts a move on 9x9 and 11x11.

use super::bridges::{Grid, RING, Rows, broken};
use super::circuit::Circuit;

/// Resistances to a player: his stones, empty cells, empty cells between bridged stones of his own and of the opponent.
const STONE: f32 = 0.02;
const EMPTY: f32 = 1.0;
const CARRIER: f32 = 0.25;
const CROSSING: f32 = 2.0;

/// H(s) = tanh(`STEEPNESS` ln(conductance / opponent's) + `TEMPO`).
const STEEPNESS: f32 = 0.95;
const TEMPO: f32 = 0.22;

/// Logits. The shares of the currents count by their logarithms; 1 / size is an ordinary share.
const OWN_SHARE: f32 = 2.8;
const OTHER_SHARE: f32 = 2.3;
const LEAST_SHARE: f32 = 0.003;
const MENDS: f32 = 0.9;
const BRIDGES: f32 = 0.7;
const BREAKS_UP: f32 = 0.6;
const TOUCHES_LAST: f32 = 0.6;
const IN_OWN_BRIDGE: f32 = -1.9;
const EDGE: [f32; 2] = [-1.0, -0.5];

/// A position as circuits and patterns.
pub struct CircuitView<'a> {
    grid: &'a Grid,
    carriers: Rows,
    /// Black's circuit from the top, and White's from the left with rows and columns exchanged.
    circuits: [Circuit; 2],
}

impl CircuitView<'_> {
    pub fn new(grid: &Grid) -> CircuitView<'_> {
        let carriers = grid.carriers();
        let circuits = [0, 1].map(|player| Circuit::new(grid.size as usize, &resistances(grid, &carriers, player)));
        CircuitView { grid, carriers, circuits }
    }

    /// H(s) for the player `second`, who is to move.
    pub fn value(&self, second: bool) -> f32 {
        let [black, white] = self.circuits.each_ref().map(|circuit| circuit.conductance);
        let ratio = if second { white / black } else { black / white };
        (STEEPNESS * ratio.ln() + TEMPO).tanh()
    }

    /// The share of a player's current that goes through a cell, at most about 1.
    pub fn share(&self, player: usize, cell: u32) -> f32 {
        let size = self.grid.size;
        let place = if player == 0 { cell } else { cell % size * size + cell / size };
        let circuit = &self.circuits[player];
        circuit.currents[place as usize] / circuit.conductance
    }

    /// The cells around the latest stone that mend a bridge of the player `second`, as bits in the order of `RING`.
    pub fn mends(&self, second: bool, last: Option<u32>) -> u32 {
        last.map_or(0, |last| broken(self.grid.window(last), second))
    }

    /// H(s, a) for the player `second` on the empty cells. `last` is the place of the latest stone, if it is known.
    pub fn preferences(&self, second: bool, last: Option<u32>, cells: impl Iterator<Item = u32>, out: &mut Vec<f32>) {
        let size = self.grid.size;
        let heads = self.grid.bridgeheads();
        let mover = usize::from(second);
        let mends = self.mends(second, last);
        let weight = |of: &Rows, player: usize, place: u32, weight: f32| {
            let bit = of[(place >> 5) as usize + 1] >> ((place & 31) + 1) >> (32 * player) & 1;
            weight * bit as f32
        };
        out.extend(cells.map(|cell| {
            let place = self.grid.place_of(cell);
            let share = |player| ((self.share(player, cell) + LEAST_SHARE) * size as f32).ln();
            let mut logit = OWN_SHARE * share(mover) + OTHER_SHARE * share(1 - mover);
            logit += weight(&heads, mover, place, BRIDGES) + weight(&heads, 1 - mover, place, BREAKS_UP);
            logit += weight(&self.carriers, mover, place, IN_OWN_BRIDGE);
            if let Some(direction) =
                last.and_then(|last| RING.iter().position(|step| place == last.wrapping_add_signed(*step)))
            {
                logit += TOUCHES_LAST + if mends >> direction & 1 != 0 { MENDS } else { 0.0 };
            }
            let (row, column) = (cell / size, cell % size);
            for line in [row.min(size - 1 - row), column.min(size - 1 - column)] {
                logit += EDGE.get(line as usize).unwrap_or(&0.0);
            }
            logit
        }));
    }
}

/// The resistances of the cells to a player, row by row from his first border.
fn resistances(grid: &Grid, carriers: &Rows, player: usize) -> Vec<f32> {
    let size = grid.size as usize;
    let mut resistances = vec![0.0; size * size];
    let of = |bits: u64, whose: usize| bits >> (32 * whose) & 1 != 0;
    for row in 0..size {
        let (mut stones, mut carried) = (grid.rows[row + 1] >> 1, carriers[row + 1] >> 1);
        for column in 0..size {
            let at = if player == 0 { row * size + column } else { column * size + row };
            resistances[at] = match () {
                () if of(stones, player) => STONE,
                () if of(stones, 1 - player) => f32::INFINITY,
                () if of(carried, player) => CARRIER,
                () if of(carried, 1 - player) => CROSSING,
                () => EMPTY,
            };
            stones >>= 1;
            carried >>= 1;
        }
    }
    resistances
}
