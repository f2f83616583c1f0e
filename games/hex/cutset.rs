//! Cells that are cut off: parts of the board that a clique separates from a colour's two edges.
//!
//! A colour's ends are its chains, its two edges and the empty cells, joined where they touch. A cell matters only on a
//! shortest way from edge to edge, one that no two ends shorten. Such a way does not enter and leave a part of the board
//! by a clique, ends that all touch each other: it would go straight from one to the other. So what a clique separates
//! from both edges is dead (Henderson and Hayward 2013). The cliques looked at are a chain or an edge, alone and with an
//! empty cell beside it.

use super::{Cells, lattice::Lattice};

impl<const W: usize> Lattice<W> {
    /// The empty cells that are dead because they are cut off.
    pub fn cut_off(&self, stones: &[Cells<W>; 2]) -> Cells<W> {
        let empty = self.all.minus(&stones[0]).minus(&stones[1]);
        let mut dead = Cells::EMPTY;
        for (colour, own) in stones.iter().enumerate() {
            let open = own.or(&empty);
            let [start, goal] = self.edges[colour];
            dead = dead.or(&empty.minus(&self.chain(&start.or(&goal), &open)));
            let mut rest = *own;
            for (edge, other) in [(start, goal), (goal, start)] {
                let chain = self.chain(&edge, &rest);
                rest = rest.minus(&chain);
                let beside = self.around(&chain).or(&edge).and(&empty);
                dead = dead.or(&self.behind(colour, &other, &open.minus(&chain), beside, &empty));
            }
            while !rest.is_empty() {
                let mut seed = Cells::EMPTY;
                seed.insert(rest.first());
                let chain = self.chain(&seed, &rest);
                rest = rest.minus(&chain);
                let beside = self.around(&chain).and(&empty);
                dead = dead.or(&self.behind(colour, &start.or(&goal), &open.minus(&chain), beside, &empty));
            }
        }
        dead
    }

    /// The empty cells that are separated from `seeds` by a chain, without which `open` is, with or without one of the
    /// cells `beside` it.
    fn behind(&self, colour: usize, seeds: &Cells<W>, open: &Cells<W>, beside: Cells<W>, empty: &Cells<W>) -> Cells<W> {
        let mut behind = empty.minus(&self.chain(seeds, open));
        beside.minus(&behind).for_each(|gap| {
            if self.runs(colour, open, gap) < 2 {
                return;
            }
            let mut open = *open;
            open.remove(gap);
            let mut found = empty.minus(&self.chain(seeds, &open));
            found.remove(gap);
            behind = behind.or(&found);
        });
        behind
    }

    /// Runs of neighbours of a cell that are open or an edge of the colour: it parts nothing where there is but one.
    fn runs(&self, colour: usize, open: &Cells<W>, cell: u32) -> usize {
        let edge = self.places() + colour;
        let is_open = self.ring[cell as usize].map(|place| {
            let place = usize::from(place);
            place == edge || place < self.places() && open.has(place as u32)
        });
        (0..6).filter(|&i| is_open[i] && !is_open[(i + 1) % 6]).count()
    }
}
