//! H(s, a): which moves look promising before anything is read.

use super::{
    Go, Position,
    blunder::LARGEST_NAKADE,
    board::{EMPTY, NONE, Point},
    evaluate::{Distances, distances},
    ladder,
    tactics::Prospect,
};
use crate::Action;

const PASS: f32 = -4.0;
/// Preference for a pass where nothing else makes sense.
const LAST_RESORT: f32 = 2.0;
const OWN_EYE: f32 = -8.0;
/// A self-atari of one stone, of a few that could be a nakade, of more.
const SELF_ATARI: [f32; 3] = [-2.0, -2.5, -4.0];
/// At or below this a move makes no sense.
const SENSELESS: f32 = -1.9;

/// Preference for taking a chain, for saving one from atari, for a ladder; each more by `DOUBLED` when the stones double.
const CAPTURE: f32 = 1.2;
const SAVE: f32 = 1.2;
const LADDER: f32 = 1.2;
const DOUBLED: f32 = 0.5;
/// Preference for running with a chain that is lost all the same.
const RUN_IN_VAIN: f32 = -1.5;
const ATARI: f32 = 0.4;
const SHAPE: f32 = 0.8;
/// By distance from the last move, dx + dy + max(dx, dy); half as much from the move before.
const NEAR: [f32; 8] = [0.0, 0.0, 0.8, 0.8, 0.6, 0.4, 0.3, 0.2];
/// On the first, second, third and fourth line where no stone is near.
const EMPTY_LINE: [f32; 4] = [-2.0, -1.0, 0.4, 0.3];
/// Steps from the nearest stone at which a point counts as empty land.
const EMPTY_LAND: u8 = 4;
/// On the first line elsewhere.
const EDGE: f32 = -0.6;

fn more_by_stones(stones: u16) -> f32 {
    DOUBLED * f32::from(stones).log2()
}

impl Go {
    /// Replaces `out` by a preference for each action.
    pub(super) fn prefer(&self, p: &Position, actions: &[Action], out: &mut Vec<f32>) {
        let stones = distances(&p.board, |q| p.board.colour(q) < EMPTY, |q| p.board.colour(q) == EMPTY);
        out.clear();
        out.extend(actions.iter().map(|&a| if a == self.pass() { PASS } else { self.prefer_point(p, a, &stones) }));
        if out.iter().all(|&preference| preference <= SENSELESS)
            && let Some(i) = actions.iter().position(|&a| a == self.pass())
        {
            out[i] = LAST_RESORT;
        }
    }

    fn prefer_point(&self, p: &Position, a: Action, stones: &Distances) -> f32 {
        let (board, mover) = (&p.board, p.mover);
        let point = board.point(a as u16);
        if board.is_eye(point, mover) {
            return OWN_EYE;
        }
        let prospect = board.prospect(point, mover);
        let tactics = self.prefer_tactics(p, point, &prospect);
        let shape = if self.shapes.fit(board, point) { SHAPE } else { 0.0 };
        let near = |recent: Point| match recent {
            NONE => 0.0,
            recent => NEAR.get(self.distance(a, board.action(recent).into())).copied().unwrap_or(0.0),
        };
        let line = self.line(a);
        let place = if stones.of(point) >= EMPTY_LAND {
            EMPTY_LINE.get(line).copied().unwrap_or(0.0)
        } else if line == 0 && tactics <= 0.0 {
            EDGE
        } else {
            0.0
        };
        tactics + shape + near(p.recent[0]) + near(p.recent[1]) / 2.0 + place
    }

    /// The part of a move's preference for captures, ataris and blunders.
    fn prefer_tactics(&self, p: &Position, point: Point, prospect: &Prospect) -> f32 {
        let (board, mover) = (&p.board, p.mover);
        if prospect.liberties.len() < 2 && prospect.taken < prospect.stones {
            return match prospect.stones {
                1 => SELF_ATARI[0],
                2..=LARGEST_NAKADE => SELF_ATARI[1],
                _ => SELF_ATARI[2],
            };
        }
        let mut preference = 0.0;
        if prospect.taken > 0 {
            preference += CAPTURE + more_by_stones(prospect.taken);
        }
        let (sides, smothered) = (board.sides(point), board.smothered(point));
        for (d, side) in sides.into_iter().enumerate() {
            let head = board.head(side);
            if board.colour(side) >= EMPTY || sides[..d].iter().any(|&other| board.head(other) == head) {
                continue;
            }
            let (ours, in_atari) = (board.colour(side) == mover, smothered >> d & 1 != 0);
            if ours && in_atari {
                let saved =
                    prospect.taken > 0 || prospect.stones > board.chain_size(side) + 1 || !ladder::is_lost(board, side);
                preference += if saved { SAVE + more_by_stones(board.chain_size(side)) } else { RUN_IN_VAIN };
            } else if !ours && !in_atari && board.liberties(side).len() == 2 {
                preference += ATARI;
                if ladder::catches(board, point, side) {
                    preference += LADDER + more_by_stones(board.chain_size(side));
                }
            }
        }
        // A capture beside one's own chain in atari saves it.
        let mut saved = 0;
        for (d, side) in sides.into_iter().enumerate() {
            if board.colour(side) == 1 - mover && smothered >> d & 1 != 0 {
                board.for_each_stone(side, |taken| {
                    for friend in board.sides(taken) {
                        let escapes = board.colour(friend) == mover && board.last_liberty(friend) != NONE;
                        saved = saved.max(if escapes { board.chain_size(friend) } else { 0 });
                    }
                });
            }
        }
        if saved > 0 { preference + SAVE + more_by_stones(saved) } else { preference }
    }

    /// The line of a point, 0 at the edge.
    fn line(&self, a: Action) -> usize {
        let [columns, rows] = [self.size.columns, self.size.rows].map(usize::from);
        let (row, column) = (a as usize / columns, a as usize % columns);
        row.min(column).min(rows - 1 - row).min(columns - 1 - column)
    }

    /// dx + dy + max(dx, dy).
    fn distance(&self, a: Action, b: Action) -> usize {
        let columns = u32::from(self.size.columns);
        let (dy, dx) = ((a / columns).abs_diff(b / columns), (a % columns).abs_diff(b % columns));
        (dx + dy + dx.max(dy)) as usize
    }
}
