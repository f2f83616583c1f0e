//! Steps of a net down the slope of its error.
//!
//! The error of a position is the cross-entropy of its target with the net's chances, whose slope in the logits is the
//! chances minus the target: the semi-gradient of TD learning, as the target is taken for given. That of a policy is the
//! cross-entropy with a target over the legal actions. Steps are those of Adam (Kingma and Ba 2015), with decoupled weight
//! decay (Loshchilov and Hutter 2019).

use playout_games::{Input, draw::softmax};
use playout_nets::{Activation, Layer, Net};

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
    values: Vec<Vec<f32>>,
    errors: Vec<f32>,
    /// Slots of the policy with the errors of their logits.
    policy_errors: Vec<(u32, f32)>,
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
            values: vec![Vec::new(); net.hidden.len() + 1],
            errors: Vec::new(),
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
        self.add_with_policy(net, inputs, target, &[]).0
    }

    /// As `add`, with what the policy should have been: shares of the slots of all legal actions, which add up to 1. Returns
    /// the error of the outcomes and that of the policy, 0 where `policy` is empty.
    pub fn add_with_policy(
        &mut self,
        net: &Net,
        inputs: &[Input],
        target: &[f32],
        policy: &[(u32, f32)],
    ) -> (f32, f32) {
        let errors = self.measure(net, inputs, target, policy);
        self.fall(net, inputs);
        errors
    }

    /// The errors of a position, as `add_with_policy` gives them, whose slope is not added.
    pub fn measure(&mut self, net: &Net, inputs: &[Input], target: &[f32], policy: &[(u32, f32)]) -> (f32, f32) {
        self.rise(net, inputs);
        let last = self.values.last().expect("a net has a layer");
        self.errors.clear();
        self.errors.extend(&net.outcome.bias);
        for (out, row) in self.errors.iter_mut().zip(net.outcome.weights.chunks_exact(last.len())) {
            *out += dot(row, last);
        }
        softmax(&mut self.errors, 1.0);
        let outcome_error = entropy(self.errors.iter_mut().zip(target.iter().copied()));
        self.below.clear();
        self.below.extend(policy.iter().map(|&(slot, _)| {
            let slot = slot as usize;
            net.policy.bias[slot] + dot(&net.policy.weights[slot * last.len()..][..last.len()], last)
        }));
        softmax(&mut self.below, 1.0);
        let policy_error = entropy(self.below.iter_mut().zip(policy.iter().map(|&(_, share)| share)));
        self.policy_errors.clear();
        self.policy_errors.extend(policy.iter().zip(&self.below).map(|(&(slot, _), &error)| (slot, error)));
        (outcome_error, policy_error)
    }

    /// The values of all layers below the last.
    fn rise(&mut self, net: &Net, inputs: &[Input]) {
        let width = net.width();
        let values = &mut self.values[0];
        values.clone_from(&net.first.bias);
        for &Input { index, value } in inputs {
            let row = &net.first.weights[index as usize * width..][..width];
            values.iter_mut().zip(row).for_each(|(sum, weight)| *sum += value * weight);
        }
        apply(net.activation, values);
        for (number, layer) in net.hidden.iter().enumerate() {
            let (below, above) = self.values.split_at_mut(number + 1);
            let (below, above) = (&below[number], &mut above[0]);
            above.clone_from(&layer.bias);
            for (out, row) in above.iter_mut().zip(layer.weights.chunks_exact(below.len())) {
                *out += dot(row, below);
            }
            apply(net.activation, above);
        }
    }

    /// Takes the errors of the logits down through the layers.
    fn fall(&mut self, net: &Net, inputs: &[Input]) {
        let Descent { slope: whole, values, errors, policy_errors, below, .. } = self;
        let above = net.hidden.iter().zip(&mut whole.hidden).chain([(&net.outcome, &mut whole.outcome)]);
        for ((layer, slope), values) in above.rev().zip(values.iter().rev()) {
            below.clear();
            below.resize(values.len(), 0.0);
            let rows = layer.weights.chunks_exact(values.len()).zip(slope.weights.chunks_exact_mut(values.len()));
            for ((&error, sum), (row, slopes)) in errors.iter().zip(&mut slope.bias).zip(rows) {
                *sum += error;
                for (((below, slope), weight), value) in below.iter_mut().zip(slopes).zip(row).zip(values) {
                    *below += error * weight;
                    *slope += error * value;
                }
            }
            for (slot, error) in policy_errors.drain(..) {
                let place = slot as usize * values.len()..(slot as usize + 1) * values.len();
                whole.policy.bias[slot as usize] += error;
                add_times(&mut whole.policy.weights[place.clone()], values, error);
                add_times(below, &net.policy.weights[place], error);
            }
            below.iter_mut().zip(values).for_each(|(error, &value)| *error *= steepness(net.activation, value));
            std::mem::swap(errors, below);
        }
        whole.first.bias.iter_mut().zip(&*errors).for_each(|(sum, error)| *sum += error);
        let width = errors.len();
        for &Input { index, value } in inputs {
            let row = &mut whole.first.weights[index as usize * width..][..width];
            row.iter_mut().zip(&*errors).for_each(|(slope, error)| *slope += value * error);
        }
    }

    /// Moves `net` by the slopes added since the last step, divided by `count`, at this rate.
    pub fn step(&mut self, net: &mut Net, count: usize, rate: f32) {
        self.steps += 1;
        let power = self.steps.min(1 << 24) as i32;
        let shrink = rate * self.decay;
        let (part, scale) = ((1.0 - SQUARE.powi(power)).sqrt(), 1.0 / count as f32);
        let rate = rate * part / (1.0 - MEAN.powi(power));
        let least = LEAST * part;
        let Descent { slope, mean, square, .. } = self;
        for (((weights, slopes), means), squares) in layers(net).zip(layers(slope)).zip(layers(mean)).zip(layers(square)) {
            for (((weight, slope), mean), square) in weights.iter_mut().zip(slopes).zip(means).zip(squares) {
                let by = *slope * scale;
                *slope = 0.0;
                *mean = MEAN * *mean + (1.0 - MEAN) * by;
                *square = SQUARE * *square + (1.0 - SQUARE) * by * by;
                *weight -= rate * *mean / (square.sqrt() + least) + shrink * *weight;
            }
        }
    }
}

