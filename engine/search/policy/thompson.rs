//! Thompson sampling (Thompson 1933; in trees Bai, Wu and Chen 2013): each move with the probability that it is the best.

use playout_games::{Rng, draw::normal};

use super::{Place, Policy, Seen, random::gamma};
use crate::config::Posterior;

/// Draws a value of each move from what is believed of its mean, and takes the greatest.
///
/// Beta: Beta(1 + n q, 1 + n (1 - q)) with q = (1 + Q) / 2, a draw counting as half a win. Gaussian: Q plus a normal number
/// with variance (n V + 1) / (n + 1) / n, V the variance of the results, as if one more had been seen at distance 1.
pub struct Thompson {
    posterior: Posterior,
}

impl Policy for Thompson {
    fn at(place: &Place, _: &mut Rng) -> Thompson {
        Thompson { posterior: place.config.thompson_posterior }
    }

    fn score(&self, edge: &Seen, rng: &mut Rng) -> f32 {
        if edge.unknown() {
            return f32::INFINITY;
        }
        let n = edge.visits;
        match self.posterior {
            Posterior::Beta => {
                let wins = n * ((1.0 + edge.value) / 2.0).clamp(0.0, 1.0);
                let (a, b) = (gamma(1.0 + wins, rng), gamma(1.0 + n - wins, rng));
                2.0 * a / (a + b) - 1.0
            }
            Posterior::Gaussian => edge.value + normal(rng) * ((n * edge.variance() + 1.0) / (n + 1.0) / n).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn the_draws_have_the_mean_and_the_spread_of_the_posterior() {
        let mut rng = Rng::with_seed(2);
        for posterior in [Posterior::Beta, Posterior::Gaussian] {
            let config = Config { thompson_posterior: posterior, ..Config::default() };
            let policy =
                Thompson::at(&Place { config: &config, visits: 200, exploration: config.exploration }, &mut rng);
            let edge = Seen { visits: 100.0, value: 0.5, prior: 0.0, child: None };
            let draws: Vec<f32> = (0..20_000).map(|_| policy.score(&edge, &mut rng)).collect();
            let mean = draws.iter().sum::<f32>() / draws.len() as f32;
            let spread = (draws.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / draws.len() as f32).sqrt();
            // Beta(76, 26): mean 0.745, standard deviation 0.0429; doubled for [-1, 1]. Without a child V is 1.
            let (expected, deviation) = if posterior == Posterior::Beta { (0.4902, 0.0859) } else { (0.5, 0.1) };
            assert!((mean - expected).abs() < 0.003 && (spread - deviation).abs() < 0.003, "{mean} {spread}");
        }
    }
}
