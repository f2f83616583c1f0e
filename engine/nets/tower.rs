//! A tower of convolutions over a board: residual blocks (He et al. 2016) without normalisation, over planes of cells. It says
//! where to play, cell by cell, and hands features of the cells to the layers of its net.
//!
//! A map has the channels of each cell, cell by cell, with cells of zeros around the board: above and below it a row, and one
//! between the ends of two rows.

use playout_games::{Input, Planes};

use crate::{
    bytes::{ByteLayer, ByteMap, is_quick},
    lanes::{Step, add_steps, convolve, dot},
    layer::Layer,
    tiles::{Work, convolve_tiles, transformed},
};

/// Cells that a convolution reads for one.
pub const TAPS: usize = 9;
/// Planes of features that a tower drawn at random hands on.
pub const FEATURES: usize = 4;

/// A tower.
#[derive(Clone, Debug, PartialEq)]
pub struct Tower {
    pub board: Planes,
    /// From the planes to the channels; weights are \[tap, plane, channel\].
    pub stem: Layer,
    /// Two convolutions each, around which the block's input is carried; weights are \[tap, channel below, channel\].
    pub blocks: Vec<[Layer; 2]>,
    /// From the channels of a cell to its features; a row for each. None where the features are those of the whole board, of
    /// any size: the mean of each channel over the cells, then the greatest of each.
    pub squeeze: Layer,
    /// From the channels of a cell to the logit of playing there: one row. None in a tower for any size of a net without a
    /// policy.
    pub aim: Layer,
    /// Transformed weights of the blocks' convolutions, in order, after `Tower::settle`; else none.
    pub settled: Vec<Vec<f32>>,
    /// The same convolutions in bytes, after `Tower::settle` on a processor that is quick at them; else none.
    pub rounded: Vec<ByteLayer>,
}

/// A tower's findings about a position, and the maps on the way there.
#[derive(Clone, Debug, Default)]
pub struct Heights {
    /// The map over the stem, and the two of each block, after the activation.
    pub maps: Vec<Vec<f32>>,
    /// Features that are not zero: plane by plane, those of the cells.
    pub features: Vec<Input>,
    /// Logits of the cells.
    pub logits: Vec<f32>,
    work: Work,
    /// Whether a tower that has its convolutions in bytes counts by them.
    pub in_bytes: bool,
    bytes: ByteMap,
    /// The rows of the stem's weights that the inputs add.
    steps: Vec<Step>,
}

impl Heights {
    /// Adds the logits of the cells to those of the slots that are cells.
    pub fn add_logits(&self, slots: &[u32], out: &mut [f32]) {
        for (sum, &slot) in out.iter_mut().zip(slots) {
            *sum += self.logits.get(slot as usize).unwrap_or(&0.0);
        }
    }
}

impl Tower {
    /// Makes the tower quick; its weights are not to change after this.
    pub fn settle(&mut self) {
        self.settled = self.blocks.iter().flatten().map(|layer| transformed(layer, &self.board)).collect();
        self.rounded = match is_quick() {
            true => self.blocks.iter().flatten().map(ByteLayer::new).collect(),
            false => Vec::new(),
        };
    }

    /// Number of channels, a multiple of `lanes::LANES`.
    pub fn channels(&self) -> usize {
        self.stem.bias.len()
    }

    /// Number of features, of all cells together.
    pub fn features(&self) -> usize {
        if self.is_of_any_size() { 2 * self.channels() } else { self.squeeze.bias.len() * self.board.cells() }
    }

    /// Whether nothing of the tower depends on the size of the board.
    pub fn is_of_any_size(&self) -> bool {
        self.squeeze.bias.is_empty()
    }

    /// All layers, from below.
    pub fn layers(&self) -> impl Iterator<Item = &Layer> {
        [&self.stem].into_iter().chain(self.blocks.iter().flatten()).chain([&self.squeeze, &self.aim])
    }

    /// All layers, from below.
    pub fn layers_mut(&mut self) -> impl Iterator<Item = &mut Layer> {
        let Tower { stem, blocks, squeeze, aim, .. } = self;
        [stem].into_iter().chain(blocks.iter_mut().flatten()).chain([squeeze, aim])
    }

