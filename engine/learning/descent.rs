//! Steps of a net down the slope of its error.
//!
//! The error of a position is the cross-entropy of its target with the net's chances, whose slope in the logits is the
//! chances minus the target: the semi-gradient of TD learning, as the target is taken for given. That of a policy is the
//! cross-entropy with a target over the legal actions. Steps are those of Adam (Kingma and Ba 2015), with decoupled weight
//! decay (Loshchilov and Hutter 2019).

use playout_games::{Input, by_processor, draw::softmax};
use playout_nets::{
    Heights, Layer, Net, Tower,
    lanes::{add_rows, dot, multiply, multiply_rows},
};

use crate::{
    rows::{Goal, slots_each},
    slopes::{TowerFall, add_to_rows},
};

const MEAN: f32 = 0.9;
const SQUARE: f32 = 0.999;
const LEAST: f32 = 1e-8;

/// Adds up the slopes of positions, and moves a net by them.
#[derive(Clone, Debug)]
pub struct Descent {
    slope: Net,
    /// Running means of the slope and of its square.
    pub mean: Net,
    pub square: Net,
    pub steps: u64,
    /// Part of each weight that a step takes away at the rate 1.
    pub decay: f32,
    heights: Heights,
    tower_fall: TowerFall,
    values: Vec<Vec<f32>>,
    errors: Vec<f32>,
    /// Slots of the policy, with the errors of the actions' logits.
    slots: Vec<u32>,
    /// Logits of the slots.
    parts: Vec<f32>,
    policy_errors: Vec<f32>,
    below: Vec<f32>,
}

impl Descent {
    /// For a net like this one.
    pub fn new(net: &Net) -> Descent {
        let mut empty = net.clone();
        layers(&mut empty).for_each(|numbers| numbers.fill(0.0));
        Descent {
            slope: empty.clone(),
            mean: empty.clone(),
            square: empty,
            steps: 0,
            decay: 0.0,
            heights: Heights::default(),
            tower_fall: TowerFall::default(),
            values: vec![Vec::new(); net.hidden.len() + 1],
            errors: Vec::new(),
            slots: Vec::new(),
            parts: Vec::new(),
            policy_errors: Vec::new(),
            below: Vec::new(),
        }
    }

    /// The slope and its means, which have the form of the net.
    pub fn nets(&mut self) -> [&mut Net; 3] {
        [&mut self.slope, &mut self.mean, &mut self.square]
    }

    /// Adds the slope of a position of one point of view, and returns its error.
    pub fn add(&mut self, net: &Net, inputs: &[Input], target: &[f32]) -> f32 {
        self.add_with_policy(net, &[inputs], Goal { target, ..Goal::default() }).0
    }

    /// As `add`, of any points of view, with what the policy should have been. Returns the error of the outcomes and that of
    /// the policy, 0 where `target` or `policy` is empty.
    pub fn add_with_policy(&mut self, net: &Net, views: &[&[Input]], goal: Goal) -> (f32, f32) {
        let errors = self.measure(net, views, goal);
        self.fall(net, views);
        errors
    }

    /// The errors of a position, as `add_with_policy` gives them, whose slope is not added.
    pub fn measure(&mut self, net: &Net, views: &[&[Input]], goal: Goal) -> (f32, f32) {
        let Goal { target, own, slots, policy } = goal;
        self.rise(net, views);
        let last = self.values.last().expect("a net has a layer");
        self.errors.resize(target.len(), 0.0);
        multiply(&mut self.errors, &net.outcome.weights, &net.outcome.bias, last);
        self.errors.iter_mut().zip(own).for_each(|(logit, own)| *logit += own);
        let outcome = entropy(&mut self.errors, target.iter().copied());
        self.slots.clear();
        self.slots.extend_from_slice(slots);
        self.parts.resize(slots.len(), 0.0);
        multiply_rows(&mut self.parts, &net.policy.weights, &net.policy.bias, last, slots);
        if net.tower.is_some() {
            self.heights.add_logits(slots, &mut self.parts);
        }
        self.policy_errors.clear();
        let sums = self.parts.chunks_exact(slots_each(slots.len(), policy.len())).zip(policy);
        self.policy_errors.extend(sums.map(|(parts, choice)| parts.iter().sum::<f32>() + choice.own));
        (outcome, entropy(&mut self.policy_errors, policy.iter().map(|choice| choice.share)))
    }

    /// The values of all layers below the last.
    fn rise(&mut self, net: &Net, views: &[&[Input]]) {
        let values = &mut self.values[0];
        values.clear();
        for inputs in views {
            let inputs = net.rise_to_first(inputs, &mut self.heights);
            let begin = values.len();
            values.extend_from_slice(&net.first.bias);
            add_rows(&mut values[begin..], &net.first.weights, inputs, 1.0);
        }
        net.activation.apply(values);
        for (number, layer) in net.hidden.iter().enumerate() {
            let (below, above) = self.values.split_at_mut(number + 1);
            above[0].resize(layer.bias.len(), 0.0);
            multiply(&mut above[0], &layer.weights, &layer.bias, &below[number]);
            net.activation.apply(&mut above[0]);
        }
    }

