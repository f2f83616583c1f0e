//! Inputs of nets for Hex: planes of cells, as the mover sees the board. He joins the top to the bottom: White sees rows and
//! columns exchanged.

use super::{Hex, Position};
use crate::{Action, Input};

/// Planes: the mover's stones, the other's, the cells beside the mover's borders, those beside the other's, all cells, and
/// all cells where a swap may follow.
pub const COUNT: usize = 6;

impl Hex {
    /// The cell, as the mover sees the board.
    pub(super) fn seen(&self, p: &Position, cell: u32) -> u32 {
        if p.second { cell % self.size * self.size + cell / self.size } else { cell }
    }

    /// Replaces `out` by the inputs at `p`.
    pub(super) fn add_planes(&self, p: &Position, out: &mut Vec<Input>) {
        out.clear();
        let (size, cells) = (self.size, self.swap_action());
        let mover = usize::from(p.second);
        let mut add = |plane: u32, cell: u32| out.push(Input { index: plane * cells + cell, value: 1.0 });
        for (plane, player) in [(0, mover), (1, 1 - mover)] {
            p.stones[player].for_each(|cell| add(plane, self.seen(p, cell)));
        }
        for at in 0..size {
            for far in [0, size - 1] {
                add(2, far * size + at);
                add(3, at * size + far);
            }
        }
        let open = self.may_swap(p);
        for cell in 0..cells {
            add(4, cell);
            if open {
                add(5, cell);
            }
        }
    }

    /// The number of an action in the policy of a net.
    pub(super) fn slot(&self, p: &Position, a: Action) -> u32 {
        if a == self.swap_action() { a } else { self.seen(p, a) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::{
        Game,
        hex::{
            Hex, Position,
            tests::{game, play},
        },
    };

    /// The cells of each plane.
    fn planes(hex: &Hex, p: &Position) -> Vec<BTreeSet<u32>> {
        let mut inputs = Vec::new();
        hex.inputs(p, 0, &mut inputs).unwrap();
        let shape = hex.net_shape().unwrap().board.unwrap();
        let mut planes = vec![BTreeSet::new(); shape.count];
        for input in inputs {
            assert!(
                input.value == 1.0
                    && planes[input.index as usize / shape.cells()].insert(input.index % shape.cells() as u32)
            );
        }
        planes
    }

    #[test]
    fn planes_by_hand() {
        let hex = game(3, false);
        // Black b1 and c3, White a2: Black has a stone in the top row, and one in the bottom row.
        let black = planes(&hex, &play(&hex, "b1 a2 c3 b2"));
        assert_eq!(black[0], [1, 8].into());
        assert_eq!(black[1], [3, 4].into());
        assert_eq!(black[2], [0, 1, 2, 6, 7, 8].into());
        assert_eq!(black[3], [0, 3, 6, 2, 5, 8].into());
        assert_eq!((black[4].len(), black[5].len()), (9, 0));
        // White sees a2, in his first column, in his first row.
        let white = planes(&hex, &play(&hex, "b1 a2 c3"));
        assert_eq!(white[0], [1].into());
        assert_eq!(white[1], [3, 8].into());
    }

    #[test]
    fn what_white_sees_is_what_black_sees_in_the_mirror() {
        let hex = game(4, false);
        let (mut black, mut white) = (play(&hex, "b1 d4 a3 c2"), play(&hex, "d4 a2 b3 c1 b4"));
        assert!(!black.second && white.second);
        assert_eq!(planes(&hex, &black)[0], [1, 8].into());
        assert_eq!(planes(&hex, &white)[0], [1, 8].into());
        // The slots follow the cells.
        for (p, text) in [(&mut black, "c1"), (&mut white, "a3")] {
            let action = hex.parse_action(p, text).unwrap();
            let mut slots = Vec::new();
            hex.slots(p, action, &mut slots);
            assert_eq!(slots, [2]);
            hex.play(p, action);
        }
    }

    #[test]
    fn a_swap_that_may_follow_has_a_plane_and_a_slot() {
        let hex = game(3, true);
        let open = |moves: &str| planes(&hex, &play(&hex, moves))[5].len();
        assert_eq!([open(""), open("b2"), open("b2 a1")], [9, 9, 0]);
        let p = play(&hex, "b2");
        let mut slots = Vec::new();
        hex.slots(&p, hex.swap_action_at(&p).unwrap(), &mut slots);
        assert_eq!((slots, hex.net_shape().unwrap().slots), (vec![9], 10));
    }
}
