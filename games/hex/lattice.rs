//! The cells of a board and what lies around each, for the proofs of `inferior` and `connections`.

use super::{Cells, fill::Edges};

/// The content of a cell without a stone.
pub const EMPTY: u8 = 0;

/// The content of a cell with a stone of a colour (0 Black, 1 White).
pub const fn stone(colour: usize) -> u8 {
    1 + colour as u8
}

/// Steps (down, right) to the neighbours, clockwise from the one above.
const RING: [(i32, i32); 6] = [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)];

/// The fixed surroundings of every cell, in sets of `W` words, enough for the board.
#[derive(Clone, Debug)]
pub struct Lattice<const W: usize> {
    pub size: u32,
    pub all: Cells<W>,
    /// The cells along the two edges that a colour has to join: Black's top and bottom, White's left and right.
    pub edges: [[Cells<W>; 2]; 2],
    /// The neighbours of each cell, clockwise from the one above. Beyond the board lie places of the edges: `places` of
    /// Black's and one more of White's; beyond a corner, where either does, Black's.
    pub ring: Vec<[u16; 6]>,
    /// The neighbours on the board.
    pub beside: Vec<Cells<W>>,
    /// The cells at one step or two.
    pub near: Vec<Cells<W>>,
}

impl<const W: usize> Lattice<W> {
    /// A board of `size` rows and columns, at most `64 * W` cells.
    pub fn new(size: u32) -> Lattice<W> {
        let board = Edges::<W>::new(size);
        let count = size * size;
        let ring: Vec<[u16; 6]> = (0..count)
            .map(|cell| {
                let (row, column) = ((cell / size) as i32, (cell % size) as i32);
                RING.map(|(down, right)| {
                    let (row, column) = (row + down, column + right);
                    match [row, column].map(|at| (0..size as i32).contains(&at)) {
                        [true, true] => (row * size as i32 + column) as u16,
                        [true, false] => count as u16 + 1,
                        [false, _] => count as u16,
                    }
                })
            })
            .collect();
        let set = |places: &mut dyn Iterator<Item = u32>| {
            let mut cells = Cells::EMPTY;
            places.filter(|&place| place < count).for_each(|place| cells.insert(place));
            cells
        };
        let beside: Vec<Cells<W>> =
            ring.iter().map(|places| set(&mut places.iter().map(|&place| place.into()))).collect();
        let near = (0..count)
            .map(|cell| {
                let mut near = beside[cell as usize];
                beside[cell as usize].for_each(|next| near = near.or(&beside[next as usize]));
                near.remove(cell);
                near
            })
            .collect();
        let edges = [[board.top, board.bottom], [board.left, board.right]];
        Lattice { size, all: board.all, edges, ring, beside, near }
    }

    /// The number of cells.
    pub fn places(&self) -> usize {
        self.ring.len()
    }

    /// The cells beside a set, some of its own among them.
    pub fn around(&self, set: &Cells<W>) -> Cells<W> {
        let mut around = Cells::EMPTY;
        set.for_each(|cell| around = around.or(&self.beside[cell as usize]));
        around
    }

    /// The stones of a set that hang together with `seed`, which is added where it is among them.
    pub fn chain(&self, seed: &Cells<W>, stones: &Cells<W>) -> Cells<W> {
        let [left, right] = &self.edges[1];
        let mut chain = seed.and(stones);
        loop {
            let next = chain.spread(self.size, left, right).and(stones);
            if next == chain {
                return chain;
            }
            chain = next;
        }
    }

    /// The colour whose stones join its edges, if one's do.
    pub fn winner(&self, stones: &[Cells<W>; 2]) -> Option<usize> {
        (0..2).find(|&colour| {
            let [start, goal] = &self.edges[colour];
            self.chain(start, &stones[colour]).meets(goal)
        })
    }
}
