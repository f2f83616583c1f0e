//! UCB1-TUNED (Auer, Cesa-Bianchi and Fischer 2002, section 4).

use playout_games::Rng;

use super::{Place, Policy, Seen, ucb1::ln};

/// Q + 2 C sqrt(ln N / n min(1/4, V + sqrt(2 ln N / n))), V the variance of the results scaled to [0, 1]. C = 1 is the
/// paper's rule, for results between -1 and 1.
pub struct Ucb1Tuned {
    ln: f32,
    exploration: f32,
}

impl Policy for Ucb1Tuned {
    fn at(place: &Place, _: &mut Rng) -> Ucb1Tuned {
        Ucb1Tuned { ln: ln(place.visits), exploration: place.config.exploration }
    }

    fn score(&self, edge: &Seen, _: &mut Rng) -> f32 {
        if edge.unknown() {
            return f32::INFINITY;
        }
        let share = self.ln / edge.visits;
        let variance = edge.variance() / 4.0 + (2.0 * share).sqrt();
        edge.value + 2.0 * self.exploration * (share * variance.min(0.25)).sqrt()
    }
}
