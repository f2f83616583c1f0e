//! Inputs of nets for connect four: n-tuples (Bledsoe and Browning 1959), one for each line of four cells.
//!
//! A cell is empty, the mover's, the other's, or one on which the next disc can come to rest, so that a line has 256 states, each
//! of them an input. A line and its mirror image share theirs.

use super::ConnectFour;
use crate::{Input, support::board_text::places};

const STATES: u32 = 256;
/// States of a cell.
const OWN: u8 = 1;
const OTHER: u8 = 2;
const LANDING: u8 = 3;

/// A line of four, as its states are read.
#[derive(Clone, Debug)]
pub struct Tuple {
    cells: [u8; 4],
    /// The number of its first input.
    first: u32,
    /// Whether the line is its own mirror image; of its two readings the smaller one counts.
    symmetric: bool,
}

/// The lines of a board, and the number of their inputs.
pub fn tuples(columns: u32, rows: u32) -> (Vec<Tuple>, usize) {
    let cell = |column: u32, row: u32| (column * (rows + 1) + row) as u8;
    let mut known: Vec<[u8; 4]> = Vec::new();
    let mut found = Vec::new();
    for (across, up) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
        for column in 0..columns.saturating_sub(3 * across) {
            for row in 0..rows {
                let places = [0, 1, 2, 3].map(|i| (column + i * across, row.checked_add_signed(i as i32 * up)));
                if places.iter().any(|&(_, row)| row.is_none_or(|row| row >= rows)) {
                    continue;
                }
                let line = places.map(|(column, row)| cell(column, row.unwrap_or(0)));
                let mirrored = places.map(|(column, row)| cell(columns - 1 - column, row.unwrap_or(0)));
                let turned = backwards(mirrored);
                let number = known.iter().position(|line| [mirrored, turned].contains(line)).unwrap_or_else(|| {
                    known.push(line);
                    known.len() - 1
                });
                let cells = if known[number] == turned && turned != line { backwards(line) } else { line };
                found.push(Tuple { cells, first: number as u32 * STATES, symmetric: turned == line });
            }
        }
    }
    (found, known.len() * STATES as usize)
}

fn backwards([a, b, c, d]: [u8; 4]) -> [u8; 4] {
    [d, c, b, a]
}

impl ConnectFour {
    /// The inputs, from the point of view of the player who has the first of these discs and moves.
    pub(super) fn add_tuples(&self, [own, other]: [u64; 2], landings: u64, out: &mut Vec<Input>) {
        let mut states = [0u8; 64];
        for (cells, state) in [(own, OWN), (other, OTHER), (landings, LANDING)] {
            places(cells).for_each(|cell| states[cell as usize] = state);
        }
        out.clear();
        out.extend(self.tuples.iter().map(|&Tuple { cells, first, symmetric }| {
            let read = |number: u32, cell: &u8| number << 2 | u32::from(states[*cell as usize]);
            let state = cells.iter().rev().fold(0, read);
            let state = if symmetric { state.min(cells.iter().fold(0, read)) } else { state };
            Input { index: first + state, value: 1.0 }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Game, Params, Rng};

    #[test]
    fn lines_share_inputs_with_their_images() {
        let (found, inputs) = tuples(7, 6);
        assert_eq!((found.len(), inputs), (69, 36 * 256));
        assert_eq!(tuples(3, 3).0.len(), 0);
    }

    #[test]
    fn a_mirrored_position_has_the_same_inputs_and_others_have_others() {
        [7, 6].into_iter().for_each(mirrored_positions_on);
    }

    fn mirrored_positions_on(columns: u32) {
        let params = Params([("columns".to_owned(), columns.to_string())].into());
        let game = ConnectFour::new(&params).expect("a board");
        let mut rng = Rng::with_seed(5);
        let (mut actions, mut met) = (Vec::new(), std::collections::HashMap::new());
        for _ in 0..200 {
            let [mut p, mut mirrored] = [game.initial(); 2];
            while game.result(&p).is_none() {
                let found = [&p, &mirrored].map(|p| {
                    let mut inputs = Vec::new();
                    let judged = game.inputs(p, 0, &mut inputs).expect("nets judge it");
                    let mut numbers: Vec<u32> = inputs.iter().map(|input| input.index).collect();
                    numbers.sort_unstable();
                    (judged.phase, numbers)
                });
                assert_eq!(found[0], found[1]);
                let key = std::cmp::min(game.frame_key(&p, 0), game.frame_key(&p, 1));
                let [found, _] = found;
                assert_eq!(*met.entry(found).or_insert(key), key);
                game.actions(&p, &mut actions);
                let action = actions[rng.usize(..actions.len())];
                game.play(&mut p, action);
                game.play(&mut mirrored, columns - 1 - action);
            }
        }
        assert!(met.len() > 2000);
    }
}
