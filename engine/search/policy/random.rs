//! Random numbers that are not uniform.

use playout_games::{Rng, draw::normal};

/// A number of the gamma distribution with this shape, greater than 0, and scale 1 (Marsaglia and Tsang 2000).
pub fn gamma(shape: f32, rng: &mut Rng) -> f32 {
    if shape < 1.0 {
        return gamma(shape + 1.0, rng) * (1.0 - rng.f32()).powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && (1.0 - rng.f32()).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_numbers_have_their_mean_and_variance() {
        let mut rng = Rng::with_seed(3);
        for shape in [0.3, 1.0, 7.5] {
            let draws: Vec<f32> = (0..50_000).map(|_| gamma(shape, &mut rng)).collect();
            let mean = draws.iter().sum::<f32>() / draws.len() as f32;
            let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / draws.len() as f32;
            assert!((mean / shape - 1.0).abs() < 0.03 && (variance / shape - 1.0).abs() < 0.06, "{mean} {variance}");
        }
    }
}
