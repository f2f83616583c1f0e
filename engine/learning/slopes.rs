//! The slopes of a tower of convolutions.

use playout_games::{Input, by_processor};
use playout_nets::{
    Heights, Layer, TAPS, Tower,
    lanes::{convolve, correlate},
};

/// Errors on their way down a tower.
#[derive(Clone, Debug, Default)]
pub struct TowerFall {
    /// The convolutions by which errors go down, block by block; none after a step.
    turned: Vec<[Layer; 2]>,
    /// Errors of the map at hand, and of the one below.
    errors: Vec<f32>,
    below: Vec<f32>,
}

impl TowerFall {
    /// Forgets what depends on the weights.
    pub fn forget(&mut self) {
        self.turned.clear();
    }

    /// Adds the slopes of a position, of which `heights` has the maps. `of_features` has the errors of its features, in their
    /// order, and `of_cells` those of the logits of some cells.
    pub fn fall(
        &mut self,
        tower: &Tower,
        slopes: &mut Tower,
        inputs: &[Input],
        heights: &Heights,
        of_features: &[f32],
        of_cells: impl Iterator<Item = (usize, f32)>,
    ) {
        if self.turned.len() < tower.blocks.len() {
            self.turned = tower.blocks.iter().map(|block| block.each_ref().map(turned)).collect();
        }
        let (channels, stride) = (tower.channels(), tower.stride());
        let TowerFall { turned, errors, below } = self;
        for map in [&mut *errors, &mut *below] {
            map.clear();
            map.resize(tower.area() * channels, 0.0);
        }
        let top = heights.maps.last().expect("a tower has a map");
        let mut fall = |row: usize, (layer, slopes): (&Layer, &mut Layer), cell: usize, error: f32| {
            let place = tower.place(cell) * channels;
            slopes.bias[row] += error;
            let weights = &layer.weights[row * channels..][..channels];
            let slopes = &mut slopes.weights[row * channels..][..channels];
            for c in 0..channels {
                slopes[c] += error * top[place + c];
                errors[place + c] += error * weights[c];
            }
        };
        for (feature, &error) in heights.features.iter().zip(of_features) {
            let (plane, cell) = tower.board.place_of(feature.index);
            fall(plane, (&tower.squeeze, &mut slopes.squeeze), cell, error);
        }
        for (cell, error) in of_cells {
            fall(0, (&tower.aim, &mut slopes.aim), cell, error);
        }
        let none = vec![0.0; channels];
        for (number, ([to_lowest, to_middle], [lower, upper])) in
            turned.iter().zip(&mut slopes.blocks).enumerate().rev()
        {
            let [lowest, middle, top] = [0, 1, 2].map(|part| &heights.maps[2 * number + part]);
            pass(errors, top);
            add(upper, middle, errors, stride);
            convolve(below, errors, &to_middle.weights, &none, stride);
            tower.clear_border(below);
            pass(below, middle);
            add(lower, lowest, below, stride);
            // The block's input is carried around it, and so are the errors.
            let mut carried = vec![0.0; errors.len()];
            convolve(&mut carried, below, &to_lowest.weights, &none, stride);
            tower.clear_border(&mut carried);
            errors.iter_mut().zip(&carried).for_each(|(error, more)| *error += more);
        }
        pass(errors, &heights.maps[0]);
        sum_cells(&mut slopes.stem.bias, errors);
        let planes = tower.board.count;
        tower.for_each_tap(inputs, |plane, place, tap, value| {
            let input = Input { index: (tap * planes + plane) as u32, value };
            add_to_rows(&mut slopes.stem.weights, &[input], &errors[place * channels..][..channels]);
        });
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

/// Keeps the errors of values above 0.
fn pass(errors: &mut [f32], values: &[f32]) {
    errors.iter_mut().zip(values).for_each(|(error, &value)| *error *= f32::from(u8::from(value > 0.0)));
}

/// Adds the slopes of a convolution.
fn add(slopes: &mut Layer, input: &[f32], errors: &[f32], stride: usize) {
    sum_cells(&mut slopes.bias, errors);
    correlate(&mut slopes.weights, input, errors, slopes.bias.len(), stride);
}

/// Adds up the cells of a map.
fn sum_cells(sums: &mut [f32], map: &[f32]) {
    for cell in map.chunks_exact(sums.len()) {
        sums.iter_mut().zip(cell).for_each(|(sum, value)| *sum += value);
    }
}

/// The convolution by which the errors of a convolution's output become those of its input.
fn turned(layer: &Layer) -> Layer {
    let outs = layer.bias.len();
    let ins = layer.weights.len() / (TAPS * outs);
    let mut weights = vec![0.0; layer.weights.len()];
    for (row, from) in layer.weights.chunks_exact(outs).enumerate() {
        let (tap, below) = (row / ins, row % ins);
        for (above, &weight) in from.iter().enumerate() {
            weights[((TAPS - 1 - tap) * outs + above) * ins + below] = weight;
        }
    }
    Layer { weights, bias: Vec::new() }
}
