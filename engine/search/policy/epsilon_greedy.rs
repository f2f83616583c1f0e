//! Epsilon-greedy: mostly the best value so far.

use playout_games::Rng;

use super::{Place, Policy, Seen};

/// With probability epsilon a move at random, each with the same chance; otherwise the greatest Q.
pub struct EpsilonGreedy {
    random: bool,
}

impl Policy for EpsilonGreedy {
    fn at(place: &Place, rng: &mut Rng) -> EpsilonGreedy {
        EpsilonGreedy { random: rng.f32() < place.config.greedy_epsilon }
    }

    fn score(&self, edge: &Seen, rng: &mut Rng) -> f32 {
        if edge.unknown() {
            f32::INFINITY
        } else if self.random {
            rng.f32()
        } else {
            edge.value
        }
    }
}
