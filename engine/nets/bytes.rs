//! Convolutions of three by three cells in bytes: weights of 8 bits with a step for each channel, inputs of 8 bits with a
//! step for the whole map, exact sums of 32 bits. Processors with AVX-512 VNNI add 64 products at once.

use playout_games::by_processor;

use crate::{lanes::LANES, layer::Layer};

/// Products that are added to one sum at once.
const FOUR: usize = 4;
/// Added to a number below 2^22, it leaves the number, rounded, in the last bits of the sum.
const ROUNDING: f32 = 12_582_912.0;

/// A convolution with rounded weights.
#[derive(Clone, Debug, PartialEq)]
pub struct ByteLayer {
    /// \[tap, four of the channels below, channel, one of the four\].
    weights: Vec<i8>,
    /// The value of a weight of 1, by channel.
    steps: Vec<f32>,
    bias: Vec<f32>,
}

/// A map with rounded values, none below 0.
#[derive(Clone, Debug, Default)]
pub struct ByteMap {
    /// \[four channels, place\].
    values: Vec<[u8; FOUR]>,
    places: usize,
    /// The value of 1.
    step: f32,
    /// \[place, channel\], under way.
    bytes: Vec<u8>,
}

impl ByteLayer {
    /// Rounds the weights of a convolution, \[tap, channel below, channel\]. Each channel's largest becomes 127 or -127.
    pub fn new(layer: &Layer) -> ByteLayer {
        let outs = layer.bias.len();
        let ins = layer.weights.len() / (9 * outs);
        let largest =
            |out: usize| layer.weights.iter().skip(out).step_by(outs).fold(0.0_f32, |most, w| most.max(w.abs()));
        let steps: Vec<f32> = (0..outs).map(|out| largest(out).max(f32::MIN_POSITIVE) / 127.0).collect();
        let mut weights = vec![0; layer.weights.len()];
        for (place, weight) in weights.iter_mut().enumerate() {
            let (one, out) = (place % FOUR, place / FOUR % outs);
            let (four, tap) = (place / (FOUR * outs) % (ins / FOUR), place / (ins * outs));
            let exact = layer.weights[(tap * ins + four * FOUR + one) * outs + out];
            *weight = (exact / steps[out]).round() as i8;
        }
        ByteLayer { weights, steps, bias: layer.bias.clone() }
    }

    /// As `lanes::convolve`, of a map in bytes.
    pub fn convolve(&self, out: &mut [f32], map: &ByteMap, stride: usize) {
        #[cfg(target_arch = "x86_64")]
        if is_quick() {
            // SAFETY: the processor has AVX-512 F, BW and VNNI, FMA, and with AVX-512 AVX2.
            return unsafe { vnni::convolve(self, out, map, stride) };
        }
        self.convolve_plainly(out, map, stride);
    }

    /// The same on every processor, and slowly; in cells around the board too.
    fn convolve_plainly(&self, out: &mut [f32], map: &ByteMap, stride: usize) {
        let (outs, fours) = (self.bias.len(), map.values.len() / map.places);
        let mut sums = vec![0_i32; outs];
        let first = stride + 1;
        for place in first..out.len() / outs - first {
            sums.fill(0);
            for tap in 0..9 {
                let from = place + tap / 3 * stride + tap % 3 - stride - 1;
                let rows = self.weights[tap * fours * FOUR * outs..].chunks_exact(FOUR * outs);
                for (plane, row) in map.values.chunks_exact(map.places).zip(rows) {
                    for (sum, weights) in sums.iter_mut().zip(row.as_chunks::<FOUR>().0) {
                        *sum +=
                            plane[from].iter().zip(weights).map(|(&a, &b)| i32::from(a) * i32::from(b)).sum::<i32>();
                    }
                }
            }
            for (channel, (out, &sum)) in out[place * outs..][..outs].iter_mut().zip(&sums).enumerate() {
                *out = self.worth(map, channel, sum);
            }
        }
    }

    #[inline(always)]
    fn worth(&self, map: &ByteMap, channel: usize, sum: i32) -> f32 {
        sum as f32 * (self.steps[channel] * map.step) + self.bias[channel]
    }
}

impl ByteMap {
    /// Rounds a map of values none of which is below 0. The largest becomes 255.
    pub fn round(&mut self, map: &[f32], channels: usize) {
        let ByteMap { values, places, step, bytes } = self;
        bytes.resize(map.len(), 0);
        let mut most = [0.0; 1];
        largest(map, &mut most);
        *step = most[0].max(f32::MIN_POSITIVE) / 255.0;
        to_bytes(map, bytes, 1.0 / *step);
        *places = map.len() / channels;
        values.resize(map.len() / FOUR, [0; FOUR]);
        for (place, cell) in bytes.chunks_exact(channels).enumerate() {
            for (plane, &four) in values.chunks_exact_mut(*places).zip(cell.as_chunks::<FOUR>().0) {
                plane[place] = four;
            }
        }
    }
}