    /// Takes the errors of the logits down through the layers.
    fn fall(&mut self, net: &Net, views: &[&[Input]]) {
        let Descent { slope: whole, heights, tower_fall, values, errors, slots, policy_errors, below, .. } = self;
        let each = slots_each(slots.len(), policy_errors.len());
        let errors_of_slots = policy_errors.iter().flat_map(|&error| std::iter::repeat_n(error, each));
        let mut of_slots = slots.iter().map(|&slot| slot as usize).zip(errors_of_slots);
        let cells = of_slots.clone();
        let above = net.hidden.iter().zip(&mut whole.hidden).chain([(&net.outcome, &mut whole.outcome)]);
        for ((layer, slope), values) in above.rev().zip(values.iter().rev()) {
            below.clear();
            below.resize(values.len(), 0.0);
            slope.bias.iter_mut().zip(&*errors).for_each(|(sum, error)| *sum += error);
            fall_through(below, &mut slope.weights, &layer.weights, values, errors);
            for (slot, error) in of_slots.by_ref() {
                let place = slot * values.len()..(slot + 1) * values.len();
                let (weights, slopes) = (&net.policy.weights[place.clone()], &mut whole.policy.weights[place]);
                whole.policy.bias[slot] += error;
                fall_through(below, slopes, weights, values, &[error]);
            }
            below.iter_mut().zip(values).for_each(|(error, &value)| *error *= net.activation.slope_at(value));
            std::mem::swap(errors, below);
        }
        for (inputs, errors) in views.iter().zip(errors.chunks_exact(net.width())) {
            let inputs = match (&net.tower, &mut whole.tower) {
                (Some(tower), Some(slopes)) => {
                    let features = &heights.features;
                    below.clear();
                    below.extend(features.iter().map(|feature| {
                        dot(&net.first.weights[feature.index as usize * errors.len()..][..errors.len()], errors)
                    }));
                    let cells = cells.clone().filter(|&(slot, _)| slot < tower.board.cells());
                    tower_fall.fall(tower, slopes, inputs, heights, below, cells);
                    features
                }
                _ => *inputs,
            };
            whole.first.bias.iter_mut().zip(errors).for_each(|(sum, error)| *sum += error);
            add_to_rows(&mut whole.first.weights, inputs, errors);
        }
        self.slots.clear();
        self.policy_errors.clear();
    }

    /// Moves `net` by the slopes added since the last step, divided by `count`, at this rate.
    pub fn step(&mut self, net: &mut Net, count: usize, rate: f32) {
        self.steps += 1;
        self.tower_fall.forget();
        let power = self.steps.min(1 << 24) as i32;
        let part = (1.0 - SQUARE.powi(power)).sqrt();
        let whole_rate = rate;
        let rate = rate * part / (1.0 - MEAN.powi(power));
        let least = LEAST * part;
        let Descent { slope, mean, square, decay, .. } = self;
        if *decay > 0.0 {
            layers(net).flatten().for_each(|weight| *weight *= 1.0 - whole_rate * *decay);
        }
        for (((weights, slopes), means), squares) in
            layers(net).zip(layers(slope)).zip(layers(mean)).zip(layers(square))
        {
            adam(weights, slopes, means, squares, 1.0 / count as f32, rate, least);
        }
    }
}

by_processor! {
    /// Adds the errors below a layer to `below`, and the slopes of its weights to `slopes`.
    pub fn fall_through(below: &mut [f32], slopes: &mut [f32], weights: &[f32], values: &[f32], errors: &[f32]) {
        let rows = weights.chunks_exact(values.len()).zip(slopes.chunks_exact_mut(values.len()));
        for (&error, (row, slopes)) in errors.iter().zip(rows) {
            for (((below, slope), weight), value) in below.iter_mut().zip(slopes).zip(row).zip(values) {
                *below += error * weight;
                *slope += error * value;
            }
        }
    }
}

by_processor! {
    /// Adam's step; the slopes, `scale` times, are 0 afterwards.
    pub fn adam(
        weights: &mut [f32],
        slopes: &mut [f32],
        means: &mut [f32],
        squares: &mut [f32],
        scale: f32,
        rate: f32,
        least: f32
    ) {
        for (((weight, slope), mean), square) in weights.iter_mut().zip(slopes).zip(means).zip(squares) {
            let by = *slope * scale;
            *slope = 0.0;
            *mean = MEAN * *mean + (1.0 - MEAN) * by;
            *square = SQUARE * *square + (1.0 - SQUARE) * by * by;
            *weight -= rate * *mean / (square.sqrt() + least);
        }
    }
}

