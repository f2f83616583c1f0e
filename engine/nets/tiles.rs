//! Convolutions of three by three cells with a third of the multiplications: tiles of four by four cells are worked out from
//! sums of six by six that stand for products of polynomials, F(4x4, 3x3) of Winograd (Lavin and Gray 2016).

use playout_games::Planes;

use crate::{
    by_processor,
    lanes::{LANES, product},
    layer::Layer,
};

/// Cells of a side of a tile, and of what it reads.
const TILE: usize = 4;
const SIDE: usize = TILE + 2;
const POINTS: usize = SIDE * SIDE;
/// Tiles whose sums stay in registers.
const GROUP: usize = 5;

/// Some channels of a cell.
type Lanes = [f32; LANES];

/// Numbers under way.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// \[point, tile, channel below\], with room for whole groups of tiles.
    points: Vec<f32>,
    /// \[point, tile, channel\].
    sums: Vec<f32>,
}

/// The weights of a convolution, \[tap, channel below, channel\], as `convolve_tiles` reads them: \[point, channels, channel below,
/// lane\].
pub fn transformed(layer: &Layer) -> Vec<f32> {
    /// Values of the taps' polynomial at the points.
    const POINTS_OF_TAPS: [[f32; 3]; SIDE] = [
        [1.0 / 4.0, 0.0, 0.0],
        [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
        [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
        [0.0, 0.0, 1.0],
    ];
    let outs = layer.bias.len();
    let ins = layer.weights.len() / (9 * outs);
    let mut found = vec![0.0; POINTS * ins * outs];
    for (point, found) in found.chunks_exact_mut(ins * outs).enumerate() {
        let (down, across) = (POINTS_OF_TAPS[point / SIDE], POINTS_OF_TAPS[point % SIDE]);
        for (place, weight) in found.iter_mut().enumerate() {
            let (i, out) = (place / LANES % ins, place / (LANES * ins) * LANES + place % LANES);
            let of_tap = |tap: usize| layer.weights[(tap * ins + i) * outs + out] * down[tap / 3] * across[tap % 3];
            *weight = (0..9).map(of_tap).sum();
        }
    }
    found
}

#[inline(always)]
fn each(function: impl Fn(usize) -> f32) -> Lanes {
    std::array::from_fn(function)
}

/// Values at the points of what six cells in a line say.
#[inline(always)]
fn to_points(d: [Lanes; SIDE]) -> [Lanes; SIDE] {
    [
        each(|l| 4.0 * d[0][l] - 5.0 * d[2][l] + d[4][l]),
        each(|l| d[3][l] + d[4][l] - 4.0 * (d[1][l] + d[2][l])),
        each(|l| d[4][l] - d[3][l] + 4.0 * (d[1][l] - d[2][l])),
        each(|l| d[4][l] - d[2][l] + 2.0 * (d[3][l] - d[1][l])),
        each(|l| d[4][l] - d[2][l] - 2.0 * (d[3][l] - d[1][l])),
        each(|l| 4.0 * d[1][l] - 5.0 * d[3][l] + d[5][l]),
    ]
}

/// Four cells in a line from values at the points.
#[inline(always)]
fn from_points(m: [Lanes; SIDE]) -> [Lanes; TILE] {
    [
        each(|l| m[0][l] + m[1][l] + m[2][l] + m[3][l] + m[4][l]),
        each(|l| m[1][l] - m[2][l] + 2.0 * (m[3][l] - m[4][l])),
        each(|l| m[1][l] + m[2][l] + 4.0 * (m[3][l] + m[4][l])),
        each(|l| m[1][l] - m[2][l] + 8.0 * (m[3][l] - m[4][l]) + m[5][l]),
    ]
}

#[inline(always)]
fn lanes_at(numbers: &[f32], at: usize) -> Lanes {
    numbers[at..][..LANES].try_into().expect("as many")
}

by_processor! {
    /// As `lanes::convolve`, for `transformed` weights; cells around the board stay as they are.
    pub fn convolve_tiles(out: &mut [f32], input: &[f32], weights: &[f32], bias: &[f32], board: &Planes, work: &mut Work) {
        let outs = bias.len();
        let ins = weights.len() / (POINTS * outs);
        let (stride, across) = (board.columns + 1, board.columns.div_ceil(TILE));
        let tiles = across * board.rows.div_ceil(TILE);
        let room = tiles.next_multiple_of(GROUP);
        let Work { points, sums } = work;
        points.resize(POINTS * room * ins, 0.0);
        sums.resize(POINTS * room * outs, 0.0);
        for tile in 0..tiles {
            let (top, left) = (tile / across * TILE, tile % across * TILE);
            for lane in (0..ins).step_by(LANES) {
                let cell = |y: usize, x: usize| {
                    let (row, column) = (top + y, left + x);
                    match row <= board.rows + 1 && column <= board.columns + 1 {
                        true => lanes_at(input, (row * stride + column) * ins + lane),
                        false => [0.0; LANES],
                    }
                };
                let columns: [[Lanes; SIDE]; SIDE] =
                    std::array::from_fn(|x| to_points(std::array::from_fn(|y| cell(y, x))));
                for y in 0..SIDE {
                    let line = to_points(std::array::from_fn(|x| columns[x][y]));
                    for (x, value) in line.into_iter().enumerate() {
                        points[((y * SIDE + x) * room + tile) * ins + lane..][..LANES].copy_from_slice(&value);
                    }
                }
            }
        }
        for point in 0..POINTS {
            let points = &points[point * room * ins..][..room * ins];
            let sums = &mut sums[point * room * outs..][..room * outs];
            let weights = &weights[point * ins * outs..][..ins * outs];
            for (number, weights) in weights.chunks_exact(ins * LANES).enumerate() {
                let groups = sums.chunks_exact_mut(GROUP * outs).zip(points.chunks_exact(GROUP * ins));
                for (sums, points) in groups {
                    add_tiles::<FUSED>(sums, points, weights, number * LANES, (ins, outs));
                }
            }
        }
        for tile in 0..tiles {
            let (top, left) = (tile / across * TILE, tile % across * TILE);
            for lane in (0..outs).step_by(LANES) {
                let sum = |y: usize, x: usize| lanes_at(sums, ((y * SIDE + x) * room + tile) * outs + lane);
                let columns: [[Lanes; TILE]; SIDE] =
                    std::array::from_fn(|x| from_points(std::array::from_fn(|y| sum(y, x))));
                let own = lanes_at(bias, lane);
                let lines: [[Lanes; TILE]; TILE] =
                    std::array::from_fn(|y| from_points(std::array::from_fn(|x| columns[x][y])));
                for (y, line) in lines.into_iter().enumerate().take(board.rows - top) {
                    for (x, value) in line.into_iter().enumerate().take(board.columns - left) {
                        let place = (top + y + 1) * stride + left + x + 1;
                        let cell = &mut out[place * outs + lane..][..LANES];
                        for l in 0..LANES {
                            cell[l] = value[l] + own[l];
                        }
                    }
                }
            }
        }
    }
}

/// The sums of some channels of some tiles at a point.
#[inline(always)]
fn add_tiles<const FUSED: bool>(
    sums: &mut [f32],
    points: &[f32],
    weights: &[f32],
    lane: usize,
    (ins, outs): (usize, usize),
) {
    let mut held = [[0.0; LANES]; GROUP];
    let tile = |n: usize| &points[n * ins..][..ins];
    let values = tile(0).iter().zip(tile(1)).zip(tile(2)).zip(tile(3)).zip(tile(4));
    for (row, ((((a, b), c), d), e)) in weights.as_chunks::<LANES>().0.iter().zip(values) {
        for (held, value) in held.iter_mut().zip([*a, *b, *c, *d, *e]) {
            for l in 0..LANES {
                held[l] = product::<FUSED>(value, row[l], held[l]);
            }
        }
    }
    for (n, held) in held.into_iter().enumerate() {
        sums[n * outs + lane..][..LANES].copy_from_slice(&held);
    }
}
