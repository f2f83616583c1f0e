//! The nets of a game, one for each of its phases.

use std::collections::BTreeMap;

use playout_games::{NetShape, Rng, draw::normal};

use crate::{
    layer::Layer,
    net::{Activation, Net},
    tower::{FEATURES, TAPS, Tower},
};

/// Sizes of a net.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Blocks and channels of a tower of convolutions; only where the inputs are planes of a board.
    pub tower: Option<(usize, usize)>,
    /// Widths of the first layer and of the hidden ones, at least one.
    pub widths: Vec<usize>,
}

impl Sizes {
    /// Those of a net without a tower.
    pub fn of(widths: &[usize]) -> Sizes {
        Sizes { tower: None, widths: widths.to_vec() }
    }
}

/// The nets of a game with what their file says of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Nets {
    /// In the order of `NetShape::phases`.
    pub phases: Vec<Net>,
    /// The actions of the policy's slots as the game's ledger writes them, where the game numbers its actions as they
    /// appear; else empty.
    pub actions: Vec<String>,
    /// The layers of the net that corrects the evaluation of the game's look-ahead: from the inputs of a point of view to its
    /// sums, and from those of both to a number.
    pub correction: Option<[Layer; 2]>,
    /// Where the weights come from: data, command, date, commit, gate.
    pub provenance: BTreeMap<String, String>,
}

impl Nets {
    /// The weights and the bias of each layer of `correction`, as `LookAhead::correct` and `Game::correct` take them.
    pub fn correction_layers(&self) -> Option<[(&[f32], &[f32]); 2]> {
        self.correction.as_ref().map(|layers| layers.each_ref().map(|layer| (&*layer.weights, &*layer.bias)))
    }

    /// Nets with weights drawn at random: normal, with the variance 2 / inputs (He et al. 2015), the last layers 0.
    pub fn random(shape: &NetShape, sizes: &Sizes, activation: Activation, rng: &mut Rng) -> Nets {
        let Sizes { tower, widths } = sizes;
        let layer = |rng: &mut Rng, rows: usize, columns: usize, inputs: f32| Layer {
            weights: (0..rows * columns).map(|_| normal(rng) * (2.0 / inputs).sqrt()).collect(),
            bias: vec![0.0; columns],
        };
        let mut net = || {
            let tower = tower.zip(shape.board).map(|((blocks, channels), board)| Tower {
                stem: layer(rng, TAPS * board.count, channels, (TAPS * board.count) as f32 / 2.0),
                // A block begins as one that changes nothing (Zhang, Dauphin and Ma 2019).
                blocks: (0..blocks)
                    .map(|_| {
                        let below = TAPS * channels;
                        let none = Layer { weights: vec![0.0; below * channels], bias: vec![0.0; channels] };
                        [layer(rng, below, channels, below as f32), none]
                    })
                    .collect(),
                squeeze: layer(rng, channels, FEATURES, channels as f32),
                aim: Layer { weights: vec![0.0; channels], bias: vec![0.0] },
                board,
                settled: Vec::new(),
                rounded: Vec::new(),
            });
            // Inputs are sparse: about one in eight is not zero.
            let inputs = tower.as_ref().map_or(shape.inputs, Tower::features);
            let first = layer(rng, inputs, widths[0], (inputs as f32 / 8.0).max(1.0));
            let mut below = widths[0] * usize::from(shape.views);
            let mut hidden = Vec::new();
            for &width in &widths[1..] {
                hidden.push(layer(rng, below, width, below as f32));
                below = width;
            }
            let zero = |out: usize| Layer { weights: vec![0.0; out * below], bias: vec![0.0; out] };
            Net { activation, tower, first, hidden, outcome: zero(shape.results.len()), policy: zero(shape.slots) }
        };
        let phases = shape.phases.iter().map(|_| net()).collect();
        Nets { phases, actions: Vec::new(), correction: None, provenance: BTreeMap::new() }
    }

    /// Makes the nets quick; their weights are not to change after this.
    pub fn settle(&mut self) {
        self.phases.iter_mut().filter_map(|net| net.tower.as_mut()).for_each(Tower::settle);
    }

    /// All weights, in a fixed order.
    pub fn numbers(&self) -> impl Iterator<Item = f32> {
        let corrections = self.correction.iter().flatten();
        self.phases
            .iter()
            .flat_map(Net::layers)
            .chain(corrections)
            .flat_map(|layer| layer.weights.iter().chain(&layer.bias).copied())
    }

    /// Whether the nets give chances of the outcomes.
    pub fn have_outcomes(&self) -> bool {
        !self.phases[0].outcome.bias.is_empty()
    }

    /// Number of slots of the policy; 0 where the nets have none.
    pub fn slots(&self) -> usize {
        self.phases[0].slots()
    }
}
