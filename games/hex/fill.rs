//! Filling a board at random and seeing who has won it.
//!
//! Where one side always wins and never both, random play may go on to the full board without changing the winner, and
//! the order of the moves does not matter: Black's share of the empty cells is a random subset of a known size.

use super::cells::Cells;
use crate::{Played, Rng, Trace};

/// The cells along the edges, and all of them.
#[derive(Clone, Debug)]
pub struct Edges<const W: usize> {
    pub size: u32,
    pub all: Cells<W>,
    pub top: Cells<W>,
    pub bottom: Cells<W>,
    pub left: Cells<W>,
    pub right: Cells<W>,
}

impl<const W: usize> Edges<W> {
    pub fn new(size: u32) -> Edges<W> {
        let cells = |inside: &dyn Fn(u32, u32) -> bool| {
            let mut cells = Cells::EMPTY;
            (0..size * size).filter(|cell| inside(cell / size, cell % size)).for_each(|cell| cells.insert(cell));
            cells
        };
        Edges {
            size,
            all: cells(&|_, _| true),
            top: cells(&|row, _| row == 0),
            bottom: cells(&|row, _| row == size - 1),
            left: cells(&|_, column| column == 0),
            right: cells(&|_, column| column == size - 1),
        }
    }

    /// The same for sets of `V` words, enough for the board.
    pub fn narrow<const V: usize>(&self) -> Edges<V> {
        Edges {
            size: self.size,
            all: self.all.narrow(),
            top: self.top.narrow(),
            bottom: self.bottom.narrow(),
            left: self.left.narrow(),
            right: self.right.narrow(),
        }
    }

    /// Whether the stones join the top to the bottom: a flood of all rows at once, a step in every direction a turn.
    pub fn joins_top_to_bottom(&self, stones: &Cells<W>) -> bool {
        let mut joined = stones.and(&self.top);
        loop {
            let next = joined.spread(self.size, &self.left, &self.right).and(stones);
            if !next.and(&self.bottom).is_empty() {
                return true;
            }
            if next == joined {
                return false;
            }
            joined = next;
        }
    }
}

/// A uniformly random subset of `share` of the `empty` cells, of which it is about half.
///
/// A set of fair random bits has every subset of its size with the same probability; so has the one of two such sets
/// whose size is nearer to `share`, and so it remains when cells chosen uniformly are added or removed.
pub fn random_share<const W: usize>(empty: &Cells<W>, share: u32, rng: &mut Rng) -> Cells<W> {
    let mut draw = || Cells::from_words(|_| rng.u64(..)).and(empty);
    let (first, second) = (draw(), draw());
    let (mut chosen, mut size) = (first, first.len());
    if second.len().abs_diff(share) < size.abs_diff(share) {
        (chosen, size) = (second, second.len());
    }
    for _ in share..size {
        chosen.remove(random_member(&chosen, rng));
    }
    for _ in size..share {
        chosen.insert(random_member(&empty.minus(&chosen), rng));
    }
    chosen
}

/// A uniformly random cell of a set that is not empty: cells are drawn until one is in the set.
pub fn random_member<const W: usize>(cells: &Cells<W>, rng: &mut Rng) -> u32 {
    loop {
        let cell = rng.u32(..64 * W as u32);
        if cells.has(cell) {
            return cell;
        }
    }
}

/// Appends each of the `empty` cells to a trace, as Black's if `chosen` and as White's if not.
pub fn record<const W: usize>(empty: &Cells<W>, chosen: &Cells<W>, trace: &mut Trace) {
    trace.reserve(64 * W);
    empty.for_each(|cell| trace.push(Played { action: cell, second: !chosen.has(cell) }));
}