by_processor! {
    /// The largest of the numbers and 0.
    pub fn largest(map: &[f32], most: &mut [f32; 1]) {
        let mut held = [0.0_f32; 4 * LANES];
        let (wide, rest) = map.as_chunks::<{ 4 * LANES }>();
        for numbers in wide {
            for (most, &number) in held.iter_mut().zip(numbers) {
                *most = if number > *most { number } else { *most };
            }
        }
        most[0] = held.iter().chain(rest).fold(0.0, |most, &number| most.max(number));
    }
}

by_processor! {
    /// The products of the numbers and `factor`, which lie between 0 and 255, rounded to the nearest even ones.
    pub fn to_bytes(map: &[f32], bytes: &mut [u8], factor: f32) {
        for (byte, &number) in bytes.iter_mut().zip(map) {
            *byte = (number * factor + ROUNDING).to_bits() as u8;
        }
    }
}

/// Whether the processor convolves bytes faster than numbers.
pub fn is_quick() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512vnni")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(target_arch = "x86_64")]
mod vnni {
    use std::{
        arch::x86_64::{
            __m512i, _mm512_dpbusd_epi32, _mm512_loadu_si512, _mm512_set1_epi32, _mm512_setzero_si512,
            _mm512_storeu_si512,
        },
        array::from_fn,
    };

    use super::{ByteLayer, ByteMap, FOUR, LANES};

    /// Bytes of a vector.
    const WIDTH: usize = LANES * FOUR;

    /// `ByteLayer::convolve`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2,fma")]
    pub fn convolve(layer: &ByteLayer, out: &mut [f32], map: &ByteMap, stride: usize) {
        let mut lane = 0;
        while lane < layer.bias.len() {
            let vectors = (layer.bias.len() - lane) / LANES;
            // As many sums as there are registers; a row of the usual boards at once.
            if vectors.is_multiple_of(3) || vectors == 5 {
                channels::<9, 3>(layer, out, map, stride, lane);
                lane += 3 * LANES;
            } else if vectors == 1 {
                channels::<12, 1>(layer, out, map, stride, lane);
                lane += LANES;
            } else if stride == 12 {
                channels::<11, 2>(layer, out, map, stride, lane);
                lane += 2 * LANES;
            } else {
                channels::<9, 2>(layer, out, map, stride, lane);
                lane += 2 * LANES;
            }
        }
    }

