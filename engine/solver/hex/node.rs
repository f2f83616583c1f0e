//! Knowledge of a position before any of its moves is searched.

use playout_games::{
    Action,
    hex::{Hex, cells::Cells, connections::Connector, inferior::FillIn, lattice::Lattice, look::Look},
    zobrist,
};

/// The table of `zobrist::key` for stones and the player to move.
const STONES: u64 = 0x4858;

/// A position that is not decided by what is known, with everything filled in.
#[derive(Clone, Debug)]
pub struct Node<const W: usize> {
    pub stones: [Cells<W>; 2],
    pub mover: usize,
    /// The moves, the most promising first.
    pub moves: Vec<Step>,
    /// The cells that the proof rests on if all the moves lose, besides those of their own proofs.
    pub rests_on: Cells<W>,
}

/// A move, and where the position after it is known.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub cell: u16,
    /// Whether the key is that of the position turned by half.
    pub turned: bool,
    pub key: u64,
}

/// The outcome of a look at a position.
pub enum Seen<const W: usize> {
    /// Whether the player to move wins, and the cells that the proof rests on.
    Decided(bool, Cells<W>),
    Open(Node<W>),
}

/// Looks at positions of one game.
pub struct Observer<'a, const W: usize> {
    game: &'a Hex,
    pub lattice: Lattice<W>,
    connector: Connector<W>,
    keys: [Vec<u64>; 2],
}

impl<'a, const W: usize> Observer<'a, W> {
    pub fn new(game: &'a Hex) -> Observer<'a, W> {
        let lattice = Lattice::new(game.size());
        let keys =
            [0, 1].map(|colour| (0..lattice.places() as u64).map(|cell| zobrist::key(STONES + colour, cell)).collect());
        Observer { game, lattice, connector: Connector::default(), keys }
    }

    /// The key of a position that is filled in, and whether it is that of its half turn.
    pub fn key(&self, stones: &[Cells<W>; 2], mover: usize) -> (u64, bool) {
        let last = self.lattice.places() - 1;
        let mut keys = [zobrist::key(STONES + 2, mover as u64); 2];
        for (set, of) in stones.iter().zip(&self.keys) {
            set.for_each(|cell| {
                keys[0] ^= of[cell as usize];
                keys[1] ^= of[last - cell as usize];
            });
        }
        (keys[0].min(keys[1]), keys[1] < keys[0])
    }

    /// The carrier turned by half, where `turned` says so.
    pub fn turn(&self, carrier: Cells<W>, turned: bool) -> Cells<W> {
        if !turned {
            return carrier;
        }
        let last = self.lattice.places() as u32 - 1;
        let mut image = Cells::EMPTY;
        carrier.for_each(|cell| image.insert(last - cell));
        image
    }

    /// The position after a move on one that is filled in.
    pub fn after(&self, stones: &[Cells<W>; 2], mover: usize, cell: u32) -> FillIn<W> {
        let mut stones = *stones;
        stones[mover].insert(cell);
        self.lattice.fill_in_near(&stones, self.lattice.near[cell as usize])
    }

    /// Looks at a position that is filled in.
    pub fn look(&mut self, stones: &[Cells<W>; 2], mover: usize) -> Seen<W> {
        let (moves, rests_on) = match self.connector.look(&self.lattice, stones, mover) {
            Look::Won { carrier, .. } => return Seen::Decided(true, carrier),
            Look::Lost { carrier } => return Seen::Decided(false, carrier),
            Look::Open { moves, rests_on, .. } => (moves, rests_on),
        };
        let mut steps = Vec::new();
        for cell in self.by_promise(stones, mover, &moves) {
            let filled = self.after(stones, mover, cell);
            let (key, turned) = self.key(&filled.stones, 1 - mover);
            steps.push(Step { cell: cell as u16, turned, key });
        }
        Seen::Open(Node { stones: *stones, mover, moves: steps, rests_on })
    }

    /// The cells, the most promising first.
    pub fn by_promise(&self, stones: &[Cells<W>; 2], mover: usize, cells: &Cells<W>) -> Vec<Action> {
        let mut order = Vec::new();
        cells.for_each(|cell| order.push(cell));
        let mut promise = Vec::new();
        self.game.promise(stones, mover, &order, &mut promise);
        let mut order: Vec<(Action, f32)> = order.into_iter().zip(promise).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        order.into_iter().map(|(cell, _)| cell).collect()
    }
}
