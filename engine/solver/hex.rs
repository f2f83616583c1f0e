//! The prover's knowledge of Hex, on boards of up to 128 cells: chains that are as good as joined, and carriers.
//!
//! Two chains (an edge counts as one) that have two empty cells beside both are joined: when the opponent takes one of
//! the cells, its owner takes the other (the bridge and its kind; the OR rule of Anshelevich 2000). Joins that share no
//! cell hold together (his AND rule).

use std::ops::{BitAnd, BitOr, BitOrAssign, Not, Shl, Shr};

use playout_games::{
    Action,
    hex::{Hex, Position},
};

use crate::{carrier::Carrier, proof_number::Knowledge};

/// A set of cells as the bits of one word.
pub trait Word:
    Carrier
    + Eq
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const ONE: Self;
    const BITS: u32;

    fn lowest(self) -> Self;
    fn reversed(self) -> Self;
    /// The stones of both colours; None on boards that a word is too small for.
    fn stones(game: &Hex, p: &Position) -> Option<[Self; 2]>;
}

macro_rules! word {
    ($word:ty) => {
        impl Word for $word {
            const ONE: $word = 1;
            const BITS: u32 = <$word>::BITS;

            fn lowest(self) -> $word {
                self & self.wrapping_neg()
            }

            fn reversed(self) -> $word {
                self.reverse_bits()
            }

            fn stones(game: &Hex, p: &Position) -> Option<[$word; 2]> {
                Some(game.stones(p)?.map(|stones| stones as $word))
            }
        }
    };
}

word!(u64);
word!(u128);

/// The sets of cells of one size of board, by bits `row * size + column`.
#[derive(Clone, Debug)]
pub struct HexKnowledge<W> {
    size: u32,
    cells: W,
    left: W,
    right: W,
    /// For each colour, Black first: the edges that it has to join.
    edges: [[W; 2]; 2],
}

impl<W: Word> HexKnowledge<W> {
    /// None for boards of more cells than the word has bits.
    pub fn new(game: &Hex) -> Option<HexKnowledge<W>> {
        let size = game.size();
        if size * size > W::BITS {
            return None;
        }
        let cells = W::ALL >> (W::BITS - size * size);
        let top = W::ALL >> (W::BITS - size);
        let bottom = top << (size * (size - 1));
        let left = (0..size).fold(W::NONE, |column, row| column | W::ONE << (row * size));
        let right = left << (size - 1);
        Some(HexKnowledge { size, cells, left, right, edges: [[top, bottom], [left, right]] })
    }

    /// The cells that touch `set`, some of its own among them.
    fn beside(&self, set: W) -> W {
        let (leftward, rightward) = (set & !self.left, set & !self.right);
        let up = set >> self.size | rightward >> (self.size - 1);
        let down = set << self.size | leftward << (self.size - 1);
        (leftward >> 1 | rightward << 1 | up | down) & self.cells
    }

    /// The chain of `stones` around `seed`.
    fn chain(&self, seed: W, stones: W) -> W {
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
    fn joined(&self, stones: W, empty: W, [start, goal]: [W; 2]) -> Option<W> {
        let mut used = W::NONE;
        let mut joined = self.chain(start, stones);
        let mut rest = stones & !joined;
        loop {
            let free = empty & !used;
            let near = (start | self.beside(joined)) & free;
            if !(joined & goal).is_none() {
                return Some(used);
            }
            if let Some(pair) = two_of(near & goal) {
                return Some(used | pair);
            }
            let mut others = rest;
            let mut found = false;
            while !others.is_none() {
                let chain = self.chain(others.lowest(), rest);
                others = others & !chain;
                if let Some(pair) = two_of(self.beside(chain) & near) {
                    used |= pair;
                    joined |= chain;
                    rest = rest & !chain;
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
fn two_of<W: Word>(set: W) -> Option<W> {
    let rest = set & !set.lowest();
    (!rest.is_none()).then(|| set.lowest() | rest.lowest())
}

impl<W: Word> Knowledge<Hex> for HexKnowledge<W> {
    type Cells = W;

    fn has_draws(&self) -> bool {
        false
    }

    fn settle(&self, game: &Hex, p: &Position) -> Option<(f32, W)> {
        if game.may_swap(p) {
            return None;
        }
        let [black, white] = W::stones(game, p)?;
        let empty = self.cells & !(black | white);
        let first = self.joined(black, empty, self.edges[0]).map(|carrier| (1.0, carrier));
        first.or_else(|| self.joined(white, empty, self.edges[1]).map(|carrier| (-1.0, carrier)))
    }

    fn has_carriers(&self, game: &Hex, p: &Position) -> bool {
        !game.may_swap(p)
    }

    fn cell(&self, action: Action) -> W {
        if action < self.size * self.size { W::ONE << action } else { W::ALL }
    }

    /// Frame 1 is the half turn.
    fn turn(&self, _: &Hex, frame: u8, carrier: W) -> W {
        if frame == 0 || carrier == W::ALL { carrier } else { carrier.reversed() >> (W::BITS - self.size * self.size) }
    }
}
