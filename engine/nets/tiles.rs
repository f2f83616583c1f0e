//! Convolutions of three by three cells with a third of the multiplications: tiles of four by four or three by three cells are
//! worked out from sums that stand for products of polynomials, F(4x4, 3x3) or F(3x3, 3x3) of Winograd (Lavin and Gray 2016).

use playout_games::{Planes, by_processor};

use crate::{
    lanes::{LANES, product},
    layer::Layer,
};

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

/// A size of tiles: cells of a side, and of a side of what a tile reads, which is the number of points of a line.
trait Tile<const TILE: usize, const SIDE: usize> {
    /// Values of the taps' polynomial at the points.
    const TAPS: [[f32; 3]; SIDE];

    /// Values at the points of what cells in a line say.
    fn to_points(d: [Lanes; SIDE]) -> [Lanes; SIDE];

    /// Cells in a line from values at the points.
    fn from_points(m: [Lanes; SIDE]) -> [Lanes; TILE];
}

struct Three;
struct Four;

impl Tile<3, 5> for Three {
    const TAPS: [[f32; 3]; 5] = [
        [1.0 / 2.0, 0.0, 0.0],
        [-1.0 / 2.0, -1.0 / 2.0, -1.0 / 2.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
        [0.0, 0.0, 1.0],
    ];

    #[inline(always)]
    fn to_points(d: [Lanes; 5]) -> [Lanes; 5] {
        [
            each(|l| 2.0 * (d[0][l] - d[2][l]) + d[3][l] - d[1][l]),
            each(|l| d[3][l] - d[2][l] - 2.0 * d[1][l]),
            each(|l| d[3][l] - 3.0 * d[2][l] + 2.0 * d[1][l]),
            each(|l| d[3][l] - d[1][l]),
            each(|l| 2.0 * (d[1][l] - d[3][l]) + d[4][l] - d[2][l]),
        ]
    }

    #[inline(always)]
    fn from_points(m: [Lanes; 5]) -> [Lanes; 3] {
        [
            each(|l| m[0][l] + m[1][l] + m[2][l] + m[3][l]),
            each(|l| m[1][l] - m[2][l] + 2.0 * m[3][l]),
            each(|l| m[1][l] + m[2][l] + 4.0 * m[3][l] + m[4][l]),
        ]
    }
}

impl Tile<4, 6> for Four {
    const TAPS: [[f32; 3]; 6] = [
        [1.0 / 4.0, 0.0, 0.0],
        [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
        [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
        [0.0, 0.0, 1.0],
    ];

    #[inline(always)]
    fn to_points(d: [Lanes; 6]) -> [Lanes; 6] {
        [
            each(|l| 4.0 * d[0][l] - 5.0 * d[2][l] + d[4][l]),
            each(|l| d[3][l] + d[4][l] - 4.0 * (d[1][l] + d[2][l])),
            each(|l| d[4][l] - d[3][l] + 4.0 * (d[1][l] - d[2][l])),
            each(|l| d[4][l] - d[2][l] + 2.0 * (d[3][l] - d[1][l])),
            each(|l| d[4][l] - d[2][l] - 2.0 * (d[3][l] - d[1][l])),
            each(|l| 4.0 * d[1][l] - 5.0 * d[3][l] + d[5][l]),
        ]
    }

    #[inline(always)]
    fn from_points(m: [Lanes; 6]) -> [Lanes; 4] {
        [
            each(|l| m[0][l] + m[1][l] + m[2][l] + m[3][l] + m[4][l]),
            each(|l| m[1][l] - m[2][l] + 2.0 * (m[3][l] - m[4][l])),
            each(|l| m[1][l] + m[2][l] + 4.0 * (m[3][l] + m[4][l])),
            each(|l| m[1][l] - m[2][l] + 8.0 * (m[3][l] - m[4][l]) + m[5][l]),
        ]
    }
}

/// Whether three by three cells a tile are fewer multiplications than four by four on this board.
fn is_for_three(board: &Planes) -> bool {
    let tiles = |tile: usize| (board.columns.div_ceil(tile) * board.rows.div_ceil(tile)).next_multiple_of(GROUP);
    tiles(3) * 5 * 5 < tiles(4) * 6 * 6
}

/// The weights of a convolution, \[tap, channel below, channel\], as `convolve_tiles` reads them on this board: \[point, channels,
/// channel below, lane\].
pub fn transformed(layer: &Layer, board: &Planes) -> Vec<f32> {
    if is_for_three(board) { transformed_by(layer, &Three::TAPS) } else { transformed_by(layer, &Four::TAPS) }
}

fn transformed_by<const SIDE: usize>(layer: &Layer, taps: &[[f32; 3]; SIDE]) -> Vec<f32> {
    let outs = layer.bias.len();
    let ins = layer.weights.len() / (9 * outs);
    let mut found = vec![0.0; SIDE * SIDE * ins * outs];
    for (point, found) in found.chunks_exact_mut(ins * outs).enumerate() {
        let (down, across) = (taps[point / SIDE], taps[point % SIDE]);
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

#[inline(always)]
fn lanes_at(numbers: &[f32], at: usize) -> Lanes {
    numbers[at..][..LANES].try_into().expect("as many")
}

by_processor! {
    /// As `lanes::convolve`, for `transformed` weights; cells around the board stay as they are.
    pub fn convolve_tiles(out: &mut [f32], input: &[f32], weights: &[f32], bias: &[f32], board: &Planes, work: &mut Work) {
        if is_for_three(board) {
            convolve_by::<Three, 3, 5, FUSED>(out, (input, weights, bias), board, work);
        } else {
            convolve_by::<Four, 4, 6, FUSED>(out, (input, weights, bias), board, work);
        }
    }
}

#[inline(always)]
fn convolve_by<T: Tile<TILE, SIDE>, const TILE: usize, const SIDE: usize, const FUSED: bool>(
    out: &mut [f32],
    (input, weights, bias): (&[f32], &[f32], &[f32]),
    board: &Planes,
    work: &mut Work,
) {
    let outs = bias.len();
    let ins = weights.len() / (SIDE * SIDE * outs);
    let (stride, across) = (board.columns + 1, board.columns.div_ceil(TILE));
    let tiles = across * board.rows.div_ceil(TILE);
    let room = tiles.next_multiple_of(GROUP);
    let Work { points, sums } = work;
    points.resize(SIDE * SIDE * room * ins, 0.0);
    sums.resize(SIDE * SIDE * room * outs, 0.0);
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
                std::array::from_fn(|x| T::to_points(std::array::from_fn(|y| cell(y, x))));
            for y in 0..SIDE {
                let line = T::to_points(std::array::from_fn(|x| columns[x][y]));
                for (x, value) in line.into_iter().enumerate() {
                    points[((y * SIDE + x) * room + tile) * ins + lane..][..LANES].copy_from_slice(&value);
                }
            }
        }
    }
    for point in 0..SIDE * SIDE {
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
                std::array::from_fn(|x| T::from_points(std::array::from_fn(|y| sum(y, x))));
            let own = lanes_at(bias, lane);
            let lines: [[Lanes; TILE]; TILE] =
                std::array::from_fn(|y| T::from_points(std::array::from_fn(|x| columns[x][y])));
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