    /// Cells from one row of a map to the next.
    pub fn stride(&self) -> usize {
        self.board.columns + 1
    }

    /// Number of cells of a map.
    pub fn area(&self) -> usize {
        (self.board.rows + 2) * self.stride() + 1
    }

    /// The place of a cell in a map.
    pub fn place(&self, cell: usize) -> usize {
        let Planes { columns, .. } = self.board;
        (cell / columns + 1) * self.stride() + cell % columns + 1
    }

    /// The place in a map of what the tap `tap` of a convolution at `place` reads.
    pub fn tapped(&self, place: usize, tap: usize) -> usize {
        place + tap / 3 * self.stride() + tap % 3 - self.stride() - 1
    }

    /// Calls `each` with the plane, a place on the board and the tap by which a convolution there reads each input, with its value.
    pub fn for_each_tap(&self, inputs: &[Input], mut each: impl FnMut(usize, usize, usize, f32)) {
        for &Input { index, value } in inputs {
            let (plane, cell) = self.board.place_of(index);
            let place = self.place(cell);
            for tap in 0..TAPS {
                let reader = self.tapped(place, TAPS - 1 - tap);
                if self.is_inside(reader) {
                    each(plane, reader, tap, value);
                }
            }
        }
    }

    fn is_inside(&self, place: usize) -> bool {
        let (row, column) = (place / self.stride(), place % self.stride());
        (1..=self.board.rows).contains(&row) && column > 0
    }

    /// Sets the cells around the board to zero.
    pub fn clear_border(&self, map: &mut [f32]) {
        let (channels, stride) = (self.channels(), self.stride());
        map[..channels * (stride + 1)].fill(0.0);
        for row in 1..=self.board.rows {
            map[channels * stride * row..][..channels].fill(0.0);
        }
        map[channels * stride * (self.board.rows + 1)..].fill(0.0);
    }

    /// Takes a position's inputs up.
    pub fn rise(&self, inputs: &[Input], heights: &mut Heights) {
        let channels = self.channels();
        let Heights { maps, features, logits, work, in_bytes, bytes, steps } = heights;
        let mut through = |number: usize, layer: &Layer, out: &mut [f32], input: &[f32]| {
            match (self.rounded.get(number).filter(|_| *in_bytes), self.settled.get(number)) {
                (Some(layer), _) => {
                    bytes.round(input, channels);
                    layer.convolve(out, bytes, self.stride());
                }
                (None, Some(weights)) => convolve_tiles(out, input, weights, &layer.bias, &self.board, work),
                (None, None) => convolve(out, input, &layer.weights, &layer.bias, self.stride()),
            }
            self.clear_border(out);
        };
        maps.resize_with(1 + 2 * self.blocks.len(), Vec::new);
        for map in maps.iter_mut() {
            map.resize(self.area() * channels, 0.0);
        }
        let first = &mut maps[0];
        first.chunks_exact_mut(channels).for_each(|cell| cell.copy_from_slice(&self.stem.bias));
        steps.clear();
        self.for_each_tap(inputs, |plane, place, tap, value| {
            steps.push(Step { row: (tap * self.board.count + plane) as u32, place: place as u32, value });
        });
        add_steps(first, &self.stem.weights, steps, channels);
        first.iter_mut().for_each(|x| *x = x.max(0.0));
        self.clear_border(first);
        for (number, [lower, upper]) in self.blocks.iter().enumerate() {
            let (below, above) = maps.split_at_mut(2 * number + 1);
            let (below, [middle, top, ..]) = (&below[2 * number], above) else { unreachable!("a block has two maps") };
            through(2 * number, lower, middle, below);
            middle.iter_mut().for_each(|x| *x = x.max(0.0));
            through(2 * number + 1, upper, top, middle);
            top.iter_mut().zip(below).for_each(|(x, carried)| *x = (*x + *carried).max(0.0));
        }
        features.clear();
        logits.clear();
        let top = &maps[maps.len() - 1];
        if self.is_of_any_size() {
            self.add_features_of_all(top, features);
        }
        for cell in 0..self.board.cells() {
            let values = &top[self.place(cell) * channels..][..channels];
            logits.extend(self.aim.bias.first().map(|bias| bias + dot(&self.aim.weights, values)));
            for (plane, (weights, bias)) in
                self.squeeze.weights.chunks_exact(channels).zip(&self.squeeze.bias).enumerate()
            {
                let value = bias + dot(weights, values);
                if value > 0.0 {
                    features.push(Input { index: (plane * self.board.cells() + cell) as u32, value });
                }
            }
        }
    }

