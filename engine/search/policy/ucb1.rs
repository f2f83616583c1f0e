//! UCB1 (Auer, Cesa-Bianchi and Fischer 2002; in trees Kocsis and Szepesvari 2006).

use playout_games::Rng;

use super::{Place, Policy, Seen};
use crate::config::ExplorationForm;

/// Q + C sqrt(ln N / n), or with the doubled logarithm Q + C sqrt(2 ln N / n).
pub struct Ucb1 {
    /// C^2 ln N.
    scale: f32,
}

/// C^2 ln N, or twice that: the square of a bonus times n.
#[inline(always)]
pub fn scale(place: &Place) -> f32 {
    let c = place.exploration;
    let times = match place.config.exploration_form {
        ExplorationForm::Ln => 1.0,
        ExplorationForm::DoubledLn => 2.0,
    };
    c * c * ln(place.visits) * times
}

impl Policy for Ucb1 {
    #[inline(always)]
    fn at(place: &Place, _: &mut Rng) -> Ucb1 {
        Ucb1 { scale: scale(place) }
    }

    #[inline(always)]
    fn score(&self, edge: &Seen, _: &mut Rng) -> f32 {
        if edge.unknown() { f32::INFINITY } else { edge.value + (self.scale / edge.visits).sqrt() }
    }
}

/// ln(1 + x) for x in [0, 1), the constant first: a least-squares fit at Chebyshev points, good to 7e-5.
const LN: [f32; 5] = [6.944_574e-5, 0.996_262, -0.466_442_4, 0.218_665_5, -0.055_459_3];

/// The natural logarithm of a visit count, to 1e-4: the same on every machine, and quicker than the C library's.
#[inline(always)]
pub fn ln(visits: u32) -> f32 {
    let bits = (visits.max(1) as f32).to_bits();
    let exponent = (bits >> 23) as f32 - 127.0;
    let x = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000) - 1.0;
    exponent * std::f32::consts::LN_2 + LN.iter().rev().fold(0.0, |sum, &c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn ln_is_the_logarithm() {
        for visits in (0..30).map(|power| 1 << power).chain(1..5000) {
            assert!((ln(visits) - (visits as f32).ln()).abs() < 1e-4, "{visits}");
        }
    }

    #[test]
    fn both_forms_are_their_formulae() {
        let mut rng = Rng::with_seed(0);
        let edge = Seen { visits: 2.0, value: 10.0, prior: 0.0, child: None };
        for (exploration_form, factor) in [(ExplorationForm::Ln, 1.0_f32), (ExplorationForm::DoubledLn, 2.0)] {
            let config = Config { exploration: 2.0, exploration_form, ..Config::default() };
            let score = Ucb1::at(&Place { config: &config, visits: 3, exploration: config.exploration }, &mut rng)
                .score(&edge, &mut rng);
            assert!((score - (10.0 + 2.0 * (factor * 3.0_f32.ln() / 2.0).sqrt())).abs() < 1e-3, "{score}");
        }
    }
}
