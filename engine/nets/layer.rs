//! The numbers of a layer.

/// A matrix and a vector: out = weights in + bias.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// Row by row, a row for each output; the first layer's has a row for each input.
    pub weights: Vec<f32>,
    /// One for each output.
    pub bias: Vec<f32>,
}
