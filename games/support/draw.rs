//! Random numbers, and draws in proportion to weights.

/// The random source of playouts and searches: seeded, small, the same on every machine.
pub type Rng = fastrand::Rng;

/// True with a probability of `of_256` in 256.
pub fn chance(rng: &mut Rng, of_256: u8) -> bool {
    rng.u8(..) < of_256
}

/// The index of one of the `weights`, none of which is negative, drawn with a chance in proportion to it; None if all
/// are 0.
pub fn weighted(weights: impl Iterator<Item = f32> + Clone, rng: &mut Rng) -> Option<usize> {
    let mut left = rng.f32() * weights.clone().sum::<f32>();
    let mut drawn = None;
    for (index, weight) in weights.enumerate().filter(|&(_, weight)| weight > 0.0) {
        drawn = Some(index);
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    drawn
}

/// A standard normal number (Box and Muller 1958).
pub fn normal(rng: &mut Rng) -> f32 {
    (-2.0 * (1.0 - rng.f32()).ln()).sqrt() * (std::f32::consts::TAU * rng.f32()).cos()
}

/// Turns logits into their softmax at a temperature: shares in proportion to exp(logit / temperature), which add up to 1.
pub fn softmax(logits: &mut [f32], temperature: f32) {
    let greatest = logits.iter().fold(f32::NEG_INFINITY, |a, &b| a.max(b));
    let mut sum = 0.0;
    for logit in &mut *logits {
        *logit = ((*logit - greatest) / temperature).exp();
        sum += *logit;
    }
    for share in logits {
        *share /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_in_proportion_and_never_of_weight_0() {
        let mut rng = Rng::with_seed(1);
        let weights = [0.0, 1.0, 0.0, 3.0, 0.0];
        let mut counts = [0; 5];
        for _ in 0..20_000 {
            counts[weighted(weights.into_iter(), &mut rng).expect("there is a weight")] += 1;
        }
        assert_eq!(counts[0] + counts[2] + counts[4], 0);
        assert!((counts[3] as f32 / 20_000.0 - 0.75).abs() < 0.01, "{counts:?}");
        assert_eq!(weighted([0.0; 3].into_iter(), &mut rng), None);
        assert_eq!(weighted(std::iter::empty(), &mut rng), None);
    }

    #[test]
    fn softmax_keeps_the_odds_at_its_temperature() {
        let mut shares = [1000.0, 1000.0 + 2.0 * 3.0_f32.ln(), -1000.0];
        softmax(&mut shares, 2.0);
        assert!((shares[0] - 0.25).abs() < 1e-4 && (shares[1] - 0.75).abs() < 1e-4 && shares[2] == 0.0, "{shares:?}");
    }
}
