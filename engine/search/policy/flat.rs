//! Flat Monte Carlo search: every root move gets as many playouts as the others.

use playout_games::Rng;

use super::{Place, Policy, Seen};

/// The move with the fewest visits.
pub struct Flat;

impl Policy for Flat {
    fn at(_: &Place, _: &mut Rng) -> Flat {
        Flat
    }

    fn score(&self, edge: &Seen, _: &mut Rng) -> f32 {
        -edge.visits
    }
}
