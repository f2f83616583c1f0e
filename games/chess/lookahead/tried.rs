//! The moves of a position that were searched and were not enough.

use shakmaty::Move;

use super::super::exchange::gain;

/// Most moves of each kind that are remembered.
const MOST: usize = 32;

/// Quiet moves, and captures and promotions.
#[derive(Default)]
pub struct Tried([Few; 2]);

#[derive(Default)]
struct Few {
    moves: [Option<Move>; MOST],
    count: usize,
}

impl Tried {
    pub fn push(&mut self, m: Move) {
        let Few { moves, count } = &mut self.0[usize::from(gain(m) > 0)];
        if let Some(slot) = moves.get_mut(*count) {
            *slot = Some(m);
            *count += 1;
        }
    }

    pub fn quiets(&self) -> impl Iterator<Item = Move> {
        self.0[0].all()
    }

    pub fn captures(&self) -> impl Iterator<Item = Move> {
        self.0[1].all()
    }
}

impl Few {
    fn all(&self) -> impl Iterator<Item = Move> {
        self.moves[..self.count].iter().flatten().copied()
    }
}
