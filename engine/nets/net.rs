//! One net: a wide first layer over sparse inputs, narrow layers over it, and what they say of the outcome and of actions.

use playout_games::{Input, draw::softmax};

use crate::{
    lanes::{add_rows, multiply, multiply_rows},
    layer::Layer,
    tower::{Heights, Tower},
};

/// The function between layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// max(x, 0).
    Relu,
    /// x between 0 and 1, squared.
    SquaredClipped,
}

impl Activation {
    /// Its name in files of weights.
    pub const fn name(self) -> &'static str {
        match self {
            Activation::Relu => "relu",
            Activation::SquaredClipped => "screlu",
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Activation> {
        [Activation::Relu, Activation::SquaredClipped].into_iter().find(|activation| activation.name() == name)
    }

    /// Replaces each value by the function's.
    pub fn apply(self, values: &mut [f32]) {
        match self {
            Activation::Relu => values.iter_mut().for_each(|x| *x = x.max(0.0)),
            Activation::SquaredClipped => values.iter_mut().for_each(|x| *x = x.clamp(0.0, 1.0).powi(2)),
        }
    }

    /// The slope of the function where it has this value.
    pub fn slope_at(self, value: f32) -> f32 {
        match self {
            Activation::Relu => f32::from(u8::from(value > 0.0)),
            Activation::SquaredClipped if value < 1.0 => 2.0 * value.sqrt(),
            Activation::SquaredClipped => 0.0,
        }
    }
}

/// A net.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    pub activation: Activation,
    /// The way from a board's planes to the inputs of the first layer, where there is a tower.
    pub tower: Option<Tower>,
    /// From the inputs of each point of view to as many sums; with two points of view those of the opponent follow.
    pub first: Layer,
    pub hidden: Vec<Layer>,
    /// To the logits of outcomes; empty where the net has a policy alone.
    pub outcome: Layer,
    /// To the logits of actions, by slot; empty where the net has no policy.
    pub policy: Layer,
}

/// Numbers under way through a net.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    heights: Heights,
    /// Sums of the first layer, of each point of view.
    sums: Vec<f32>,
    /// Values of the last layer and of the one before.
    values: Vec<f32>,
    spare: Vec<f32>,
}

/// The numbers that the last layers read of a position, after `Net::enter`.
#[derive(Clone, Debug, Default)]
pub struct Digest {
    values: Vec<f32>,
    logits: Vec<f32>,
}

impl Scratch {
    /// Makes towers that have their convolutions in bytes count by them, or by exact numbers.
    pub fn count_in_bytes(&mut self, bytes: bool) {
        self.heights.in_bytes = bytes;
    }

    /// Keeps what `Net::enter` left.
    pub fn keep(&self, digest: &mut Digest) {
        digest.values.clone_from(&self.values);
        digest.logits.clone_from(&self.heights.logits);
    }

    /// Puts back what was kept: as if the position had been entered again.
    pub fn put_back(&mut self, digest: &Digest) {
        self.values.clone_from(&digest.values);
        self.heights.logits.clone_from(&digest.logits);
    }
}

impl Net {
    /// Width of the first layer for one point of view.
    pub fn width(&self) -> usize {
        self.first.bias.len()
    }

    /// All layers.
    pub fn layers(&self) -> impl Iterator<Item = &Layer> {
        let tower = self.tower.iter().flat_map(Tower::layers);
        tower.chain([&self.first]).chain(&self.hidden).chain([&self.outcome, &self.policy])
    }

