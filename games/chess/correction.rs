//! A small net whose sum is added to the static evaluation by hand: what a search found and the evaluation did not know.
//!
//! It is a net with one hidden layer, of two points of view, whose sums follow the moves (Nasu 2018). A point of view sees
//! the board from the side of its player, and with that player's king on the right half; its inputs are the men, each kind
//! on each square. Weights are 16-bit integers.

use std::sync::Arc;

use shakmaty::{Board, Chess, Color, Position as _, Role, Square};

use super::{
    eval::{SCALE, score},
    inputs::{MEN, Sight},
};
use crate::{by_processor, support::inputs::correction_stage};

/// The integer that stands for 1 in the sums of the first layer.
const ONE: i32 = 255;
/// The greatest weight of the first layer: sums over all men of a board are 16-bit integers.
const FIRST_MOST: i16 = i16::MAX / 33;
/// The greatest weight of the last layer, so that its product with a clipped sum is a 16-bit integer.
const LAST_MOST: i16 = 127;
/// The greatest width, so that the result is a 32-bit integer.
const WIDEST: usize = 256;
/// The greatest number of stages: one for each number of men.
const STAGES: usize = 32;
/// Sums that are changed side by side.
const LANES: usize = 16;
/// The greatest static score in centipawns: scores of mates lie beyond, and so far that no correction reaches them.
const MOST: i32 = 9_500;
/// Men by which a position may differ from the one before for its sums to be brought up to date.
const CHANGES: usize = 12;

/// The weights of a layer, and its bias.
type Weights<'a> = (&'a [f32], &'a [f32]);

/// The net.
#[derive(Clone, Debug)]
pub struct Correction {
    /// A multiple of `LANES`.
    width: usize,
    /// A row for each input.
    first: Vec<i16>,
    bias: Vec<i16>,
    /// Those of the mover's sums, then those of the opponent's, for each stage: the greatest is `LAST_MOST`.
    last: Vec<i16>,
    /// Centipawns of a weighed sum of 1.
    each: f32,
    /// In centipawns, for each stage.
    bases: Vec<f32>,
}

impl Correction {
    /// From the weights of a net whose hidden layer is a sum between 0 and 1, squared. The first layer has a row for each
    /// input, the last one for each stage of the game, told by the number of men. The net's sum is in units of `eval::SCALE`;
    /// the weights of the last may have any size.
    ///
    /// # Errors
    ///
    /// One line that says what is wrong with the sizes or the numbers.
    pub fn new((first, bias): Weights<'_>, (last, bases): Weights<'_>) -> Result<Correction, String> {
        let width = bias.len();
        let stages = bases.len();
        let (found, expected) = ([first.len(), last.len()], [MEN * width, 2 * width * stages]);
        if width == 0 || width > WIDEST || stages == 0 || stages > STAGES || found != expected {
            let sizes = format!("width {width} and stages {stages}");
            return Err(format!("a correction of {sizes} has {found:?} weights instead of {expected:?}"));
        }
        let rounded = |numbers: &[f32], one: f32, most: i16| -> Result<Vec<i16>, String> {
            let each = numbers.iter().map(|number| {
                let steps = (number * one).round();
                let small = steps.abs() <= f32::from(most);
                small.then_some(steps as i16).ok_or_else(|| {
                    format!("a weight of the correction is {number:e}, beyond +-{:.2}", f32::from(most) / one)
                })
            });
            each.collect()
        };
        let one = ONE as f32;
        let greatest = last.iter().fold(0.0, |most, weight| weight.abs().max(most));
        let last_one = if greatest > 0.0 { f32::from(LAST_MOST) / greatest } else { 1.0 };
        let padded = width.next_multiple_of(LANES);
        let pad = |numbers: Vec<i16>| -> Vec<i16> {
            let rows = numbers.chunks(width);
            rows.flat_map(|row| row.iter().copied().chain(std::iter::repeat_n(0, padded - width))).collect()
        };
        Ok(Correction {
            width: padded,
            first: pad(rounded(first, one, FIRST_MOST)?),
            bias: pad(rounded(bias, one, FIRST_MOST)?),
            last: pad(rounded(last, last_one, LAST_MOST)?),
            each: SCALE / (one * one * last_one),
            bases: bases.iter().map(|base| base * SCALE).collect(),
        })
    }

    /// Centipawns for the mover, in a position with this number of men.
    fn worth(&self, mover: &[i16], other: &[i16], men: usize) -> i32 {
        let stage = correction_stage(men, self.bases.len());
        let (for_mover, for_other) = self.last[2 * stage * self.width..][..2 * self.width].split_at(self.width);
        let mut sums = [0; 2];
        add_weighed(&mut sums[0], mover, for_mover);
        add_weighed(&mut sums[1], other, for_other);
        let sum: f32 = sums.iter().map(|&sum| sum as f32).sum();
        (self.bases[stage] + sum * self.each).round() as i32
    }
}

