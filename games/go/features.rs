//! Features of moves, whose strengths are learned: tactics, lines, distances to the last moves, shapes.
//!
//! The groups are those that programs have used since Coulom 2007; the largest known shape around a move counts.

use super::{
    Go, Position,
    board::{EMPTY, NONE, OFF},
    evaluate::distances,
    preferences::EMPTY_LAND,
    tactic::Tactic,
};
use crate::{Action, MoveFeatures, zobrist};

pub(super) const NAME: &str = "go-1";

/// Groups of features.
const PASS: u8 = 0;
const EYE: u8 = 1;
const SELF_ATARI: u8 = 2;
const TAKES: u8 = 3;
const SAVES: u8 = 4;
const ATARIS: u8 = 5;
const RESCUES: u8 = 6;
const LINE: u8 = 7;
const LAST: u8 = 8;
const BEFORE: u8 = 9;
const SHAPE: u8 = 10;

/// Distances from the last moves beyond this one are one.
const FAR: usize = 17;
/// Lines beyond this one are one.
const INNER_LINE: usize = 5;
/// The distance dx + dy + max(dx, dy) up to which shapes reach.
const REACH: i32 = 8;

/// The cells of shapes around a move, the nearest first.
#[derive(Debug)]
pub(super) struct ShapeCells {
    /// Columns and rows from the move.
    steps: Vec<(i32, i32)>,
    /// Number of cells of each shape.
    sizes: Vec<usize>,
    /// Keys of each cell that holds a stone of the mover, of the other, or is off the board, in each symmetric image.
    keys: Vec<[[u64; 8]; 3]>,
}

impl ShapeCells {
    pub fn new() -> ShapeCells {
        let far = |&(x, y): &(i32, i32)| x.abs() + y.abs() + x.abs().max(y.abs());
        let all = (-REACH..=REACH).flat_map(|y| (-REACH..=REACH).map(move |x| (x, y)));
        let mut steps: Vec<(i32, i32)> = all.filter(|step| (2..=REACH).contains(&far(step))).collect();
        steps.sort_by_key(|step| (far(step), *step));
        let sizes = (2..=REACH).map(|reach| steps.iter().filter(|step| far(step) <= reach).count()).collect();
        let key = |content: usize, (x, y): (i32, i32)| {
            let place = (y + REACH) * (2 * REACH + 1) + x + REACH;
            zobrist::key(0x5a9e + content as u64, place as u64)
        };
        let image = |frame: usize, (x, y): (i32, i32)| {
            let (x, y) = if frame & 4 != 0 { (y, x) } else { (x, y) };
            (if frame & 1 != 0 { -x } else { x }, if frame & 2 != 0 { -y } else { y })
        };
        let of_cell = |&step: &(i32, i32)| {
            std::array::from_fn(|content| std::array::from_fn(|frame| key(content, image(frame, step))))
        };
        ShapeCells { keys: steps.iter().map(of_cell).collect(), steps, sizes }
    }
}

/// The size of a chain, in few steps.
fn size_class(stones: u16) -> u64 {
    match stones {
        1 => 1,
        2 => 2,
        3..=4 => 3,
        _ => 4,
    }
}

impl Go {
    pub(super) fn features_of(&self, p: &Position, actions: &[Action], out: &mut MoveFeatures) {
        let stones = distances(&p.board, |q| p.board.colour(q) < EMPTY, |q| p.board.colour(q) == EMPTY);
        out.clear();
        for &a in actions {
            if a == self.pass() {
                out.push(PASS, p.passes.into());
            } else {
                let point = p.board.point(a as u16);
                if p.board.is_eye(point, p.mover) {
                    out.push(EYE, 0);
                } else {
                    self.add_tactics(p, a, out);
                }
                let place = self.line(a).min(INNER_LINE) as u64;
                out.push(LINE, place << 1 | u64::from(stones.of(point) >= EMPTY_LAND));
                for (group, recent) in [(LAST, p.recent[0]), (BEFORE, p.recent[1])] {
                    if recent != NONE {
                        out.push(group, self.distance(a, p.board.action(recent).into()).min(FAR) as u64);
                    }
                }
                self.add_shapes(p, a, out);
            }
            out.end_move();
        }
    }

