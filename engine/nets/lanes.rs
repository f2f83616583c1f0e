//! Sums of products of f32, in the widest vectors that the processor has. The order of additions, and so the last bits
//! of a sum, depends on the processor.

use playout_games::Input;

/// Numbers that are summed side by side.
const LANES: usize = 16;

/// Compiles a function for each kind of vectors, and calls the one for this processor.
#[macro_export]
macro_rules! by_processor {
    ($(#[$doc:meta])* pub fn $name:ident($($argument:ident: $type:ty),*) $body:block) => {
        $(#[$doc])*
        pub fn $name($($argument: $type),*) {
            #[inline(always)]
            fn plain($($argument: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx2,fma")]
                fn wide($($argument: $type),*) {
                    plain($($argument),*);
                }
                #[target_feature(enable = "avx2,fma")]
                fn middle($($argument: $type),*) {
                    plain($($argument),*);
                }
                if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("fma") {
                    // SAFETY: the processor has AVX-512F and FMA, and with them AVX2.
                    return unsafe { wide($($argument),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
                    // SAFETY: the processor has AVX2 and FMA.
                    return unsafe { middle($($argument),*) };
                }
            }
            plain($($argument),*);
        }
    };
}

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

#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
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