by_processor! {
    /// Adds to `total` the squares of the clipped sums, each times its weight.
    pub fn add_weighed(total: &mut i32, sums: &[i16], weights: &[i16]) {
        let mut added = 0;
        for (&sum, &weight) in sums.iter().zip(weights) {
            let clipped = sum.clamp(0, ONE as i16);
            added += i32::from(clipped * weight) * i32::from(clipped);
        }
        *total += added;
    }
}

by_processor! {
    /// Adds to `sums` the rows of the first layer that begin in the places `more`, and takes those from it that begin in `less`.
    pub fn change(sums: &mut [i16], first: &[i16], more: &[usize], less: &[usize]) {
        for (number, sums) in sums.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            let mut held = *sums;
            for &place in more {
                add(&mut held, &first[place + number * LANES..], 1);
            }
            for &place in less {
                add(&mut held, &first[place + number * LANES..], -1);
            }
            *sums = held;
        }
    }
}

/// Adds the first weights of a row, times `sign`.
#[inline(always)]
fn add(sums: &mut [i16; LANES], row: &[i16], sign: i16) {
    let row: &[i16; LANES] = row[..LANES].try_into().expect("as many");
    for lane in 0..LANES {
        sums[lane] += sign * row[lane];
    }
}

/// The sums of one position.
#[derive(Clone)]
struct Standing {
    board: Board,
    /// By colour: White's point of view, then Black's.
    sums: [Vec<i16>; 2],
}

/// The sums along a line of play.
pub struct Sums {
    line: Vec<Standing>,
}

impl Sums {
    /// For lines of at most `plies`.
    pub fn new(net: &Correction, plies: usize) -> Sums {
        let board = Board::empty();
        Sums { line: vec![Standing { board, sums: [(); 2].map(|()| net.bias.clone()) }; plies + 1] }
    }

    /// The correction in centipawns, for the mover of a position at `ply` of the line. What is known of the ply before, or
    /// of the position that stood here last, is brought up to date.
    pub fn correction(&mut self, net: &Correction, chess: &Chess, ply: usize) -> i32 {
        let board = chess.board();
        let ply = ply.min(self.line.len() - 1);
        let (earlier, here) = self.line.split_at_mut(ply);
        let here = &mut here[0];
        let before = earlier.last();
        for (number, color) in [Color::White, Color::Black].into_iter().enumerate() {
            let sight = Sight::of(board, color);
            match before.filter(|before| follows(&before.board, board, sight, color)) {
                Some(before) => {
                    here.sums[number].copy_from_slice(&before.sums[number]);
                    net.bring(&mut here.sums[number], &before.board, board, sight);
                }
                None if follows(&here.board, board, sight, color) => {
                    let old = here.board.clone();
                    net.bring(&mut here.sums[number], &old, board, sight);
                }
                None => {
                    here.sums[number].copy_from_slice(&net.bias);
                    net.bring(&mut here.sums[number], &Board::empty(), board, sight);
                }
            }
        }
        here.board = board.clone();
        let us = usize::from(chess.turn().is_black());
        net.worth(&here.sums[us], &here.sums[1 - us], board.occupied().count())
    }
}

/// Whether the sums of `before` can be brought up to date for `board` by a few changes.
fn follows(before: &Board, board: &Board, sight: Sight, us: Color) -> bool {
    let changed = (before.white() ^ board.white()).count() + (before.black() ^ board.black()).count();
    changed <= CHANGES && before.king_of(us).is_some() && Sight::of(before, us) == sight
}

impl Correction {
    /// Brings sums from one board to another.
    fn bring(&self, sums: &mut [i16], old: &Board, new: &Board, sight: Sight) {
        let (mut more, mut less) = (Rows::default(), Rows::default());
        for color in Color::ALL {
            for role in Role::ALL {
                let (before, after) =
                    (old.by_role(role) & old.by_color(color), new.by_role(role) & new.by_color(color));
                let place = |square: Square| self.width * sight.man(color, role, square);
                (after & !before).into_iter().for_each(|square| more.add(place(square)));
                (before & !after).into_iter().for_each(|square| less.add(place(square)));
            }
        }
        change(sums, &self.first, more.places(), less.places());
    }
}

/// Where rows of the first layer begin: as many as a board has men, at most.
#[derive(Default)]
struct Rows {
    places: [usize; 32],
    count: usize,
}

impl Rows {
    fn add(&mut self, place: usize) {
        self.places[self.count] = place;
        self.count += 1;
    }

    fn places(&self) -> &[usize] {
        &self.places[..self.count]
    }
}

/// The static evaluation along a line: by hand, with the net's correction where there is one.
pub struct Judge {
    net: Option<(Arc<Correction>, Sums)>,
}

impl Judge {
    pub fn new(net: Option<&Arc<Correction>>, plies: usize) -> Judge {
        Judge { net: net.map(|net| (Arc::clone(net), Sums::new(net, plies))) }
    }

    pub fn is_of(&self, net: &Arc<Correction>) -> bool {
        self.net.as_ref().is_some_and(|(held, _)| Arc::ptr_eq(held, net))
    }

