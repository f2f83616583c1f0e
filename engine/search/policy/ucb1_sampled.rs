//! A move drawn at random in proportion to its UCB1 score.

use playout_games::Rng;

use super::{Place, Policy, Seen, ucb1};

/// Draws with probability proportional to q + C sqrt(ln N / n), where q = (1 + Q) / 2 is the value in [0, 1], so that no
/// score is negative. Moves without a visit come first.
pub struct Ucb1Sampled {
    scale: f32,
}

impl Policy for Ucb1Sampled {
    fn at(place: &Place, _: &mut Rng) -> Ucb1Sampled {
        Ucb1Sampled { scale: ucb1::scale(place) }
    }

    /// ln(u) / w, u uniform: the greatest of such numbers is that of weight w with probability w over the sum of weights,
    /// because -ln(u) / w is exponential with rate w and the first arrival of independent Poisson processes is so divided.
    fn score(&self, edge: &Seen, rng: &mut Rng) -> f32 {
        if edge.unknown() {
            return f32::INFINITY;
        }
        let weight = ((1.0 + edge.value) / 2.0).max(0.0) + (self.scale / edge.visits).sqrt();
        (1.0 - rng.f32()).ln() / weight.max(f32::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    /// With C = 0.2, moves of values 1 and -1 (q = 1 and q = 0), and of 0.5 and -0.5.
    #[test]
    fn shares_are_in_proportion_to_the_scores() {
        let config = Config { exploration: 0.2, ..Config::default() };
        let mut rng = Rng::with_seed(1);
        for (value, good, bad, expected) in
            [(1.0, 1.0, 1.0, 0.875), (1.0, 870.0, 130.0, 0.957), (0.5, 1000.0, 1000.0, 0.742)]
        {
            let policy = Ucb1Sampled::at(
                &Place { config: &config, visits: (good + bad) as u32, exploration: config.exploration },
                &mut rng,
            );
            let edges =
                [(value, good), (-value, bad)].map(|(value, visits)| Seen { visits, value, prior: 0.0, child: None });
            let draws = 40_000;
            let first =
                (0..draws).filter(|_| policy.score(&edges[0], &mut rng) > policy.score(&edges[1], &mut rng)).count();
            let share = first as f32 / draws as f32;
            assert!((share - expected).abs() < 0.008, "{share} at {good} and {bad}");
        }
    }
}
