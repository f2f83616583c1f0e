//! The formulae of searches with Gumbel noise. Values are the mover's, in [-1, 1].

use playout_games::{Rng, draw::softmax};

use super::Manner;

/// Visits that the scale of values begins with: "c_visit" of the paper.
const VISITS: f32 = 50.0;

/// An action with its statistics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arm {
    pub logit: f32,
    pub visits: u32,
    /// Sum of the values of the visits.
    pub sum: f32,
}

impl Arm {
    /// The mean value of the visits.
    pub fn value(&self) -> Option<f32> {
        (self.visits > 0).then(|| self.sum / self.visits as f32)
    }
}

/// A number with Gumbel's distribution.
pub fn gumbel(rng: &mut Rng) -> f32 {
    -(-(1.0 - rng.f32()).max(f32::MIN_POSITIVE).ln()).max(f32::MIN_POSITIVE).ln()
}

/// The visits that an action has before each simulation of a root which `considered` actions begin with: after each part of
/// the simulations the better half of them goes on (sequential halving; Karnin, Koren and Somekh 2013).
pub fn halving(considered: u32, simulations: u32) -> Vec<u32> {
    if considered < 2 {
        return (0..simulations).collect();
    }
    let (mut left, mut sequence) = (considered as usize, Vec::new());
    let rounds = considered.ilog2() + u32::from(!considered.is_power_of_two());
    let mut visits = vec![0; left];
    while sequence.len() < simulations as usize {
        for _ in 0..(simulations as usize / (rounds as usize * left)).max(1) {
            sequence.extend_from_slice(&visits[..left]);
            visits[..left].iter_mut().for_each(|visits| *visits += 1);
        }
        left = (left / 2).max(2);
    }
    sequence.truncate(simulations as usize);
    sequence
}

/// Replaces `out` by the logits of the improved policy: each action's, with its value, and where it has no visits with the
/// value of the position, for which the judge's `judged` is mixed with the values of the actions visited.
pub fn improved_logits(arms: &[Arm], judged: f32, manner: &Manner, out: &mut Vec<f32>) {
    let mixed = mixed_value(arms, judged, out);
    let most = arms.iter().map(|arm| arm.visits).max().unwrap_or(0);
    let scale = (VISITS + most as f32) * manner.value_scale / 2.0;
    out.clear();
    out.extend(arms.iter().map(|arm| arm.logit + scale * (arm.value().unwrap_or(mixed) - mixed)));
}

/// As `improved_logits`, but the chances.
pub fn improved_policy(arms: &[Arm], judged: f32, manner: &Manner, out: &mut Vec<f32>) {
    improved_logits(arms, judged, manner, out);
    softmax(out, 1.0);
}

/// The value of the position: the judge's counts as one visit, the others as those of the actions visited, by their priors.
fn mixed_value(arms: &[Arm], judged: f32, priors: &mut Vec<f32>) -> f32 {
    let visits: u32 = arms.iter().map(|arm| arm.visits).sum();
    if visits == 0 {
        return judged;
    }
    priors.clear();
    priors.extend(arms.iter().map(|arm| arm.logit));
    softmax(priors, 1.0);
    let (mut weights, mut values) = (0.0, 0.0);
    for (arm, prior) in arms.iter().zip(&*priors) {
        if let Some(value) = arm.value() {
            // A prior of 0 would lose the value.
            let weight = prior.max(f32::MIN_POSITIVE);
            weights += weight;
            values += weight * value;
        }
    }
    (judged + visits as f32 * values / weights) / (1.0 + visits as f32)
}

/// The value of the position under the improved policy.
pub fn improved_value(arms: &[Arm], judged: f32, manner: &Manner) -> f32 {
    let (mut policy, mut priors) = (Vec::new(), Vec::new());
    improved_policy(arms, judged, manner, &mut policy);
    let mixed = mixed_value(arms, judged, &mut priors);
    arms.iter().zip(policy).map(|(arm, share)| share * arm.value().unwrap_or(mixed)).sum()
}

/// The action below the root that has fallen behind the improved policy most.
pub fn inner_choice(arms: &[Arm], judged: f32, manner: &Manner, buffer: &mut Vec<f32>) -> usize {
    improved_policy(arms, judged, manner, buffer);
    let visits: u32 = arms.iter().map(|arm| arm.visits).sum();
    let behind = |i: usize| buffer[i] - arms[i].visits as f32 / (1.0 + visits as f32);
    greatest(arms.len(), behind)
}

