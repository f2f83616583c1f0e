//! The prover's knowledge of Hex, on boards of up to 64 cells: chains that are as good as joined, and carriers.
//!
//! Two chains (an edge counts as one) that have two empty cells beside both are joined: when the opponent takes one of
//! the cells, its owner takes the other (the bridge and its kind; the OR rule of Anshelevich 2000). Joins that share no
//! cell hold together (his AND rule).

use playout_games::{
    Action,
    hex::{Hex, Position},
};

use crate::proof_number::Knowledge;

/// The sets of cells of one size of board, by bits `row * size + column`.
#[derive(Clone, Debug)]
pub struct HexKnowledge {
    size: u32,
    cells: u64,
    left: u64,
    right: u64,
    /// For each colour, Black first: the edges that it has to join.
    edges: [[u64; 2]; 2],
}

impl HexKnowledge {
    /// None for boards of more than 64 cells.
    pub fn new(game: &Hex) -> Option<HexKnowledge> {
        let size = game.size();
        if size > 8 {
            return None;
        }
        let cells = u64::MAX >> (64 - size * size);
        let top = u64::MAX >> (64 - size);
        let bottom = top << (size * (size - 1));
        let left = (0..size).fold(0, |column, row| column | 1 << (row * size));
        let right = left << (size - 1);
        Some(HexKnowledge { size, cells, left, right, edges: [[top, bottom], [left, right]] })
    }

    /// The cells that touch `set`, some of its own among them.
    fn beside(&self, set: u64) -> u64 {
        let (leftward, rightward) = (set & !self.left, set & !self.right);
        let up = set >> self.size | rightward >> (self.size - 1);
        let down = set << self.size | leftward << (self.size - 1);
        (leftward >> 1 | rightward << 1 | up | down) & self.cells
    }

    /// The chain of `stones` around `seed`.
    fn chain(&self, seed: u64, stones: u64) -> u64 {
        let mut chain = seed & stones;
        loop {
            let next = (chain | self.beside(chain)) & stones;
            if next == chain {
                return chain;
            }
            chain = next;
        }
    }

    /// The empty cells on which the joining of the two edges of a colour rests although the other side moves, if it
    /// is sure.
    fn joined(&self, stones: u64, empty: u64, [start, goal]: [u64; 2]) -> Option<u64> {
        let mut used = 0;
        let mut joined = self.chain(start, stones);
        let mut rest = stones & !joined;
        loop {
            let free = empty & !used;
            let near = (start | self.beside(joined)) & free;
            if joined & goal != 0 {
                return Some(used);
            }
            if let Some(pair) = two_of(near & goal) {
                return Some(used | pair);
            }
            let mut others = rest;
            let mut found = false;
            while others != 0 {
                let chain = self.chain(others & others.wrapping_neg(), rest);
                others &= !chain;
                if let Some(pair) = two_of(self.beside(chain) & near) {
                    used |= pair;
                    joined |= chain;
                    rest &= !chain;
                    found = true;
                    break;
                }
                // A chain may reach the goal by cells of its own and be joined to the start later.
            }
            if !found {
                return None;
            }
        }
    }
}

/// Two cells of a set that has as many.
fn two_of(set: u64) -> Option<u64> {
    let rest = set & set.wrapping_sub(1);
    (rest != 0).then(|| set & set.wrapping_neg() | rest & rest.wrapping_neg())
}

impl Knowledge<Hex> for HexKnowledge {
    fn has_draws(&self) -> bool {
        false
    }

    fn settle(&self, game: &Hex, p: &Position) -> Option<(f32, u64)> {
        if game.may_swap(p) {
            return None;
        }
        let [black, white] = game.stones(p)?;
        let empty = self.cells & !(black | white);
        let first = self.joined(black, empty, self.edges[0]).map(|carrier| (1.0, carrier));
        first.or_else(|| self.joined(white, empty, self.edges[1]).map(|carrier| (-1.0, carrier)))
    }

    fn has_carriers(&self, game: &Hex, p: &Position) -> bool {
        !game.may_swap(p)
    }

    fn cell(&self, action: Action) -> u64 {
        if action < self.size * self.size { 1 << action } else { u64::MAX }
    }

    /// Frame 1 is the half turn.
    fn turn(&self, _: &Hex, frame: u8, carrier: u64) -> u64 {
        if frame == 0 || carrier == u64::MAX { carrier } else { carrier.reverse_bits() >> (64 - self.size * self.size) }
    }
}