/// The cross-entropy of a target with the softmax of logits, which become its slope in them.
fn entropy(logits: &mut [f32], target: impl Iterator<Item = f32>) -> f32 {
    softmax(logits, 1.0);
    let mut error = 0.0;
    for (chance, target) in logits.iter_mut().zip(target) {
        error -= target * chance.max(1e-9).ln();
        *chance -= target;
    }
    error
}

/// The numbers of all layers.
fn layers(net: &mut Net) -> impl Iterator<Item = &mut [f32]> {
    fn both(layer: &mut Layer) -> [&mut [f32]; 2] {
        [&mut layer.weights, &mut layer.bias]
    }
    let Net { tower, first, hidden, outcome, policy, .. } = net;
    let tower = tower.iter_mut().flat_map(Tower::layers_mut).flat_map(both);
    tower.chain(both(first)).chain(hidden.iter_mut().flat_map(both)).chain(both(outcome)).chain(both(policy))
}

#[cfg(test)]
mod tests {
    use playout_games::{NetShape, Planes, Rng};
    use playout_nets::{Activation, Nets, Sizes};

    use super::*;
    use crate::rows::Choice;

    fn net() -> Net {
        Net {
            activation: Activation::Relu,
            tower: None,
            first: Layer { weights: vec![0.5, -0.25, 1.0, 0.75, -0.5, 0.25], bias: vec![0.1, -0.2] },
            hidden: vec![Layer { weights: vec![0.4, -0.3, 0.2, 0.6], bias: vec![0.05, 0.1] }],
            outcome: Layer { weights: vec![0.3, -0.1, -0.2, 0.5], bias: vec![0.0, 0.1] },
            policy: Layer::default(),
        }
    }

    const INPUTS: [Input; 2] = [Input { index: 0, value: 1.0 }, Input { index: 1, value: 0.5 }];
    const TARGET: [f32; 2] = [0.8, 0.2];

    fn error(net: &Net) -> f32 {
        Descent::new(net).add(net, &INPUTS, &TARGET)
    }

    /// The slope is what the error changes by, weight by weight.
    #[test]
    fn slopes_are_differences() {
        let mut net = net();
        let mut descent = Descent::new(&net);
        descent.add(&net, &INPUTS, &TARGET);
        let slopes: Vec<f32> = layers(&mut descent.slope).flat_map(|numbers| numbers.to_vec()).collect();
        for (place, &slope) in slopes.iter().enumerate() {
            let mut at = |by: f32| {
                let number = layers(&mut net).flatten().nth(place).expect("as many");
                *number += by;
                let found = error(&net);
                *layers(&mut net).flatten().nth(place).expect("as many") -= by;
                found
            };
            let difference = (at(1e-2) - at(-1e-2)) / 2e-2;
            assert!((difference - slope).abs() < 2e-3, "{place}: {difference}, {slope}");
        }
        assert!(slopes.iter().filter(|slope| **slope != 0.0).count() > 12);
    }