    /// `VECTORS` times `LANES` channels from `lane` on, `CELLS` cells at a time.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2,fma")]
    fn channels<const CELLS: usize, const VECTORS: usize>(
        layer: &ByteLayer,
        out: &mut [f32],
        map: &ByteMap,
        stride: usize,
        lane: usize,
    ) {
        let (first, count) = (stride + 1, map.places - 2 * stride - 2);
        if count < CELLS {
            (first..first + count).for_each(|at| cells::<1, VECTORS>(layer, out, map, stride, (at, lane)));
            return;
        }
        // Whole rows, without the cell between two; or cells one after the other.
        let step = if CELLS + 1 == stride { stride } else { CELLS };
        for begin in (0..count).step_by(step) {
            let at = first + begin.min(count - CELLS);
            cells::<CELLS, VECTORS>(layer, out, map, stride, (at, lane));
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni,avx2,fma")]
    fn cells<const CELLS: usize, const VECTORS: usize>(
        layer: &ByteLayer,
        out: &mut [f32],
        map: &ByteMap,
        stride: usize,
        (at, lane): (usize, usize),
    ) {
        let outs = layer.bias.len();
        let rows_of_tap = map.values.len() / map.places * FOUR * outs;
        let mut held = [[_mm512_setzero_si512(); VECTORS]; CELLS];
        for tap in 0..9 {
            let from = at + tap / 3 * stride + tap % 3 - stride - 1;
            let rows = layer.weights[tap * rows_of_tap..].chunks_exact(FOUR * outs);
            for (plane, row) in map.values.chunks_exact(map.places).zip(rows) {
                let Some(values) = plane.get(from..).and_then(<[_]>::first_chunk::<CELLS>) else { break };
                let Some(row) = row.get(lane * FOUR..) else { break };
                let Some(row) = row.as_chunks::<WIDTH>().0.first_chunk::<VECTORS>() else { break };
                let weights: [__m512i; VECTORS] = from_fn(|v| {
                    // SAFETY: a vector has the 64 bytes that are read.
                    unsafe { _mm512_loadu_si512(row[v].as_ptr().cast()) }
                });
                for n in 0..CELLS {
                    let value = _mm512_set1_epi32(i32::from_le_bytes(values[n]));
                    for v in 0..VECTORS {
                        held[n][v] = _mm512_dpbusd_epi32(held[n][v], value, weights[v]);
                    }
                }
            }
        }
        for (n, vectors) in held.iter().enumerate() {
            for (v, &vector) in vectors.iter().enumerate() {
                let mut sums = [0_i32; LANES];
                // SAFETY: the array has the 64 bytes that are written.
                unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), vector) };
                let channel = lane + v * LANES;
                let numbers = &mut out[(at + n) * outs + channel..][..LANES];
                for l in 0..LANES {
                    numbers[l] = layer.worth(map, channel + l, sums[l]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use playout_games::{Rng, draw::normal};

    use super::*;
    use crate::lanes::convolve;

    fn layer(ins: usize, outs: usize, rng: &mut Rng) -> Layer {
        Layer {
            weights: (0..9 * ins * outs).map(|_| normal(rng)).collect(),
            bias: (0..outs).map(|_| normal(rng)).collect(),
        }
    }

    /// A map of cells with zeros around a board.
    fn map(columns: usize, rows: usize, channels: usize, rng: &mut Rng) -> Vec<f32> {
        let stride = columns + 1;
        let mut map = vec![0.0; ((rows + 2) * stride + 1) * channels];
        for row in 1..=rows {
            let cells = &mut map[(row * stride + 1) * channels..][..columns * channels];
            cells.iter_mut().for_each(|x| *x = normal(rng).max(0.0));
        }
        map
    }

    #[test]
    fn the_quick_way_gives_the_same_as_the_plain_one() {
        let mut rng = Rng::with_seed(3);
        for (columns, rows) in [(9, 9), (1, 1), (2, 1), (5, 4), (11, 11)] {
            for (ins, outs) in [(16, 16), (32, 32), (48, 48), (64, 64), (80, 80), (96, 96), (112, 112)] {
                let layer = ByteLayer::new(&layer(ins, outs, &mut rng));
                let mut bytes = ByteMap::default();
                bytes.round(&map(columns, rows, ins, &mut rng), ins);
                let area = (rows + 2) * (columns + 1) + 1;
                let (mut quick, mut plain) = (vec![0.0; area * outs], vec![0.0; area * outs]);
                layer.convolve(&mut quick, &bytes, columns + 1);
                layer.convolve_plainly(&mut plain, &bytes, columns + 1);
                for (place, (quick, plain)) in quick.iter().zip(&plain).enumerate() {
                    let is_border = (place / outs).is_multiple_of(columns + 1);
                    assert!(
                        is_border || (quick - plain).abs() <= 1e-5 * (1.0 + plain.abs()),
                        "{columns}x{rows} {ins} {outs}"
                    );
                }
            }
        }
    }

    #[test]
    fn rounding_changes_little() {
        let mut rng = Rng::with_seed(4);
        let (columns, rows, channels) = (9, 9, 48);
        let (exact, map) = (layer(channels, channels, &mut rng), map(columns, rows, channels, &mut rng));
        let (mut wanted, mut found) = (vec![0.0; map.len()], vec![0.0; map.len()]);
        convolve(&mut wanted, &map, &exact.weights, &exact.bias, columns + 1);
        let mut bytes = ByteMap::default();
        bytes.round(&map, channels);
        ByteLayer::new(&exact).convolve(&mut found, &bytes, columns + 1);
        let mean_square = |numbers: &[f32]| numbers.iter().map(|x| x * x).sum::<f32>() / numbers.len() as f32;
        let on_board = |place: usize| !(place / channels).is_multiple_of(columns + 1);
        let pairs = wanted.iter().zip(&found).enumerate().filter(|(place, _)| on_board(*place));
        let errors: Vec<f32> = pairs.map(|(_, (a, b))| a - b).collect();
        let share = (mean_square(&errors) / mean_square(&wanted)).sqrt();
        assert!(share < 0.015, "{share}");
        assert!(share > 1e-4, "nothing was rounded");
    }

    #[test]
    fn values_are_rounded_to_the_nearest_step() {
        let mut bytes = ByteMap::default();
        bytes.round(&[0.0, 2.55, 1.0, 0.004, 0.006, 2.549, 0.0, 0.0], 4);
        assert_eq!(bytes.values, [[0, 255, 100, 0], [1, 255, 0, 0]]);
        bytes.round(&[0.0; 8], 8);
        assert_eq!(bytes.values, [[0; 4]; 2]);
    }
}
