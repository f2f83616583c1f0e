//! Sums of products of f32, in the widest vectors that the processor has. The order of additions, and so the last bits
//! of a sum, depends on the processor.

use playout_games::{Input, by_processor};

/// Numbers that are summed side by side.
pub const LANES: usize = 16;

by_processor! {
    /// Adds to `sums` the rows of `weights`, as long as `sums`, of these inputs, `sign` times.
    pub fn add_rows(sums: &mut [f32], weights: &[f32], inputs: &[Input], sign: f32) {
        let width = sums.len();
        let (wide, rest) = sums.as_chunks_mut::<{ 4 * LANES }>();
        let done = wide.len() * 4 * LANES;
        for (number, sums) in wide.iter_mut().enumerate() {
            add_columns(sums, weights, width, number * 4 * LANES, inputs, sign);
        }
        let (narrow, rest) = rest.as_chunks_mut::<LANES>();
        for (number, sums) in narrow.iter_mut().enumerate() {
            add_columns(sums, weights, width, done + number * LANES, inputs, sign);
        }
        for (number, sum) in (width - rest.len()..).zip(rest) {
            for &Input { index, value } in inputs {
                *sum += sign * value * weights[index as usize * width + number];
            }
        }
    }
}

/// A row of weights that is added in one place, `value` times.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub row: u32,
    pub place: u32,
    pub value: f32,
}

by_processor! {
    /// Adds rows of `weights`, as long as the `channels` of a place, to the sums of places.
    pub fn add_steps(sums: &mut [f32], weights: &[f32], steps: &[Step], channels: usize) {
        for &Step { row, place, value } in steps {
            let row = weights[row as usize * channels..][..channels].as_chunks::<LANES>().0;
            let sums = sums[place as usize * channels..][..channels].as_chunks_mut::<LANES>().0;
            for (sums, row) in sums.iter_mut().zip(row) {
                for lane in 0..LANES {
                    sums[lane] = product::<FUSED>(value, row[lane], sums[lane]);
                }
            }
        }
    }
}

/// `add_rows` for some columns, whose sums stay in registers.
#[inline(always)]
fn add_columns<const COLUMNS: usize>(
    sums: &mut [f32; COLUMNS],
    weights: &[f32],
    width: usize,
    first: usize,
    inputs: &[Input],
    sign: f32,
) {
    let mut held = *sums;
    for &Input { index, value } in inputs {
        let row: &[f32; COLUMNS] = weights[index as usize * width + first..][..COLUMNS].try_into().expect("as many");
        let times = sign * value;
        for (sum, weight) in held.iter_mut().zip(row) {
            *sum += times * weight;
        }
    }
    *sums = held;
}

by_processor! {
    /// `out[i]`: `bias[i]` and the product of `values` with row `i` of `weights`.
    pub fn multiply(out: &mut [f32], weights: &[f32], bias: &[f32], values: &[f32]) {
        for ((out, row), bias) in out.iter_mut().zip(weights.chunks_exact(values.len())).zip(bias) {
            *out = bias + dot(row, values);
        }
    }
}

by_processor! {
    /// As `multiply`, for the chosen rows alone.
    pub fn multiply_rows(out: &mut [f32], weights: &[f32], bias: &[f32], values: &[f32], rows: &[u32]) {
        for (out, &row) in out.iter_mut().zip(rows) {
            let row = row as usize;
            *out = bias[row] + dot(&weights[row * values.len()..][..values.len()], values);
        }
    }
}

/// `a * b + sum`, in one step where the processor has it.
#[inline(always)]
pub fn product<const FUSED: bool>(a: f32, b: f32, sum: f32) -> f32 {
    if FUSED { a.mul_add(b, sum) } else { a * b + sum }
}

/// Cells of a map whose sums stay in registers.
const GROUP: usize = 6;
/// Channels below, the same.
const BELOW: usize = 4;

