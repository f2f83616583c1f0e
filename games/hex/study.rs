//! Proofs by connections and inferior cells, for the search.

use std::cell::RefCell;

use super::{
    Cells, Hex, Position,
    connections::{Bounds, Connector, Joined},
    lattice::Lattice,
};
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
    static ONE: RefCell<Connector<1>> = RefCell::new(Connector::new(Bounds::ORDINARY));
    static TWO: RefCell<Connector<2>> = RefCell::new(Connector::new(Bounds::ORDINARY));
    static THREE: RefCell<Connector<3>> = RefCell::new(Connector::new(Bounds::ORDINARY));
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
    if let Some(winner) = lattice.winner(&filled) {
        return if winner == mover { Proof::Win(None) } else { Proof::Loss };
    }
    let Joined::ByMoving(threats) = connector.join(lattice, &filled, 1 - mover) else { return Proof::Loss };
    let Joined::ByMoving(ways) = connector.join(lattice, &filled, mover) else { return Proof::Win(None) };
    if let Some(&(_, key)) = ways.iter().min_by_key(|(carrier, _)| carrier.len()) {
        return Proof::Win(Some(key));
    }
    let empty = lattice.all.minus(&stones[0]).minus(&stones[1]);
    let must = threats.iter().fold(empty, |must, (carrier, _)| must.and(carrier));
    let worth = lattice.worth(&filled, mover).moves;
    let list = |cells: Cells<W>| {
        let mut list = Vec::new();
        cells.for_each(|cell| list.push(cell));
        list
    };
    // Where nothing is left the position is lost; a cell that is filled in is as good as none.
    if must.and(&worth).is_empty() {
        return Proof::Loss;
    }
    Proof::Open { losing: list(empty.minus(&must)), inferior: list(must.minus(&worth)) }
}
