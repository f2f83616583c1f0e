//! A look at a position: whether connections decide it, and else the moves that are left.

use super::{
    Cells,
    connections::{Connector, Joined},
    lattice::Lattice,
};

/// The outcome of a look.
#[derive(Clone, Copy, Debug)]
pub enum Look<const W: usize> {
    /// The player to move wins, by the key where the win needs a move; with the cells that the proof rests on.
    Won {
        key: Option<u32>,
        carrier: Cells<W>,
    },
    Lost {
        carrier: Cells<W>,
    },
    Open {
        /// If any move wins, one of these does.
        moves: Cells<W>,
        /// The cells outside of which every move loses.
        must: Cells<W>,
        /// The cells that the proof rests on if all of `moves` lose, besides those of their own proofs.
        rests_on: Cells<W>,
    },
}

impl<const W: usize> Connector<W> {
    /// Looks at a position that is filled in, in which `mover` moves.
    pub fn look(&mut self, lattice: &Lattice<W>, stones: &[Cells<W>; 2], mover: usize) -> Look<W> {
        match lattice.winner(stones) {
            Some(winner) if winner == mover => return Look::Won { key: None, carrier: Cells::EMPTY },
            Some(_) => return Look::Lost { carrier: Cells::EMPTY },
            None => {}
        }
        let mut threats = match self.join(lattice, stones, 1 - mover) {
            Joined::Sure(carrier) => return Look::Lost { carrier },
            Joined::ByMoving(threats) => threats,
        };
        match self.join(lattice, stones, mover) {
            Joined::Sure(carrier) => return Look::Won { key: None, carrier },
            Joined::ByMoving(ways) => {
                if let Some((carrier, key)) = ways.into_iter().min_by_key(|(carrier, _)| carrier.len()) {
                    return Look::Won { key: Some(key), carrier };
                }
            }
        }
        let worth = lattice.worth(stones, mover);
        let (mut moves, mut must, mut rests_on) = (worth.moves, lattice.all, worth.killers);
        threats.sort_unstable_by_key(|(carrier, _)| carrier.len());
        for (carrier, _) in threats {
            must = must.and(&carrier);
            // A threat that forbids no more moves does not burden the proof.
            if !moves.within(&carrier) {
                moves = moves.and(&carrier);
                rests_on = rests_on.or(&carrier);
            }
        }
        Look::Open { moves, must, rests_on }
    }
}