by_processor! {
    /// A convolution of three by three cells. Maps have `stride` cells a row, and a row and a cell of zeros before and after
    /// the cells that count; what `out` gets there is of no meaning, as in the cells between rows.
    pub fn convolve(out: &mut [f32], input: &[f32], weights: &[f32], bias: &[f32], stride: usize) {
        let (first, count) = (stride + 1, out.len() / bias.len() - 2 * stride - 2);
        for begin in (0..count).step_by(GROUP) {
            if count < GROUP {
                for at in first..first + count {
                    convolve_cells::<1, FUSED>(out, input, weights, bias, stride, at);
                }
            } else {
                let at = first + begin.min(count - GROUP);
                convolve_cells::<GROUP, FUSED>(out, input, weights, bias, stride, at);
            }
        }
    }
}

/// `convolve` for `N` cells from the place `at` on.
#[inline(always)]
fn convolve_cells<const N: usize, const FUSED: bool>(
    out: &mut [f32],
    input: &[f32],
    weights: &[f32],
    bias: &[f32],
    stride: usize,
    at: usize,
) {
    let outs = bias.len();
    let ins = input.len() * outs / out.len();
    for lane in (0..outs).step_by(LANES) {
        let start: [f32; LANES] = bias[lane..][..LANES].try_into().expect("as many");
        let mut sums = [start; N];
        for tap in 0..9 {
            let from = at + tap / 3 * stride + tap % 3 - stride - 1;
            let cells: [&[f32]; N] = std::array::from_fn(|n| &input[(from + n) * ins..][..ins]);
            let rows = &weights[tap * ins * outs..][..ins * outs];
            for i in 0..ins {
                let row: &[f32; LANES] = rows[i * outs + lane..][..LANES].try_into().expect("as many");
                for n in 0..N {
                    let value = cells[n][i];
                    for lane in 0..LANES {
                        sums[n][lane] = product::<FUSED>(value, row[lane], sums[n][lane]);
                    }
                }
            }
        }
        for (n, sums) in sums.into_iter().enumerate() {
            out[(at + n) * outs + lane..][..LANES].copy_from_slice(&sums);
        }
    }
}

by_processor! {
    /// Adds to the slopes of a convolution's weights those of one position, by its input and the errors of its output, which has
    /// `outs` channels. Errors around the board are 0.
    pub fn correlate(slopes: &mut [f32], input: &[f32], errors: &[f32], outs: usize, stride: usize) {
        let cells = errors.len() / outs;
        let ins = input.len() / cells;
        let (first, count) = (stride + 1, cells - 2 * stride - 2);
        for tap in 0..9 {
            let from = first + tap / 3 * stride + tap % 3 - stride - 1;
            for i in (0..ins).step_by(BELOW) {
                for lane in (0..outs).step_by(LANES) {
                    let mut sums = [[0.0; LANES]; BELOW];
                    for at in 0..count {
                        let errors: &[f32; LANES] =
                            errors[(first + at) * outs + lane..][..LANES].try_into().expect("as many");
                        let values: &[f32; BELOW] = input[(from + at) * ins + i..][..BELOW].try_into().expect("as many");
                        for n in 0..BELOW {
                            for lane in 0..LANES {
                                sums[n][lane] = product::<FUSED>(values[n], errors[lane], sums[n][lane]);
                            }
                        }
                    }
                    for (n, sums) in sums.into_iter().enumerate() {
                        let row = &mut slopes[(tap * ins + i + n) * outs + lane..][..LANES];
                        row.iter_mut().zip(sums).for_each(|(slope, sum)| *slope += sum);
                    }
                }
            }
        }
    }
}

/// The sum, in halves: one after the other the additions would wait for each other.
#[inline(always)]
fn total(sums: [f32; LANES]) -> f32 {
    // Without the barrier the compiler takes the lanes apart in the loop that fills them.
    let mut sums = std::hint::black_box(sums);
    for half in [8, 4, 2, 1] {
        let (low, high) = sums.split_at_mut(half);
        low.iter_mut().zip(high).for_each(|(low, high)| *low += *high);
    }
    sums[0]
}

/// The sum of the products of as many numbers.
#[inline(always)]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    total(sums) + rest
}
