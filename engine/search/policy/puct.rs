//! PUCT: exploration in proportion to priors (Rosin 2011; Silver et al. 2017).

use playout_games::Rng;

use super::{Place, Policy, Seen};

/// Q + C(N) P sqrt(N) / (1 + n), P the prior. C(N) = C + growth ln((N + base + 1) / base) is dynamic exploration (Silver
/// et al. 2018); C itself may depend on the node (`boost.rs`). A move without a visit has the value that first-play urgency gives it.
pub struct Puct {
    scale: f32,
}

impl Policy for Puct {
    const PRIORS: bool = true;

    fn at(place: &Place, _: &mut Rng) -> Puct {
        let config = place.config;
        let n = place.visits as f32;
        let grown = if config.puct_growth > 0.0 {
            config.puct_growth * ((n + config.puct_base + 1.0) / config.puct_base).ln()
        } else {
            0.0
        };
        Puct { scale: (place.exploration + grown) * n.sqrt() }
    }

    #[inline]
    fn score(&self, edge: &Seen, _: &mut Rng) -> f32 {
        edge.value + self.scale * edge.prior / (1.0 + edge.visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_score_is_its_formula() {
        let mut rng = Rng::with_seed(0);
        let config = Config { exploration: 1.25, puct_growth: 2.0, puct_base: 100.0, ..Config::default() };
        let policy = Puct::at(&Place { config: &config, visits: 400, exploration: config.exploration }, &mut rng);
        let score = policy.score(&Seen { visits: 3.0, value: 0.1, prior: 0.2, child: None }, &mut rng);
        let c = 1.25 + 2.0 * (501.0_f32 / 100.0).ln();
        assert!((score - (0.1 + c * 0.2 * 20.0 / 4.0)).abs() < 1e-4, "{score}");
    }
}