/// The action of a root that has `visits` visits and the greatest sum of its noise and its improved logit.
pub fn root_choice(
    arms: &[Arm],
    noise: &[f32],
    judged: f32,
    visits: u32,
    manner: &Manner,
    buffer: &mut Vec<f32>,
) -> usize {
    improved_logits(arms, judged, manner, buffer);
    let score = |i: usize| match arms[i].visits == visits {
        true => noise[i] + buffer[i],
        false => f32::NEG_INFINITY,
    };
    greatest(arms.len(), score)
}

fn greatest(count: usize, score: impl Fn(usize) -> f32) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for i in 0..count {
        let score = score(i);
        if score > best.1 {
            best = (i, score);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manner() -> Manner {
        Manner {
            simulations: 16,
            cheap_simulations: 4,
            full_share: 1.0,
            considered: 4,
            value_scale: 0.1,
            random_plies: 0,
        }
    }

    fn arm(logit: f32, visits: u32, value: f32) -> Arm {
        Arm { logit, visits, sum: value * visits as f32 }
    }

    #[test]
    fn half_of_the_actions_go_on() {
        // Two rounds: four actions with two visits each, then two with four more.
        assert_eq!(halving(4, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(halving(1, 3), [0, 1, 2]);
        assert_eq!(halving(16, 4), [0; 4]);
        assert_eq!(halving(3, 7), [0, 0, 0, 1, 1, 2, 2]);
        for (considered, simulations) in [(2, 1), (5, 40), (16, 48), (7, 100)] {
            assert_eq!(halving(considered, simulations).len(), simulations as usize);
        }
    }

    #[test]
    fn the_improved_policy_by_hand() {
        let arms = [arm(0.0, 2, 0.5), arm(0.0, 0, 0.0)];
        // The mixed value: (0.2 + 2 * 0.5) / 3 = 0.4; the scale: (50 + 2) * 0.1 / 2 = 2.6.
        let mut logits = Vec::new();
        improved_logits(&arms, 0.2, &manner(), &mut logits);
        assert!((logits[0] - 0.26).abs() < 1e-5 && logits[1] == 0.0, "{logits:?}");
        let mut policy = Vec::new();
        improved_policy(&arms, 0.2, &manner(), &mut policy);
        let share = 1.0 / (1.0 + (-0.26_f32).exp());
        assert!((policy[0] - share).abs() < 1e-5, "{policy:?}");
        let value = improved_value(&arms, 0.2, &manner());
        assert!((value - (share * 0.5 + (1.0 - share) * 0.4)).abs() < 1e-5, "{value}");
        // Without visits the policy is the prior, and the value the judge's.
        let arms = [arm(1.0, 0, 0.0), arm(0.0, 0, 0.0)];
        improved_policy(&arms, 0.3, &manner(), &mut policy);
        assert!((policy[0] - 1.0 / (1.0 + (-1.0_f32).exp())).abs() < 1e-5, "{policy:?}");
        assert!((improved_value(&arms, 0.3, &manner()) - 0.3).abs() < 1e-5);
    }

    #[test]
    fn noise_draws_in_proportion_to_the_priors() {
        let mut rng = Rng::with_seed(1);
        let arms = [arm(3.0_f32.ln(), 0, 0.0), arm(0.0, 0, 0.0)];
        let mut first = 0;
        let mut buffer = Vec::new();
        for _ in 0..10_000 {
            let noise = [gumbel(&mut rng), gumbel(&mut rng)];
            first += u32::from(root_choice(&arms, &noise, 0.0, 0, &manner(), &mut buffer) == 0);
        }
        assert!((first as f32 / 10_000.0 - 0.75).abs() < 0.02, "{first}");
    }

    #[test]
    fn visits_follow_the_improved_policy() {
        let mut arms = [arm(3.0_f32.ln(), 0, 0.0), arm(0.0, 0, 0.0)];
        let mut buffer = Vec::new();
        for _ in 0..100 {
            arms[inner_choice(&arms, 0.0, &manner(), &mut buffer)].visits += 1;
        }
        assert_eq!(arms.map(|arm| arm.visits), [75, 25]);
    }
}