    fn add_tactics(&self, p: &Position, a: Action, out: &mut MoveFeatures) {
        let point = p.board.point(a as u16);
        let mut values = [0; 5];
        p.tactics(point, &p.board.prospect(point, p.mover), |tactic| {
            let (group, value) = match tactic {
                Tactic::SelfAtari(stones) => (SELF_ATARI, size_class(stones)),
                Tactic::Takes(stones) => (TAKES, size_class(stones)),
                Tactic::RunsInVain(_) => (SAVES, 1),
                Tactic::Saves(stones) => (SAVES, 1 + size_class(stones)),
                Tactic::Ataris(stones) => (ATARIS, size_class(stones)),
                Tactic::Ladders(stones) => (ATARIS, 4 + size_class(stones)),
                Tactic::Rescues(stones) => (RESCUES, size_class(stones)),
            };
            let most: &mut u64 = &mut values[usize::from(group - SELF_ATARI)];
            *most = value.max(*most);
        });
        for (group, value) in (SELF_ATARI..).zip(values) {
            if value > 0 {
                out.push(group, value);
            }
        }
    }

    /// Shapes of growing size, each by the least key of its images.
    fn add_shapes(&self, p: &Position, a: Action, out: &mut MoveFeatures) {
        let [columns, rows] = [self.size.columns, self.size.rows].map(i32::from);
        let (row, column) = (a as i32 / columns, a as i32 % columns);
        let ShapeCells { steps, sizes, keys } = &*self.shape_cells;
        let (mut images, mut done) = ([0_u64; 8], 0);
        for &size in sizes {
            for (&(x, y), keys) in steps[done..size].iter().zip(&keys[done..size]) {
                let (x, y) = (column + x, row + y);
                let inside = (0..columns).contains(&x) && (0..rows).contains(&y);
                let colour = if inside { p.board.colour(p.board.point((y * columns + x) as u16)) } else { OFF };
                let content = match colour {
                    EMPTY => continue,
                    OFF => 2,
                    colour => usize::from(colour != p.mover),
                };
                images.iter_mut().zip(keys[content]).for_each(|(image, key)| *image ^= key);
            }
            done = size;
            let least = images.into_iter().min().unwrap_or(0);
            out.push(SHAPE, zobrist::key(least, size as u64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Game,
        go::tests::{go, play},
        group_of,
    };

    /// The features of a move after `moves`, without those of shapes, as groups and values; and those of shapes.
    fn features(moves: &str, of: &str) -> (Vec<(u8, u64)>, Vec<u64>) {
        let go = go("size=7");
        let mut p = go.initial();
        play(&go, &mut p, moves);
        let mut found = MoveFeatures::default();
        go.features(&p, &[go.parse_action(&p, of).unwrap()], &mut found);
        let all = found.iter().next().unwrap();
        let (shapes, others): (Vec<u64>, Vec<u64>) = all.iter().partition(|&&feature| group_of(feature) == SHAPE);
        (others.into_iter().map(|feature| (group_of(feature), feature & 0xffff)).collect(), shapes)
    }

    #[test]
    fn features_by_hand() {
        assert_eq!(features("", "d4").0, [(LINE, 3 << 1 | 1)]);
        assert_eq!(features("pass", "pass").0, [(PASS, 1)]);
        // White at b2 is in atari after a2, b1 and c2: b3 takes it.
        let (found, _) = features("a2 b2 b1 g7 c2 g6", "b3");
        assert_eq!(found, [(TAKES, 1), (LINE, 1 << 1), (LAST, 13), (BEFORE, 3)]);
        // White runs: one more liberty is not enough on the second line, and joins nothing.
        let (found, _) = features("a2 b2 b1 g7 c2", "b3");
        assert_eq!(found[0].0, SAVES);
        // White throws a stone into the corner.
        let (found, _) = features("a2", "a1");
        assert_eq!(found[..2], [(SELF_ATARI, 1), (LINE, 0)]);
        // Black's own eye.
        let (found, _) = features("a2 g7 b1 g6 b2 g5", "a1");
        assert_eq!(found[0], (EYE, 0));
    }

    #[test]
    fn shapes_are_the_same_as_far_as_the_stones_around_are() {
        let ((_, near), (_, far)) = (features("c4 c5 pass", "d4"), features("c4 c5 g7", "d4"));
        assert_eq!(near.len(), (REACH - 1) as usize);
        // g7 is three columns and rows away: beyond the reach.
        assert_eq!(near, far);
        // f6, at 2 + 2 + 2, is in the shapes from the fifth on.
        let (_, other) = features("c4 c5 f6", "d4");
        assert_eq!(near.iter().zip(&other).filter(|(a, b)| a == b).count(), 4);
        // The mirror image, and the colours exchanged: White to play between.
        let (_, turned) = features("pass e4 e5", "d4");
        assert_eq!(features("c4 c5", "d4").1, turned);
    }
}