    /// The static score in centipawns for the player to move, of a position at `ply` of the line; no score of a mate.
    pub fn score(&mut self, chess: &Chess, ply: usize) -> i32 {
        let by_hand = score(chess);
        let corrected = match &mut self.net {
            Some((net, sums)) if chess.board().pawns().any() => {
                by_hand.saturating_add(sums.correction(net, chess, ply))
            }
            _ => by_hand,
        };
        corrected.clamp(-MOST, MOST)
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, EnPassantMode, Setup};

    use super::*;
    use crate::{Rng, draw::normal};

    const PLIES: usize = 8;

    fn net(width: usize) -> Correction {
        let mut rng = Rng::with_seed(1);
        let mut numbers =
            |count: usize, size: f32| -> Vec<f32> { (0..count).map(|_| normal(&mut rng) * size).collect() };
        let (first, bias, last) = (numbers(MEN * width, 0.2), numbers(width, 0.2), numbers(2 * width, 0.3));
        Correction::new((&first, &bias), (&last, &[0.1])).unwrap()
    }

    fn fresh(net: &Correction, chess: &Chess) -> i32 {
        Sums::new(net, PLIES).correction(net, chess, 0)
    }

    #[test]
    fn sums_follow_the_moves() {
        let (net, mut rng) = (net(20), Rng::with_seed(2));
        let mut sums = Sums::new(&net, PLIES);
        let mut different = std::collections::HashSet::new();
        for _ in 0..20 {
            let mut chess = Chess::default();
            for ply in 0..120 {
                let moves = chess.legal_moves();
                let Some(&m) = rng.choice(&moves) else { break };
                chess.play_unchecked(m);
                // Some positions are not asked for, and lines end beyond the last ply.
                if rng.u8(..3) > 0 {
                    let found = sums.correction(&net, &chess, ply % (PLIES + 3));
                    assert_eq!(found, fresh(&net, &chess));
                    different.insert(found);
                }
            }
        }
        assert!(different.len() > 100);
    }

    #[test]
    fn colours_do_not_matter() {
        let (net, mut rng, mut chess) = (net(16), Rng::with_seed(3), Chess::default());
        for _ in 0..60 {
            let moves = chess.legal_moves();
            let Some(&m) = rng.choice(&moves) else { break };
            chess.play_unchecked(m);
            let setup: Setup = chess.to_setup(EnPassantMode::Always);
            let mirrored: Chess = setup.into_mirrored().position(CastlingMode::Standard).unwrap();
            assert_eq!(fresh(&net, &chess), fresh(&net, &mirrored));
        }
    }

    #[test]
    fn a_sum_is_what_the_formula_says() {
        // The own king's square next to the corner counts a half, the other's pawns on its seventh rank a quarter each.
        let (mut first, last) = (vec![0.0; MEN], [1.0, -0.5]);
        first[5 * 64 + 6] = 0.5;
        (48..56).for_each(|square| first[6 * 64 + square] = 0.25);
        let net = Correction::new((&first, &[0.0]), (&last, &[0.2])).unwrap();
        let chess: Chess = super::super::fen::read("4k3/pp6/8/8/8/8/8/6K1 w - - 0 1", CastlingMode::Standard).unwrap();
        // White's sum is 1, Black's 0.
        let expected = 1.0 + 0.2;
        assert!((fresh(&net, &chess) as f32 - expected * SCALE).abs() <= 2.0);
    }

    #[test]
    fn each_stage_has_its_weights() {
        // Four stages of eight men each: nothing but the bases, and the second stage's weights of the mover's sum, which is 1.
        let (last, bases) = ([0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0], [0.1, 0.2, 0.3, 0.4]);
        let net = Correction::new((&vec![0.0; MEN], &[1.0]), (&last, &bases)).unwrap();
        for (men, expected) in [(2, 0.1), (8, 0.1), (9, 0.7), (16, 0.7), (17, 0.3), (25, 0.4), (32, 0.4)] {
            let found = net.worth(&[ONE as i16], &[ONE as i16], men);
            assert!((found as f32 - expected * SCALE).abs() <= 2.0, "{men}: {found}");
        }
    }

    #[test]
    fn a_net_of_zeros_corrects_nothing() {
        let net = Correction::new((&vec![0.0; MEN], &[0.0]), (&[0.0; 2], &[0.0])).unwrap();
        assert_eq!(fresh(&net, &Chess::default()), 0);
    }

    #[test]
    fn a_wrong_net_is_refused() {
        let refused = |first: &[f32], bias: &[f32], last: &[f32], what: &str| {
            let error = Correction::new((first, bias), (last, &[0.0])).unwrap_err();
            assert!(error.contains(what), "{error}");
        };
        let first = vec![0.0; MEN];
        refused(&first, &[0.0, 0.0], &[0.0; 4], "width 2 and stages 1 has [768, 4] weights instead of [1536, 4]");
        refused(&[], &[], &[], "width 0");
        refused(&vec![9.0; MEN], &[0.0], &[0.0; 2], "a weight of the correction is 9e0, beyond +-3.89");
        refused(&vec![0.0; MEN * 300], &[0.0; 300], &[0.0; 600], "width 300");
    }
}
