//! The nets of a game, one for each of its phases.

use std::collections::BTreeMap;

use playout_games::{NetShape, Rng, draw::normal};

use crate::net::{Activation, Layer, Net};

/// The nets of a game with what their file says of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Nets {
    /// In the order of `NetShape::phases`.
    pub phases: Vec<Net>,
    /// The actions of the policy's slots as the game's ledger writes them, where the game numbers its actions as they
    /// appear; else empty.
    pub actions: Vec<String>,
    /// Where the weights come from: data, command, date, commit, gate.
    pub provenance: BTreeMap<String, String>,
}

impl Nets {
    /// Nets with weights drawn at random: normal, with the variance 2 / inputs (He et al. 2015), the last layers 0.
    /// `widths` are those of the first layer and of the hidden ones, at least one.
    pub fn random(shape: &NetShape, widths: &[usize], activation: Activation, rng: &mut Rng) -> Nets {
        let layer = |rng: &mut Rng, rows: usize, columns: usize, inputs: f32| Layer {
            weights: (0..rows * columns).map(|_| normal(rng) * (2.0 / inputs).sqrt()).collect(),
            bias: vec![0.0; columns],
        };
        let mut net = || {
            // Inputs are sparse: about one in eight is not zero.
            let first = layer(rng, shape.inputs, widths[0], (shape.inputs as f32 / 8.0).max(1.0));
            let mut below = widths[0] * usize::from(shape.views);
            let mut hidden = Vec::new();
            for &width in &widths[1..] {
                hidden.push(layer(rng, below, width, below as f32));
                below = width;
            }
            let zero = |out: usize| Layer { weights: vec![0.0; out * below], bias: vec![0.0; out] };
            Net { activation, first, hidden, outcome: zero(shape.results.len()), policy: zero(shape.slots) }
        };
        let phases = shape.phases.iter().map(|_| net()).collect();
        Nets { phases, actions: Vec::new(), provenance: BTreeMap::new() }
    }

    /// All weights, in a fixed order.
    pub fn numbers(&self) -> impl Iterator<Item = f32> {
        self.phases.iter().flat_map(Net::layers).flat_map(|layer| layer.weights.iter().chain(&layer.bias).copied())
    }

    /// Whether the nets give chances of the outcomes.
    pub fn have_outcomes(&self) -> bool {
        !self.phases[0].outcome.bias.is_empty()
    }

    /// Number of slots of the policy; 0 where the nets have none.
    pub fn slots(&self) -> usize {
        self.phases[0].policy.bias.len()
    }
}
