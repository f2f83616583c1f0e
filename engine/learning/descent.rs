//! Steps of a net down the slope of its error.
//!
//! The error of a position is the cross-entropy of its target with the net's chances, whose slope in the logits is the
//! chances minus the target: the semi-gradient of TD learning, as the target is taken for given. Steps are those of Adam
//! (Kingma and Ba 2015).

use playout_games::Input;
use playout_nets::{
    Activation, Layer, Net, by_processor,
    lanes::{add_rows, multiply},
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
    values: Vec<Vec<f32>>,
    errors: Vec<f32>,
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
            values: vec![Vec::new(); net.hidden.len() + 1],
            errors: Vec::new(),
            below: Vec::new(),
        }
    }

    /// Adds the slope of a position of one point of view, and returns its error.
    pub fn add(&mut self, net: &Net, inputs: &[Input], target: &[f32]) -> f32 {
        self.rise(net, inputs);
        let last = self.values.last().expect("a net has a layer");
        self.errors.resize(target.len(), 0.0);
        multiply(&mut self.errors, &net.outcome.weights, &net.outcome.bias, last);
        playout_games::draw::softmax(&mut self.errors, 1.0);
        let mut error = 0.0;
        for (chance, target) in self.errors.iter_mut().zip(target) {
            error -= target * chance.max(1e-9).ln();
            *chance -= target;
        }
        self.fall(net, inputs);
        error
    }

    /// The values of all layers below the last.
    fn rise(&mut self, net: &Net, inputs: &[Input]) {
        let values = &mut self.values[0];
        values.clone_from(&net.first.bias);
        add_rows(values, &net.first.weights, inputs, 1.0);
        apply(net.activation, values);
        for (number, layer) in net.hidden.iter().enumerate() {
            let (below, above) = self.values.split_at_mut(number + 1);
            above[0].resize(layer.bias.len(), 0.0);
            multiply(&mut above[0], &layer.weights, &layer.bias, &below[number]);
            apply(net.activation, &mut above[0]);
        }
    }

    /// Takes the errors of the logits down through the layers.
    fn fall(&mut self, net: &Net, inputs: &[Input]) {
        let Descent { slope, values, errors, below, .. } = self;
        let above = net.hidden.iter().zip(&mut slope.hidden).chain([(&net.outcome, &mut slope.outcome)]);
        for ((layer, slope), values) in above.rev().zip(values.iter().rev()) {
            below.clear();
            below.resize(values.len(), 0.0);
            slope.bias.iter_mut().zip(&*errors).for_each(|(sum, error)| *sum += error);
            fall_through(below, &mut slope.weights, &layer.weights, values, errors);
            below.iter_mut().zip(values).for_each(|(error, &value)| *error *= steepness(net.activation, value));
            std::mem::swap(errors, below);
        }
        slope.first.bias.iter_mut().zip(&*errors).for_each(|(sum, error)| *sum += error);
        add_to_rows(&mut slope.first.weights, inputs, errors);
    }

    /// Moves `net` by the slopes added since the last step, divided by `count`, at this rate.
    pub fn step(&mut self, net: &mut Net, count: usize, rate: f32) {
        self.steps += 1;
        let power = self.steps.min(1 << 24) as i32;
        let part = (1.0 - SQUARE.powi(power)).sqrt();
        let rate = rate * part / (1.0 - MEAN.powi(power));
        let least = LEAST * part;
        let Descent { slope, mean, square, .. } = self;
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
    /// Adds the errors, times each input, to the row of that input.
    pub fn add_to_rows(rows: &mut [f32], inputs: &[Input], errors: &[f32]) {
        for &Input { index, value } in inputs {
            let row = &mut rows[index as usize * errors.len()..][..errors.len()];
            row.iter_mut().zip(errors).for_each(|(sum, error)| *sum += value * error);
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
    let Net { first, hidden, outcome, .. } = net;
    both(first).into_iter().chain(hidden.iter_mut().flat_map(both)).chain(both(outcome))
}
