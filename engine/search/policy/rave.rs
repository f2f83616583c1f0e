//! RAVE alone: values blended with all-moves-as-first statistics explore enough by themselves (Gelly and Silver 2011).

use playout_games::Rng;

use super::{Place, Policy, Seen};

/// The greatest blended value; no bonus.
pub struct Rave;

impl Policy for Rave {
    fn at(_: &Place, _: &mut Rng) -> Rave {
        Rave
    }

    #[inline]
    fn score(&self, edge: &Seen, _: &mut Rng) -> f32 {
        edge.value
    }
}