    /// Reads the inputs of each point of view and works out all layers below the last.
    pub fn enter<'a>(&self, views: impl IntoIterator<Item = &'a [Input]>, scratch: &mut Scratch) {
        scratch.sums.clear();
        for inputs in views {
            let inputs = self.rise_to_first(inputs, &mut scratch.heights);
            let begin = scratch.sums.len();
            scratch.sums.extend_from_slice(&self.first.bias);
            add_rows(&mut scratch.sums[begin..], &self.first.weights, inputs, 1.0);
        }
        self.rise(scratch);
    }

    /// The inputs of the first layer: a tower's features, where there is one, and else those of the position.
    pub fn rise_to_first<'a>(&self, inputs: &'a [Input], heights: &'a mut Heights) -> &'a [Input] {
        let Some(tower) = &self.tower else { return inputs };
        tower.rise(inputs, heights);
        &heights.features
    }

    /// From the sums of the first layer to the values of the last hidden one.
    fn rise(&self, scratch: &mut Scratch) {
        let Scratch { sums, values, spare, .. } = scratch;
        values.clone_from(sums);
        self.activation.apply(values);
        for layer in &self.hidden {
            spare.resize(layer.bias.len(), 0.0);
            multiply(spare, &layer.weights, &layer.bias, values);
            self.activation.apply(spare);
            std::mem::swap(values, spare);
        }
    }

    /// The chances of the outcomes, which add up to 1, after `enter`.
    pub fn outcomes(&self, scratch: &Scratch, out: &mut [f32]) {
        self.outcome_logits(scratch, out);
        softmax(out, 1.0);
    }

    /// The logits of the outcomes, after `enter`.
    pub fn outcome_logits(&self, scratch: &Scratch, out: &mut [f32]) {
        multiply(out, &self.outcome.weights, &self.outcome.bias, &scratch.values);
    }

    /// Number of slots that are a tower's cells alone, which the policy's layer leaves out.
    fn cells_alone(&self) -> usize {
        self.tower.as_ref().filter(|tower| tower.is_of_any_size()).map_or(0, |tower| tower.board.cells())
    }

    /// Number of slots of the policy; 0 where the net has none.
    pub fn slots(&self) -> usize {
        let rows = self.policy.bias.len();
        match &self.tower {
            Some(tower) if tower.aim.bias.is_empty() => 0,
            _ => rows + self.cells_alone(),
        }
    }

    /// The logits of the actions in these slots, after `enter`.
    pub fn logits(&self, scratch: &Scratch, slots: &[u32], out: &mut Vec<f32>) {
        out.clear();
        out.resize(slots.len(), 0.0);
        let Layer { weights, bias } = &self.policy;
        match self.cells_alone() as u32 {
            0 => multiply_rows(out, weights, bias, &scratch.values, slots),
            cells => {
                for (out, row) in
                    out.iter_mut().zip(slots).filter_map(|(out, slot)| Some((out, slot.checked_sub(cells)?)))
                {
                    multiply_rows(std::slice::from_mut(out), weights, bias, &scratch.values, &[row]);
                }
            }
        }
        if self.tower.is_some() {
            scratch.heights.add_logits(slots, out);
        }
    }

    /// Values of the last hidden layer, after `enter`.
    pub fn values<'a>(&self, scratch: &'a Scratch) -> &'a [f32] {
        &scratch.values
    }
}

#[cfg(test)]
mod tests {
    use playout_games::{NetShape, Rng, draw::normal};

    use super::*;
    use crate::{Nets, Sizes};

    fn shape() -> NetShape {
        NetShape::of_boards("test-1".to_owned(), 40, 7)
    }

    fn net(shape: &NetShape, widths: &[usize], rng: &mut Rng) -> Net {
        let mut net = Nets::random(shape, &Sizes::of(widths), Activation::Relu, rng).phases.remove(0);
        for layer in [&mut net.outcome, &mut net.policy] {
            layer.weights.iter_mut().chain(&mut layer.bias).for_each(|x| *x = normal(rng));
        }
        net
    }

    fn inputs(rng: &mut Rng) -> Vec<Input> {
        let some: Vec<u32> = (0..40).filter(|_| rng.u8(..4) == 0).collect();
        some.into_iter().map(|index| Input { index, value: normal(rng) }).collect()
    }

    /// The layers as the formulae write them.
    fn plainly(net: &Net, views: &[Vec<Input>]) -> (Vec<f32>, Vec<f32>) {
        let times = |layer: &Layer, x: &[f32]| -> Vec<f32> {
            let row = |i: usize| (0..x.len()).map(|j| layer.weights[i * x.len() + j] * x[j]).sum::<f32>();
            (0..layer.bias.len()).map(|i| layer.bias[i] + row(i)).collect()
        };
        let mut x = Vec::new();
        for view in views {
            let width = net.width();
            x.extend((0..width).map(|j| {
                let sum: f32 = view.iter().map(|i| i.value * net.first.weights[i.index as usize * width + j]).sum();
                (net.first.bias[j] + sum).max(0.0)
            }));
        }
        for layer in &net.hidden {
            x = times(layer, &x).into_iter().map(|x| x.max(0.0)).collect();
        }
        let powers: Vec<f32> = times(&net.outcome, &x).into_iter().map(f32::exp).collect();
        let sum: f32 = powers.iter().sum();
        (powers.into_iter().map(|power| power / sum).collect(), times(&net.policy, &x))
    }

    fn near(a: &[f32], b: &[f32]) {
        assert_eq!(a.len(), b.len());
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() < 1e-4 * (1.0 + b.abs()), "{a} is not {b}");
        }
    }

    #[test]
    fn a_net_says_what_its_formulae_say() {
        let mut rng = Rng::with_seed(1);
        for (widths, views) in [(&[80][..], 1), (&[33, 20, 9], 1), (&[16, 8], 2)] {
            let shape = NetShape { views, ..shape() };
            let net = net(&shape, widths, &mut rng);
            let views: Vec<Vec<Input>> = (0..views).map(|_| inputs(&mut rng)).collect();
            let (outcomes, logits) = plainly(&net, &views);
            let mut scratch = Scratch::default();
            net.enter(views.iter().map(Vec::as_slice), &mut scratch);
            let mut out = [0.0; 3];
            net.outcomes(&scratch, &mut out);
            near(&out, &outcomes);
            let mut some = Vec::new();
            net.logits(&scratch, &[6, 0, 3], &mut some);
            near(&some, &[logits[6], logits[0], logits[3]]);
        }
    }
}