/// The cross-entropy of targets with chances, which become their difference: its slope in the logits.
fn entropy<'a>(chances: impl Iterator<Item = (&'a mut f32, f32)>) -> f32 {
    let mut error = 0.0;
    for (chance, target) in chances {
        error -= target * chance.max(1e-9).ln();
        *chance -= target;
    }
    error
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds `b` to `a`, `times` times.
fn add_times(a: &mut [f32], b: &[f32], times: f32) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += times * b);
}

fn apply(activation: Activation, values: &mut [f32]) {
    match activation {
        Activation::Relu => values.iter_mut().for_each(|x| *x = x.max(0.0)),
        Activation::SquaredClipped => values.iter_mut().for_each(|x| *x = x.clamp(0.0, 1.0).powi(2)),
    }
}

/// The slope of the activation where it has this value.
fn steepness(activation: Activation, value: f32) -> f32 {
    match activation {
        Activation::Relu => f32::from(u8::from(value > 0.0)),
        Activation::SquaredClipped if value < 1.0 => 2.0 * value.sqrt(),
        Activation::SquaredClipped => 0.0,
    }
}

/// The numbers of all layers.
fn layers(net: &mut Net) -> impl Iterator<Item = &mut [f32]> {
    fn both(layer: &mut Layer) -> [&mut [f32]; 2] {
        [&mut layer.weights, &mut layer.bias]
    }
    let Net { first, hidden, outcome, policy, .. } = net;
    both(first).into_iter().chain(hidden.iter_mut().flat_map(both)).chain(both(outcome)).chain(both(policy))
}