    /// Adds the mean of each channel over the board, then the greatest of each.
    fn add_features_of_all(&self, top: &[f32], features: &mut Vec<Input>) {
        let (channels, cells) = (self.channels(), self.board.cells());
        let (mut sums, mut greatest) = (vec![0.0; channels], vec![0.0_f32; channels]);
        for cell in 0..cells {
            let values = &top[self.place(cell) * channels..][..channels];
            for ((sum, most), &value) in sums.iter_mut().zip(&mut greatest).zip(values) {
                *sum += value;
                *most = most.max(value);
            }
        }
        let all = sums.into_iter().map(|sum| sum / cells as f32).chain(greatest);
        features.extend((0..).zip(all).map(|(index, value)| Input { index, value }).filter(|input| input.value > 0.0));
    }
}

#[cfg(test)]
mod tests {
    use playout_games::{NetShape, Rng, draw::normal};

    use super::*;
    use crate::{Activation, Nets, Sizes};

    /// Towers of boards of different sizes, with all weights drawn at random.
    fn tower(columns: usize, rows: usize, rng: &mut Rng) -> Tower {
        let shape = NetShape::of_planes("test-1".to_owned(), Planes { columns, rows, count: 3 }, columns * rows);
        let sizes = Sizes { tower: Some((2, 32)), widths: vec![8] };
        let mut tower = Nets::random(&shape, &sizes, Activation::Relu, rng).phases.remove(0).tower.expect("a tower");
        for layer in tower.layers_mut() {
            layer.weights.iter_mut().for_each(|x| *x += 0.1 * normal(rng));
            layer.bias.iter_mut().for_each(|x| *x = 0.3 * normal(rng));
        }
        tower
    }

    /// A convolution as its formula is written: `input[row][column][channel]`.
    fn plainly(layer: &Layer, input: &[Vec<Vec<f32>>]) -> Vec<Vec<Vec<f32>>> {
        let (rows, columns, ins, outs) = (input.len(), input[0].len(), input[0][0].len(), layer.bias.len());
        let at = |row: usize, column: usize, out: usize| {
            let mut sum = layer.bias[out];
            for (dy, dx) in (0..3).flat_map(|dy| (0..3).map(move |dx| (dy, dx))) {
                let (y, x) = ((row + dy).wrapping_sub(1), (column + dx).wrapping_sub(1));
                if y < rows && x < columns {
                    let weight = |i: usize| layer.weights[((dy * 3 + dx) * ins + i) * outs + out];
                    sum += (0..ins).map(|i| weight(i) * input[y][x][i]).sum::<f32>();
                }
            }
            sum
        };
        let cells = |row: usize| (0..columns).map(move |column| (row, column));
        (0..rows)
            .map(|row| cells(row).map(|(row, column)| (0..outs).map(|out| at(row, column, out)).collect()).collect())
            .collect()
    }