    /// Numbers from numpy:
    ///
    /// ```text
    /// h = max(W x + b, 0); g = max(V h + c, 0); p = softmax(U g + d); dU = (p - t) g'; dg = U' (p - t) [g > 0]; ...
    /// m = 0.1 s; v = 0.001 s^2; w -= 0.01 (m / 0.1) / (sqrt(v / 0.001) + 1e-8)
    /// ```
    #[test]
    fn an_update_is_that_of_numpy() {
        let (mut net, mut descent) = (net(), Descent::new(&net()));
        let error = descent.add(&net, &INPUTS, &TARGET);
        let near = |found: &[f32], expected: &[f32]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{found:?}, {expected:?}");
        };
        near(&[error], &[0.707_523]);
        near(&descent.slope.outcome.weights, &[-0.152_756, -0.099_759, 0.152_756, 0.099_759]);
        near(&descent.slope.first.weights, &[-0.024_94, 0.0, -0.012_47, 0.0, 0.0, 0.0]);
        descent.step(&mut net, 1, 0.01);
        near(&net.outcome.weights, &[0.31, -0.09, -0.21, 0.49]);
    }

    fn random_net(views: u8, rng: &mut Rng) -> Net {
        let shape = NetShape { views, ..NetShape::of_boards("test-1".to_owned(), 9, 4) };
        let mut net = Nets::random(&shape, &Sizes::of(&[6, 5]), Activation::SquaredClipped, rng).phases.remove(0);
        layers(&mut net).flatten().for_each(|weight| *weight += rng.f32() - 0.3);
        net
    }

    #[test]
    fn slopes_with_a_policy_are_differences() {
        let mut rng = Rng::with_seed(1);
        let mut net = random_net(2, &mut rng);
        let inputs = [0, 3, 8].map(|index| Input { index, value: 0.5 });
        let views = [&inputs[..2], &inputs[1..]];
        let goal = Goal {
            target: &[0.2, 0.1, 0.7],
            own: &[0.5, 0.0, -0.5],
            slots: &[2, 1, 0, 1],
            policy: &[Choice { share: 0.75, own: 0.5 }, Choice { share: 0.25, own: -0.25 }],
        };
        let mut descent = Descent::new(&net);
        let (outcome, of_policy) = descent.add_with_policy(&net, &views, goal);
        assert_eq!(descent.measure(&net, &views, goal), (outcome, of_policy));
        let mut slope = descent.slope.clone();
        let slopes: Vec<f32> = layers(&mut slope).flatten().map(|slope| *slope).collect();
        let mut met = 0;
        for (number, slope) in slopes.into_iter().enumerate() {
            let mut error = |change: f32| {
                *layers(&mut net).flatten().nth(number).unwrap() += change;
                let (outcome, policy) = descent.measure(&net, &views, goal);
                outcome + policy
            };
            let found = (error(0.01) - error(-0.02)) / 0.02;
            error(0.01);
            met += usize::from(slope.abs() > 0.01);
            assert!((found - slope).abs() < 0.01, "{number}: {found} {slope}");
        }
        assert!(met > 25, "{met}");
    }

    #[test]
    fn slopes_of_a_tower_are_differences() {
        let mut rng = Rng::with_seed(4);
        let board = Planes { columns: 4, rows: 3, count: 2 };
        let shape = NetShape::of_planes("test-1".to_owned(), board, 13);
        let sizes = Sizes { tower: Some((2, 16)), widths: vec![6] };
        let mut net = Nets::random(&shape, &sizes, Activation::Relu, &mut rng).phases.remove(0);
        layers(&mut net).flatten().for_each(|weight| *weight += 0.2 * (rng.f32() - 0.4));
        let inputs = [0, 3, 7, 12, 17, 23].map(|index| Input { index, value: 0.5 });
        let policy = [0.5, 0.25, 0.25].map(|share| Choice { share, own: 0.0 });
        let goal = Goal { target: &[0.2, 0.1, 0.7], own: &[], slots: &[3, 12, 7], policy: &policy };
        let mut descent = Descent::new(&net);
        descent.add_with_policy(&net, &[&inputs], goal);
        let slopes: Vec<f32> = layers(&mut descent.slope).flatten().map(|slope| *slope).collect();
        let (mut met, mut wrong) = (0, 0);
        for (number, slope) in slopes.into_iter().enumerate().step_by(7) {
            let mut error = |change: f32| {
                *layers(&mut net).flatten().nth(number).unwrap() += change;
                let (outcome, policy) = descent.measure(&net, &[&inputs], goal);
                outcome + policy
            };
            let found = (error(2e-3) - error(-4e-3)) / 4e-3;
            error(2e-3);
            met += usize::from(slope.abs() > 0.01);
            // A difference that goes past the corner of an activation is not a slope.
            wrong += usize::from((found - slope).abs() > 0.02 + 0.05 * slope.abs());
        }
        assert!(met > 200 && wrong * 50 < met, "{met} {wrong}");
    }

    #[test]
    fn rows_of_values_and_of_choices_add_up() {
        let net = random_net(1, &mut Rng::with_seed(3));
        let policy = [Choice { share: 0.5, own: 0.0 }; 2];
        let of_outcomes = Goal { target: &[0.2, 0.1, 0.7], ..Goal::default() };
        let of_choices = Goal { slots: &[0, 1], policy: &policy, ..Goal::default() };
        let [mut whole, mut parts] = [Descent::new(&net), Descent::new(&net)];
        let errors = whole.add_with_policy(&net, &[&INPUTS], Goal { target: of_outcomes.target, ..of_choices });
        let (outcome, none) = parts.add_with_policy(&net, &[&INPUTS], of_outcomes);
        let (nothing, policy) = parts.add_with_policy(&net, &[&INPUTS], of_choices);
        assert_eq!((outcome, policy, none, nothing), (errors.0, errors.1, 0.0, 0.0));
        for (whole, parts) in layers(&mut whole.slope).flatten().zip(layers(&mut parts.slope).flatten()) {
            assert!((*whole - *parts).abs() < 1e-6);
        }
    }

    #[test]
    fn decay_alone_shrinks_weights() {
        let mut rng = Rng::with_seed(2);
        let mut net = random_net(1, &mut rng);
        let before = net.first.weights[0];
        let mut descent = Descent::new(&net);
        descent.decay = 0.5;
        descent.step(&mut net, 1, 0.1);
        assert!((net.first.weights[0] - 0.95 * before).abs() < 1e-6);
    }
}
