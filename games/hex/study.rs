//! Proofs by connections and inferior cells, for the search.

use std::cell::RefCell;

use super::{Cells, Hex, Position, connections::Connector, lattice::Lattice, look::Look};
use crate::Proof;

/// The surroundings of the cells on boards that are studied: of at most 192 cells.
#[derive(Clone, Debug)]
pub enum Ground {
    One(Lattice<1>),
    Two(Lattice<2>),
    Three(Lattice<3>),
    None,
}

thread_local! {
    static ONE: RefCell<Connector<1>> = RefCell::default();
    static TWO: RefCell<Connector<2>> = RefCell::default();
    static THREE: RefCell<Connector<3>> = RefCell::default();
}

impl Ground {
    pub fn new(size: u32) -> Ground {
        match (size * size).div_ceil(64) {
            0..=1 => Ground::One(Lattice::new(size)),
            2 => Ground::Two(Lattice::new(size)),
            3 => Ground::Three(Lattice::new(size)),
            _ => Ground::None,
        }
    }
}

impl Hex {
    /// None where a swap is still to be decided, and on boards that are too large.
    pub(super) fn study(&self, p: &Position) -> Option<Proof> {
        if self.may_swap(p) {
            return None;
        }
        let mover = usize::from(p.second);
        match &self.ground {
            Ground::One(lattice) => ONE.with_borrow_mut(|one| Some(prove(lattice, one, &self.stones(p), mover))),
            Ground::Two(lattice) => TWO.with_borrow_mut(|two| Some(prove(lattice, two, &self.stones(p), mover))),
            Ground::Three(lattice) => {
                THREE.with_borrow_mut(|three| Some(prove(lattice, three, &self.stones(p), mover)))
            }
            Ground::None => None,
        }
    }
}

fn prove<const W: usize>(
    lattice: &Lattice<W>,
    connector: &mut Connector<W>,
    stones: &[Cells<W>; 2],
    mover: usize,
) -> Proof {
    let filled = lattice.fill_in(stones).stones;
    let (moves, must) = match connector.look(lattice, &filled, mover) {
        Look::Won { key, .. } => return Proof::Win(key),
        Look::Lost { .. } => return Proof::Loss,
        // Where nothing is left the position is lost.
        Look::Open { moves, .. } if moves.is_empty() => return Proof::Loss,
        Look::Open { moves, must, .. } => (moves, must),
    };
    let list = |cells: Cells<W>| {
        let mut list = Vec::new();
        cells.for_each(|cell| list.push(cell));
        list
    };
    let empty = |stones: &[Cells<W>; 2]| lattice.all.minus(&stones[0]).minus(&stones[1]);
    // A move into a filled cell that the opponent has captured loses nothing but the answer to it.
    let losing = empty(&filled).minus(&must);
    Proof::Open { losing: list(losing), inferior: list(empty(stones).minus(&losing).minus(&moves)) }
}