    #[test]
    fn a_tower_says_what_its_formulae_say() {
        let mut rng = Rng::with_seed(1);
        for (columns, rows) in [(5, 5), (3, 7), (2, 1), (1, 1), (9, 9), (11, 11)] {
            let tower = tower(columns, rows, &mut rng);
            let cells = columns * rows;
            let inputs: Vec<u32> = (0..3 * cells as u32).filter(|_| rng.bool()).collect();
            let inputs: Vec<Input> = inputs.into_iter().map(|index| Input { index, value: normal(&mut rng) }).collect();
            let mut map = vec![vec![vec![0.0; 3]; columns]; rows];
            for &Input { index, value } in &inputs {
                let (plane, cell) = (index as usize / cells, index as usize % cells);
                map[cell / columns][cell % columns][plane] = value;
            }
            let active = |mut map: Vec<Vec<Vec<f32>>>| {
                map.iter_mut().flatten().flatten().for_each(|x| *x = x.max(0.0));
                map
            };
            map = active(plainly(&tower.stem, &map));
            for [lower, upper] in &tower.blocks {
                let mut above = plainly(upper, &active(plainly(lower, &map)));
                above.iter_mut().flatten().flatten().zip(map.iter().flatten().flatten()).for_each(|(x, y)| *x += y);
                map = active(above);
            }
            let mut settled = tower.clone();
            settled.settle();
            for tower in [&tower, &settled] {
                let mut heights = Heights::default();
                // What an earlier position left behind does no harm.
                tower.rise(&[Input { index: 0, value: 9.0 }], &mut heights);
                tower.rise(&inputs, &mut heights);
                let mut features = vec![0.0; tower.features()];
                heights.features.iter().for_each(|input| features[input.index as usize] = input.value);
                for (cell, values) in map.iter().flatten().enumerate() {
                    let row = |layer: &Layer, row: usize| {
                        let weights = &layer.weights[row * 32..][..32];
                        layer.bias[row] + weights.iter().zip(values).map(|(a, b)| a * b).sum::<f32>()
                    };
                    let near = |a: f32, b: f32| {
                        assert!((a - b).abs() < 1e-3 * (1.0 + b.abs()), "{columns}x{rows} {cell}: {a} {b}")
                    };
                    near(heights.logits[cell], row(&tower.aim, 0));
                    (0..FEATURES)
                        .for_each(|plane| near(features[plane * cells + cell], row(&tower.squeeze, plane).max(0.0)));
                }
            }
        }
    }

    #[test]
    fn a_tower_of_any_size_hands_on_what_its_channels_come_to() {
        let mut rng = Rng::with_seed(3);
        for (columns, rows) in [(5, 5), (3, 7), (1, 1)] {
            let mut tower = tower(columns, rows, &mut rng);
            tower.squeeze = Layer::default();
            let inputs: Vec<Input> = (0..3 * (columns * rows) as u32)
                .filter(|_| rng.bool())
                .map(|index| Input { index, value: 1.0 })
                .collect();
            let mut heights = Heights::default();
            tower.rise(&inputs, &mut heights);
            assert_eq!(tower.features(), 64);
            let mut features = vec![0.0; 64];
            heights.features.iter().for_each(|input| features[input.index as usize] = input.value);
            let top = heights.maps.last().unwrap();
            for channel in 0..32 {
                let values = (0..columns * rows).map(|cell| top[tower.place(cell) * 32 + channel]);
                let mean = values.clone().sum::<f32>() / (columns * rows) as f32;
                assert!((features[channel] - mean).abs() < 1e-5, "{} {mean}", features[channel]);
                assert_eq!(features[32 + channel], values.fold(0.0, f32::max));
            }
            assert_eq!(heights.logits.len(), columns * rows);
        }
    }

    #[test]
    fn a_tower_in_bytes_says_nearly_the_same() {
        let mut rng = Rng::with_seed(2);
        let mut tower = tower(9, 9, &mut rng);
        tower.settle();
        let inputs: Vec<Input> = (0..243).filter(|_| rng.bool()).map(|index| Input { index, value: 1.0 }).collect();
        let (mut exact, mut rounded) = (Heights::default(), Heights { in_bytes: true, ..Heights::default() });
        tower.rise(&inputs, &mut exact);
        tower.rise(&inputs, &mut rounded);
        let deviation = |numbers: &[f32]| {
            let mean = numbers.iter().sum::<f32>() / numbers.len() as f32;
            (numbers.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / numbers.len() as f32).sqrt()
        };
        let errors: Vec<f32> = exact.logits.iter().zip(&rounded.logits).map(|(a, b)| a - b).collect();
        let share = deviation(&errors) / deviation(&exact.logits);
        assert!(share < 0.03, "{share}");
        assert_eq!(share > 0.0, is_quick(), "{share}");
    }
}
